import { type Db, type Environment, type Owner, sql } from '../../platform/db.ts'

/** The limits that count the payouts of a day, and what each counts by. */
export const dayLimits = {
  credential: 'per_credential_day',
  merchant: 'per_merchant_day',
  beneficiary: 'per_beneficiary_day',
} as const
export type DayKind = keyof typeof dayLimits
export const dayKinds = Object.keys(dayLimits) as readonly DayKind[]

/** Every limit, the first to be checked first, with its name for people. */
export const limitNames = {
  per_payout: 'per payout',
  per_credential_day: 'per credential and day',
  per_merchant_day: 'per merchant and day',
  per_beneficiary_day: 'per beneficiary and day',
} as const
export type LimitName = keyof typeof limitNames

/**
 * The controls of one currency, in minor units. They count what a wallet of the currency pays, without the fee, and what is paid in
 * the currency from a wallet of another. Null: no limit.
 */
export interface CurrencyControls extends Readonly<Record<LimitName, bigint | null>> {
  readonly approval_above: bigint | null
}

/** Which payouts need approval, whatever their currency. */
export interface ApprovalRules {
  readonly is_for_bulk: boolean
  readonly is_for_new_beneficiaries: boolean
}

/** The payout controls of a merchant in one environment. */
export interface PayoutControls extends ApprovalRules {
  readonly byCurrency: ReadonlyMap<string, CurrencyControls>
}

export const noControls: PayoutControls = { is_for_bulk: false, is_for_new_beneficiaries: false, byCurrency: new Map() }

export const ownerKey = ({ merchant_id, env }: Owner) => `${merchant_id} ${env}`

interface ControlRow extends Partial<CurrencyControls> {
  readonly merchant_id: string
  readonly env: Environment
  readonly is_for_bulk: boolean | null
  readonly is_for_new_beneficiaries: boolean | null
  readonly currency: string | null
}

/** The controls of these merchants, by {@link ownerKey}. A merchant without controls is left out. */
export async function findControls(db: Db, owners: readonly Owner[]): Promise<Map<string, PayoutControls>> {
  if (owners.length === 0) return new Map()
  const wanted = [...new Map(owners.map((owner) => [ownerKey(owner), owner])).values()]
  const rows = await db.query<ControlRow>(sql`
    select w.merchant_id, w.env, r.is_for_bulk, r.is_for_new_beneficiaries, c.currency, c.per_payout,
      c.per_credential_day, c.per_merchant_day, c.per_beneficiary_day, c.approval_above
    from unnest(${wanted.map((owner) => owner.merchant_id)}::uuid[], ${wanted.map(({ env }) => env)}::text[])
      as w(merchant_id, env)
    left join approval_rules r on r.merchant_id = w.merchant_id and r.env = w.env
    left join payout_controls c on c.merchant_id = w.merchant_id and c.env = w.env
    where r.merchant_id is not null
      or c.merchant_id is not null`)
  return new Map([...Map.groupBy(rows, ownerKey)].map(([key, ofOwner]) => [key, controlsOf(ofOwner)]))
}

function controlsOf(rows: readonly ControlRow[]): PayoutControls {
  const [first] = rows
  return {
    is_for_bulk: first?.is_for_bulk ?? false,
    is_for_new_beneficiaries: first?.is_for_new_beneficiaries ?? false,
    byCurrency: new Map(rows.flatMap((row) => (row.currency === null ? [] : [[row.currency, currencyControls(row)]]))),
  }
}

function currencyControls(row: ControlRow): CurrencyControls {
  const { per_payout = null, per_credential_day = null, per_merchant_day = null } = row
  const { per_beneficiary_day = null, approval_above = null } = row
  return { per_payout, per_credential_day, per_merchant_day, per_beneficiary_day, approval_above }
}
