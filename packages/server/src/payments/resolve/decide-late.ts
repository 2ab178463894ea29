import type { ProviderStatus, Settled } from '../../providers/contract.ts'
import {
  type AdjustmentDraft,
  asideThere,
  chargebackWon,
  chargeReversed,
  larger,
  lateSuccess,
  merchantShare,
  movedOf,
  payoutReturned,
  smaller,
} from '../late-money/late-money.ts'
import type { CaseKind } from '../late-money/suspense-cases.ts'
import { isOutgoing } from '../model/outgoing.ts'
import type { Attempt, Transaction } from '../model/store.ts'
import { contradicted, wordAgainstEnd } from './decide-contradiction.ts'
import { type Decision, isAsAsked, isLast, type Late, type Observed } from './decision.ts'

/** A payment and the attempt that its provider reports on, with what the other attempts moved. */
export interface Reported {
  readonly transaction: Transaction
  readonly attempt: Attempt
  /** What the payment's other attempts moved, according to the books. */
  readonly movedElsewhere: bigint
  /** What went back of a charge by refunds, or is about to. */
  readonly refunded?: bigint
  /** What a refund returned of its charge's fee. */
  readonly feeReturned?: bigint
}

/**
 * A report on a final payment, or on an abandoned attempt. The total that the provider reports is compared with the books, so a
 * repeated report changes nothing, and a report that reverses an earlier one is booked too. A final state never changes. A report
 * that was in flight when the payment ended may be old, so only the response to the last query made after the end counts.
 */
export function decideLate(reported: Reported, { observation, question }: Observed): Decision | undefined {
  if (observation.kind === 'contradicted')
    return contradicted(reported, { reported: observation.reported, asked: 'no response' })
  return observation.kind === 'reported' && isLast(reported, question)
    ? decideReport(reported, observation.providerStatus)
    : undefined
}

/** Whether a report, if true, differs from the books. */
export function isContrary(reported: Reported, providerStatus: ProviderStatus): boolean {
  return decideReport(reported, providerStatus) !== undefined
}

function decideReport(reported: Reported, providerStatus: ProviderStatus): Decision | undefined {
  const { transaction } = reported
  if (transaction.method === 'bank-transfer') return wordAgainstEnd(reported, providerStatus)
  if (providerStatus.state === 'successful' && providerStatus.settled.currency !== transaction.currency)
    return contradicted(reported, {
      amount: String(providerStatus.settled.amount),
      currency: providerStatus.settled.currency,
    })
  const moved = reportedMoved(transaction, providerStatus)
  return moved === undefined ? undefined : decideMoved(reported, providerStatus, moved)
}

function decideMoved(reported: Reported, providerStatus: ProviderStatus, moved: bigint): Decision | undefined {
  const { transaction, attempt } = reported
  const difference = moved - movedOf(transaction, attempt)
  if (difference === 0n) return attempt.returned === 0n ? undefined : returnReported(attempt, moved)
  if (difference === attempt.returned) return undefined
  if (providerStatus.state === 'successful' && isPaidInstead(reported, providerStatus.settled))
    return paidInstead(reported, providerStatus.settled)
  const booked = isOutgoing(transaction) ? latePayout : lateCharge
  const isReported = difference < 0n && attempt.returned > 0n
  return decisionOf(reported, providerStatus, {
    attempt: attempt.number,
    moved,
    ...(isReported && { returned: 0n }),
    ...booked(reported, providerStatus, difference),
  })
}

/** The provider's total includes what the operator returned to the payer, so the return explains no later difference. */
const returnReported = ({ number }: Attempt, moved: bigint): Decision => ({
  progress: {},
  late: { attempt: number, moved, returned: 0n },
})

/** An earlier attempt paid a payout whose current attempt was not sent. Then the payout succeeds by it and is not sent again. */
function isPaidInstead({ transaction, attempt, movedElsewhere }: Reported, settled: Settled): boolean {
  const { state, suspended } = transaction
  const isUnsent = isOutgoing(transaction) && state === 'accepted' && attempt.number !== transaction.attempt
  const isUnbooked = suspended === 0n && movedElsewhere === 0n && movedOf(transaction, attempt) === 0n
  return isUnsent && isUnbooked && isAsAsked({ transaction }, settled)
}

function paidInstead({ attempt }: Reported, settled: Settled): Decision {
  const { receipt = '', amount } = settled
  return {
    progress: { state: 'successful', failure: null, doubt: '', action: null, wake_at: null, receipt },
    attempt: { outcome: 'not_submitted' },
    postings: ['payout_successful', 'provider_fee_reported'],
    settled,
    late: { attempt: attempt.number, moved: amount },
    event: {
      message: 'Paid out.',
      notifiesMerchant: true,
      detail: { provider: attempt.provider, attempt: attempt.number },
    },
    alert: 'abandoned attempt moved money',
  }
}

/** The total that the provider reports to have moved. Undefined when the report is not about money. */
function reportedMoved({ amount }: Transaction, providerStatus: ProviderStatus): bigint | undefined {
  switch (providerStatus.state) {
    case 'successful':
      return providerStatus.settled.amount
    case 'failed':
      return 0n
    case 'reversed':
      return providerStatus.returned === undefined
        ? 0n
        : larger((providerStatus.collected ?? amount) - providerStatus.returned, 0n)
    default:
      return undefined
  }
}

