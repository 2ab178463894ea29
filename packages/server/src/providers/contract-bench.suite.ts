import assert from 'node:assert/strict'
import { inspect } from 'node:util'
import { parseMinor } from '../money/money.ts'
import type { Inbox } from '../testing/inbox.ts'
import type { FaultOrder, SimulatorControl } from '../testing/simulator.ts'
import { until } from '../testing/until.ts'
import type {
  AttemptRef,
  CallbackVerdict,
  ChargeAttempt,
  Connector,
  FailureCode,
  InboundRequest,
  PayoutAttempt,
  QueryOutcome,
  Said,
  SubmitOutcome,
} from './contract.ts'

/** Everything the suite needs to try a connector. What a connector cannot do is left out, and its cases are skipped. */
export interface Bench {
  readonly connector: Connector
  /** The same, but nobody listens where its provider should be. */
  readonly unreachable: Connector
  /** What must never be in a text that is logged. */
  readonly secrets: readonly string[]
  /** What the simulator calls the provider. */
  readonly provider: string
  readonly control: SimulatorControl
  readonly inbox: Inbox
  /** How long the simulator takes to settle a payment, on its own clock. */
  readonly settleMs: number
  readonly charges?: Examples<ChargeAttempt>
  readonly payouts?: Examples<PayoutAttempt>
  readonly callbacks?: {
    /** Signed, so that they may be believed; or else only hints. */
    readonly areProof: boolean
    /** Whether a callback holds only where it was sent to. */
    readonly arePathBound: boolean
    /** How old one may grow, and the way to let the connector's clock run ahead. */
    readonly aging?: { readonly ageMaxMs: number; moveClock(ms: number): void }
  }
}

/** Makes payments that end as the name says. Each has a key of its own. */
export interface Examples<Attempt> {
  succeeds(): Attempt
  /** Never ends by itself. */
  stays(): Attempt
  readonly fails: Readonly<Partial<Record<FailureCode, () => Attempt>>>
  /** The customer is sent to a page of the operator. */
  redirects?(): Attempt
  /** The customer got a code beforehand. */
  readonly withCode?: { right(): Attempt; wrong(): Attempt }
}

/** One payment on trial: it may be submitted and asked about as often as a case likes. */
export interface Trial {
  readonly ref: AttemptRef
  submit(signal?: AbortSignal): Promise<SubmitOutcome>
  query(signal?: AbortSignal): Promise<QueryOutcome>
}

/** Charges and payouts run the same cases. */
export interface Lane {
  readonly operation: 'charge' | 'payout'
  readonly notFoundWindowMs: number
  readonly examples: Examples<Trial>
  /** Through the connector that reaches nobody. */
  readonly lost: Trial
  /** What no provider may be asked for, by what is wrong with it. */
  readonly impossible: Readonly<Record<string, Trial>>
}

export interface Case {
  readonly guarantee: string
  /** What the connector must be able to do for the case to make sense. */
  readonly needs?: (lane: Lane, bench: Bench) => unknown
  run(lane: Lane, bench: Bench): Promise<void>
}

export function lanesOf(bench: Bench): Lane[] {
  const { connector, unreachable, charges, payouts } = bench
  return [
    ...laneOf('charge', [connector.charges, unreachable.charges], charges, bench),
    ...laneOf('payout', [connector.payouts, unreachable.payouts], payouts, bench),
  ]
}

interface Submitter<Attempt> {
  readonly notFoundWindowMs: number
  submit(attempt: Attempt, signal: AbortSignal): Promise<SubmitOutcome>
  query(attempt: AttemptRef, signal: AbortSignal): Promise<QueryOutcome>
}

function laneOf<Attempt extends AttemptRef>(
  operation: Lane['operation'],
  [money, nobody]: readonly (Submitter<Attempt> | undefined)[],
  examples: Examples<Attempt> | undefined,
  { connector, secrets }: Bench,
): Lane[] {
  assert.equal(money === undefined, examples === undefined, `${operation}: examples for what the connector can do`)
  if (!money || !nobody || !examples) return []
  const { succeeds, stays, fails, redirects, withCode } = examples
  const on = (make: () => Attempt) => () => trialOf(money, make(), secrets)
  const failing = Object.entries(fails).map(([code, make]) => [code, on(make)])
  return [
    {
      operation,
      notFoundWindowMs: money.notFoundWindowMs,
      lost: trialOf(nobody, succeeds(), secrets),
      impossible: Object.fromEntries(
        impossibleOf(connector, operation, succeeds).map(([name, attempt]) => [name, trialOf(money, attempt, secrets)]),
      ),
      examples: {
        succeeds: on(succeeds),
        stays: on(stays),
        fails: Object.fromEntries(failing),
        ...(redirects && { redirects: on(redirects) }),
        ...(withCode && { withCode: { right: on(withCode.right), wrong: on(withCode.wrong) } }),
      },
    },
  ]
}

/** No provider moves such amounts; one that names its countries and currencies moves money in no others. */
function impossibleOf<Attempt extends AttemptRef>(
  { capabilities }: Connector,
  operation: Lane['operation'],
  make: () => Attempt,
): [string, Attempt][] {
  const own = capabilities.filter((each) => each.operation.startsWith(operation))
  const abroad: [string, Attempt][] = [
    ['a currency that is not the operator’s', { ...make(), currency: 'GBP' }],
    ['a country that is not the operator’s', { ...make(), country: 'GB' }],
  ]
  return [
    ['no amount', { ...make(), amount: 0n }],
    ['a negative amount', { ...make(), amount: -100n }],
    ['an amount beyond all money', { ...make(), amount: 10n ** 30n }],
    ...(own.some(({ country }) => country === '*') ? [] : abroad),
  ]
}

