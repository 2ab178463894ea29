import type { Currency } from '../../money/currencies.ts'
import type { AttemptKey, PayoutAttempt, QueryOutcome, Said, SubmitOutcome } from '../contract.ts'
import { answerOf, isRefusal, notSubmitted, payoutRefusalOf, unreadable } from './answers.ts'
import { isReversal } from './charges.ts'
import { isShortfall, reversal, transferFailure } from './failures.ts'
import type { Line } from './line.ts'
import { asFields, type Fields, readEnvelope, readFee, readId, readMoney, writeAmount } from './messages.ts'

interface Place {
  readonly currency: Currency
  readonly needsBranch?: true
  /** Whether it wants to know how the recipient is reached. */
  readonly needsContact?: true
}

/** Where banks are paid, in what, and what Flutterwave wants to know beside the account. */
const bankCountries: ReadonlyMap<string, Place> = new Map<string, Place>([
  ['NG', { currency: 'NGN' }],
  ['GH', { currency: 'GHS', needsBranch: true }],
  ['UG', { currency: 'UGX', needsBranch: true }],
  ['TZ', { currency: 'TZS', needsBranch: true }],
  ['KE', { currency: 'KES' }],
  ['ZA', { currency: 'ZAR', needsContact: true }],
])

export const placeOf = (country: string): Place | undefined => bankCountries.get(country)

/** What Flutterwave is given for every recipient in South Africa, since our API does not ask merchants for it. */
export interface ZarContact {
  readonly email: string
  readonly phone: string
  readonly address: string
}

/** What Flutterwave calls a bank, by its country and our own code; nothing when it does not have the bank. */
export type BankCodes = (country: string, code: string) => string | undefined

interface BankDesk {
  readonly line: Line
  readonly codes: BankCodes
  readonly zarContact: ZarContact | undefined
}

export async function submitPayout(
  desk: BankDesk,
  attempt: PayoutAttempt,
  signal: AbortSignal,
): Promise<SubmitOutcome> {
  const { line } = desk
  const content = bodyOf(desk, attempt)
  if ('flaw' in content) return notSubmitted('unwritable', content.flaw)
  const answer = answerOf(await line.post('/transfers', content.fields, signal))
  if ('certainty' in answer) return answer
  if (isRefusal(answer)) return payoutRefusalOf(answer)
  const data = answer.isSuccess ? asFields(answer.data) : undefined
  const said = data?.['reference'] === attempt.key ? saidOfTransfer(data) : undefined
  if (!said) return unreadable(`${answer.httpStatus} with nothing that we can read of the transfer`)
  return said.state === 'failed' && !said.isOurShortfall
    ? { certainty: 'definitely_failed', failure: said.failure }
    : { certainty: 'accepted', said }
}

/** Flutterwave lists the transfers of a reference: at most one, since it refuses a second. */
export async function queryPayout(line: Line, { key }: AttemptKey, signal: AbortSignal): Promise<QueryOutcome> {
  const reply = await line.get(`/transfers?reference=${key}`, signal)
  if (reply.kind !== 'answered') return { found: 'unclear', detail: reply.detail }
  const envelope = reply.status === 200 ? readEnvelope(reply.text) : undefined
  const list = envelope?.isSuccess && Array.isArray(envelope.data) ? envelope.data : undefined
  if (list?.length === 0) return { found: 'no' }
  const transfer = list?.length === 1 ? asFields(list[0]) : undefined
  const said = transfer?.['reference'] === key ? saidOfTransfer(transfer) : undefined
  if (said) return { found: 'yes', said }
  return { found: 'unclear', detail: `Flutterwave answered ${reply.status} with nothing that we can read` }
}

/** What is said of a transfer by its own `data`. Nothing when we cannot be sure what it says. */
export function saidOfTransfer(data: Fields): Said | undefined {
  const { status, complete_message: words } = data
  switch (status) {
    case 'NEW':
    case 'PENDING':
      return { state: 'submitted' }
    case 'SUCCESSFUL':
      return paid(data)
    case 'FAILED':
      return isReversal(words)
        ? { state: 'reversed', failure: reversal(words) }
        : { state: 'failed', failure: transferFailure(words), ...(isShortfall(words) && { isOurShortfall: true }) }
    default:
      return undefined
  }
}

/** Success without an amount that we can read is no success. */
function paid({ id, amount, currency, fee }: Fields): Said | undefined {
  const money = readMoney(amount, currency)
  const receipt = readId(id)
  if (!money || receipt === undefined) return undefined
  return { state: 'successful', settled: { ...money, ...readFee(fee, money.currency), receipt } }
}

function bodyOf(
  { codes, zarContact }: BankDesk,
  { key, country, currency, amount: minor, to }: PayoutAttempt,
): { readonly fields: Fields } | { readonly flaw: string } {
  if (to.kind !== 'bank') return { flaw: `Flutterwave pays banks, not a ${to.kind}` }
  const place = placeOf(country)
  const amount = writeAmount(minor, currency)
  const account_bank = codes(country, to.bankCode)
  if (place?.currency !== currency) return { flaw: 'Flutterwave does not pay banks there in this currency' }
  if (amount === undefined) return { flaw: 'Flutterwave has no way to write the amount' }
  if (account_bank === undefined) return { flaw: 'Flutterwave does not have this bank' }
  if (place.needsBranch && to.branchCode === '') return { flaw: 'Flutterwave wants to know the branch there' }
  if (place.needsContact && !zarContact) return { flaw: 'Flutterwave wants to know how the recipient is reached' }
  return {
    fields: {
      account_bank,
      account_number: to.accountNumber,
      amount,
      currency,
      narration: 'Malipo payout',
      reference: key,
      beneficiary_name: to.accountName,
      ...(place.needsBranch && { destination_branch_code: to.branchCode }),
      ...(place.needsContact && zarContact && { meta: recipientOf(to.accountName, zarContact) }),
    },
  }
}

/** A name of one word is both names. */
function recipientOf(name: string, { email, phone, address }: ZarContact): Fields {
  const [first_name = '', ...rest] = name.trim().split(/\s+/)
  const last_name = rest.join(' ') || first_name
  return { first_name, last_name, email, mobile_number: phone, recipient_address: address }
}
