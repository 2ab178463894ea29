import type { Currency } from '../../money/currencies.ts'
import type { OutboundReply } from '../../platform/outbound-http.ts'
import type { Failure, ProviderStatus, QueryOutcome, SubmitOutcome } from '../contract.ts'
import { failureCodes } from '../failure-codes.ts'
import type { RefundAttempt } from '../refund-contract.ts'
import type { Line } from './line.ts'
import { asFields, type Fields, readEnvelope, readFields, readId, readMoney, writeAmount } from './messages.ts'
import { isRefusal, notSubmitted, refundRefusalOf, responseOf, unknown, unreadable } from './responses.ts'

/**
 * Flutterwave takes no key for a refund: each request refunds once more. So nothing is sent before the refunds of the charge are
 * listed. Our key is in the comments; a list may leave them out, and then a refund is known by its amount.
 */
export async function submitRefund(line: Line, attempt: RefundAttempt, signal: AbortSignal): Promise<SubmitOutcome> {
  const content = bodyOf(attempt)
  if ('flaw' in content) return notSubmitted('unwritable', content.flaw)
  const listed = await listRefunds(line, attempt, signal)
  const known = attempt.isFirstSend ? stoppedByList(listed, attempt) : knownByList(listed, attempt)
  if (known) return known
  const path = `/transactions/${attempt.charge.receipt}/refund`
  const outcome = outcomeOf(await line.post(path, content.fields, signal), attempt)
  return attempt.isFirstSend ? outcome : afterResend(outcome)
}

export async function queryRefund(line: Line, attempt: RefundAttempt, signal: AbortSignal): Promise<QueryOutcome> {
  if (!isTransaction(attempt.charge.receipt)) return { found: 'unclear', detail: unnumbered }
  const listed = await listRefunds(line, attempt, signal)
  return 'detail' in listed ? { found: 'unclear', detail: listed.detail } : findIn(listed.entries, attempt)
}

/** The money leaves our balance with `completed`; the others name the rail that paid it out. No end is reported after these. */
const completedWords = [
  'completed',
  'completed-bank-transfer',
  'completed-momo',
  'completed-mpgs',
  'completed-offline',
  'completed-preauth',
]

/** One refund of the charge, as Flutterwave lists it. */
interface Entry {
  readonly id: string
  readonly amount: bigint
  readonly state: 'open' | 'completed' | 'failed'
  /** Empty where Flutterwave shows none. */
  readonly comments: string
}

/** The refunds of the charge, or why they are not known. */
type Listed = { readonly entries: readonly Entry[] } | { readonly detail: string; readonly isReached: boolean }

function bodyOf({ key, amount: minor, currency, charge }: RefundAttempt) {
  const amount = writeAmount(minor, currency)
  if (amount === undefined) return { flaw: 'Flutterwave cannot represent the amount' }
  if (charge.method === 'momo') return { flaw: 'Flutterwave refunds cards and transfers' }
  return isTransaction(charge.receipt) ? { fields: { amount, comments: key } } : { flaw: unnumbered }
}

const isTransaction = (receipt: string) => /^\d{1,20}$/.test(receipt)
const unnumbered = 'Flutterwave refunds by its transaction number, which it did not report for this charge'

/**
 * Before the first send. A refund that Malipo does not know was made in Flutterwave's dashboard: a later query could not distinguish
 * the two, so nothing is sent. One with our key contradicts a refusal that looked certain, and is reported as ours.
 */
function stoppedByList(listed: Listed, attempt: RefundAttempt): SubmitOutcome | undefined {
  if ('detail' in listed) return notSubmitted(listed.isReached ? 'closed' : 'not_reached', listed.detail)
  const keyed = keyedIn(listed.entries, attempt)
  if (keyed.length > 0) return { certainty: 'accepted', providerStatus: statusOf(keyed, attempt.currency) }
  const isForeign = listed.entries.some(({ id }) => !attempt.otherReceipts.includes(id))
  return isForeign ? { certainty: 'definitely_failed', failure: refundedElsewhere } : undefined
}

