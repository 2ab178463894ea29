import type { Moved } from '../support/cluster/simulator-control.ts'
import type { Site } from './site.ts'

/** A broken invariant, and the payment whose history explains it. */
export interface Violation {
  readonly kind: 'lost' | 'doubled' | 'wrong' | 'stuck'
  readonly words: string
  readonly payment?: string
}

/** A transaction as the database stores it. */
interface KeptTransaction extends Record<string, unknown> {
  readonly id: string
  readonly merchant_id: string
  readonly method: string
  readonly external_reference: string
  readonly amount: string
  readonly currency: string
  readonly wallet_id: string
  readonly wallet_amount: string
  readonly wallet_currency: string
  readonly fee: string
  readonly state: string
  readonly notified: number
}

/** A payment that a merchant requested. */
export interface Kept extends KeptTransaction {
  readonly type: 'deposit' | 'withdrew' | 'refund' | 'conversion'
  readonly country: string
  /** Of a refund: its charge. */
  readonly related_transaction_id: string | null
  readonly received: string
  readonly doubt: string
  readonly failure: { readonly code: string } | null
  readonly attempt: number
  /** Its adjustments, oldest first; `adjusted` is credits less debits. */
  readonly adjustments: readonly string[]
  readonly adjusted: string
  /** Amount in suspense for it; negative when the operator must recover it. */
  readonly suspended: string
}

/** A credit or debit after the end of a payment. */
export interface KeptAdjustment extends KeptTransaction {
  readonly type: 'adjustment'
  readonly related_transaction_id: string
  readonly direction: 'credit' | 'debit'
  readonly reason: string
}

/** Money in suspense that is not decided yet. */
interface KeptCase extends Record<string, unknown> {
  readonly id: string
  readonly transaction_id: string | null
  readonly amount: string
}

export interface KeptReceipt extends Record<string, unknown> {
  readonly transaction_id: string
  readonly receipt_id: string
  readonly amount: string
  readonly is_late: boolean
  readonly is_reversed: boolean
}

export interface KeptWallet extends Record<string, unknown> {
  readonly id: string
  readonly merchant_id: string
  readonly currency: string
  readonly country: string
  readonly balance: string
  readonly pending: string
  /** Amount that could not be debited; it is collected from later credits. */
  readonly owed: string
}

/** The records of the service and of the providers. */
export interface Books {
  readonly payments: readonly Kept[]
  readonly adjustments: readonly KeptAdjustment[]
  readonly cases: readonly KeptCase[]
  readonly receipts: readonly KeptReceipt[]
  readonly wallets: readonly KeptWallet[]
  readonly moved: readonly Moved[]
}

export async function readBooks(site: Pick<Site, 'ask' | 'simulatorControl'>): Promise<Books> {
  return {
    payments: await site.ask<Kept>(`select * from transactions where type <> 'adjustment' order by id`),
    adjustments: await site.ask<KeptAdjustment>(`select * from transactions where type = 'adjustment' order by id`),
    cases: await site.ask<KeptCase>('select id, transaction_id, amount from suspense_cases where closed_at is null'),
    receipts: await site.ask<KeptReceipt>('select * from receipts'),
    wallets: await site.ask<KeptWallet>(`
      select id, merchant_id, currency, country, credits_posted - debits_posted as balance, debits_pending as pending,
        owed
      from wallets where env = 'sandbox'`),
    moved: await site.simulatorControl().moved(),
  }
}

export const isFinal = ({ state }: Pick<Kept, 'state'>) => state === 'successful' || state === 'failed'
