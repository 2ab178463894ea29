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
  CallbackReading,
  CardChargeAttempt,
  Connector,
  CustomerAnswer,
  InboundRequest,
  MomoChargeAttempt,
  PayoutAttempt,
  ProviderStatus,
  QueryOutcome,
  SubmitOutcome,
  TransferChargeAttempt,
} from '../contract.ts'
import type { FailureCode } from '../failure-codes.ts'

/** Everything the suite needs to test a connector. A capability the connector lacks is left out, and its cases are skipped. */
export interface Bench {
  readonly connector: Connector
  /** The same connector with an address where no provider listens. */
  readonly unreachable: Connector
  /** Values that must never appear in a logged text. */
  readonly secrets: readonly string[]
  /** The simulator's id for the provider. */
  readonly provider: string
  readonly control: SimulatorControl
  readonly inbox: Inbox
  /** How long the simulator takes to end a payment, on its own clock. */
  readonly settleMs: number
  readonly charges?: Examples<MomoChargeAttempt>
  readonly cards?: CardExamples
  readonly transfers?: Examples<TransferChargeAttempt>
  /** Whether the provider reports nothing about a transfer charge until the customer pays. */
  readonly areTransfersSilent?: boolean
  readonly payouts?: Examples<PayoutAttempt>
  /** Whether the provider takes no key for a refund, so that each request refunds once more. */
  readonly takesRefundsWithoutKey?: boolean
  /** Whether the provider accepts a payout beyond our float and fails it later. */
  readonly takesWithoutFloat?: boolean
  /** Whether the provider reports how much of a payment was reversed. */
  readonly showsReturned?: boolean
  /** Whether the provider refuses in free text instead of a fixed list of codes. */
  readonly refusesInSentences?: boolean
  readonly callbacks?: {
    /** Whether callbacks are signed and therefore proof. Otherwise they are only hints. */
    readonly areProof: boolean
    /** Whether the connector can detect a callback from an unknown sender. */
    readonly areKnown: boolean
    /** Whether a callback is valid only at the path it was sent to. */
    readonly arePathBound: boolean
    /** The maximum age of a callback, and a way to move the connector's clock forward. */
    readonly aging?: { readonly ageMaxMs: number; moveClock(ms: number): void }
  }
}

/** Makes payments that end as the name says. Each payment has its own key. */
export interface Examples<Attempt> {
  succeeds(): Attempt
  /** Never ends by itself. */
  stays(): Attempt
  readonly fails: Readonly<Partial<Record<FailureCode, () => Attempt>>>
  /** Payments that the provider's validation refuses. */
  readonly refused?: Readonly<Partial<Record<FailureCode, () => Attempt>>>
  /** The provider sends the customer to the operator's page. */
  redirects?(): Attempt
  /** The customer received a code beforehand. */
  readonly withCode?: { right(): Attempt; wrong(): Attempt }
}

/** Cards that end as the name says. The cards of {@link Examples} send the customer to their bank's page. */
export interface CardExamples extends Examples<CardChargeAttempt> {
  readonly steps: CardSteps<CardChargeAttempt>
  readonly values: CardValues
}

interface CardSteps<Made> {
  /** The charge asks the customer for nothing. */
  ends(): Made
  /** Asks for a PIN, then a code. */
  asksPin(): Made
  asksAddress(): Made
  /** The issuer declines after the customer's answer. */
  readonly declinedAfter: {
    readonly pin: readonly [() => Made, FailureCode]
    readonly address: readonly [() => Made, FailureCode]
  }
}

interface CardValues {
  readonly pin: string
  readonly otp: string
  /** A correct code for an account with too little money. */
  readonly emptyOtp: string
  readonly wrong: readonly string[]
  readonly address: BillingAddress
}

/** A card charge under test. It keeps the newest continuation, as the service does. */
export interface CardTrial extends Trial {
  authorise(answer: CustomerAnswer, options?: AuthoriseOptions): Promise<AuthoriseOutcome>
}

interface AuthoriseOptions {
  readonly signal?: AbortSignal
  readonly continuation?: string
}

export interface CardActions extends CardSteps<CardTrial> {
  readonly values: CardValues
  /** Sends the customer's answer through the unreachable connector, with this charge's continuation. */
  authoriseLost(trial: CardTrial, answer: CustomerAnswer): Promise<AuthoriseOutcome>
}

/** One payment under test. A case may submit and query it any number of times. */
export interface Trial {
  readonly ref: AttemptRef
  submit(signal?: AbortSignal): Promise<SubmitOutcome>
  query(signal?: AbortSignal): Promise<QueryOutcome>
}

/** Every kind of charge and payout runs the same cases. */
export interface Flow {
  readonly name: 'charge' | 'card charge' | 'transfer charge' | 'payout'
  /** The simulator's name for it. */
  readonly operation: 'charge' | 'payout'
  /** What ends a payment. */
  readonly endsBy: 'time' | 'customer'
  /** Whether the provider does not know a charge until the customer pays. */
  readonly isSilent: boolean
  readonly notFoundWindowMs: number
  readonly examples: Examples<Trial>
  /** Uses the unreachable connector. */
  readonly lost: Trial
  /** Payments that no provider can accept, by the reason. */
  readonly impossible: Readonly<Record<string, Trial>>
  /** Only card charges have steps. */
  readonly cards?: CardActions
}

export interface Case {
  readonly guarantee: string
  /** What the connector must support for the case to apply. */
  readonly needs?: (flow: Flow, bench: Bench) => unknown
  run(flow: Flow, bench: Bench): Promise<void>
}

