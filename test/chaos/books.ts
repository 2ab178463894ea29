import type { Moved } from '../support/simulator-desk.ts'
import type { Site } from './site.ts'

/** Something that must not be, and the payment whose story explains it. */
export interface Violation {
  readonly kind: 'lost' | 'doubled' | 'wrong' | 'stuck'
  readonly words: string
  readonly payment?: string
}

/** A payment as the service keeps it. */
export interface Kept extends Record<string, unknown> {
  readonly id: string
  readonly merchant_id: string
  readonly type: 'deposit' | 'withdrew'
  readonly method: string
  readonly external_reference: string
  readonly amount: string
  readonly currency: string
  readonly wallet_id: string
  readonly wallet_amount: string
  readonly wallet_currency: string
  readonly fee: string
  readonly received: string
  readonly state: string
  readonly doubt: string
  readonly discrepancy: string
  readonly failure: { readonly code: string } | null
  readonly attempt: number
  readonly told: number
}

export interface KeptReceipt extends Record<string, unknown> {
  readonly transaction_id: string
  readonly receipt_id: string
  readonly amount: string
}

export interface KeptWallet extends Record<string, unknown> {
  readonly id: string
  readonly merchant_id: string
  readonly currency: string
  readonly country: string
  readonly balance: string
  readonly pending: string
}

/** What the service and the providers have written down. */
export interface Books {
  readonly payments: readonly Kept[]
  readonly receipts: readonly KeptReceipt[]
  readonly wallets: readonly KeptWallet[]
  readonly moved: readonly Moved[]
}

export async function readBooks(site: Site): Promise<Books> {
  return {
    payments: await site.ask<Kept>('select * from transactions order by id'),
    receipts: await site.ask<KeptReceipt>('select * from receipts'),
    wallets: await site.ask<KeptWallet>(`
      select id, merchant_id, currency, country, credits_posted - debits_posted as balance, debits_pending as pending
      from wallets where env = 'sandbox'`),
    moved: await site.desk().moved(),
  }
}

export const isFinal = ({ state }: Pick<Kept, 'state'>) => state === 'successful' || state === 'failed'
