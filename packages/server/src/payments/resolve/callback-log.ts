import { createAllowance } from '../../platform/allowance.ts'
import { createBatchLoader } from '../../platform/batch-loader.ts'
import { type Db, type Environment, sql } from '../../platform/db.ts'
import { attemptOfKey, newId } from '../../platform/ids.ts'
import { monthsSince } from '../../platform/months.ts'
import { hideCardNumbers } from '../../platform/redact.ts'
import type { Vault } from '../../platform/seal.ts'
import type { InboundRequest } from '../../providers/contract.ts'
import { hourMs } from './timing.ts'

/** The outcome of a callback, as staff read it. */
export const callbackOutcomes = {
  applied: 'verified and applied to its payment',
  hint: 'not proof by itself: Malipo queries the provider',
  unknown_payment: 'names a payment that was not sent to this provider',
  ignored: 'names no payment',
  failed: 'could not be applied: the provider must send it again',
  refused: 'failed verification',
} as const

export type CallbackOutcome = keyof typeof callbackOutcomes

/** A callback as it was received, and its outcome. */
export interface ReceivedCallback {
  readonly env: Environment
  readonly provider: string
  /** The address it came from. */
  readonly address: string
  readonly request: InboundRequest
  readonly outcome: CallbackOutcome
  /** Why it was refused or could not be applied. */
  readonly reason?: string
  readonly keys: readonly string[]
  /** Nothing in it proves who sent it. */
  readonly isUnsigned: boolean
}

/** The sealed part of a callback. */
export interface CallbackContent {
  readonly address: string
  readonly method: string
  readonly path: string
  /** As the sender named it. */
  readonly host: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
  readonly encoding: 'utf8' | 'base64'
  readonly isCut: boolean
}

export interface CallbackLog {
  /**
   * Stores a callback, unless it exceeds the limits for callbacks that anyone can send. Throws when it could not be stored.
   *
   * - Authenticated by its provider: always, and whole. The server takes bodies of at most 64 KiB.
   * - Unsigned, naming a payment of this provider: at most 10 for each payment, and the first 4 KiB.
   * - Refused, or unsigned and naming no payment of this provider: at most 10 an hour for each provider, outcome and
   *   process, and the first 4 KiB. That is less than 150 MB in 90 days.
   */
  keep(received: ReceivedCallback): Promise<void>
}

const samplesAnHour = 10
const unsignedPerPayment = 10
const sampleBytes = 4096
/** The limit when the database does not keep up. Each row holds a body. */
const waitingMax = 500

/** Callbacks that arrive during an insert share the next one. */
export function createCallbackLog(options: {
  readonly db: Db
  readonly vault: Vault
  readonly cell: number
}): CallbackLog {
  const { db, vault, cell } = options
  const insert = createBatchLoader((rows: readonly Row[]) => insertRows(db, rows))
  const isAllowed = createAllowance(samplesAnHour, hourMs)
  let waiting = 0
  return {
    keep: async (received) => {
      const { env, provider, outcome } = received
      const limit = limitOf(received)
      if (limit === 'sample' && !isAllowed(`${env}/${provider}/${outcome}`)) return
      if (waiting >= waitingMax) throw new Error('too many callbacks wait to be stored')
      waiting += 1
      try {
        await insert(rowOf(vault, cell, received, limit))
      } finally {
        waiting -= 1
      }
    },
  }
}

type Limit = 'none' | 'per_payment' | 'sample'

function limitOf({ outcome, isUnsigned }: ReceivedCallback): Limit {
  if (outcome === 'refused') return 'sample'
  if (!isUnsigned) return 'none'
  return outcome === 'hint' ? 'per_payment' : 'sample'
}

interface Row {
  /** An id without its time, which the database adds. */
  readonly tail: string
  readonly env: Environment
  readonly provider: string
  readonly outcome: CallbackOutcome
  readonly reason: string
  readonly keys: readonly string[]
  readonly transactionId: string | null
  /** Not stored when the payment already has this many. */
  readonly perPaymentMax: number | null
  readonly bodyBytes: number
  readonly content: string
}