/** Sets a fault for one payment. It strikes once unless `times` is given. */
export async function strike(
  bench: Bench,
  flow: Flow,
  { ref }: Trial,
  fault: Omit<FaultOrder, 'provider' | 'operation' | 'match'> & { readonly on?: 'query' | 'authorise' },
): Promise<void> {
  const { on, ...order } = fault
  const operation = on === undefined ? flow.operation : on === 'query' ? `${flow.operation}_status` : on
  await bench.control.setFault({ times: 1, ...order, provider: bench.provider, operation, match: { key: ref.key } })
}

/** Ends every payment that ends by itself. */
export async function settle({ control, settleMs }: Bench): Promise<void> {
  await control.advance(settleMs)
}

/** The customer approves where the lane needs it, then every payment that ends by itself ends. */
export async function fulfil(bench: Bench, { endsBy }: Flow, { ref }: Trial): Promise<void> {
  if (endsBy === 'customer') await bench.control.act(ref.key, 'approve')
  await settle(bench)
}

/** Money moved once, by exactly the requested amount. */
export async function movedOnce({ control }: Bench, { ref }: Trial): Promise<void> {
  const movements = await control.movements(ref.key)
  assert.equal(movements.length, 1, 'money moves once')
  assert.equal(movements[0]?.currency, ref.currency)
  assert.equal(parseMinor(movements[0]?.amount ?? '', ref.currency), ref.amount)
}

export async function movedNothing({ control }: Bench, { ref }: Trial): Promise<void> {
  assert.deepEqual(await control.movements(ref.key), [], 'no money moves')
}

export function accepted(outcome: SubmitOutcome): ProviderStatus {
  assert.ok(outcome.certainty === 'accepted', `accepted, not ${inspect(outcome)}`)
  assert.ok(
    outcome.providerStatus.state === 'submitted' || outcome.providerStatus.state === 'waiting',
    'a submission is never final',
  )
  return outcome.providerStatus
}

export function unknown(outcome: SubmitOutcome): string {
  assert.ok(outcome.certainty === 'unknown', `unknown, not ${inspect(outcome)}`)
  return outcome.cause
}

/** The provider already has the key. Whatever it responds, the payment may be in progress or ended. */
export function sentAgain(outcome: SubmitOutcome): void {
  const isSafe = outcome.certainty === 'accepted' || (outcome.certainty === 'unknown' && outcome.cause === 'repeated')
  assert.ok(isSafe, `taken or repeated, not ${inspect(outcome)}`)
}

export function notSubmitted(outcome: SubmitOutcome): string {
  assert.ok(outcome.certainty === 'definitely_not_submitted', `not submitted, not ${inspect(outcome)}`)
  return outcome.cause
}

export function found(outcome: QueryOutcome): ProviderStatus {
  assert.ok(outcome.found === 'yes', `found, not ${inspect(outcome)}`)
  return outcome.providerStatus
}

/** The provider reports success for exactly the requested amount, or receipts of exactly that amount. */
export function succeeded(providerStatus: ProviderStatus, { amount, currency }: AttemptRef): void {
  assert.equal(amountReported(providerStatus), amount)
  const reported =
    providerStatus.state === 'received'
      ? providerStatus.receipts
      : providerStatus.state === 'successful'
        ? [providerStatus.settled]
        : []
  assert.ok(reported.every((each) => each.currency === currency))
}

/** The amount that moved and was not reversed, as the provider reports it. */
export function amountReported(providerStatus: ProviderStatus): bigint {
  if (providerStatus.state === 'received') {
    assert.equal(
      new Set(providerStatus.receipts.map(({ id }) => id)).size,
      providerStatus.receipts.length,
      'every receipt is reported once',
    )
    return providerStatus.receipts.filter(({ isReversed }) => !isReversed).reduce((sum, { amount }) => sum + amount, 0n)
  }
  assert.ok(providerStatus.state === 'successful', `successful, not ${inspect(providerStatus)}`)
  return providerStatus.settled.amount
}

export function isOpen(providerStatus: ProviderStatus): boolean {
  return providerStatus.state === 'submitted' || providerStatus.state === 'waiting'
}

/** The provider has the payment and it has not ended. A silent provider does not know it before the customer pays. */
export async function stillOpen({ isSilent }: Flow, trial: Trial): Promise<void> {
  const outcome = await trial.query()
  if (isSilent) assert.deepEqual(outcome, { found: 'no' })
  else assert.ok(isOpen(found(outcome)))
}

/** How many requests to move money the provider received for this key. */
export async function timesSent({ control }: Bench, { operation }: Flow, { ref }: Trial): Promise<number> {
  return (await control.requests(ref.key)).filter((request) => request.operation === operation).length
}

/** The callbacks about a payment, once as many as `count` have arrived. */
export function callbacksFor({ inbox }: Bench, { ref }: Pick<Trial, 'ref'>, count = 1): Promise<InboundRequest[]> {
  return until(`${count} callbacks about ${ref.key}`, () => {
    const about = inbox.received.filter(({ path, body }) => path.includes(ref.key) || body.includes(ref.key))
    return about.length >= count && about
  })
}

export async function read({ connector }: Bench, request: InboundRequest | undefined): Promise<CallbackReading> {
  assert.ok(connector.callbacks && request)
  return connector.callbacks.read(request)
}

/** The observation that a callback carries about one payment. It is proof exactly when the connector's callbacks are proof. */
export async function observationsOf(
  bench: Bench,
  request: InboundRequest | undefined,
): Promise<{ key: string; providerStatus: ProviderStatus }> {
  const reading = await read(bench, request)
  assert.ok(reading.isGenuine, `genuine, not: ${reading.isGenuine ? '' : reading.why}`)
  assert.equal(reading.isProof, bench.callbacks?.areProof)
  const [observations] = reading.observations
  assert.ok(observations && reading.observations.length === 1)
  return observations
}
