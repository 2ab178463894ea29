import { formatMinor, numberFromMinor } from '../money/money.ts'
import type { LaneHealth } from '../payments/dispatch/lane-health.ts'
import { numberOf, openCounterparty } from '../payments/model/counterparty.ts'
import { isOutgoing } from '../payments/model/outgoing.ts'
import { publicStatus, stageOf } from '../payments/model/state.ts'
import type { Transaction } from '../payments/model/store.ts'
import { adjustingOf, reasonOf, refundOf, sidesOf } from '../payments/notify/webhook-body.ts'
import { customerIfKnown } from '../payments/notify/webhook-customer.ts'
import { showId } from '../platform/ids.ts'
import type { Vault } from '../platform/seal.ts'
import type { CustomerAction } from '../providers/contract.ts'
import type { ReferenceData } from '../reference/data.ts'
import { operatorBy } from '../reference/momo.ts'
import { explain, type Obstacles } from './explain.ts'
import type { RefundsShown } from './refund-fields.ts'

const months = 'January February March April May June July August September October November December'.split(' ')
const weekdays = 'Sunday Monday Tuesday Wednesday Thursday Friday Saturday'.split(' ')

interface Presenter {
  readonly config: { readonly publicUrl: string }
  readonly vault: Vault
  readonly reference: ReferenceData
  readonly health: Pick<LaneHealth, 'isPaused' | 'isUsable'>
}

/** A transaction as the list shows it. */
export function presentTransaction(presenter: Presenter, transaction: Transaction) {
  const { id, type, state, amount, currency, country, destination, created_at } = transaction
  const status = publicStatus[state]
  const at = new Date(created_at)
  return {
    transactionId: showId('transaction', id),
    type,
    status: status.toUpperCase(),
    chargeStatus: status,
    amount: numberFromMinor(amount, currency),
    ...sidesOf(transaction),
    currency,
    country,
    destination,
    fullTimestamp: at.toISOString().replace(/\.\d+Z$/, '+00:00'),
    year: String(at.getUTCFullYear()),
    month: months[at.getUTCMonth()] ?? '',
    day: weekdays[at.getUTCDay()] ?? '',
    beneficiary: beneficiaryOf(presenter, transaction),
  }
}

function beneficiaryOf({ vault, reference }: Presenter, transaction: Transaction) {
  const { country, destination, currency, account_name, code } = transaction
  const isPayout = isOutgoing(transaction)
  return {
    country: reference.countries.get(country)?.name ?? country,
    bankCode: isPayout ? code : '',
    accountName: isPayout ? account_name : '',
    destination,
    currency,
    accountNumber: isPayout ? numberOf(openCounterparty(vault, transaction)) : '',
  }
}

/** An event as the timeline of one transaction shows it. */
export interface TimelineEntry {
  readonly at: Date
  readonly stage: string
  readonly message: string
}

/** A transaction as it is read alone, with everything that happened to it. */
export function presentOne(
  presenter: Presenter,
  transaction: Transaction,
  { timeline, ...facts }: FoundFacts & { readonly timeline: readonly TimelineEntry[] },
) {
  return {
    ...presentFound(presenter, transaction, facts),
    timeline: timeline.map(({ at, stage, message }) => ({ at: at.toISOString(), stage, message })),
  }
}

/** What is shown of a transaction and read from other rows. */
export interface FoundFacts {
  readonly isFrozen: boolean
  readonly refunds: RefundsShown
}

/** The same without its history, as a search finds it. */
export function presentFound(presenter: Presenter, transaction: Transaction, { isFrozen, refunds }: FoundFacts) {
  const { type, external_reference, method, fee, wallet_currency, state, failure, rate, received, currency } =
    transaction
  const virtualAccount = presentAccount(presenter.config.publicUrl, transaction)
  const customer = customerIfKnown(presenter.vault, transaction)
  return {
    ...presentTransaction(presenter, transaction),
    externalReference: external_reference,
    method,
    fee: numberFromMinor(fee, wallet_currency),
    stage: stageOf(state, failure?.code),
    nextAction: presentAction(presenter.reference, transaction),
    providerReceipt: transaction.receipt,
    ...(customer && { customer }),
    explanation: explain(transaction, presenter.reference, new Date(), {
      isFrozen,
      ...healthOf(presenter, transaction),
    }),
    ...(failure &&
      state === 'failed' && {
        failureReason: reasonOf(failure),
      }),
    ...(rate && { rate: shownRate(rate) }),
    ...refundOf(transaction),
    ...adjustingOf(transaction),
    ...(transaction.adjustments.length > 0 && {
      adjustments: transaction.adjustments.map((id) => showId('transaction', id)),
    }),
    ...(type === 'deposit' && method === 'bank-transfer' && { amountReceived: numberFromMinor(received, currency) }),
    ...(virtualAccount && { virtualAccount }),
    ...refunds,
  }
}

