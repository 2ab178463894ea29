import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { inspect } from 'node:util'
import type { BookedRefund, FaultOrder } from '../../dev-stack/simulator.ts'
import { parseMinor } from '../../money/money.ts'
import type { AttemptRef, ProviderStatus, QueryOutcome, SubmitOutcome } from '../contract.ts'
import type { RefundAttempt, RefundedCharge, Refunds } from '../refund-contract.ts'
import { accepted, type Bench, type Flow, found, fulfil, settle } from './bench.suite.ts'
import { flowsOf } from './flows.suite.ts'

/** The refunds of one kind of charge. */
export interface RefundFlow {
  readonly name: string
  readonly bench: Bench
  readonly refunds: Refunds
  /** The same with an address where no provider listens. */
  readonly offline: Refunds
  /** Whether the provider knows a refund by our key. */
  readonly isKeyed: boolean
  /** A charge that the customer has just paid. */
  pay(): Promise<Paid>
}

/** A paid charge, with what the engine keeps of its refunds. */
export interface Paid {
  readonly charge: RefundedCharge
  readonly ref: AttemptRef
  /** Of every refund that ended. */
  readonly receipts: string[]
  /** Of every refund that was made. */
  readonly keys: string[]
  /** A refund of a third, unless the amount is given, in minor units. */
  refund(amount?: bigint): RefundTrial
  /** In minor units of the charge's currency. */
  whole(text: string): bigint
}

/** One refund under test. */
export interface RefundTrial {
  readonly attempt: RefundAttempt
  submit(signal?: AbortSignal): Promise<SubmitOutcome>
  /** As the engine sends a refund whose fate was unknown. */
  resend(signal?: AbortSignal): Promise<SubmitOutcome>
  query(signal?: AbortSignal): Promise<QueryOutcome>
}

export interface RefundCase {
  readonly guarantee: string
  readonly needs?: (flow: RefundFlow) => boolean
  run(flow: RefundFlow): Promise<void>
}

/** A flow for every kind of charge that the connector both collects and refunds. */
export function refundFlowsOf(bench: Bench): RefundFlow[] {
  const { connector, unreachable, takesRefundsWithoutKey = false } = bench
  const { refunds } = connector
  const { refunds: offline } = unreachable
  if (!refunds || !offline) return []
  return flowsOf(bench)
    .filter(({ operation }) => operation === 'charge')
    .map((flow) => ({
      name: `refund of a ${flow.name}`,
      bench,
      refunds,
      offline,
      isKeyed: !takesRefundsWithoutKey,
      pay: () => payFor(bench, flow, refunds),
    }))
}

const methods = { charge: 'momo', 'card charge': 'card', 'transfer charge': 'bank-transfer', payout: 'momo' } as const

async function payFor(bench: Bench, flow: Flow, refunds: Refunds): Promise<Paid> {
  const trial = flow.examples.succeeds()
  accepted(await trial.submit())
  await fulfil(bench, flow, trial)
  const { key, country, currency, amount } = trial.ref
  const charge = { key, receipt: receiptIn(found(await trial.query())), method: methods[flow.name], amount }
  const [receipts, keys]: [string[], string[]] = [[], []]
  const whole = (text: string) => {
    const minor = parseMinor(text, currency)
    assert.ok(minor, `${text} is an amount`)
    return minor
  }
  return {
    charge,
    ref: trial.ref,
    receipts,
    keys,
    whole,
    refund: (part = amount / 3n) => {
      const ref = { key: randomUUID() as string, country, currency, amount: part }
      keys.push(ref.key)
      return refundTrialOf(refunds, { ...ref, charge, otherReceipts: [...receipts], isFirstSend: true }, bench)
    },
  }
}

function receiptIn(status: ProviderStatus): string {
  if (status.state === 'received') return status.receipts[0]?.id ?? ''
  assert.ok(status.state === 'successful', `successful, not ${inspect(status)}`)
  return status.settled.receipt ?? ''
}

