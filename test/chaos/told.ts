import type { Random } from '../support/cluster/random.ts'
import type { Merchant } from './merchants.ts'

/** One request as it went out, and what came back of it. */
interface Exchange {
  readonly at: number
  readonly tookMs: number
  /** 0 when nothing came back. */
  readonly status: number
  /** The error code, or how the connection ended. */
  readonly word: string
}

/** Something a client wanted, however often it had to say so. */
export interface Asked {
  readonly kind: string
  readonly merchant: Merchant
  readonly method: string
  readonly path: string
  readonly body: unknown
  readonly exchanges: Exchange[]
  /** `done` and `refused` are the service's words; nobody knows what became of the rest. */
  told: 'done' | 'refused' | 'unknown'
  answer: Readonly<Record<string, unknown>>
  /** What was answered to the very same request when it was sent once more. */
  again?: Readonly<Record<string, unknown>>
}

/** A way to ask that behaves like a good merchant: it says the same thing again until it has an answer. */
export interface Client {
  readonly record: readonly Asked[]
  /** Requests that are not answered yet. */
  readonly underWay: number
  ask(kind: string, merchant: Merchant, wish: Wish): Promise<Asked>
  /** No more tries begin after this. */
  giveUpAt(at: number): void
}

interface Wish {
  readonly method: string
  readonly path: string
  readonly body?: unknown
  /** The idempotency key of what has an effect. */
  readonly key?: string
  readonly patienceMs?: number
}

interface ClientOptions {
  readonly random: Random
  /** Where to send the next request. */
  readonly apiUrl: () => string
}

const answerWithinMs = 12_000
const patienceMs = 45_000
const againOneIn = 12

export function createClient({ random, apiUrl }: ClientOptions): Client {
  const record: Asked[] = []
  let underWay = 0
  let endsAt = Number.POSITIVE_INFINITY

  const insist = async (asked: Asked, wish: Wish) => {
    const deadline = performance.now() + (wish.patienceMs ?? patienceMs)
    for (let tries = 0; ; tries += 1) {
      const reply = await tryOnce(asked, wish, apiUrl())
      if (reply) return reply
      const waitMs = Math.min(3000, 150 * 2 ** tries) * (0.5 + random())
      if (performance.now() + waitMs > Math.min(deadline, endsAt)) return undefined
      await new Promise((resolve) => setTimeout(resolve, waitMs))
    }
  }
  const ask: Client['ask'] = async (kind, merchant, wish) => {
    const { method, path, body } = wish
    const asked: Asked = { kind, merchant, method, path, body, exchanges: [], told: 'unknown', answer: {} }
    record.push(asked)
    underWay += 1
    try {
      const reply = await insist(asked, wish)
      if (reply) Object.assign(asked, { told: reply.status < 400 ? 'done' : 'refused', answer: reply.body })
      const isAgain = asked.told === 'done' && wish.key !== undefined && random.below(againOneIn) === 0
      const again = isAgain ? await insist(asked, wish) : undefined
      if (again) asked.again = again.body
      return asked
    } finally {
      underWay -= 1
    }
  }
  return {
    record,
    get underWay() {
      return underWay
    },
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

/** An answer to be believed, or nothing: silence, a fault of the service, or somebody still at it. */
async function tryOnce(asked: Asked, wish: Wish, url: string): Promise<Reply | undefined> {
  const at = performance.now()
  const note = (status: number, word: string) =>
    void asked.exchanges.push({ at, tookMs: performance.now() - at, status, word })
  try {
    const token = await asked.merchant.token(url)
    const { status, body } = await request(url, wish, token)
    const word = String(body['errorCode'] ?? '')
    note(status, word)
    if (status === 401) asked.merchant.forgetToken(token)
    const isPassing = status >= 500 || status === 429 || status === 401 || word === 'IDEMPOTENCY_KEY_IN_PROGRESS'
    return isPassing ? undefined : { status, body }
  } catch (error) {
    note(0, nameOf(error as Error))
    return undefined
  }
}

async function request(url: string, { method, path, body, key }: Wish, token: string): Promise<Reply> {
  const reply = await fetch(`${url}/api/sandbox/b2b${path}`, {
    method,
    signal: AbortSignal.timeout(answerWithinMs),
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

/** A reset and a time limit tell the client the same: nothing. */
const nameOf = ({ name }: Error) => (name === 'TimeoutError' ? 'timeout' : 'reset')
