import { isDeepStrictEqual } from 'node:util'
import { type Currency, currencies } from '../../packages/server/src/money/currencies.ts'
import { readId } from '../../packages/server/src/platform/ids.ts'
import type { Kept, Violation } from './books.ts'
import type { ClientRequest } from './client.ts'

/** A requested payment, alone or as a bulk item. */
interface RequestedPayment {
  readonly sent: ClientRequest
  readonly reference: string
  /** Missing where the service chooses it. */
  readonly amount: number | undefined
  readonly currency: string | undefined
  readonly outcome: ClientRequest['outcome']
  readonly id: string | undefined
}

/**
 * Compares the responses that clients got with the database: accepted payments exist as requested, refused ones do not exist, and
 * no payment exists without a request. A repeated request gets the same response.
 */
export function checkResponses(record: readonly ClientRequest[], payments: readonly Kept[]): Violation[] {
  const wanted = record.flatMap(wantedOf)
  const byReference = new Map(payments.map((kept) => [`${kept.merchant_id} ${kept.external_reference}`, kept]))
  const accepted = new Set(wanted.filter(({ outcome }) => outcome !== 'refused').map(placeOf))
  const known = new Set(wanted.map(placeOf))
  return [
    ...wanted.flatMap((each) => compare(each, byReference.get(placeOf(each)), accepted)),
    ...payments
      .filter((kept) => !known.has(`${kept.merchant_id} ${kept.external_reference}`))
      .map((kept): Violation => ({ kind: 'wrong', words: 'no client requested this payment', payment: kept.id })),
    ...record.flatMap(checkAgain),
    ...checkCancels(record, payments),
  ]
}

const placeOf = ({ sent, reference }: RequestedPayment) => `${sent.merchant.id} ${reference}`

interface PaymentBody {
  readonly externalReference?: string
  readonly amount?: number
  readonly currency?: string
  readonly payouts?: readonly PaymentBody[]
}

interface BulkItem {
  readonly success: boolean
  readonly externalReference: string
  readonly transactionId?: string
  readonly errorCode?: string
}

function wantedOf(sent: ClientRequest): RequestedPayment[] {
  const body = sent.body as PaymentBody | undefined
  if (body?.payouts) return itemsOf(sent, body.payouts)
  if (body?.externalReference === undefined) return []
  const { externalReference: reference, amount, currency } = body
  const { transactionId } = (sent.response['data'] ?? sent.response) as { transactionId?: string }
  return [{ sent, reference, amount, currency, outcome: sent.outcome, id: transactionId }]
}

/** A bulk item that failed with an internal error may still have been accepted, like any request without a response. */
function itemsOf(sent: ClientRequest, payouts: readonly PaymentBody[]): RequestedPayment[] {
  const results = sent.response['data'] as readonly BulkItem[] | undefined
  return payouts.map(({ externalReference: reference = '', amount, currency }, index) => {
    const result = results?.[index]
    const isOpen =
      result === undefined ||
      /^(OVERLOADED|INTERNAL_SERVER_ERROR|FX_RATE|PROVIDER_TEMP|IDEMPOTENCY_KEY_IN)/.test(result.errorCode ?? '')
    const outcome = isOpen ? 'unknown' : result.success ? 'done' : 'refused'
    return { sent, reference, amount, currency, outcome, id: result?.transactionId }
  })
}

function compare(
  { outcome, id, amount, currency, sent, reference }: RequestedPayment,
  kept: Kept | undefined,
  accepted: ReadonlySet<string>,
): Violation[] {
  const name = `${sent.kind} ${reference} of ${sent.merchant.name}`
  if (outcome === 'refused' && kept && !accepted.has(`${sent.merchant.id} ${reference}`))
    return [
      { kind: 'wrong', words: `${name} was refused (${sent.exchanges.at(-1)?.word}) but exists`, payment: kept.id },
    ]
  if (outcome !== 'done') return []
  if (!kept) return [{ kind: 'lost', words: `${name} was accepted as ${id} but does not exist` }]
  const type = typeOf(sent.path)
  // A conversion names what leaves its first wallet.
  const [paid, unit] = type === 'conversion' ? [kept.wallet_amount, kept.wallet_currency] : [kept.amount, kept.currency]
  const minor =
    amount === undefined ? BigInt(paid) : BigInt(Math.round(amount * 10 ** currencies[unit as Currency].exponent))
  const isSame =
    readId('transaction', id ?? '') === kept.id &&
    kept.type === type &&
    minor === BigInt(paid) &&
    (currency ?? kept.currency) === kept.currency
  return isSame
    ? []
    : [
        {
          kind: 'wrong',
          words: `${name} was accepted as ${id}, ${amount} ${currency}, but is stored as another`,
          payment: kept.id,
        },
      ]
}

