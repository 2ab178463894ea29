import { randomUUID } from 'node:crypto'
import { timing } from '../../packages/server/src/payments/resolve/timing.ts'
import type {
  AttemptRef,
  AuthoriseOutcome,
  CallbackReading,
  Connector,
  CustomerAction,
  CustomerAnswer,
  InboundRequest,
  QueryOutcome,
  SubmitOutcome,
} from '../../packages/server/src/providers/contract.ts'
import { operations } from '../../packages/server/src/providers/contract.ts'
import type { RefundAttempt } from '../../packages/server/src/providers/refund-contract.ts'
import {
  type Callback,
  continuationOf,
  failure,
  networkMs,
  notFoundWindowMs,
  type ProviderBooks,
  providerStatusOf,
  type Rail,
} from './provider-book.ts'
import type { Schedule } from './schedule.ts'

const noResponse = Symbol('no response')
const unreached = Symbol('no connection')

export interface Codec {
  encode(callback: Callback): Buffer
  decode(body: Buffer): Callback
}

/** Callbacks go through memory: their content is looked up by a name on the envelope. */
export function createCodec(): Codec {
  const sent = new Map<string, Callback>()
  return {
    encode: (callback) => {
      const name = randomUUID()
      sent.set(name, callback)
      return Buffer.from(name)
    },
    decode: (body) => sent.get(body.toString()) as Callback,
  }
}

interface Line {
  readonly schedule: Schedule
  readonly books: ProviderBooks
}

export interface ProviderOptions extends Line {
  readonly id: string
  readonly codec: Codec
  /** Whether its callbacks alone prove an outcome. */
  readonly isProof: boolean
  readonly requestsPerSecond: number
}

/** A provider that supports everything. Its requests and responses are in transit until the schedule delivers them. */
export function createProvider({ id, schedule, books, codec, isProof, requestsPerSecond }: ProviderOptions): Connector {
  const line = { schedule, books }
  const money = (rail: Rail, questionOf: (attempt: AttemptRef) => CustomerAction | undefined) => ({
    notFoundWindowMs,
    submit: (attempt: AttemptRef) => submit(line, id, rail, attempt, questionOf(attempt)),
    query: (attempt: AttemptRef) => ask(line, attempt),
  })
  const capabilities = operations.map((operation) => ({ operation, country: '*', currency: '*', target: '*' }) as const)
  return {
    id,
    capabilities,
    requestsPerSecond,
    payouts: money('payout', () => undefined),
    momoCharges: money('momo', ({ currency }) => momoQuestion(currency)),
    cardCharges: {
      ...money('card', cardQuestion),
      authorise: (attempt, answer) => authorise(line, attempt, answer),
    },
    transferCharges: { ...money('transfer', accountOf), deadAfterMs: 0 },
    refunds: {
      notFoundWindowMs,
      takesOneAtATime: id !== 'house',
      refundsOneTransfer: false,
      windowMs: Number.POSITIVE_INFINITY,
      submit: (attempt) => (id === 'flutterwave' ? refundUnkeyed(line, id, attempt) : refund(line, id, attempt)),
      query: (attempt) => ask(line, attempt),
    },
    callbacks: { read: async (request: InboundRequest) => read(codec, request, isProof) },
    close: async () => undefined,
  }
}

const momoQuestion = (currency: string): CustomerAction =>
  currency === 'XOF' ? { kind: 'redirect', url: 'https://pay.example/page' } : { kind: 'pin_prompt' }

/** Depends on the key alone, so that the order of requests does not matter. */
function cardQuestion({ key }: AttemptRef): CustomerAction | undefined {
  const digit = Number.parseInt(key.slice(-4, -3), 16)
  if (digit < 7) return { kind: 'pin' }
  if (digit < 10) return { kind: 'otp' }
  return digit < 12 ? { kind: 'redirect', url: 'https://bank.example/3ds' } : undefined
}

const accountOf = ({ key }: AttemptRef): CustomerAction => ({
  kind: 'pay_to_account',
  account: { accountNumber: key.slice(0, 10), bankName: 'Benki', expiresAt: '2030-01-15T14:00:00.000Z' },
})

async function read(codec: Codec, { body }: InboundRequest, isProof: boolean): Promise<CallbackReading> {
  const { key, providerStatus } = codec.decode(body)
  return { isGenuine: true, isProof, observations: [{ key, providerStatus }] }
}

