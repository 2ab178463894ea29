import { isCurrency } from '../money/currencies.ts'
import { formatMinor, parseMinor } from '../money/money.ts'
import { type Db, sql } from '../platform/db.ts'
import { audited, type OperatorContext, OperatorError } from './operator-context.ts'

export interface ThresholdView {
  readonly currency: string
  /** One person may move less than this in live, in 24 hours together. */
  readonly amount: string
}

export interface ThresholdOrder {
  readonly currency: string
  /** Decimal text in major units. */
  readonly amount: string
  readonly reason: string
}

/** The currencies with a threshold. In all others two people move live money, whatever the amount. */
export async function listThresholds({ db }: OperatorContext): Promise<ThresholdView[]> {
  const rows = await db.write.query<{ currency: string; amount: bigint }>(sql`
    select currency, amount from approval_thresholds order by currency`)
  return rows.map(({ currency, amount }) => ({ currency, amount: shown(amount, currency) }))
}

export function setThreshold(context: OperatorContext, order: ThresholdOrder): Promise<ThresholdView> {
  const { currency, amount, reason } = order
  if (!isCurrency(currency)) throw new OperatorError(`${currency} is not a currency Malipo knows`)
  const minor = parseMinor(amount, currency)
  if (minor === undefined || minor < 0n) throw new OperatorError(`${amount} is not an amount of ${currency}`)
  return audited(context, async (tx) => {
    const before = await thresholdOf(tx, currency)
    await tx.query(sql`
      insert into approval_thresholds (currency, amount)
      values (${currency}, ${minor})
      on conflict (currency) do update set amount = excluded.amount, set_at = record_time()`)
    const detail = { currency, before: shown(before, currency), after: shown(minor, currency) }
    const entry = { action: 'threshold.set', subject: `threshold ${currency}`, detail, reason }
    return { result: { currency, amount: shown(minor, currency) }, entry, ground: String(before) }
  })
}

/** In minor units; 0 without a row. */
export async function thresholdOf(db: Db, currency: string): Promise<bigint> {
  const [row] = await db.query<{ amount: bigint }>(sql`
    select amount from approval_thresholds where currency = ${currency}`)
  return row?.amount ?? 0n
}

const shown = (amount: bigint, currency: string) =>
  isCurrency(currency) ? formatMinor(amount, currency) : String(amount)
