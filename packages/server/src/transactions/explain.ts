import { currencies } from '../money/currencies.ts'
import { formatMinor } from '../money/money.ts'
import type { DoubtOrNone } from '../payments/model/doubts.ts'
import { isOutgoing } from '../payments/model/outgoing.ts'
import { stageOf } from '../payments/model/state.ts'
import type { AdjustmentReason, PendingAction, Transaction } from '../payments/model/store.ts'
import { minorSidesOf } from '../payments/notify/webhook-body.ts'
import { timing } from '../payments/resolve/timing.ts'
import type { VirtualAccount } from '../providers/contract.ts'
import { type FailureCode, failureCodes } from '../providers/failure-codes.ts'
import type { ReferenceData } from '../reference/data.ts'

/** The status of a payment, in words that a merchant's support staff can pass on. */
export interface Explanation {
  /** One whole sentence: what happened, what happens next, and by when. */
  readonly sentence: string
  /** Only the next step; null when nothing more will happen. */
  readonly next: string | null
  /** When the next step happens, or its deadline. */
  readonly by: string | null
}

/** The parts of a sentence. */
interface Story {
  readonly happened: string
  readonly next?: string
  /** When we take the next step. */
  readonly at?: Date | null
  /** The deadline when the next step is not ours. */
  readonly until?: Date | null
  /** What applies meanwhile, or follows if the next step does not happen. */
  readonly besides?: string | undefined
}

type Names = Pick<ReferenceData, 'operators' | 'countries'>

/** What may delay our next step. */
export interface Obstacles {
  /** The operator has paused the payment's provider: nothing is sent to it or queried. */
  readonly isPaused: boolean
  /** The provider does not respond to anyone at the moment. */
  readonly isUnhealthy: boolean
  /** The operator has frozen the merchant: nothing is sent for it. */
  readonly isFrozen: boolean
}

/** Pure: uses only the record and what delays it, and never a provider's own text. */
export function explain(transaction: Transaction, names: Names, now: Date, obstacles: Obstacles): Explanation {
  const story = delayed(transaction, storyOf(transaction, names, now), obstacles)
  const { happened, next, at, until, besides } = story
  const soon = at && at > now ? ` ${moment(at)}` : ' now'
  const when = at ? soon : until ? ` by ${clockOf(until)}` : ''
  const parts = [`${subjectOf(transaction, names)} ${happened}`, next && `${next}${when}`, besides]
  return {
    sentence: `${parts.filter((part) => part !== undefined && part !== '').join('; ')}.`,
    next: next ?? null,
    by: (next && (at ?? until)?.toISOString()) || null,
  }
}

/** Whether our next step sends it, so that a freeze of its merchant holds it back. What was sent is still queried. */
export function isToSend({ state, type, doubt }: Pick<Transaction, 'state' | 'type' | 'doubt'>): boolean {
  return state === 'accepted' || (state === 'unknown' && isOutgoing({ type }) && doubt === 'not_found')
}

/** Our next step, with what it waits for. What a customer does next does not depend on that. */
function delayed(transaction: Transaction, story: Story, { isPaused, isUnhealthy, isFrozen }: Obstacles): Story {
  const { happened, next, at, besides } = story
  if (next === undefined || !at) return story
  const isHeldByFreeze = isFrozen && isToSend(transaction)
  const waitsFor = [
    ...(isPaused ? ['resumes the provider, which is paused'] : []),
    ...(isHeldByFreeze ? ['unfreezes your account, which is frozen'] : []),
  ].join(', and ')
  const step = isHeldByFreeze && transaction.state === 'unknown' ? 'it is sent again' : next
  if (waitsFor !== '') return { happened, next: `${step} once the operator ${waitsFor}`, besides }
  if (!isUnhealthy || transaction.doubt === 'not_reached') return story
  const silence = 'the provider does not respond at the moment, so this may take longer'
  return { ...story, besides: besides === undefined ? silence : `${silence}; ${besides}` }
}

