import { mayOperate } from '../people/principal.ts'
import { listTeam } from '../people/team.ts'
import { type Db, type Environment, sql } from '../platform/db.ts'
import { showEndpointId } from '../webhooks/present.ts'
import { type FeeRuleView, listFees } from './fees.ts'
import { type KeyView, listOf } from './keys.ts'
import { type MerchantCurrencies, showCurrencies } from './merchant-currencies.ts'
import { existing, type MerchantView, merchantId, view } from './merchants.ts'
import type { OperatorContext } from './operator-context.ts'
import { type PayoutControlsView, showPayoutControls } from './payout-controls.ts'
import { readWallets, type WalletView } from './wallets.ts'

/** Everything about one merchant that staff look at first. */
export interface MerchantOverview extends MerchantView {
  readonly frozenAt?: string
  readonly keys: readonly KeyView[]
  readonly wallets: readonly WalletView[]
  readonly webhooks: readonly WebhookHealth[]
  /** The merchant's own fee rules in force; the rules for all merchants apply to the rest. */
  readonly fees: readonly FeeRuleView[]
  /** Limits and approval rules for its payouts, in both environments. */
  readonly payoutControls: readonly PayoutControlsView[]
  /** Its people with their roles; missing for readers without `people:read`. */
  readonly people?: Awaited<ReturnType<typeof listTeam>>
  /** Currencies that are off, by environment. */
  readonly disabledCurrencies: readonly { readonly env: Environment; readonly currencies: readonly string[] }[]
  readonly openPayments: readonly OpenOfMerchant[]
  /** The newest payment of each environment. */
  readonly lastPayments: readonly { readonly env: Environment; readonly at: string }[]
}

interface WebhookHealth {
  readonly env: Environment
  /** `default`, or the id of one that the merchant added. */
  readonly endpoint: string
  /** Empty without an endpoint. */
  readonly url: string
  readonly state: 'none' | 'healthy' | 'failing' | 'disabled'
  /** Failed deliveries in a row, and since when. */
  readonly failures: number
  readonly failingSince?: string
  readonly disabledAt?: string
}

interface OpenOfMerchant {
  readonly env: Environment
  readonly state: string
  readonly payments: number
  readonly oldestSeconds: number
}

export async function showMerchant(context: OperatorContext, shownId: string): Promise<MerchantOverview> {
  const db = context.db.write
  const merchant = await existing(db, merchantId(shownId))
  const { id, frozen_at } = merchant
  const [keys, wallets, webhooks, fees, currencies, openPayments, lastPayments, payoutControls] = await Promise.all([
    listOf(context, shownId),
    readWallets(context, id, undefined),
    webhooksOf(db, id),
    feesOf(context, shownId),
    showCurrencies(context, shownId),
    openOf(db, id),
    lastOf(db, id),
    showPayoutControls(context, shownId),
  ])
  // The people of a merchant belong to both environments.
  const people = mayOperate(context.principal, 'people:read')
    ? await listTeam(context.db.read, { merchant_id: id, env: 'live' })
    : undefined
  return {
    ...view(merchant),
    ...(frozen_at && { frozenAt: frozen_at.toISOString() }),
    keys,
    wallets,
    webhooks,
    fees,
    payoutControls,
    ...(people && { people }),
    disabledCurrencies: currencies.flatMap(disabledIn),
    openPayments,
    lastPayments,
  }
}

const disabledIn = ({ env, disabled }: MerchantCurrencies) =>
  disabled.length === 0 ? [] : [{ env, currencies: disabled }]

async function feesOf(context: OperatorContext, merchant: string): Promise<FeeRuleView[]> {
  const rules = await listFees(context, { merchant, isHistory: false })
  return rules.filter(({ merchantId: own, status }) => own !== undefined && status === 'in force')
}

interface EndpointRow {
  readonly env: Environment
  readonly id: string
  readonly url: string
  readonly failures: number
  readonly failing_since: Date | null
  readonly disabled_at: Date | null
}

async function webhooksOf(db: Db, merchant_id: string): Promise<WebhookHealth[]> {
  const rows = await db.query<EndpointRow>(sql`
    select env, id, url, failures, failing_since, disabled_at
    from webhook_endpoints
    where merchant_id = ${merchant_id}
    union all
    select env, id, url, failures, failing_since, disabled_at
    from added_webhook_endpoints
    where merchant_id = ${merchant_id}
    order by env, id`)
  return rows.map(({ env, id, url, failures, failing_since, disabled_at }) => ({
    env,
    endpoint: showEndpointId(id),
    url,
    state: url === '' ? 'none' : disabled_at ? 'disabled' : failures > 0 ? 'failing' : 'healthy',
    failures,
    ...(failing_since && { failingSince: failing_since.toISOString() }),
    ...(disabled_at && { disabledAt: disabled_at.toISOString() }),
  }))
}

function openOf(db: Db, merchant_id: string): Promise<OpenOfMerchant[]> {
  return db.query<OpenOfMerchant>(sql`
    select env, state, count(*)::int as payments,
      extract(epoch from (select record_time()) - min(created_at))::int as "oldestSeconds"
    from transactions
    where merchant_id = ${merchant_id}
      and state not in ('successful', 'failed')
    group by env, state
    order by env, state`)
}

/** One index entry of each environment, the newest month first. */
async function lastOf(db: Db, merchant_id: string): Promise<MerchantOverview['lastPayments']> {
  const rows = await db.query<{ env: Environment; at: Date }>(sql`
    select e.env, t.created_at as at
    from unnest(array['live', 'sandbox']) as e(env)
    cross join lateral (
      select created_at
      from transactions
      where merchant_id = ${merchant_id}
        and env = e.env
      order by id desc
      limit 1
    ) as t`)
  return rows.map(({ env, at }) => ({ env, at: at.toISOString() }))
}