/** A refund as the list of refunds shows it. */
export function presentRefund(presenter: Presenter, refund: Transaction, reason: string | null) {
  const { external_reference, method, fee, wallet_currency, state, failure, related_reference } = refund
  return {
    ...presentTransaction(presenter, refund),
    externalReference: external_reference,
    ...refundOf(refund),
    relatedExternalReference: related_reference ?? '',
    method,
    fee: numberFromMinor(fee, wallet_currency),
    stage: stageOf(state, failure?.code),
    ...(reason !== null && { reason }),
    ...(failure && state === 'failed' && { failureReason: reasonOf(failure) }),
  }
}

function healthOf({ health }: Presenter, { env, provider }: Transaction): Omit<Obstacles, 'isFrozen'> {
  const isPaused = health.isPaused(env, provider)
  return { isPaused, isUnhealthy: !isPaused && !health.isUsable(env, provider) }
}

/** The markup is the operator's and is not shown. */
export function shownRate({ spread: _, ...shown }: NonNullable<Transaction['rate']>) {
  return shown
}

/** The account in which a bank transfer charge expects its money. */
export function presentAccount(publicUrl: string, { action, amount, currency, created_at }: Transaction) {
  if (action?.kind !== 'pay_to_account') return undefined
  const { accountNumber, bankName, expiresAt } = action.account
  return {
    permanent: false,
    accountNumber,
    bankName,
    createdAt: new Date(created_at).toISOString(),
    expiresAt,
    note: `Please make a bank transfer to ${bankName}`,
    amount: formatMinor(amount, currency),
    bankLogo: new URL(`/bank-logos/${encodeURIComponent(bankName)}.svg`, publicUrl).href,
  }
}

const questions = {
  pin: ['PIN', 'Ask the customer for the PIN of their card, and send it to authorise with type pin.'],
  otp: ['OTP', 'Ask the customer for the code their bank sent them, and send it to authorise with type otp.'],
  address: ['ADDRESS', "Ask the customer for the card's billing address, and send it to authorise with type address."],
} as const

/** What the customer must do now. While their answer is being sent there is nothing to do. */
export function presentAction(
  reference: ReferenceData,
  { action, code, state, provider }: Pick<Transaction, 'action' | 'code' | 'state' | 'provider'>,
) {
  if (!action) return { type: 'NONE' }
  switch (action.kind) {
    case 'redirect':
      return { type: 'REDIRECT', redirectUrl: action.url }
    case 'pin_prompt':
      return presentPrompt(reference, code, provider)
    case 'pay_to_account': {
      const { accountNumber, bankName, expiresAt } = action.account
      const instructions = [
        `The customer transfers the amount to account ${accountNumber} at ${bankName} by ${expiresAt}.`,
      ]
      return { type: 'BANK_TRANSFER', instructions }
    }
    default:
      return state === 'waiting' ? presentQuestion(action) : { type: 'NONE' }
  }
}

type Question = Extract<CustomerAction, { readonly kind: keyof typeof questions }>

function presentQuestion(question: Question) {
  const [type, instruction] = questions[question.kind]
  const hint = question.kind === 'otp' ? question.hint : undefined
  return { type, instructions: [...(hint === undefined ? [] : [hint]), instruction] }
}

function presentPrompt(reference: ReferenceData, code: string, provider: string) {
  const known = reference.operators.get(code)
  const operator = known && operatorBy(reference, known, provider)
  const ussdCode = operator?.ussd_code ?? ''
  const prompt = `The customer gets a prompt from ${operator ? operator.name : 'the operator'} and approves it with their PIN.`
  return {
    type: 'PIN_PROMPT',
    instructions: [prompt, ...(ussdCode === '' ? [] : [`If no prompt comes, they dial ${ussdCode}.`])],
    ...(ussdCode !== '' && { ussdCode }),
  }
}