function typeOf(path: string): Kept['type'] {
  if (path === '/conversions') return 'conversion'
  if (path.endsWith('/refunds')) return 'refund'
  return path.startsWith('/fiat/deposit') ? 'deposit' : 'withdrew'
}

/** The first response for a card or an account may be lost before it is stored; then only the payment is the same. */
function checkAgain({ kind, response, again, merchant }: ClientRequest): Violation[] {
  if (again === undefined || again['success'] === false) return again === undefined ? [] : refusedAgain(kind, again)
  const idOf = (body: Readonly<Record<string, unknown>>) =>
    (body['data'] as { transactionId?: string } | undefined)?.transactionId
  const isByPayment = /charge by (card|bank)|authorise/.test(kind)
  const isSame = isByPayment ? idOf(response) === idOf(again) : isSameResponse(response, again)
  if (isSame) return []
  return [
    {
      kind: 'wrong',
      words: `the repeated ${kind} of ${merchant.name} got another response: ${JSON.stringify(response)} and ${JSON.stringify(again)}`,
    },
  ]
}

type Body = Readonly<Record<string, unknown>>

/** A bulk item refused as overloaded has no result yet. */
function isSameResponse(response: Body, again: Body): boolean {
  const [items, itemsAgain] = [response['data'], again['data']]
  if (!Array.isArray(items) || !Array.isArray(itemsAgain)) return isDeepStrictEqual(response, again)
  const isOpen = (item: Body | undefined) => item?.['errorCode'] === 'OVERLOADED'
  return (
    items.length === itemsAgain.length &&
    items.every(
      (item, place) => isOpen(item) || isOpen(itemsAgain[place]) || isDeepStrictEqual(item, itemsAgain[place]),
    )
  )
}

const refusedAgain = (kind: string, again: object): Violation[] => [
  { kind: 'wrong', words: `${kind}, accepted before, was refused when repeated: ${JSON.stringify(again)}` },
]

/** A payout reported as cancelled has failed for that reason, and no other payout has. */
function checkCancels(record: readonly ClientRequest[], payments: readonly Kept[]): Violation[] {
  const cancels = record.filter(({ kind }) => kind === 'cancel')
  const outcomeOf = new Map(cancels.map(({ path, outcome }) => [path.split('/').at(-2) ?? '', outcome]))
  return payments.flatMap(({ id, external_reference, state, failure }): Violation[] => {
    const outcome = outcomeOf.get(external_reference)
    const isCancelled = state === 'failed' && failure?.code === 'MANUALLY_CANCELLED'
    const isRight = outcome === 'unknown' || isCancelled === (outcome === 'done')
    const words = `its cancellation was reported as ${outcome}, but the payment is ${state} ${failure?.code ?? ''}`
    return isRight ? [] : [{ kind: 'wrong', words, payment: id }]
  })
}

/** Compares the clients' record of beneficiaries with the list: each one exists unless it was deleted. */
export function checkBeneficiaries(
  record: readonly ClientRequest[],
  listed: ReadonlyMap<string, ReadonlySet<string>>,
): Violation[] {
  const touched = new Map(
    record
      .filter(({ kind }) => kind === 'delete beneficiary')
      .map(({ path, outcome }) => [path.split('/').at(-1) ?? '', outcome] as const),
  )
  return record
    .filter(({ kind, outcome }) => kind === 'create beneficiary' && outcome === 'done')
    .flatMap(({ response, merchant }): Violation[] => {
      const { id } = response['data'] as { id: string }
      const isThere = listed.get(merchant.id)?.has(id) === true
      const deleted = touched.get(id)
      if (deleted === undefined && !isThere)
        return [{ kind: 'lost', words: `beneficiary ${id} of ${merchant.name} is not in its list` }]
      if (deleted === 'done' && isThere)
        return [{ kind: 'wrong', words: `beneficiary ${id} of ${merchant.name} was deleted but is in its list` }]
      return []
    })
}
