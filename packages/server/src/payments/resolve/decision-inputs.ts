import type { Connectors, Routing } from '../../providers/routing.ts'
import { delaysOf, routeQueryOf } from '../dispatch/operation.ts'
import { movedOf } from '../late-money/late-money.ts'
import type { Attempt, Transaction } from '../model/store.ts'
import { earlierPaying } from './decide-paid-before.ts'
import type { DecisionInputs, Observed } from './decision.ts'
import { timing } from './timing.ts'

interface Providers {
  readonly connectors: Connectors
  readonly routing: Routing
}

interface Draft {
  readonly transaction: Transaction
  readonly attempt: Attempt
  readonly abandoned: readonly Attempt[]
  /** Attempts abandoned in this batch. */
  readonly ended: readonly Attempt[]
}

/** What a decision about a payment needs besides the payment and the observation. */
export function decisionInputs(
  { connectors, routing }: Providers,
  draft: Draft,
  {
    queriedMsAgo,
    attempt: named = draft.attempt.number,
  }: Pick<Observed, 'queriedMsAgo'> & { readonly attempt: number | undefined },
  { at, ...past }: { readonly at: Date; readonly refunded: bigint; readonly feeReturned: bigint },
): DecisionInputs {
  const { transaction, attempt, abandoned } = draft
  const others = [attempt, ...abandoned, ...draft.ended].filter(({ number }) => number !== named)
  const connector = connectors[transaction.env].get(attempt.provider)
  const rail = connector && delaysOf(connector, transaction)
  return {
    nowMs: at.getTime(),
    queriedMsAgo: Math.max(timing.queryAgeMinMs, queriedMsAgo?.() ?? 0),
    notFoundWindowMs: rail?.notFoundWindowMs ?? Number.POSITIVE_INFINITY,
    deadAfterMs: rail?.deadAfterMs,
    movedElsewhere: others.reduce((sum, other) => sum + movedOf(transaction, other), 0n),
    ...past,
    paidBy: earlierPaying(draft, others),
    ...providersAfter(routing, draft),
    jitter: Math.random(),
  }
}

/** Usable providers other than the current one: those that were not tried, and those that may take it now. */
function providersAfter(
  routing: Routing,
  { transaction, attempt, abandoned, ended }: Draft,
): Pick<DecisionInputs, 'alternatives' | 'returns'> {
  const { env, type } = transaction
  // A refund goes to the provider of its charge.
  if (type === 'adjustment' || type === 'conversion' || type === 'refund') return { alternatives: [] }
  const tried = new Map([...abandoned, ...ended].map(({ provider, outcome }) => [provider, outcome]))
  const others = routing
    .providersOf(env, routeQueryOf(transaction))
    .map(({ id }) => id)
    .filter((id) => id !== attempt.provider && routing.isUsable(env, id))
  return {
    alternatives: others.filter((id) => !tried.has(id)),
    returns: others.filter((id) => tried.get(id) === 'not_submitted'),
  }
}