function storyOf(transaction: Transaction, names: Names, now: Date): Story {
  if (transaction.type === 'adjustment') return adjusted(transaction, names)
  switch (transaction.state) {
    case 'unapproved':
      return unapproved(transaction)
    case 'accepted':
      return accepted(transaction)
    case 'sending':
      return sending(transaction)
    case 'waiting':
      return waiting(transaction, now)
    case 'submitted':
      return {
        happened: 'is with the provider, which has not reported the outcome yet',
        next: 'we query it again',
        at: transaction.wake_at,
        besides: meanwhile(transaction),
      }
    case 'unknown':
      return unknown(transaction)
    case 'successful':
      return withAdjustments(transaction, successful(transaction, names))
    case 'failed':
      return withAdjustments(transaction, failed(transaction, names))
  }
}

function subjectOf(transaction: Transaction, { operators }: Names): string {
  const { type, method, amount, currency, account_name, code } = transaction
  const sum = money(amount, currency)
  const operator = operators.get(code)?.name
  if (type === 'adjustment') return `The adjustment of ${sum}`
  if (type === 'withdrew') return `The payout of ${sum}${account_name === '' ? '' : ` to ${account_name}`}`
  if (type === 'refund') return `The refund of ${sum}`
  if (type === 'conversion') return `The conversion to ${sum}`
  const by = { momo: 'mobile money', card: 'card', 'bank-transfer': 'bank transfer' }[method as string]
  return `The charge of ${sum} by ${by}${operator === undefined ? '' : ` (${operator})`}`
}

function unapproved({ created_at }: Transaction): Story {
  return {
    happened: 'was accepted and waits for approval',
    next: 'a person of yours with the role approver or owner, other than its maker, approves or rejects it',
    until: new Date(created_at.getTime() + timing.approvalMs),
    besides: 'nothing was sent yet and its money is held; without a decision it is rejected and its money comes back',
  }
}

/** Why a provider could not take it. Matters between the provider and the operator are not for merchants. */
const refusals: Readonly<Partial<Record<DoubtOrNone, string>>> = {
  not_reached: 'cannot be reached',
  rate_limited: 'accepts no more requests at the moment',
  closed: 'is closed for now',
}

function accepted({ doubt, action, type, wake_at, expires_at, attempt }: Transaction): Story {
  const held = isOutgoing({ type }) ? 'its money is held' : ends(expires_at)
  if (doubt === 'earlier_refund')
    return {
      happened: 'was accepted and waits, because the provider takes one refund of a charge at a time',
      next: 'it is sent once the earlier refund has ended',
      besides: held,
    }
  if (doubt !== '')
    return {
      happened: `was accepted and waits, because the provider ${refusals[doubt] ?? 'cannot accept it now'}`,
      next: 'we try again',
      at: wake_at,
      besides: [attempt > 1 ? 'nothing was paid yet' : 'nothing was sent yet', held]
        .filter((part) => part !== undefined)
        .join(' and '),
    }
  const prompt = "the prompt goes to the customer's phone"
  const next = action?.kind === 'pin_prompt' ? prompt : 'it is sent to the provider'
  return { happened: 'was accepted', next, at: wake_at, besides: held }
}

/** What the customer was asked for and the merchant submits. */
const questions: Readonly<Record<string, string | undefined>> = {
  pin: 'the PIN of their card',
  otp: 'the code that their bank sent them',
  address: 'the billing address of their card',
}

function sending(transaction: Transaction): Story {
  const { action, wake_at } = transaction
  const answer = questions[action?.kind ?? '']
  const next = 'without a response we query the provider'
  const happened =
    answer === undefined
      ? 'is being sent to the provider'
      : `waits for the provider to check ${answer.replace('their', "the customer's")}`
  return { happened, next, at: wake_at, besides: meanwhile(transaction) }
}