const keysMax = 10

function rowOf(vault: Vault, cell: number, received: ReceivedCallback, limit: Limit): Row {
  const { env, provider, outcome, reason = '', request } = received
  const tail = newId(0, cell)
  const keys = received.keys.filter((key) => /^[\x21-\x7e]{1,100}$/.test(key)).slice(0, keysMax)
  const [named] = keys.flatMap((key) => attemptOfKey(key) ?? [])
  const content = contentOf(received, limit === 'none' ? request.body.length : sampleBytes)
  return {
    ...{ tail, env, provider, outcome, keys },
    reason: reason.replaceAll(/[^\x20-\x7e’]/g, '').slice(0, 200),
    transactionId: named?.transactionId ?? null,
    perPaymentMax: limit === 'per_payment' ? unsignedPerPayment : null,
    bodyBytes: request.body.length,
    content: vault.seal(JSON.stringify(content), callbackContext(tail)),
  }
}

/** The headers that a signature covers or that identify the sender. Shared secrets, such as `verif-hash`, are left out. */
const keptHeaders = [
  'content-type',
  'content-digest',
  'date',
  'house-signature',
  'signature',
  'signature-date',
  'signature-input',
  'user-agent',
]
const headerMax = 1000

/** No provider sends card numbers. If one does, they are masked before sealing. */
function contentOf({ address, request }: ReceivedCallback, bodyMax: number): CallbackContent {
  const { method, path, headers, body } = request
  const bytes = body.subarray(0, bodyMax)
  const text = bytes.toString('utf8')
  const isText = Buffer.from(text, 'utf8').equals(bytes)
  const kept = keptHeaders.flatMap((name) => (headers[name] ? [[name, headers[name].slice(0, headerMax)]] : []))
  return {
    ...{ address, method, path: path.slice(0, headerMax), host: headers['host']?.slice(0, headerMax) ?? '' },
    headers: Object.fromEntries(kept),
    body: isText ? hideCardNumbers(text) : bytes.toString('base64'),
    encoding: isText ? 'utf8' : 'base64',
    isCut: bytes.length < body.length,
  }
}

/** The seal context of a callback's content: its row, by the part of its id that is known before the insert. */
export const callbackContext = (id: string) => `callbacks.content ${id.slice(14)}`

export function openContent(vault: Vault, id: string, content: string): CallbackContent {
  return JSON.parse(vault.open(content, callbackContext(id))) as CallbackContent
}

/** The time in the id is the database's. */
async function insertRows(db: Db, rows: readonly Row[]): Promise<undefined[]> {
  const column = <Name extends keyof Row>(name: Name) => rows.map((row) => row[name])
  const later = monthsSince(column('transactionId').filter((id) => id !== null))
  await db.query(sql`
    insert into callbacks (id, env, provider, received_at, outcome, reason, keys, transaction_id, body_bytes, content)
    select (left(id_at(clock.now)::text, 13) || substr(n.tail, 14))::uuid, n.env::environment, n.provider, clock.now,
      n.outcome, n.reason, array(select jsonb_array_elements_text(n.keys)), n.transaction_id, n.body_bytes, n.content
    from (select record_time() as now) clock,
      unnest(${column('tail')}::text[], ${column('env')}::text[], ${column('provider')}::text[],
        ${column('outcome')}::text[], ${column('reason')}::text[], ${rows.map(({ keys }) => JSON.stringify(keys))}::jsonb[],
        ${column('transactionId')}::uuid[], ${column('perPaymentMax')}::int[], ${column('bodyBytes')}::int[],
        ${column('content')}::text[])
        as n(tail, env, provider, outcome, reason, keys, transaction_id, per_payment_max, body_bytes, content)
    where n.per_payment_max is null
      or n.per_payment_max > (
        select count(*)
        from callbacks c
        where c.transaction_id = n.transaction_id
          and c.id >= ${later.from}
      )`)
  return rows.map(() => undefined)
}