const refundedElsewhere: Failure = { code: 'REFUNDED_ELSEWHERE', message: failureCodes.REFUNDED_ELSEWHERE }

/** Before a resend. Undefined only when the list proves that Flutterwave does not have this refund. */
function knownByList(listed: Listed, attempt: RefundAttempt): SubmitOutcome | undefined {
  if ('detail' in listed) return unknown('refused', `not sent again: ${listed.detail}`)
  const outcome = findIn(listed.entries, attempt)
  if (outcome.found === 'unclear') return unknown('refused', `not sent again: ${outcome.detail}`)
  return outcome.found === 'yes' ? { certainty: 'accepted', providerStatus: outcome.providerStatus } : undefined
}

function outcomeOf(reply: OutboundReply, attempt: RefundAttempt): SubmitOutcome {
  const response = responseOf(reply)
  if ('certainty' in response) return response
  if (isRefusal(response)) return refundRefusalOf(response)
  const entry = response.isSuccess ? entryOf(asFields(response.data) ?? {}, attempt) : undefined
  if (entry === undefined || entry === 'another charge')
    return unreadable(`${response.httpStatus} with an unreadable refund`)
  return { certainty: 'accepted', providerStatus: statusOf([entry], attempt.currency) }
}

/** An earlier send may have refunded already. Only a query can prove that it did not, so no outcome of a resend is definite. */
function afterResend(outcome: SubmitOutcome): SubmitOutcome {
  if (outcome.certainty === 'definitely_failed')
    return { ...unknown('refused', 'Flutterwave refused the resend'), failure: outcome.failure }
  if (outcome.certainty !== 'definitely_not_submitted') return outcome
  return unknown('refused', `not submitted, but sent before: ${outcome.detail}`)
}

/**
 * This refund among those of the charge: by our key, or else by its amount among those without comments that are no other
 * refund of Malipo. Several of the same amount are reported only where they cannot pass for a success.
 */
function findIn(entries: readonly Entry[], attempt: RefundAttempt): QueryOutcome {
  const { amount, currency, otherReceipts } = attempt
  const keyed = keyedIn(entries, attempt)
  if (keyed.length > 0) return { found: 'yes', providerStatus: statusOf(keyed, currency) }
  const alike = entries.filter(
    (entry) => entry.comments === '' && entry.amount === amount && !otherReceipts.includes(entry.id),
  )
  if (alike.length === 0) return { found: 'no' }
  const providerStatus = statusOf(alike, currency)
  const isGuess = alike.length > 1 && providerStatus.state === 'successful' && providerStatus.settled.amount === amount
  return isGuess
    ? { found: 'unclear', detail: 'Flutterwave lists several refunds that could be this one' }
    : { found: 'yes', providerStatus }
}

const keyedIn = (entries: readonly Entry[], { key }: RefundAttempt) =>
  entries.filter(({ comments }) => plain(comments).includes(plain(key)))

/** Comments are for people: their case and punctuation may change. */
const plain = (text: string) => text.toLowerCase().replace(/[^a-z0-9]/g, '')

/** What moved in total. More than the amount of the refund is a contradiction, which the engine holds in doubt. */
function statusOf(entries: readonly Entry[], currency: Currency): ProviderStatus {
  const moving = entries.filter(({ state }) => state !== 'failed')
  const [first] = moving
  if (first === undefined) return { state: 'failed', failure: noReason, ...receiptOf(entries) }
  if (moving.some(({ state }) => state === 'open')) return { state: 'submitted' }
  const amount = moving.reduce((sum, entry) => sum + entry.amount, 0n)
  return { state: 'successful', settled: { amount, currency, receipt: first.id } }
}

const receiptOf = ([first]: readonly Entry[]) => (first ? { receipt: first.id } : {})

