import {
  type CallbackContent,
  type CallbackOutcome,
  callbackOutcomes,
  openContent,
} from '../payments/resolve/callback-log.ts'
import { type Environment, sql } from '../platform/db.ts'
import { attemptOfKey, readId, showId } from '../platform/ids.ts'
import { redact } from '../platform/redact.ts'
import { requireProvider } from './known-provider.ts'
import { audited, type OperatorContext, OperatorError, readScope } from './operator-context.ts'
import { mayReadPayment } from './payment-summaries.ts'

export interface ListedCallback {
  readonly id: string
  readonly env: Environment
  readonly provider: string
  readonly receivedAt: string
  readonly outcome: CallbackOutcome
  /** The outcome as a sentence. */
  readonly meaning: string
  /** Why the callback was refused, or could not be applied. */
  readonly reason?: string
  /** The payments it names, by their provider keys. */
  readonly keys: readonly string[]
  /** The first payment it names. */
  readonly transactionId?: string
  readonly bodyBytes: number
}

/** A callback with its content. Secrets and card numbers are hidden. */
interface CallbackView extends ListedCallback, CallbackContent {}

interface CallbacksWanted {
  /** A payment, by its id or its provider key. */
  readonly payment?: string
  readonly env?: Environment
  readonly provider?: string
  readonly outcome?: CallbackOutcome
  /** Only callbacks received in the last this many seconds. */
  readonly withinSeconds?: number
  readonly limit: number
}

export interface CallbackCommands {
  list(wanted: CallbacksWanted): Promise<ListedCallback[]>
  show(callbackId: string): Promise<CallbackView>
}

export function callbackCommands(context: OperatorContext): CallbackCommands {
  return {
    list: (wanted) => listCallbacks(context, wanted),
    show: (callbackId) => showCallback(context, callbackId),
  }
}

interface Stored {
  readonly id: string
  readonly env: Environment
  readonly provider: string
  readonly received_at: Date
  readonly outcome: CallbackOutcome
  readonly reason: string
  readonly keys: readonly string[]
  readonly transaction_id: string | null
  readonly body_bytes: number
}

/** Older callbacks may remain until their month is emptied. */
const keptSecondsOf = ({ callbackDays }: OperatorContext) => callbackDays * 86_400

/** Newest first. */
async function listCallbacks(context: OperatorContext, wanted: CallbacksWanted): Promise<ListedCallback[]> {
  const keptSeconds = keptSecondsOf(context)
  const { payment = null, env = null, provider = null, outcome = null, withinSeconds = keptSeconds, limit } = wanted
  if (provider !== null) requireProvider(provider)
  const id = payment === null ? null : (readId('transaction', payment) ?? attemptOfKey(payment)?.transactionId ?? null)
  const key = id === null ? payment : null
  const scope = readScope(context, 'providers:read')
  const found = await context.db.write.query<Stored>(sql`
    select id, env, provider, received_at, outcome, reason, keys, transaction_id, body_bytes
    from callbacks c
    where id >= id_at((select record_time()) - make_interval(secs => ${Math.min(withinSeconds, keptSeconds)}::float8))
      and (${id}::uuid is null or transaction_id = ${id}::uuid)
      and (${key}::text is null or ${key}::text = any(keys))
      and (${env}::text is null or env = ${env}::text::environment)
      and (${provider}::text is null or provider = ${provider}::text)
      and (${outcome}::text is null or outcome = ${outcome}::text)
      and (${scope}::jsonb is null or not exists (
        select from transactions t
        where t.id = c.transaction_id and not is_in_scope(${scope}::jsonb, t.country, t.currency)
      ))
    order by id desc
    limit ${limit}`)
  return found.map(listed)
}

/** Unseals one callback. The audit trail records who read it: it may name a customer. */
function showCallback(context: OperatorContext, shownId: string): Promise<CallbackView> {
  const id = readId('callback', shownId)
  if (id === undefined) throw new OperatorError(`${shownId} is not a callback id; they look like cb_0193…`)
  return audited(context, async (tx) => {
    const [found] = await tx.query<Stored & { content: string }>(sql`
      select *
      from callbacks
      where id = ${id}
        and id >= id_at((select record_time()) - make_interval(secs => ${keptSecondsOf(context)}::float8))`)
    const payment = found?.transaction_id ?? undefined
    const isOutside = payment !== undefined && !(await mayReadPayment(context, 'personal-data:read', payment))
    if (!found || isOutside)
      throw new OperatorError(`callback ${shownId} not found; callbacks are kept for ${context.callbackDays} days`)
    const { env, provider } = found
    const shown = listed(found)
    const { transactionId } = shown
    return {
      result: { ...shown, ...hidden(openContent(context.vault, id, found.content)) },
      entry: {
        action: 'callback.show',
        env,
        subject: shownId,
        detail: { provider, ...(transactionId && { transactionId }) },
      },
    }
  })
}

function hidden(content: CallbackContent): CallbackContent {
  const headers = Object.entries(content.headers).map(([name, value]) => [name, redact(value)])
  const { path, body, encoding } = content
  return {
    ...content,
    path: redact(path),
    headers: Object.fromEntries(headers),
    body: encoding === 'utf8' ? redact(body) : body,
  }
}

function listed(found: Stored): ListedCallback {
  const { id, env, provider, received_at, outcome, reason, keys, transaction_id, body_bytes } = found
  return {
    id: showId('callback', id),
    env,
    provider,
    receivedAt: received_at.toISOString(),
    outcome,
    meaning: callbackOutcomes[outcome],
    ...(reason !== '' && { reason }),
    keys,
    ...(transaction_id !== null && { transactionId: showId('transaction', transaction_id) }),
    bodyBytes: body_bytes,
  }
}
