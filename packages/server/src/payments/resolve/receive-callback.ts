import { setTimeout as pause } from 'node:timers/promises'
import type { Context } from '../../context.ts'
import { AppError } from '../../errors.ts'
import { createAllowance } from '../../platform/allowance.ts'
import type { Environment } from '../../platform/db.ts'
import { reach } from '../../platform/failpoints.ts'
import { attemptOfKey } from '../../platform/ids.ts'
import { logRetry } from '../../platform/log-retry.ts'
import { inStep } from '../../platform/traces.ts'
import { idsOfPayment, type WorkIds, withWorkIds } from '../../platform/work-ids.ts'
import type { CallbackObservation, CallbackReading, InboundRequest, ProviderStatus } from '../../providers/contract.ts'
import { askWhatIsTrue, isContraryTo } from '../dispatch/dispatch.ts'
import { laneOf } from '../dispatch/timers.ts'
import { isFinal } from '../model/state.ts'
import type { CallbackOutcome, ReceivedCallback } from './callback-log.ts'
import type { Observation } from './decision.ts'
import type { ResolveResult } from './resolve.ts'
import { minuteMs, timing } from './timing.ts'

/** The provider that a callback claims to be from, and the address it came from. */
export interface CallbackSource {
  readonly env: Environment
  readonly provider: string
  readonly address: string
}

type Genuine = Extract<CallbackReading, { isGenuine: true }>

/**
 * Verifies a callback, applies it to its payment and then stores what was sent. Resolves once the payment is durable: until then
 * the provider sends a lost callback again. A callback without proof only causes a query.
 */
export async function receiveCallback(ctx: Context, source: CallbackSource, request: InboundRequest): Promise<void> {
  const { env, provider } = source
  const connector = ctx.connectors[env].get(provider)
  if (!connector?.callbacks) throw new AppError('ROUTE_NOT_FOUND')
  const reading = await connector.callbacks.read(request)
  if (!reading.isGenuine) return refuse(ctx, { ...source, request, keys: [], isUnsigned: true }, reading.why)
  reach('callback.verified')
  const [applied] = await Promise.allSettled([
    Promise.all(
      reading.observations.map((observation) =>
        withWorkIds(idsOf(observation), () =>
          inStep(stepOf(source, reading, observation), () => applyObservation(ctx, source, reading, observation)),
        ),
      ),
    ),
  ])
  const isFailed = applied.status === 'rejected'
  const outcome = isFailed ? 'failed' : outcomeOf(reading, applied.value)
  const keys = reading.observations.map(({ key }) => key)
  const isUnsigned = reading.isUnsigned === true
  const reason = isFailed ? { reason: reasonOf(applied.reason) } : {}
  await keep(ctx, { ...source, request, outcome, keys, isUnsigned, ...reason })
  if (isFailed) throw applied.reason
  reach('callback.resolved')
}

function idsOf({ key }: CallbackObservation): WorkIds {
  const found = attemptOfKey(key)
  return found ? idsOfPayment(found.transactionId) : {}
}

/** A callback about an unknown payment has no span: anyone may send those. */
function stepOf({ env, provider }: CallbackSource, { isProof }: Genuine, { key, providerStatus }: CallbackObservation) {
  return {
    ...{ name: 'callback', kind: 'server' as const, payment: attemptOfKey(key)?.transactionId },
    facts: { 'malipo.env': env, 'malipo.provider': provider, 'malipo.outcome': providerStatus.state },
    factsOf: (isKnown: boolean) => (isKnown ? { 'malipo.todo': isProof ? 'apply' : 'ask' } : undefined),
  }
}

function outcomeOf({ isProof, observations: observation }: Genuine, areKnown: readonly boolean[]): CallbackOutcome {
  if (observation.length === 0) return 'ignored'
  if (!areKnown.every(Boolean)) return 'unknown_payment'
  return isProof ? 'applied' : 'hint'
}