/** A request in transit, its effect on arrival, and its response in transit. Either may get lost. */
async function exchange<Reply>(
  { schedule }: Line,
  label: string,
  patienceMs: number,
  effect: () => Reply,
): Promise<Reply | typeof noResponse | typeof unreached> {
  const process = schedule.doing()?.process
  const departedAt = schedule.nowMs()
  const reply = await schedule.gate({ label: `→ ${label}`, kind: 'request', process }, () => {
    if (schedule.nowMs() - departedAt > networkMs || schedule.hasChance(0.07)) return noted(schedule, noResponse)
    if (schedule.hasChance(0.03)) return noted(schedule, unreached)
    const answer = effect()
    return schedule.hasChance(0.08) ? noted(schedule, noResponse) : answer
  })
  return schedule.gate({ label: `← ${label}`, kind: 'response', process }, () => {
    const isLate = schedule.nowMs() - departedAt > patienceMs
    return isLate && schedule.random() < 0.7 ? noted(schedule, noResponse) : reply
  })
}

function noted<What extends symbol>(schedule: Schedule, what: What): What {
  schedule.note(`  ${what.description}`)
  return what
}

async function submit(
  line: Line,
  provider: string,
  rail: Rail,
  attempt: AttemptRef,
  question: CustomerAction | undefined,
): Promise<SubmitOutcome> {
  const label = `${provider} ${rail} ${attempt.key}`
  return outcomeOf(
    await exchange(line, label, timing.submitTimeoutMs, () => line.books.take(provider, rail, attempt, question)),
  )
}

async function refund(line: Line, provider: string, attempt: RefundAttempt): Promise<SubmitOutcome> {
  const label = `${provider} refund ${attempt.key} of ${attempt.charge.key}`
  return outcomeOf(
    await exchange(line, label, timing.submitTimeoutMs, () => line.books.refund(provider, attempt, { isKeyed: true })),
  )
}

/** A provider that knows no key refunds with every request, so its refunds are listed first. */
async function refundUnkeyed(line: Line, provider: string, attempt: RefundAttempt): Promise<SubmitOutcome> {
  const listed = await ask(line, attempt)
  if (listed.found === 'unclear')
    return attempt.isFirstSend
      ? { certainty: 'definitely_not_submitted', cause: 'not_reached', detail: 'no list' }
      : { certainty: 'unknown', cause: 'refused', detail: 'no list' }
  if (listed.found === 'yes') return { certainty: 'accepted', providerStatus: listed.providerStatus }
  const label = `${provider} refund ${attempt.key} of ${attempt.charge.key}`
  const outcome = outcomeOf(
    await exchange(line, label, timing.submitTimeoutMs, () => line.books.refund(provider, attempt, { isKeyed: false })),
  )
  const isDefinite = outcome.certainty === 'definitely_failed' || outcome.certainty === 'definitely_not_submitted'
  return isDefinite && !attempt.isFirstSend
    ? { certainty: 'unknown', cause: 'refused', detail: 'sent before', failure }
    : outcome
}

function outcomeOf<Outcome>(reply: Outcome | typeof noResponse | typeof unreached): Outcome | SubmitOutcome {
  if (reply === noResponse) return { certainty: 'unknown', cause: 'timeout', detail: 'no response' }
  if (reply === unreached)
    return { certainty: 'definitely_not_submitted', cause: 'not_reached', detail: 'no connection' }
  return reply
}

async function ask(line: Line, { key }: AttemptRef): Promise<QueryOutcome> {
  const reply = await exchange(line, `query for ${key}`, timing.queryTimeoutMs, (): QueryOutcome => {
    const entry = line.books.find(key)
    return entry ? { found: 'yes', providerStatus: providerStatusOf(entry), ...continuationOf(entry) } : { found: 'no' }
  })
  return reply === noResponse || reply === unreached ? { found: 'unclear', detail: 'no response' } : reply
}

/** Right answers end in 4. */
async function authorise(line: Line, { key }: AttemptRef, answer: CustomerAnswer): Promise<AuthoriseOutcome> {
  const isRight = answer.kind !== 'address' && answer.value.endsWith('4')
  return outcomeOf(
    await exchange(line, `answer for ${key}`, timing.submitTimeoutMs, (): AuthoriseOutcome => {
      const entry = line.books.entries.get(key)
      if (!entry) return { certainty: 'unknown', cause: 'server_error', detail: 'not known' }
      if (line.books.answer(entry, isRight) === 'wrong') return { certainty: 'wrong_value', detail: 'wrong' }
      return { certainty: 'accepted', providerStatus: providerStatusOf(entry), ...continuationOf(entry) }
    }),
  )
}
