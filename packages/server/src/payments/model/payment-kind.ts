import type { TransactionType } from './store.ts'

/** A charge or payout is `deposit` or `withdrew` in the merchant API only. */
export const kindOf = (type: TransactionType) => (type === 'withdrew' ? 'payout' : type === 'deposit' ? 'charge' : type)
