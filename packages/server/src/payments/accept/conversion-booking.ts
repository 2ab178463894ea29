import type { WalletScope } from '../../ledger/accounts.ts'
import type { Movement } from '../../ledger/books.ts'
import { movementsOf } from '../../ledger/postings.ts'
import { type Db, type Owner, sql } from '../../platform/db.ts'
import { type Accounts, platformAccountsOf } from '../resolve/payment-postings.ts'
import type { PricedPayment } from './priced-payment.ts'

interface Item {
  readonly id: string
  readonly priced: PricedPayment
}

export const isConversion = ({ priced }: Pick<Item, 'priced'>) => priced.type === 'conversion'

/** The wallet that a conversion credits. The one that it debits is the transaction's own. */
export const creditedScope = ({ priced: { owner, currency, country } }: Pick<Item, 'priced'>): WalletScope => ({
  merchant_id: owner.merchant_id,
  env: owner.env,
  currency,
  country,
})

/**
 * Which of these merchants are frozen. A frozen merchant's payouts wait until it is unfrozen. A conversion is final at once, so it
 * is refused instead.
 */
export async function findFrozen(db: Db, owners: readonly Owner[]): Promise<(merchantId: string) => boolean> {
  if (owners.length === 0) return () => false
  const frozen = await db.query<{ id: string }>(sql`
    select id
    from merchants
    where id = any(${owners.map(({ merchant_id }) => merchant_id)}::uuid[])
      and frozen_at is not null`)
  return (merchantId) => frozen.some(({ id }) => id === merchantId)
}

/** The money of a conversion: out of one wallet, through the positions of both currencies, into the other wallet. */
export function conversionMovements(
  { id, priced }: Item,
  { debited, credited, accounts }: { readonly debited: string; readonly credited: string; readonly accounts: Accounts },
): Movement[] {
  const { owner, amount, currency, wallet_amount, wallet_currency, rate } = priced
  const platform = platformAccountsOf({ env: owner.env, currency, wallet_currency }, accounts)
  return movementsOf('conversion', {
    transaction_id: id,
    firstNumber: 0,
    sums: { taken: wallet_amount, credited: amount, spread: BigInt(rate?.spread ?? 0) },
    accountOf: (role, side) => {
      if (role !== 'wallet') return platform(role, side)
      return side === 'wallet' ? debited : credited
    },
    currencies: { wallet: wallet_currency, payment: currency },
  })
}
