import assert from 'node:assert/strict'
import { inspect } from 'node:util'
import type { FaultOrder, SimulatorControl } from '../../dev-stack/simulator.ts'
import { until } from '../../dev-stack/until.ts'
import { parseMinor } from '../../money/money.ts'
import type { Inbox } from '../../testing/inbox.ts'
import type {
  AttemptRef,
  AuthoriseOutcome,
  BillingAddress,
  CallbackVerdict,
  CardChargeAttempt,
  Connector,
  CustomerAnswer,
  FailureCode,
  InboundRequest,
  MomoChargeAttempt,
  PayoutAttempt,
  QueryOutcome,
  Said,
  SubmitOutcome,
  TransferChargeAttempt,
} from '../contract.ts'

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
  readonly charges?: Examples<MomoChargeAttempt>
  readonly cards?: CardExamples
  readonly transfers?: Examples<TransferChargeAttempt>
  /** Whether the provider says nothing of a charge by transfer before the customer has paid. */
  readonly areTransfersSilent?: boolean
  readonly payouts?: Examples<PayoutAttempt>
  /** Whether the provider takes a payout that our money there does not suffice for, and ends it unpaid later. */
  readonly takesWithoutFloat?: boolean
  /** Whether the provider shows how much of a payment was taken back. */
  readonly showsReturned?: boolean
  /** Whether the provider refuses in sentences, which nobody can list. */
  readonly refusesInSentences?: boolean
  readonly callbacks?: {
    /** Signed, so that they may be believed; or else only hints. */
    readonly areProof: boolean
    /** Whether one that comes from a stranger can be told. */
    readonly areKnown: boolean
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
  /** What the provider's validation refuses. */
  readonly refused?: Readonly<Partial<Record<FailureCode, () => Attempt>>>
  /** The customer is sent to a page of the operator. */
  redirects?(): Attempt
  /** The customer got a code beforehand. */
  readonly withCode?: { right(): Attempt; wrong(): Attempt }
}

/** Cards that end as the name says. Those of {@link Examples} send the customer to their bank's page. */
export interface CardExamples extends Examples<CardChargeAttempt> {
  readonly steps: CardSteps<CardChargeAttempt>
  readonly values: CardValues
}

interface CardSteps<Made> {
  /** Nobody is asked for anything. */
  ends(): Made
  /** A PIN, then a code. */
  asksPin(): Made
  asksAddress(): Made
  /** Declined once the customer has given what they were asked for. */
  readonly declinedAfter: {
    readonly pin: readonly [() => Made, FailureCode]
    readonly address: readonly [() => Made, FailureCode]
  }
}

interface CardValues {
  readonly pin: string
  readonly otp: string
  /** A right code for an account that has too little. */
  readonly emptyOtp: string
  readonly wrong: readonly string[]
  readonly address: BillingAddress
}

/** A card charge on trial. It keeps the newest continuation, as the service does. */
export interface CardTrial extends Trial {
  authorise(answer: CustomerAnswer, options?: AuthoriseOptions): Promise<AuthoriseOutcome>
}

interface AuthoriseOptions {
  readonly signal?: AbortSignal
  readonly continuation?: string
}

export interface CardDesk extends CardSteps<CardTrial> {
  readonly values: CardValues
  /** Answers through a connector that reaches nobody, with what this charge was continued by. */
  authoriseLost(trial: CardTrial, answer: CustomerAnswer): Promise<AuthoriseOutcome>
}

/** One payment on trial: it may be submitted and asked about as often as a case likes. */
export interface Trial {
  readonly ref: AttemptRef
  submit(signal?: AbortSignal): Promise<SubmitOutcome>
  query(signal?: AbortSignal): Promise<QueryOutcome>
}

/** Charges of every kind and payouts run the same cases. */
export interface Lane {
  readonly name: 'charge' | 'card charge' | 'transfer charge' | 'payout'
  /** What the simulator calls it. */
  readonly operation: 'charge' | 'payout'
  /** What brings a payment to its end. */
  readonly endsBy: 'time' | 'customer'
  /** Whether the provider does not know a charge until the customer has paid. */
  readonly isSilent: boolean
  readonly notFoundWindowMs: number
  readonly examples: Examples<Trial>
  /** Through the connector that reaches nobody. */
  readonly lost: Trial
  /** What no provider may be asked for, by what is wrong with it. */
  readonly impossible: Readonly<Record<string, Trial>>
  /** Only charges by card have steps. */
  readonly cards?: CardDesk
}

export interface Case {
  readonly guarantee: string
  /** What the connector must be able to do for the case to make sense. */
  readonly needs?: (lane: Lane, bench: Bench) => unknown
  run(lane: Lane, bench: Bench): Promise<void>
}

/** Sets a fault for one payment, once unless told otherwise. */
export async function strike(
  bench: Bench,
  lane: Lane,
  { ref }: Trial,
  fault: Omit<FaultOrder, 'provider' | 'operation' | 'match'> & { readonly on?: 'query' | 'authorise' },
): Promise<void> {
  const { on, ...order } = fault
  const operation = on === undefined ? lane.operation : on === 'query' ? `${lane.operation}_status` : on
  await bench.control.setFault({ times: 1, ...order, provider: bench.provider, operation, match: { key: ref.key } })
}

/** Lets every payment that is going to end by itself do so. */
export async function settle({ control, settleMs }: Bench): Promise<void> {
  await control.advance(settleMs)
}

/** The customer does their part, where there is one, and every payment that is going to end does so. */
export async function fulfil(bench: Bench, { endsBy }: Lane, { ref }: Trial): Promise<void> {
  if (endsBy === 'customer') await bench.control.act(ref.key, 'approve')
  await settle(bench)
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

/** What it says is success by exactly what was asked, or that exactly this much came in. */
export function succeeded(said: Said, { amount, currency }: AttemptRef): void {
  assert.equal(amountTold(said), amount)
  const told = said.state === 'received' ? said.receipts : said.state === 'successful' ? [said.settled] : []
  assert.ok(told.every((each) => each.currency === currency))
}

/** How much money moved, and did not go back, by what is said. */
export function amountTold(said: Said): bigint {
  if (said.state === 'received') {
    assert.equal(new Set(said.receipts.map(({ id }) => id)).size, said.receipts.length, 'every receipt is told once')
    return said.receipts.filter(({ isReversed }) => !isReversed).reduce((sum, { amount }) => sum + amount, 0n)
  }
  assert.ok(said.state === 'successful', `successful, not ${inspect(said)}`)
  return said.settled.amount
}

export function isOpen(said: Said): boolean {
  return said.state === 'submitted' || said.state === 'waiting'
}

/** The provider has it and it has not ended; or it says nothing of it before the customer has paid. */
export async function stillOpen({ isSilent }: Lane, trial: Trial): Promise<void> {
  const outcome = await trial.query()
  if (isSilent) assert.deepEqual(outcome, { found: 'no' })
  else assert.ok(isOpen(found(outcome)))
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
