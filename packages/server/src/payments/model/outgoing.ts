import type { TransactionType } from './store.ts'

/** Whether the payment takes money out of the wallet to someone outside: a payout or a refund. It has holds until its end. */
export const isOutgoing = ({ type }: { readonly type: TransactionType }): boolean =>
  type === 'withdrew' || type === 'refund'