function waiting(transaction: Transaction, now: Date): Story {
  const { action, expires_at: until, method } = transaction
  const besides = 'otherwise it expires and nothing is taken'
  const page = method === 'card' ? "their bank's page (3-D Secure)" : "the operator's page"
  if (!action) return { happened: 'waits for the customer', next: 'the customer completes it', until, besides }
  switch (action.kind) {
    case 'pay_to_account':
      return transferAwaited(transaction, action.account, now)
    case 'pin_prompt': {
      const happened = 'waits for the customer, who got a prompt on their phone'
      return { happened, next: 'the customer approves it with their PIN', until, besides }
    }
    case 'redirect':
      return {
        happened: `waits for the customer, who was sent to ${page}`,
        next: 'the customer approves it there',
        until,
        besides,
      }
    default:
      return { ...questionAsked(action), until, besides }
  }
}

function questionAsked({ kind, attemptsLeft }: PendingAction): Story {
  const tries = attemptsLeft === undefined ? '' : ` (${attemptsLeft} ${attemptsLeft === 1 ? 'try' : 'tries'} left)`
  return {
    happened: `waits for the customer, who was asked for ${questions[kind] ?? 'more'}${tries}`,
    next: `you send their answer to authorise with type ${kind}`,
  }
}

/** An account accepts money until its end. The bank may report it later than that. */
function transferAwaited(
  { amount, received, currency, expires_at, wake_at }: Transaction,
  { accountNumber, bankName, expiresAt }: VirtualAccount,
  now: Date,
): Story {
  const until = new Date(expiresAt)
  const came =
    received === 0n ? 'nothing was received yet' : `${money(received, currency)} was received and the rest is missing`
  const place = `a bank transfer to account ${accountNumber} at ${bankName}`
  const besides = expires_at ? `transfers that the bank reports until ${clockOf(expires_at)} still count` : undefined
  if (until <= now)
    return {
      happened: `waited for ${place}, which ended ${moment(until)}; ${came}`,
      next: 'we query the bank again',
      at: wake_at,
      besides,
    }
  const next = `the customer transfers ${money(amount - received, currency)}`
  return { happened: `waits for ${place}, where ${came}`, next, until, besides }
}

/** What is in doubt, and why. Money that may have moved is not returned. */
function unknown(transaction: Transaction): Story {
  const { doubt, wake_at } = transaction
  const isPayout = isOutgoing(transaction)
  if (doubt === 'amount_mismatch')
    return {
      happened: 'is in doubt, because the provider reported another amount than requested',
      next: 'the operator investigates',
      besides: isPayout ? 'its money stays held until then' : 'nothing is credited until then',
    }
  if (doubt === 'overdue')
    return {
      happened: 'was not completed in time, but the provider still reports it as pending',
      next: 'we query it again',
      at: wake_at,
      besides: 'do not charge the customer again before it has ended',
    }
  const why: Readonly<Partial<Record<DoubtOrNone, string>>> = {
    not_found: isPayout
      ? 'the provider does not know it, so it is sent again with the same key and cannot be paid twice'
      : 'the provider does not know it',
    refused_on_resend: 'the provider refused the resend, and may have accepted the first submission',
    refused_unclear: 'the provider refused it for an unknown reason and may have it',
  }
  return {
    happened: `is in doubt: ${why[doubt] ?? "the provider's response was lost, and the outcome is not known yet"}`,
    next: 'we query it again',
    at: wake_at,
    besides: meanwhile(transaction),
  }
}

/** What applies while the outcome is in doubt. */
function meanwhile({ type, expires_at }: Transaction): string | undefined {
  return isOutgoing({ type }) ? 'its money stays held until the outcome is known' : ends(expires_at)
}

const ends = (expires_at: Date | null) =>
  expires_at === null ? undefined : `without an outcome it expires ${moment(expires_at)}`

