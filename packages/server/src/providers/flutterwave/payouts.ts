import type { Currency } from '../../money/currencies.ts'
import type { AttemptKey, PayoutAttempt, ProviderStatus, QueryOutcome, SubmitOutcome } from '../contract.ts'
import { isReversal } from './charges.ts'
import { isShortfall, reversal, transferFailure } from './failures.ts'
import type { Line } from './line.ts'
import { asFields, type Fields, readEnvelope, readFee, readId, readMoney, writeAmount } from './messages.ts'
import { isRefusal, notSubmitted, payoutRefusalOf, responseOf, unreadable } from './responses.ts'

interface Place {
  readonly currency: Currency
  readonly needsBranch?: true
  /** Whether Flutterwave requires the recipient's contact. */
  readonly needsContact?: true
}

/** The countries where banks are paid, their currency, and what Flutterwave requires besides the account. */
const bankCountries: ReadonlyMap<string, Place> = new Map<string, Place>([
  ['NG', { currency: 'NGN' }],
  ['GH', { currency: 'GHS', needsBranch: true }],
  ['UG', { currency: 'UGX', needsBranch: true }],
  ['TZ', { currency: 'TZS', needsBranch: true }],
  ['KE', { currency: 'KES' }],
  ['ZA', { currency: 'ZAR', needsContact: true }],
])

export const placeOf = (country: string): Place | undefined => bankCountries.get(country)

/** Sent to Flutterwave for every recipient in South Africa, since our API does not ask merchants for it. */
export interface ZarContact {
  readonly email: string
  readonly phone: string
  readonly address: string
}

/** Flutterwave's code of a bank, by country and our own code. Undefined when Flutterwave does not serve the bank. */
export type BankCodes = (country: string, code: string) => string | undefined

interface BankLine {
  readonly line: Line
  readonly codes: BankCodes
  readonly zarContact: ZarContact | undefined
}

export async function submitPayout(
  bankLine: BankLine,
  attempt: PayoutAttempt,
  signal: AbortSignal,
): Promise<SubmitOutcome> {
  const { line } = bankLine
  const content = bodyOf(bankLine, attempt)
  if ('flaw' in content) return notSubmitted('unwritable', content.flaw)
  const response = responseOf(await line.post('/transfers', content.fields, signal))
  if ('certainty' in response) return response
  if (isRefusal(response)) return payoutRefusalOf(response)
  const data = response.isSuccess ? asFields(response.data) : undefined
  const providerStatus = data?.['reference'] === attempt.key ? statusOfTransfer(data) : undefined
  if (!providerStatus) return unreadable(`${response.httpStatus} with an unreadable transfer`)
  return providerStatus.state === 'failed' && !providerStatus.isOurShortfall
    ? { certainty: 'definitely_failed', failure: providerStatus.failure }
    : { certainty: 'accepted', providerStatus }
}

/** Flutterwave lists the transfers of a reference: at most one, since it refuses a second. */
export async function queryPayout(line: Line, { key }: AttemptKey, signal: AbortSignal): Promise<QueryOutcome> {
  const reply = await line.get(`/transfers?reference=${key}`, signal)
  if (reply.kind !== 'responded') return { found: 'unclear', detail: reply.detail }
  const envelope = reply.status === 200 ? readEnvelope(reply.text) : undefined
  const list = envelope?.isSuccess && Array.isArray(envelope.data) ? envelope.data : undefined
  if (list?.length === 0) return { found: 'no' }
  const transfer = list?.length === 1 ? asFields(list[0]) : undefined
  const providerStatus = transfer?.['reference'] === key ? statusOfTransfer(transfer) : undefined
  if (providerStatus) return { found: 'yes', providerStatus }
  return { found: 'unclear', detail: `Flutterwave responded ${reply.status} with an unreadable body` }
}

/** The status in a transfer's `data`. Undefined when it is ambiguous. */
export function statusOfTransfer(data: Fields): ProviderStatus | undefined {
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

/** A success without a readable amount is not a success. */
function paid({ id, amount, currency, fee }: Fields): ProviderStatus | undefined {
  const money = readMoney(amount, currency)
  const receipt = readId(id)
  if (!money || receipt === undefined) return undefined
  return { state: 'successful', settled: { ...money, ...readFee(fee, money.currency), receipt } }
}

function bodyOf(
  { codes, zarContact }: BankLine,
  { key, country, currency, amount: minor, to }: PayoutAttempt,
): { readonly fields: Fields } | { readonly flaw: string } {
  if (to.kind !== 'bank') return { flaw: `Flutterwave pays banks, not a ${to.kind}` }
  const place = placeOf(country)
  const amount = writeAmount(minor, currency)
  const account_bank = codes(country, to.bankCode)
  if (place?.currency !== currency) return { flaw: 'Flutterwave does not pay banks there in this currency' }
  if (amount === undefined) return { flaw: 'Flutterwave cannot represent the amount' }
  if (account_bank === undefined) return { flaw: 'Flutterwave does not support this bank' }
  if (place.needsBranch && to.branchCode === '') return { flaw: 'Flutterwave requires the branch there' }
  if (place.needsContact && !zarContact) return { flaw: 'Flutterwave requires a contact of the recipient' }
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

/** A single name is both first and last name. */
function recipientOf(name: string, { email, phone, address }: ZarContact): Fields {
  const [first_name = '', ...rest] = name.trim().split(/\s+/)
  const last_name = rest.join(' ') || first_name
  return { first_name, last_name, email, mobile_number: phone, recipient_address: address }
}
