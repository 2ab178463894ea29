import { setTimeout as pause } from 'node:timers/promises'
import type { Context } from '../../context.ts'
import { AppError } from '../../errors.ts'
import { createAllowance } from '../../platform/allowance.ts'
import type { Environment } from '../../platform/db.ts'
import { reach } from '../../platform/failpoints.ts'
import { attemptOfKey } from '../../platform/ids.ts'
import { noteSetback } from '../../platform/log-retry.ts'
import type { CallbackNews, CallbackVerdict, InboundRequest } from '../../providers/contract.ts'
import { askWhatIsTrue, isContraryTo } from '../dispatch/dispatch.ts'
import { laneOf } from '../dispatch/timers.ts'
import { isFinal } from '../model/state.ts'
import type { CallbackOutcome, ReceivedCallback } from './callback-log.ts'
import type { News } from './decision.ts'

/** Which provider a callback claims to be from, and where it came from. */
export interface CallbackSource {
  readonly env: Environment
  readonly provider: string
  readonly address: string
}

type Genuine = Extract<CallbackVerdict, { isGenuine: true }>

/**
 * Verifies a callback, applies it to its payment and then stores what was sent. Resolves once the payment is durable: a provider
 * whose callback was lost before that sends it again. What is not proof only makes us ask the provider.
 */
export async function receiveCallback(ctx: Context, source: CallbackSource, request: InboundRequest): Promise<void> {
  const { env, provider } = source
  const connector = ctx.connectors[env].get(provider)
  if (!connector?.callbacks) throw new AppError('ROUTE_NOT_FOUND')
  const verdict = await connector.callbacks.read(request)
  if (!verdict.isGenuine) return refuse(ctx, { ...source, request, keys: [], isUnsigned: true }, verdict.why)
  reach('callback.verified')
  const [applied] = await Promise.allSettled([
    Promise.all(verdict.news.map((news) => applyNews(ctx, source, verdict, news))),
  ])
  const isFailed = applied.status === 'rejected'
  const outcome = isFailed ? 'failed' : outcomeOf(verdict, applied.value)
  const keys = verdict.news.map(({ key }) => key)
  const isUnsigned = verdict.isUnsigned === true
  const reason = isFailed ? { reason: reasonOf(applied.reason) } : {}
  await keep(ctx, { ...source, request, outcome, keys, isUnsigned, ...reason })
  if (isFailed) throw applied.reason
  reach('callback.settled')
}

function outcomeOf({ isProof, news }: Genuine, areKnown: readonly boolean[]): CallbackOutcome {
  if (news.length === 0) return 'ignored'
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

/** The longest that a provider waits for its callback to be stored once the payment is durable. */
const keepMs = 1000

/**
 * A callback that could not be stored, or not soon, was handled all the same. But of a payment that is not known here nothing
 * else is left: the provider is to send it again.
 */
async function keep({ callbackLog, log }: Context, received: ReceivedCallback): Promise<void> {
  const { env, provider, outcome } = received
  const stored = callbackLog.keep(received).catch((error: Error) => {
    noteSetback(log, error, { env, provider }, 'callback not stored')
    if (outcome === 'unknown_payment') throw new AppError('OVERLOADED')
  })
  if (outcome === 'unknown_payment') return stored
  const patience = new AbortController()
  await Promise.race([stored, pause(keepMs, undefined, patience).catch(() => undefined)])
  patience.abort()
}

/**
 * Unsigned callbacks can come from anyone, and one that contradicts the end of a payment costs a call of the provider. This many
 * of one provider are followed in a minute.
 */
const isUnsignedAskAllowed = createAllowance(60, 60_000)

/** Whether it names a payment that this provider was given from here. If not, the provider is asked about its money. */
async function applyNews(
  ctx: Context,
  { env, provider }: CallbackSource,
  { isProof, isUnsigned }: Genuine,
  { key, said }: CallbackNews,
): Promise<boolean> {
  const found = attemptOfKey(key)
  const news: News = isProof ? { kind: 'said', said } : { kind: 'hint' }
  const standing =
    found &&
    (await ctx.settler.submit({
      transaction_id: found.transactionId,
      attempt: found.attempt,
      cause: 'callback',
      from: { env, provider },
      news,
    }))
  if (!standing) {
    await ctx.askUnknown({ env, provider, key, said, isProof, isUnsigned: isUnsigned === true })
    return false
  }
  if (news.kind === 'hint') ctx.bell.ring(laneOf(env, provider))
  // A hint about an open charge is followed by its lane.
  const isAsked = !isProof && said.state === 'received' && !isFinal(standing.transaction.state)
  const isToAsk = !isAsked && isContraryTo(standing, found.attempt, said)
  if (isToAsk && isUnsigned && !isUnsignedAskAllowed(`${env} ${provider}`)) throw new AppError('OVERLOADED')
  // Until it answers it is to call again.
  if (isToAsk && !(await askWhatIsTrue(ctx, { ...standing.transaction, provider }, found.attempt)))
    throw new AppError('PROVIDER_UNAVAILABLE')
  return true
}