const reasonOf = (error: unknown) => (error instanceof AppError ? error.key : 'internal error')

async function refuse(ctx: Context, received: Omit<ReceivedCallback, 'outcome'>, reason: string): Promise<never> {
  const { env, provider } = received
  ctx.metrics.authFailures.inc({ at: 'callback' })
  ctx.log.debug({ provider, env, why: reason }, 'callback refused')
  await keep(ctx, { ...received, outcome: 'refused', reason })
  throw new AppError('UNAUTHORIZED')
}

/**
 * A callback that could not be stored, or not in time, was still handled. For an unknown payment it is the only record, so the
 * provider must send it again.
 */
async function keep({ callbackLog, log, metrics }: Context, received: ReceivedCallback): Promise<void> {
  const { env, provider, outcome } = received
  metrics.callbacks.inc({ env, provider, outcome })
  const stored = callbackLog.keep(received).catch((error: Error) => {
    logRetry(log, error, { env, provider }, 'callback not stored')
    if (outcome === 'unknown_payment') throw new AppError('OVERLOADED')
  })
  if (outcome === 'unknown_payment') return stored
  const patience = new AbortController()
  await Promise.race([stored, pause(timing.callbackStoreWaitMs, undefined, patience).catch(() => undefined)])
  patience.abort()
}

/**
 * Unsigned callbacks can come from anyone, and one that contradicts the end of a payment costs a provider call. This many per
 * provider are followed up in a minute.
 */
const isUnsignedAskAllowed = createAllowance(60, minuteMs)

/** Whether it names a payment that we sent to this provider. If not, the provider is queried about the money. */
async function applyObservation(
  ctx: Context,
  { env, provider }: CallbackSource,
  { isProof, isUnsigned }: Genuine,
  { key, providerStatus }: CallbackObservation,
): Promise<boolean> {
  const found = attemptOfKey(key)
  const observation: Observation = isProof ? { kind: 'reported', providerStatus } : { kind: 'hint' }
  const result =
    found &&
    (await ctx.resolver.submit({
      transaction_id: found.transactionId,
      attempt: found.attempt,
      cause: 'callback',
      from: { env, provider },
      observation,
    }))
  if (!result) {
    await ctx.queryUnknown({ env, provider, key, providerStatus, isProof, isUnsigned: isUnsigned === true })
    return false
  }
  if (observation.kind === 'hint') ctx.wakeups.wake(laneOf(env, provider))
  // The lane follows up a hint about an open charge.
  const isAsked = !isProof && providerStatus.state === 'received' && !isFinal(result.transaction.state)
  const isToAsk =
    isUnprovedReversal(result, isProof, providerStatus) ||
    (!isAsked && (isContraryTo(result, found.attempt, providerStatus) || wasQuestioned(result, found.attempt)))
  if (isToAsk && isUnsigned && !isUnsignedAskAllowed(`${env} ${provider}`)) throw new AppError('OVERLOADED')
  // Until the query is resolved, the provider must send the callback again.
  if (isToAsk && !(await askWhatIsTrue(ctx, { ...result.transaction, provider }, found.attempt)))
    throw new AppError('PROVIDER_UNAVAILABLE')
  return true
}

/**
 * The end of this attempt was in question before. A response may still be under way that is older than this callback: it counts for
 * nothing once there is a later query.
 */
const wasQuestioned = ({ transaction, attempts }: ResolveResult, number: number): boolean =>
  (isFinal(transaction.state) || number !== transaction.attempt) &&
  attempts.some((each) => each.number === number && each.is_hinted)

/**
 * A hint about an open payment is followed up by its lane, but an older report may end the payment first, and then the
 * provider is not queried. A success is only delayed by that; a reversal would be lost.
 */
const isUnprovedReversal = ({ transaction }: ResolveResult, isProof: boolean, { state }: ProviderStatus): boolean =>
  !isProof && state === 'reversed' && !isFinal(transaction.state)