const noReason: Failure = { code: 'UNSPECIFIED_FAILURE', message: failureCodes.UNSPECIFIED_FAILURE }

/** A charge has few refunds. More pages than this are not its own. */
const pagesMax = 30

/** Every refund of the charge. A list that is not whole or not readable is not a list. */
async function listRefunds(line: Line, attempt: RefundAttempt, signal: AbortSignal): Promise<Listed> {
  const found: Found = { ids: new Set(), entries: new Map() }
  for (let page = 1; page <= pagesMax; page += 1) {
    const query = `tx_id=${attempt.charge.receipt}${page > 1 ? `&page=${page}` : ''}`
    const read = readPage(await line.get(`/refunds?${query}`, signal), attempt)
    if ('detail' in read) return read
    const isLast = addPage(found, read, page)
    if (isLast) return { entries: [...found.entries.values()] }
  }
  return { detail: 'Flutterwave lists more refunds than one charge has', isReached: true }
}

interface Found {
  /** Of every refund read so far, also those of other charges. */
  readonly ids: Set<string>
  readonly entries: Map<string, Entry>
}

/** Whether it was the last page. Without a number of pages that is the first one that brings nothing new. */
function addPage({ ids, entries }: Found, read: Page, page: number): boolean {
  const before = ids.size
  for (const id of read.ids) ids.add(id)
  for (const entry of read.entries) entries.set(entry.id, entry)
  return read.pages === undefined ? ids.size === before : page >= read.pages
}

interface Page {
  readonly ids: readonly string[]
  readonly entries: readonly Entry[]
  readonly pages: number | undefined
}

function readPage(reply: OutboundReply, attempt: RefundAttempt): Page | Extract<Listed, { detail: string }> {
  if (reply.kind !== 'responded') return { detail: `the refunds are not known: ${reply.detail}`, isReached: false }
  const flaw = { detail: `Flutterwave responded ${reply.status} with an unreadable list of refunds`, isReached: true }
  const envelope = reply.status === 200 ? readEnvelope(reply.text) : undefined
  const rows = envelope?.isSuccess && Array.isArray(envelope.data) ? envelope.data.map(asFields) : undefined
  const ids = rows?.map((row) => readId(row?.['id']))
  const read = rows?.map((row) => row && entryOf(row, attempt))
  if (!ids || !read || ids.includes(undefined) || read.includes(undefined)) return flaw
  const pages = asFields(envelope?.meta?.['page_info'])?.['total_pages']
  if (pages !== undefined && !Number.isInteger(pages)) return flaw
  const entries = read.filter((entry) => typeof entry === 'object')
  return { ids: ids as string[], entries, pages: pages as number | undefined }
}

/** A list names some fields in another way than a single refund. Undefined when a part that matters is unreadable. */
function entryOf(row: Fields, { charge, currency }: RefundAttempt): Entry | 'another charge' | undefined {
  const transaction = readId(row['tx_id'] ?? row['TransactionId'])
  if (transaction !== undefined && transaction !== charge.receipt) return 'another charge'
  const id = readId(row['id'])
  const isOwnCurrency = row['currency'] === undefined || row['currency'] === currency
  const money = readMoney(row['amount_refunded'] ?? row['AmountRefunded'], currency)
  const { status } = row
  if (id === undefined || transaction === undefined || !isOwnCurrency || !money || typeof status !== 'string')
    return undefined
  return { id, amount: money.amount, state: stateOf(status, row['meta']), comments: commentsOf(row) }
}

function stateOf(status: string, meta: unknown): Entry['state'] {
  const { disburse_status: paidOut } = (typeof meta === 'string' ? readFields(meta) : asFields(meta)) ?? {}
  if (status === 'failed' || paidOut === 'failed') return 'failed'
  return completedWords.includes(status) ? 'completed' : 'open'
}

function commentsOf({ comments, comment }: Fields): string {
  const text = comments ?? comment
  return typeof text === 'string' ? text : ''
}
