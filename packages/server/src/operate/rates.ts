import { formatDecimal } from '../money/decimals.ts'
import { parseRate } from '../money/rates.ts'
import type { Environment } from '../platform/db.ts'
import { loadReferenceData } from '../reference/data.ts'
import { decideHeld, type HeldDecision, lockHeld, type PairStatus, pairStatuses } from '../reference/rate-store.ts'
import { audited, type OperatorContext, OperatorError } from './operator-context.ts'

/** A rate that jumped and is not used until it is confirmed, as the provider quotes it. */
interface HeldRateView {
  readonly id: string
  readonly buy: string
  readonly sell: string
  readonly provider: string
  readonly at: string
  /** The change from the last accepted rate, in percent of that, on the side that moved more. */
  readonly jumpPercent: string
}

/** A currency pair for an operator. Missing fields were never accepted. */
export interface RateView {
  readonly env: Environment
  readonly pair: string
  /** With our markup, as merchants get them. */
  readonly buy?: string
  readonly sell?: string
  /** Without the markup. */
  readonly providerBuy?: string
  readonly providerSell?: string
  readonly provider?: string
  readonly at?: string
  readonly confirmedBy?: string
  readonly isTooOld: boolean
  readonly held?: HeldRateView
}

export interface RateListOrder {
  readonly env?: Environment
  /** Only pairs with a rate that waits for confirmation. */
  readonly isHeldOnly: boolean
}

export async function listRates(context: OperatorContext, { env, isHeldOnly }: RateListOrder): Promise<RateView[]> {
  const { pairs } = loadReferenceData()
  const views: RateView[] = []
  for (const each of env ? [env] : (['live', 'sandbox'] as const))
    views.push(...(await pairStatuses(context.db.write, each, pairs)).map((status) => view(each, status)))
  return views.filter(({ at, held }) => (isHeldOnly ? held : at) !== undefined)
}

function view(env: Environment, status: PairStatus): RateView {
  const { base, quote, buy, sell, provider_buy, provider_sell, provider, at, confirmed_by, is_too_old } = status
  const pair = { env, pair: `${base}/${quote}`, isTooOld: is_too_old }
  if (buy === null || sell === null || provider_buy === null || provider_sell === null || !provider || !at) return pair
  return {
    ...pair,
    buy,
    sell,
    providerBuy: provider_buy,
    providerSell: provider_sell,
    provider,
    at: at.toISOString(),
    ...(confirmed_by && { confirmedBy: confirmed_by }),
    ...heldOf(status),
  }
}

function heldOf(status: PairStatus): { held?: HeldRateView } {
  const { held_id, held_buy, held_sell, held_provider, held_at, provider_buy, provider_sell } = status
  if (held_id === null || held_buy === null || held_sell === null || !held_provider || !held_at) return {}
  const jumps = [jumpOf(held_buy, provider_buy ?? ''), jumpOf(held_sell, provider_sell ?? '')]
  const jump = jumps.reduce((most, each) => (each > most ? each : most))
  return {
    held: {
      id: String(held_id),
      buy: held_buy,
      sell: held_sell,
      provider: held_provider,
      at: held_at.toISOString(),
      jumpPercent: formatDecimal({ digits: jump, scale: 1 }),
    },
  }
}

/** In tenths of a percent of the last rate. */
function jumpOf(held: string, last: string): bigint {
  const [one, two] = [parseRate(held), parseRate(last)]
  if (!one || !two) return 0n
  const [now, before] = [one.digits * 10n ** BigInt(two.scale), two.digits * 10n ** BigInt(one.scale)]
  return ((now > before ? now - before : before - now) * 1000n) / before
}

export interface DecidedRate {
  readonly id: string
  readonly env: Environment
  readonly pair: string
  readonly buy: string
  readonly sell: string
}

/** Rates near this one are used from the next sample, which is taken at once. */
export async function confirmRate(context: OperatorContext, id: string, reason: string): Promise<DecidedRate> {
  const decided = await decide(context, id, { state: 'confirmed', decided_by: context.principal.name, reason })
  context.wakeups.wake('rates')
  return decided
}

/** Rates near this one are not used, and not reported again, until the rate has returned to its old level. */
export function rejectRate(context: OperatorContext, id: string, reason: string): Promise<DecidedRate> {
  return decide(context, id, { state: 'rejected', decided_by: context.principal.name, reason })
}

function decide(context: OperatorContext, id: string, decision: HeldDecision): Promise<DecidedRate> {
  if (!/^\d{1,18}$/.test(id))
    throw new OperatorError(`${id} is not the number of a held rate; see malipo rates list --held`)
  return audited(context, async (tx) => {
    const held = await lockHeld(tx, BigInt(id))
    if (!held) throw new OperatorError(`held rate ${id} not found; see malipo rates list --held`)
    const { env, base, quote, buy, sell, state, decided_by, is_passed } = held
    const pair = `${base}/${quote}`
    if (state !== 'held') throw new OperatorError(`held rate ${id} of ${pair} was ${state} by ${decided_by}`)
    if (is_passed) throw new OperatorError(`held rate ${id} of ${pair} is outdated: a later rate was accepted`)
    await decideHeld(tx, BigInt(id), decision)
    const detail = { pair, buy, sell, heldRate: id }
    const action = decision.state === 'confirmed' ? 'rate.confirm' : 'rate.reject'
    return {
      result: { id, env, pair, buy, sell },
      entry: { action, env, subject: pair, detail, reason: decision.reason },
    }
  })
}
