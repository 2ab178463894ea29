import { numberFromMinor } from '../money/money.ts'
import { showId } from '../platform/ids.ts'
import type { Vault } from '../platform/seal.ts'
import type { ReferenceData } from '../reference/data.ts'
import { numberOf, openParty } from './party.ts'
import { publicStatus, stageOf } from './state.ts'
import type { Transaction } from './store.ts'
import { reasonOf } from './tell.ts'

const months = 'January February March April May June July August September October November December'.split(' ')
const weekdays = 'Sunday Monday Tuesday Wednesday Thursday Friday Saturday'.split(' ')

interface Presenter {
  readonly vault: Vault
  readonly reference: ReferenceData
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
    ...sides(transaction),
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

/** What leaves one side and reaches the other, each in its currency; the fee of a charge is taken before it is credited. */
function sides({ type, amount, currency, wallet_amount, wallet_currency, fee }: Transaction) {
  const payment = { amount: numberFromMinor(amount, currency), currency }
  const walletAmount = type === 'deposit' ? wallet_amount - fee : wallet_amount
  const wallet = { amount: numberFromMinor(walletAmount, wallet_currency), currency: wallet_currency }
  const [sender, receiver] = type === 'deposit' ? [payment, wallet] : [wallet, payment]
  return {
    senderAmount: sender.amount,
    receiverAmount: receiver.amount,
    senderCurrency: sender.currency,
    receiverCurrency: receiver.currency,
  }
}

function beneficiaryOf({ vault, reference }: Presenter, transaction: Transaction) {
  const { type, country, destination, currency, account_name, code } = transaction
  const isPayout = type === 'withdrew'
  return {
    country: reference.countries.get(country)?.name ?? country,
    bankCode: isPayout ? code : '',
    accountName: isPayout ? account_name : '',
    destination,
    currency,
    accountNumber: isPayout ? numberOf(openParty(vault, transaction)) : '',
  }
}

/** An event as the timeline of one transaction shows it. */
export interface TimelineEntry {
  readonly at: Date
  readonly stage: string
  readonly message: string
}

/** A transaction as it is read alone, with everything that happened to it. */
export function presentOne(presenter: Presenter, transaction: Transaction, timeline: readonly TimelineEntry[]) {
  const { external_reference, method, fee, wallet_currency, state, failure, rate } = transaction
  return {
    ...presentTransaction(presenter, transaction),
    externalReference: external_reference,
    method,
    fee: numberFromMinor(fee, wallet_currency),
    stage: stageOf(state, failure?.code),
    nextAction: presentAction(presenter.reference, transaction),
    ...(failure &&
      state === 'failed' && {
        failureReason: reasonOf(failure),
      }),
    ...(rate && { rate }),
    timeline: timeline.map(({ at, stage, message }) => ({ at: at.toISOString(), stage, message })),
  }
}

/** What the customer must do now. */
export function presentAction(reference: ReferenceData, { action, code }: Pick<Transaction, 'action' | 'code'>) {
  if (!action) return { type: 'NONE' }
  if (action.kind === 'redirect') return { type: 'REDIRECT', redirectUrl: action.url }
  const operator = reference.operators.get(code)
  const ussdCode = operator?.ussd_code ?? ''
  const prompt = `The customer gets a prompt from ${operator ? operator.name : 'the operator'} and approves it with their PIN.`
  return {
    type: 'PIN_PROMPT',
    instructions: [prompt, ...(ussdCode === '' ? [] : [`If no prompt comes, they dial ${ussdCode}.`])],
    ...(ussdCode !== '' && { ussdCode }),
  }
}