function trialOf<Attempt extends AttemptRef>(
  money: Submitter<Attempt>,
  attempt: Attempt,
  secrets: readonly string[],
): Trial {
  const hidden = [...secrets, ...personalIn(attempt)]
  const discreet = <Outcome extends object>(outcome: Outcome): Outcome => {
    const text = inspect(outcome, { depth: 10 })
    assert.ok(!hidden.some((each) => text.includes(each)), 'no outcome shows a secret or whom a payment is for')
    return outcome
  }
  return {
    ref: attempt,
    submit: async (signal = AbortSignal.timeout(10_000)) => discreet(await money.submit(attempt, signal)),
    query: async (signal = AbortSignal.timeout(10_000)) => discreet(await money.query(attempt, signal)),
  }
}

/** Phones, codes, names and account numbers, wherever they are in an attempt. */
function personalIn({ key, country, currency, amount, ...rest }: AttemptRef): string[] {
  const values = Object.values(rest).flatMap((value) =>
    typeof value === 'object' ? Object.values(value ?? {}) : value,
  )
  return values
    .filter((value) => typeof value === 'string' && /\d{6}|\s/.test(value))
    .map((value) => String(value).replace(/^\+/, ''))
}

/** Sets a fault for one payment, once unless told otherwise. */
export async function strike(
  bench: Bench,
  lane: Lane,
  { ref }: Trial,
  fault: Omit<FaultOrder, 'provider' | 'operation' | 'match'> & { readonly on?: 'query' },
): Promise<void> {
  const { on, ...order } = fault
  const operation = on === 'query' ? `${lane.operation}_status` : lane.operation
  await bench.control.setFault({ times: 1, ...order, provider: bench.provider, operation, match: { key: ref.key } })
}

/** Lets every payment that is going to end by itself do so. */
export async function settle({ control, settleMs }: Bench): Promise<void> {
  await control.advance(settleMs)
}

/** Money moved once, by exactly the amount asked. */
export async function movedOnce({ control }: Bench, { ref }: Trial): Promise<void> {
  const movements = await control.movements(ref.key)
  assert.equal(movements.length, 1, 'money moves once')
  assert.equal(movements[0]?.currency, ref.currency)
  assert.equal(parseMinor(movements[0]?.amount ?? '', ref.currency), ref.amount)
}

export async function movedNothing({ control }: Bench, { ref }: Trial): Promise<void> {
  assert.deepEqual(await control.movements(ref.key), [], 'no money moves')
}

export function accepted(outcome: SubmitOutcome): Said {
  assert.ok(outcome.certainty === 'accepted', `accepted, not ${inspect(outcome)}`)
  assert.ok(outcome.said.state === 'submitted' || outcome.said.state === 'waiting', 'a submission is never final')
  return outcome.said
}

export function unknown(outcome: SubmitOutcome): string {
  assert.ok(outcome.certainty === 'unknown', `unknown, not ${inspect(outcome)}`)
  return outcome.cause
}

/** The provider was given the key before, so whatever it answers, the payment may be under way or over. */
export function sentAgain(outcome: SubmitOutcome): void {
  const isSafe = outcome.certainty === 'accepted' || (outcome.certainty === 'unknown' && outcome.cause === 'repeated')
  assert.ok(isSafe, `taken or repeated, not ${inspect(outcome)}`)
}

export function notSubmitted(outcome: SubmitOutcome): string {
  assert.ok(outcome.certainty === 'definitely_not_submitted', `not submitted, not ${inspect(outcome)}`)
  return outcome.cause
}

export function found(outcome: QueryOutcome): Said {
  assert.ok(outcome.found === 'yes', `found, not ${inspect(outcome)}`)
  return outcome.said
}

/** What it says is success by exactly what was asked. */
export function succeeded(said: Said, { amount, currency }: AttemptRef): void {
  assert.ok(said.state === 'successful', `successful, not ${said.state}`)
  assert.equal(said.settled.amount, amount)
  assert.equal(said.settled.currency, currency)
}

export function isOpen(said: Said): boolean {
  return said.state === 'submitted' || said.state === 'waiting'
}

/** How often the provider was asked to move money under this key. */
export async function timesSent({ control }: Bench, { operation }: Lane, { ref }: Trial): Promise<number> {
  return (await control.requests(ref.key)).filter((request) => request.operation === operation).length
}

/** The callbacks about a payment, once there are as many as the case waits for. */
export function callbacksFor({ inbox }: Bench, { ref }: Trial, count = 1): Promise<InboundRequest[]> {
  return until(`${count} callbacks about ${ref.key}`, () => {
    const about = inbox.received.filter(({ path, body }) => path.includes(ref.key) || body.includes(ref.key))
    return about.length >= count && about
  })
}

export async function read({ connector }: Bench, request: InboundRequest | undefined): Promise<CallbackVerdict> {
  assert.ok(connector.callbacks && request)
  return connector.callbacks.read(request)
}

/** What a callback says of one payment. It may be believed exactly when the connector's callbacks are proof. */
export async function newsOf(bench: Bench, request: InboundRequest | undefined): Promise<{ key: string; said: Said }> {
  const verdict = await read(bench, request)
  assert.ok(verdict.isGenuine, `genuine, not: ${verdict.isGenuine ? '' : verdict.why}`)
  assert.equal(verdict.isProof, bench.callbacks?.areProof)
  const [news] = verdict.news
  assert.ok(news && verdict.news.length === 1)
  return news
}
