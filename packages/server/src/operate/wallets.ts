import { available, balance, type Counters } from '../ledger/accounts.ts'
import { isCurrency } from '../money/currencies.ts'
import { formatMinor } from '../money/money.ts'
import { type Environment, sql } from '../platform/db.ts'
import { existing, merchantId } from './merchants.ts'
import { type OperatorContext, readScope } from './operator-context.ts'

/** A wallet, with amounts in major units. */
export interface WalletView {
  readonly env: Environment
  readonly currency: string
  readonly country: string
  /** Available and pending. */
  readonly balance: string
  /** What the merchant may spend. */
  readonly available: string
  /** Held for payouts. */
  readonly pending: string
  /** What the merchant owes because a provider took back more than the balance. */
  readonly owed: string
}

/** Every wallet of a merchant, of one environment or both. */
export async function showWallets(
  context: OperatorContext,
  shownMerchantId: string,
  { env }: { readonly env?: Environment } = {},
): Promise<WalletView[]> {
  const { id } = await existing(context.db.write, merchantId(shownMerchantId))
  return readWallets(context, id, env)
}

interface WalletRow extends Counters {
  readonly env: Environment
  readonly currency: string
  readonly country: string
  readonly owed: bigint
}

export async function readWallets(
  context: OperatorContext,
  merchant_id: string,
  env: Environment | undefined,
): Promise<WalletView[]> {
  const rows = await context.db.write.query<WalletRow>(sql`
    select env, currency, country, debits_pending, debits_posted, credits_pending, credits_posted, owed
    from wallets
    where merchant_id = ${merchant_id}
      and env = coalesce(${env ?? null}::text, env)
      and is_in_scope(${readScope(context, 'merchants:read')}::jsonb, country, currency)
    order by env, currency, country`)
  return rows.map((row) => {
    const shown = (minor: bigint) => shownMinor(minor, row.currency)
    return {
      env: row.env,
      currency: row.currency,
      country: row.country,
      balance: shown(balance(row)),
      available: shown(available(row)),
      pending: shown(row.debits_pending),
      owed: shown(row.owed),
    }
  })
}

/** In major units; a currency that this release does not know stays in minor units. */
export const shownMinor = (minor: bigint, currency: string) =>
  isCurrency(currency) ? formatMinor(minor, currency) : String(minor)