type Booked = Pick<Late, 'suspend' | 'adjustments'>

/** More money came in than is booked, or some of it went back. */
function lateCharge(reported: Reported, providerStatus: ProviderStatus, difference: bigint): Booked {
  const { transaction, movedElsewhere } = reported
  if (difference < 0n) return chargeTakenBack(transaction, -difference, asideOf(reported), reported.refunded)
  const { state, amount, suspended } = transaction
  const missing = state === 'successful' ? amount - merchantShare(transaction) : 0n
  const won =
    providerStatus.state === 'successful' && providerStatus.settled.amount > amount ? 0n : smaller(difference, missing)
  const rest = difference - won
  const isInTimeButFor = state === 'failed' && rest === amount && suspended === 0n && movedElsewhere === 0n
  if (isInTimeButFor) return { adjustments: [lateSuccess(transaction)] }
  return {
    ...(won > 0n && { adjustments: [chargebackWon(transaction, won)] }),
    ...(rest > 0n && { suspend: { amount: rest, kind: kindOfCollected(reported, rest) } }),
  }
}

function kindOfCollected({ transaction, attempt, movedElsewhere }: Reported, amount: bigint): CaseKind {
  if (attempt.number !== transaction.attempt) return 'abandoned_attempt_success'
  return amount === transaction.amount && movedElsewhere > 0n ? 'paid_twice' : 'amount_mismatch'
}

const asideOf = ({ transaction, attempt, movedElsewhere }: Reported): bigint =>
  asideThere(transaction, movedOf(transaction, attempt) + movedElsewhere)

/**
 * Money of a charge went back. It is taken first from the charge's suspense, then from what was cleared aside, then from the
 * merchant's credit, less what the merchant refunded. A person must recover what was cleared aside, and any excess.
 */
export function chargeTakenBack(charge: Transaction, back: bigint, aside: bigint, refunded = 0n): Booked {
  const fromSuspense = smaller(back, larger(charge.suspended, 0n))
  const fromAside = smaller(back - fromSuspense, aside)
  const fromMerchant = smaller(back - fromSuspense - fromAside, larger(merchantShare(charge) - refunded, 0n))
  const rest = back - fromSuspense - fromMerchant
  return {
    ...(fromMerchant > 0n && { adjustments: [chargeReversed(charge, fromMerchant)] }),
    ...(fromSuspense + rest > 0n && { suspend: { amount: -(fromSuspense + rest), kind: 'amount_mismatch' } }),
  }
}

/** More money was paid than is booked, or some of it came back. */
function latePayout(reported: Reported, providerStatus: ProviderStatus, difference: bigint): Booked {
  const { transaction, attempt, movedElsewhere } = reported
  if (difference > 0n) return { suspend: { amount: -difference, kind: kindOfPaid(transaction, attempt) } }
  const back = -difference
  if (providerStatus.state === 'successful') return { suspend: { amount: back, kind: 'amount_mismatch' } }
  const recovered = smaller(back, larger(-transaction.suspended, 0n))
  const fromAside = smaller(back - recovered, asideOf(reported))
  const isOfThis = attempt.number === transaction.attempt || movedElsewhere === 0n
  const toMerchant = isOfThis ? smaller(back - recovered - fromAside, larger(merchantShare(transaction), 0n)) : 0n
  const rest = back - recovered - toMerchant
  const adjustments: AdjustmentDraft[] =
    toMerchant > 0n ? [payoutReturned(transaction, toMerchant, reported.feeReturned)] : []
  return {
    adjustments,
    ...(recovered + rest > 0n && { suspend: { amount: recovered + rest, kind: 'amount_mismatch' } }),
  }
}

function kindOfPaid({ state, attempt: current, adjusted }: Transaction, { number }: Attempt): CaseKind {
  if (number !== current) return 'abandoned_attempt_success'
  if (state === 'failed') return 'paid_after_failure'
  return adjusted > 0n ? 'paid_after_return' : 'amount_mismatch'
}

function decisionOf({ transaction, attempt }: Reported, providerStatus: ProviderStatus, late: Late): Decision {
  const isAbandoned = attempt.number !== transaction.attempt
  const fee = providerStatus.state === 'successful' ? (providerStatus.settled.fee ?? 0n) : 0n
  return {
    progress: {},
    late: { ...late, ...(movedOf(transaction, attempt) === 0n && fee > 0n && { fee }) },
    event: { message: messageOf(late), notifiesMerchant: false, detail: { moved: String(late.moved) } },
    alert: isAbandoned ? 'abandoned attempt moved money' : 'provider reported money moved after the end',
  }
}

export function messageOf({ adjustments = [], suspend }: Late): string {
  const done = adjustments.map(({ direction }) => `the merchant is ${direction}ed`)
  if (suspend) done.push('the operator decides about the amount in suspense')
  return `The provider reported money moved after the end; ${done.join('; ')}.`
}
