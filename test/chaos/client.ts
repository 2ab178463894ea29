import type { Random } from '../support/cluster/random.ts'
import type { Merchant } from './merchants.ts'

/** One request as it was sent, and its result. */
interface Exchange {
  readonly at: number
  readonly tookMs: number
  /** 0 without a response. */
  readonly status: number
  /** The error code, or how the connection ended. */
  readonly word: string
}

/** A request of a client, with all its retries. */
export interface ClientRequest {
  readonly kind: string
  readonly merchant: Merchant
  readonly method: string
  readonly path: string
  readonly body: unknown
  readonly exchanges: Exchange[]
  /** `done` and `refused` are responses of the service; the outcome of the rest is unknown. */
  outcome: 'done' | 'refused' | 'unknown'
  response: Readonly<Record<string, unknown>>
  /** The response to the same request, sent once more. */
  again?: Readonly<Record<string, unknown>>
}

/** Behaves like a good merchant: retries the same request until it has a response. */
export interface Client {
  readonly record: readonly ClientRequest[]
  ask(kind: string, merchant: Merchant, request: Request): Promise<ClientRequest>
  /** No try starts after this. */
  giveUpAt(at: number): void
}

interface Request {
  readonly method: string
  readonly path: string
  readonly body?: unknown
  /** The idempotency key, for a request with an effect. */
  readonly key?: string
  readonly patienceMs?: number
}

interface ClientOptions {
  readonly random: Random
  /** Where to send the next request. */
  readonly apiUrl: () => string
}

const responseWithinMs = 12_000
const patienceMs = 45_000
const againOneIn = 12

export function createClient({ random, apiUrl }: ClientOptions): Client {
  const record: ClientRequest[] = []
  let endsAt = Number.POSITIVE_INFINITY

  const insist = async (sent: ClientRequest, request: Request) => {
    const deadline = performance.now() + (request.patienceMs ?? patienceMs)
    for (let tries = 0; ; tries += 1) {
      const reply = await tryOnce(sent, request, apiUrl())
      if (reply) return reply
      const waitMs = Math.min(3000, 150 * 2 ** tries) * (0.5 + random())
      if (performance.now() + waitMs > Math.min(deadline, endsAt)) return undefined
      await new Promise((resolve) => setTimeout(resolve, waitMs))
    }
  }
  const ask: Client['ask'] = async (kind, merchant, request) => {
    const { method, path, body } = request
    const sent: ClientRequest = { kind, merchant, method, path, body, exchanges: [], outcome: 'unknown', response: {} }
    record.push(sent)
    const reply = await insist(sent, request)
    if (reply) Object.assign(sent, { outcome: reply.status < 400 ? 'done' : 'refused', response: reply.body })
    const isAgain = sent.outcome === 'done' && request.key !== undefined && random.below(againOneIn) === 0
    const again = isAgain ? await insist(sent, request) : undefined
    if (again) sent.again = again.body
    return sent
  }
  return {
    record,
    ask,
    giveUpAt: (at) => {
      endsAt = at
    },
  }
}

interface Reply {
  readonly status: number
  readonly body: Record<string, unknown>
}

/** A definite response, or nothing: no response, a server error, or a request still in progress. */
async function tryOnce(sent: ClientRequest, request: Request, url: string): Promise<Reply | undefined> {
  const at = performance.now()
  const note = (status: number, word: string) =>
    void sent.exchanges.push({ at, tookMs: performance.now() - at, status, word })
  try {
    const token = await sent.merchant.token(url)
    const { status, body } = await send(url, request, token)
    const word = String(body['errorCode'] ?? '')
    note(status, word)
    if (status === 401) sent.merchant.forgetToken(token)
    const isPassing = status >= 500 || status === 429 || status === 401 || word === 'IDEMPOTENCY_KEY_IN_PROGRESS'
    return isPassing ? undefined : { status, body }
  } catch (error) {
    note(0, nameOf(error as Error))
    return undefined
  }
}

async function send(url: string, { method, path, body, key }: Request, token: string): Promise<Reply> {
  const reply = await fetch(`${url}/api/sandbox/b2b${path}`, {
    method,
    signal: AbortSignal.timeout(responseWithinMs),
    headers: {
      authorization: `Bearer ${token}`,
      ...(body !== undefined && { 'content-type': 'application/json' }),
      ...(key !== undefined && { 'idempotency-key': key }),
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  })
  const text = await reply.text()
  return { status: reply.status, body: text === '' ? {} : (JSON.parse(text) as Record<string, unknown>) }
}

/** A reset and a timeout mean the same to the client: no response. */
const nameOf = ({ name }: Error) => (name === 'TimeoutError' ? 'timeout' : 'reset')
