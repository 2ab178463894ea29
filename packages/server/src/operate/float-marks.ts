import { type FloatLevel, floatLevels, removeMark, setMark } from '../ledger/float-marks.ts'
import { isCurrency } from '../money/currencies.ts'
import { formatMinor, parseMinor } from '../money/money.ts'
import { mayRead } from '../people/principal.ts'
import type { Environment } from '../platform/db.ts'
import { loadReferenceData } from '../reference/data.ts'
import { refuseStrangeFloat } from './money.ts'
import { audited, type OperatorContext, OperatorError } from './operator-context.ts'
import { floatKey, outflows } from './provider-board.ts'
import { shownMinor } from './wallets.ts'

/** Our money at a provider in one country and currency. */
export interface FloatView {
  readonly provider: string
  readonly env: Environment
  readonly country: string
  readonly currency: string
  /** In major units. */
  readonly amount: string
  /** The low-water mark; missing without one. */
  readonly mark?: string
  /** Whether the amount is below the mark. */
  readonly isLow: boolean
  /** What leaves it in an hour, by the payouts and refunds of the last 24 hours; missing where there were none. */
  readonly outflowPerHour?: string
  /** How long the amount lasts at that rate; 0 when nothing is left. */
  readonly hoursLeft?: number
}

export interface MarkOrder {
  readonly provider: string
  readonly env: Environment
  readonly country: string
  readonly currency: string
  /** Decimal text in major units; 0 removes the mark. */
  readonly amount: string
  readonly reason: string
}

/** Every float with money or a mark that the reader may see, with how long it lasts. */
export async function listFloats({ db, principal, recent }: OperatorContext): Promise<FloatView[]> {
  const levels = await floatLevels(db.write)
  const left = outflows(await recent.read())
  return levels
    .filter((level) => mayRead(principal, 'providers:read', level))
    .map((level) => ({ ...viewOfFloat(level), ...runwayOf(level, left.get(floatKey(level)) ?? 0n) }))
}

function runwayOf({ amount, currency }: FloatLevel, outflow: bigint): Pick<FloatView, 'outflowPerHour' | 'hoursLeft'> {
  if (outflow === 0n) return {}
  const tenths = (amount * 24n * 10n) / outflow
  return { outflowPerHour: shownMinor(outflow / 24n, currency), hoursLeft: Math.max(0, Number(tenths) / 10) }
}

export function viewOfFloat({ provider, env, country, currency, amount, mark }: FloatLevel): FloatView {
  return {
    provider,
    env,
    country,
    currency,
    amount: shownMinor(amount, currency),
    ...(mark !== null && { mark: shownMinor(mark, currency) }),
    isLow: mark !== null && amount < mark,
  }
}

/** Sets or removes the amount below which a float must be topped up. Moves no money. */
export async function markFloat(context: OperatorContext, order: MarkOrder): Promise<FloatView> {
  const { env, provider, country, currency, reason } = order
  if (!isCurrency(currency)) throw new OperatorError(`${currency} is not a currency Malipo knows`)
  refuseStrangeFloat(loadReferenceData(), order)
  const minor = parseMinor(order.amount, currency)
  if (minor === undefined || minor < 0n)
    throw new OperatorError(`${order.amount} is not a mark: use 0 or more ${currency}`)
  const float = { env, provider, country, currency }
  const level = await audited(context, async (tx) => {
    const before = minor === 0n ? await removeMark(tx, float) : await setMark(tx, float, minor)
    const detail = { ...float, mark: formatMinor(minor, currency), before: shownMinor(before ?? 0n, currency) }
    const result = (await floatLevels(tx)).find((each) => isSameFloat(each, float))
    return {
      result: result ?? { ...float, amount: 0n, mark: null },
      entry: { action: 'float.mark', env, subject: `float ${provider} ${country} ${currency}`, detail, reason },
    }
  })
  return viewOfFloat(level)
}

type Float = Pick<FloatLevel, 'env' | 'provider' | 'country' | 'currency'>

const isSameFloat = (left: Float, right: Float) =>
  (['env', 'provider', 'country', 'currency'] as const).every((name) => left[name] === right[name])
