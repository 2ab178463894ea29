import type {
  AttemptKey,
  ProviderStatus,
  QueryOutcome,
  Receipt,
  SubmitOutcome,
  TransferChargeAttempt,
  VirtualAccount,
} from '../contract.ts'
import { isTakenBack, receiptOf } from './charges.ts'
import { cardFailure } from './failures.ts'
import type { Line } from './line.ts'
import { asFields, type Fields, readEnvelope, readMoney, writeAmount } from './messages.ts'
import { isRefusal, notSubmitted, refusalOf, responseOf, unreadable } from './responses.ts'

/** Opens an account for this one charge. The same reference again opens another; money into either counts for the charge. */
export async function submitTransfer(
  line: Line,
  attempt: TransferChargeAttempt,
  signal: AbortSignal,
): Promise<SubmitOutcome> {
  const { key, country, currency, email, lifeSeconds } = attempt
  const amount = writeAmount(attempt.amount, currency)
  if (amount === undefined || country !== 'NG' || currency !== 'NGN')
    return notSubmitted('unwritable', 'Flutterwave opens accounts for amounts in naira only')
  const body = {
    tx_ref: key,
    amount,
    currency,
    email,
    expires: lifeSeconds,
    is_permanent: false,
    narration: 'Malipo payment',
  }
  const response = responseOf(await line.post('/charges?type=bank_transfer', body, signal))
  if ('certainty' in response) return response
  if (isRefusal(response)) return refusalOf(response, () => undefined)
  const account = response.isSuccess && response.authorization && accountIn(response.authorization)
  if (!account) return unreadable(`${response.httpStatus} without a readable account`)
  // The customer does not have the account number yet, so no money can arrive.
  if (!wants(response.authorization, attempt))
    return notSubmitted('rejected', 'Flutterwave requests another amount: our account there must bear the fees')
  return { certainty: 'accepted', providerStatus: { state: 'waiting', action: { kind: 'pay_to_account', account } } }
}

/** Each payment into the account is its own transaction under our reference. Before the first payment there is none. */
export async function queryTransfer(line: Line, { key }: AttemptKey, signal: AbortSignal): Promise<QueryOutcome> {
  const payments: Fields[] = []
  for (let page = 1, last = 1; page <= last; page += 1) {
    const found = await readPage(line, key, page, signal)
    if ('detail' in found) return { found: 'unclear', ...found }
    payments.push(...found.payments)
    last = Math.min(found.pages, pagesMax)
  }
  if (payments.length === 0) return { found: 'no' }
  const providerStatus = providerStatusOf(payments)
  return providerStatus
    ? { found: 'yes', providerStatus }
    : { found: 'unclear', detail: 'Flutterwave reports transfers that are unreadable' }
}

/** Newest first, and each is booked once: earlier queries reported the older pages. */
const pagesMax = 30

async function readPage(
  line: Line,
  key: string,
  page: number,
  signal: AbortSignal,
): Promise<{ readonly payments: readonly Fields[]; readonly pages: number } | { readonly detail: string }> {
  const reply = await line.get(`/transactions?tx_ref=${key}${page > 1 ? `&page=${page}` : ''}`, signal)
  if (reply.kind !== 'responded') return { detail: reply.detail }
  const envelope = reply.status === 200 ? readEnvelope(reply.text) : undefined
  const list = envelope?.isSuccess && Array.isArray(envelope.data) ? envelope.data.map(asFields) : undefined
  const payments = list?.filter((each) => each?.['tx_ref'] === key) as Fields[] | undefined
  const pages = asFields(envelope?.meta?.['page_info'])?.['total_pages'] ?? 1
  const isWhole = payments?.length === list?.length && Number.isInteger(pages)
  if (payments && isWhole) return { payments, pages: Number(pages) }
  return { detail: `Flutterwave responded ${reply.status} with an unreadable body` }
}

/**
 * Every transfer that arrived, reversed or not. Undefined when one of them is unreadable: a partial list would look
 * like an underpayment. A reversed transfer is reported as long as Flutterwave lists it, since it may have been booked.
 */
function providerStatusOf(payments: readonly Fields[]): ProviderStatus | undefined {
  const states = ['successful', 'pending', 'failed', 'reversed']
  if (!payments.every(({ status }) => states.some((each) => each === status))) return undefined
  const arrived = payments.filter((each) => each['status'] === 'successful' || isTakenBack(each))
  const receipts = arrived.map(receiptOf).filter((each): each is Receipt => each !== undefined)
  if (receipts.length < arrived.length) return undefined
  const ids = new Set(receipts.map(({ id }) => id))
  if (ids.size < receipts.length) return undefined
  if (receipts.length > 0) return { state: 'received', receipts }
  if (payments.some(({ status }) => status === 'pending')) return { state: 'submitted' }
  return { state: 'failed', failure: cardFailure(payments[0]?.['processor_response']) }
}

function accountIn(authorization: Fields): VirtualAccount | undefined {
  const { transfer_account: accountNumber, transfer_bank: bankName, account_expiration: expiry } = authorization
  const expiresAt = timeOf(expiry)
  const isAccount = typeof accountNumber === 'string' && /^\d{6,20}$/.test(accountNumber)
  const isBank = typeof bankName === 'string' && /^[^\p{C}]{1,100}$/u.test(bankName)
  return isAccount && isBank && expiresAt !== undefined ? { accountNumber, bankName, expiresAt } : undefined
}

function wants(authorization: Fields | undefined, { amount, currency }: TransferChargeAttempt): boolean {
  const { transfer_amount: wanted } = authorization ?? {}
  return wanted === undefined || wanted === null || readMoney(wanted, currency)?.amount === amount
}

/**
 * Milliseconds, as a number or a text, or a date. A date without a zone is read as Lagos time: an hour early costs the
 * customer nothing, an hour late could cost them a payment that Malipo no longer expects.
 */
function timeOf(value: unknown): string | undefined {
  const text = typeof value === 'number' || typeof value === 'string' ? String(value).trim() : ''
  const dated = /^(\d{4}-\d\d-\d\d)[T ](\d\d:\d\d:\d\d(?:\.\d{1,6})?)(Z|[+-]\d\d:?\d\d)?$/.exec(text)
  const time = /^\d{12,14}$/.test(text)
    ? new Date(Number(text))
    : new Date(dated ? `${dated[1]}T${dated[2]}${dated[3] ?? '+01:00'}` : Number.NaN)
  return Number.isNaN(time.getTime()) ? undefined : time.toISOString()
}