function successful(transaction: Transaction, names: Names): Story {
  const { type, fee, wallet_currency, currency, method, amount } = transaction
  const { outside, wallet } = minorSidesOf(transaction)
  const [cost, own] = [money(fee, wallet_currency), walletName(transaction, names)]
  if (isOutgoing(transaction)) {
    const left = money(wallet + fee, wallet_currency)
    return {
      happened: `${type === 'refund' ? 'went back to the customer' : 'was paid out'}: ${left} left ${own}, of which ${cost} is the fee`,
    }
  }
  if (type === 'conversion') return { happened: `is final: ${money(wallet, wallet_currency)} left ${own}` }
  const isOver = method === 'bank-transfer' && outside > amount
  const paid = isOver ? `${money(outside, currency)}, more than requested` : money(outside, currency)
  return {
    happened: `was paid: the customer paid ${paid}, and ${money(wallet, wallet_currency)} was credited to ${own} after a fee of ${cost}`,
  }
}

const reasons = {
  late_success: 'the customer paid after the charge had ended',
  late_receipt: 'a transfer arrived after the charge had ended',
  payout_returned: 'the provider returned the payout after it had succeeded',
  charge_reversed: 'the provider took the charge back after it had succeeded',
  chargeback_won: 'the provider gave back what it had taken',
  suspense_cleared: 'the operator identified the owner of the money',
  operator: 'the operator corrected the payment',
} as const satisfies Record<AdjustmentReason, string>

function adjusted(transaction: Transaction, names: Names): Story {
  const { direction, reason, fee, wallet_currency, related_reference } = transaction
  const { wallet } = minorSidesOf(transaction)
  const [sum, own] = [money(wallet, wallet_currency), walletName(transaction, names)]
  const after = fee > 0n ? ` after a fee of ${money(fee, wallet_currency)}` : ''
  const change = direction === 'credit' ? `was credited to ${own}${after}` : `was debited from ${own} or is owed by it`
  return { happened: `is final: ${reasons[reason ?? 'operator']} (${related_reference}), and ${sum} ${change}` }
}

/** What a merchant can do about each reason. */
const advice = {
  PAYER_NOT_FOUND: 'check the number and the operator with the customer, and charge again under a new reference',
  PAYER_LIMIT_REACHED: 'the customer raises the limit, waits for its reset, or pays another way',
  PAYMENT_NOT_APPROVED: 'ask the customer whether they want to pay, and charge again under a new reference',
  INSUFFICIENT_BALANCE: 'the customer tops up, and you charge again under a new reference',
  PAYMENT_IN_PROGRESS: 'the customer ends the other payment, and you charge again under a new reference',
  RECIPIENT_NOT_FOUND: 'check the number with the recipient, and pay out again under a new reference',
  RECIPIENT_LIMIT_REACHED: 'the recipient raises the limit or names another account, and you pay out again',
  WALLET_LIMIT_REACHED: 'pay out less, or to another account of the recipient, under a new reference',
  AMOUNT_NOT_ACCEPTED: 'try again with an amount within the limits of the operator, under a new reference',
  DETAILS_NOT_ACCEPTED: 'check the account and its bank with the recipient, and try again under a new reference',
  CARD_DECLINED: 'the customer asks their bank or uses another card, and you charge again under a new reference',
  CARD_EXPIRED: 'the customer uses another card, and you charge again under a new reference',
  SUSPECTED_FRAUD: 'do not try the same card again, and ask for another way to pay',
  AUTHENTICATION_FAILED: 'make sure that the customer is who they say, and charge again under a new reference',
  AUTHORISATION_LOST: 'charge again under a new reference',
  UNDERPAID: 'ask the operator about the received amount, and charge again under a new reference',
  MANUALLY_CANCELLED: 'no action needed',
  REJECTED_BY_APPROVER: 'ask the person who rejected it, and pay out again under a new reference if it is still wanted',
  APPROVAL_EXPIRED: 'if it is still wanted, pay out again under a new reference and have it approved within 72 hours',
  EXPIRED: 'if it is still wanted, try again under a new reference',
  REVERSED: 'ask the customer or the recipient, and try again under a new reference',
  CHARGE_NOT_REFUNDABLE:
    'compare the refunds of the charge with those at the provider, or pay the customer out with refundOf',
  REFUNDED_ELSEWHERE: 'ask the operator who refunded it; for the rest, pay the customer out with refundOf',
  PROVIDER_UNAVAILABLE: 'try again later under a new reference',
  UNSPECIFIED_FAILURE: 'try again later under a new reference, and contact the operator if it persists',
  UNKNOWN_ERROR: 'try again later under a new reference, and contact the operator if it persists',
} as const satisfies Record<FailureCode, string>