export function refundTrialOf(refunds: Refunds, attempt: RefundAttempt, { secrets }: Bench): RefundTrial {
  const later = { ...attempt, isFirstSend: false }
  const soon = () => AbortSignal.timeout(10_000)
  const discreet = <Outcome>(outcome: Outcome): Outcome => {
    const text = inspect(outcome, { depth: 10 })
    assert.ok(!secrets.some((each) => text.includes(each)), 'no outcome shows a secret')
    return outcome
  }
  return {
    attempt,
    submit: async (signal = soon()) => discreet(await refunds.submit(attempt, signal)),
    resend: async (signal = soon()) => discreet(await refunds.submit(later, signal)),
    query: async (signal = soon()) => discreet(await refunds.query(later, signal)),
  }
}

/** Sets a fault for one refund, or for the list of its charge's refunds. It strikes once unless `times` is given. */
export async function strikeRefund(
  { bench, isKeyed }: RefundFlow,
  { attempt }: RefundTrial,
  fault: Omit<FaultOrder, 'provider' | 'operation' | 'match'> & { readonly on?: 'query' },
): Promise<void> {
  const { on, ...order } = fault
  const operation = on === 'query' ? 'refund_status' : 'refund'
  // A list names the charge. It also names the refunds, but only those that the provider already has.
  const key = on === 'query' && !isKeyed ? attempt.charge.key : attempt.key
  await bench.control.setFault({ times: 1, ...order, provider: bench.provider, operation, match: { key } })
}

export const booked = ({ bench }: RefundFlow, { charge }: Paid): Promise<readonly BookedRefund[]> =>
  bench.control.refunds(charge.key)

/** The provider's books: the refund moved its amount exactly once, and all refunds together no more than was collected. */
export async function refundedOnce(flow: RefundFlow, paid: Paid, { attempt }: RefundTrial): Promise<void> {
  const { currency, amount } = paid.ref
  const refunds = (await booked(flow, paid)).filter(({ state }) => state === 'completed')
  const own = refunds.filter(({ key }) => key === attempt.key)
  assert.deepEqual(
    own.map((each) => parseMinor(each.amount, currency)),
    [attempt.amount],
    'the refund moved its amount once',
  )
  const all = refunds.reduce((sum, each) => sum + (parseMinor(each.amount, currency) ?? 0n), 0n)
  assert.ok(all <= amount, 'no more is refunded than was collected')
  // Where the provider takes no key, the books show a second refund under a key of its own.
  assert.ok(
    refunds.every(({ key }) => paid.keys.includes(key)),
    'no other refund moved money',
  )
}

export async function refundedNothing(flow: RefundFlow, paid: Paid): Promise<void> {
  assert.deepEqual(await booked(flow, paid), [], 'the provider has no refund of the charge')
}

/** The refund ended as a success of exactly its amount. Keeps its receipt, as the engine does. */
export async function succeededRefund(paid: Paid, trial: RefundTrial): Promise<void> {
  const status = found(await trial.query())
  const { amount, currency } = trial.attempt
  assert.ok(status.state === 'successful', `successful, not ${inspect(status)}`)
  assert.deepEqual([status.settled.amount, status.settled.currency], [amount, currency])
  paid.receipts.push(status.settled.receipt ?? '')
}

/** Lets the refund end, checks its success and the provider's books, and keeps its receipt. */
export async function endsOnce(flow: RefundFlow, paid: Paid, trial: RefundTrial): Promise<void> {
  await settle(flow.bench)
  const status = found(await trial.query())
  assert.ok(status.state === 'successful', `successful, not ${inspect(status)}`)
  await refundedOnce(flow, paid, trial)
  await succeededRefund(paid, trial)
}

export function failedRefund(outcome: SubmitOutcome, code: string): void {
  assert.ok(outcome.certainty === 'definitely_failed', `definitely failed, not ${inspect(outcome)}`)
  assert.equal(outcome.failure.code, code)
}

/** How many requests to refund the provider received under this key. */
export async function timesRefunded({ bench }: RefundFlow, { attempt }: RefundTrial): Promise<number> {
  return (await bench.control.requests(attempt.key)).filter(({ operation }) => operation === 'refund').length
}