function failed(transaction: Transaction, names: Names): Story {
  const { failure, state, received, amount, currency } = transaction
  const code = failure && Object.hasOwn(advice, failure.code) ? failure.code : 'UNKNOWN_ERROR'
  const { happened = `failed: ${lowered(failureCodes[code])}` } = endings[code] ?? {}
  const isExpired = stageOf(state, code) === 'EXPIRED'
  const short = `only ${money(received, currency)} of ${money(amount, currency)} was received, which the operator holds for you`
  const back = `its money is back in ${walletName(transaction, names)}`
  const outcome = isOutgoing(transaction) ? back : code === 'UNDERPAID' ? short : 'nothing was credited'
  return {
    happened: isExpired ? 'expired: it was not completed in time' : happened,
    besides: `${outcome}; ${advice[code]}`,
  }
}

/** Ends that are not failures. */
const endings: Readonly<Partial<Record<FailureCode, { readonly happened: string }>>> = {
  MANUALLY_CANCELLED: { happened: 'was cancelled before it was sent' },
  REJECTED_BY_APPROVER: { happened: 'was rejected by a person who decides on your payouts' },
  APPROVAL_EXPIRED: { happened: 'was rejected because no person approved it within 72 hours' },
  REVERSED: { happened: 'was taken back by the provider' },
}

/** What happened after the end. The end itself does not change. */
function withAdjustments({ adjustments, suspended, failure }: Transaction, story: Story): Story {
  const count = adjustments.length
  const changed = `later ${count === 1 ? 'an adjustment' : `${count} adjustments`} changed your wallet`
  const isExplained = failure?.code === 'UNDERPAID'
  const parts = [
    story.happened,
    story.besides,
    ...(count > 0 ? [changed] : []),
    ...(suspended === 0n || isExplained ? [] : ['the provider moved another amount']),
  ]
  const happened = parts.filter((part) => part !== undefined).join('; ')
  if (suspended !== 0n) return { happened, next: 'the operator investigates' }
  return count === 0 ? story : { happened }
}

/** A wallet in a currency of several countries names its country. */
function walletName({ wallet_currency, wallet_country }: Transaction, { countries }: Names): string {
  const isOnly = 'country' in currencies[wallet_currency]
  const whose = isOnly ? '' : ` for ${countries.get(wallet_country)?.name ?? wallet_country}`
  return `your ${wallet_currency} wallet${whose}`
}

/** Such as `KES 1,500` or `KES 1,500.50`. */
function money(minor: bigint, currency: Transaction['currency']): string {
  const [whole = '', decimals = ''] = formatMinor(minor, currency).split('.')
  const grouped = whole.replaceAll(/\B(?=(\d{3})+$)/g, ',')
  return `${currency} ${grouped}${/[1-9]/.test(decimals) ? `.${decimals}` : ''}`
}

const lowered = (sentence: string) => `${sentence.charAt(0).toLowerCase()}${sentence.slice(1).replace(/\.$/, '')}`

const dayFormat = new Intl.DateTimeFormat('en-GB', { timeZone: 'UTC', day: 'numeric', month: 'long', year: 'numeric' })

/** Such as `14:05:10 UTC on 3 March 2027`. The dashboard shows it in the zone of the person. */
export const clockOf = (at: Date) => `${at.toISOString().slice(11, 19)} UTC on ${dayFormat.format(at)}`

const moment = (at: Date) => `at ${clockOf(at)}`
