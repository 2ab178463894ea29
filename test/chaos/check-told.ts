import { isDeepStrictEqual } from 'node:util'
import { type Currency, currencies } from '../../packages/server/src/money/currencies.ts'
import { readId } from '../../packages/server/src/platform/ids.ts'
import type { Kept, Violation } from './books.ts'
import type { Asked } from './told.ts'

/** A requested payment, alone or as a bulk item. */
interface Wanted {
  readonly asked: Asked
  readonly reference: string
  readonly amount: number
  readonly currency: string | undefined
  readonly reported: Asked['reported']
  readonly id: string | undefined
}

/**
 * Compares the responses that clients got with the database: accepted payments exist as requested, refused ones do not exist, and
 * no payment exists without a request. A repeated request gets the same response.
 */
export function checkReported(record: readonly Asked[], payments: readonly Kept[]): Violation[] {
  const wanted = record.flatMap(wantedOf)
  const byReference = new Map(payments.map((kept) => [`${kept.merchant_id} ${kept.external_reference}`, kept]))
  const accepted = new Set(wanted.filter(({ reported }) => reported !== 'refused').map(placeOf))
  const known = new Set(wanted.map(placeOf))
  return [
    ...wanted.flatMap((each) => judge(each, byReference.get(placeOf(each)), accepted)),
    ...payments
      .filter((kept) => !known.has(`${kept.merchant_id} ${kept.external_reference}`))
      .map((kept): Violation => ({ kind: 'wrong', words: 'nobody asked for this payment', payment: kept.id })),
    ...record.flatMap(checkAgain),
    ...checkCancels(record, payments),
  ]
}

const placeOf = ({ asked, reference }: Wanted) => `${asked.merchant.id} ${reference}`

interface PaymentBody {
  readonly externalReference?: string
  readonly amount: number
  readonly currency?: string
  readonly payouts?: readonly PaymentBody[]
}

interface BulkItem {
  readonly success: boolean
  readonly externalReference: string
  readonly transactionId?: string
  readonly errorCode?: string
}

function wantedOf(asked: Asked): Wanted[] {
  const body = asked.body as PaymentBody | undefined
  if (body?.payouts) return itemsOf(asked, body.payouts)
  if (body?.externalReference === undefined) return []
  const { externalReference: reference, amount, currency } = body
  const { transactionId } = (asked.answer['data'] ?? asked.answer) as { transactionId?: string }
  return [{ asked, reference, amount, currency, reported: asked.reported, id: transactionId }]
}

/** A bulk item that failed with an internal error may still have been accepted, like any request without a response. */
function itemsOf(asked: Asked, payouts: readonly PaymentBody[]): Wanted[] {
  const results = asked.answer['data'] as readonly BulkItem[] | undefined
  return payouts.map(({ externalReference: reference = '', amount, currency }, index) => {
    const result = results?.[index]
    const isOpen =
      result === undefined ||
      /^(OVERLOADED|INTERNAL_SERVER_ERROR|FX_RATE|PROVIDER_TEMP|IDEMPOTENCY_KEY_IN)/.test(result.errorCode ?? '')
    const reported = isOpen ? 'unknown' : result.success ? 'done' : 'refused'
    return { asked, reference, amount, currency, reported, id: result?.transactionId }
  })
}

function judge(
  { reported, id, amount, currency, asked, reference }: Wanted,
  kept: Kept | undefined,
  accepted: ReadonlySet<string>,
): Violation[] {
  const name = `${asked.kind} ${reference} of ${asked.merchant.name}`
  if (reported === 'refused' && kept && !accepted.has(`${asked.merchant.id} ${reference}`))
    return [
      { kind: 'wrong', words: `${name} was refused (${asked.exchanges.at(-1)?.word}) and is there`, payment: kept.id },
    ]
  if (reported !== 'done') return []
  if (!kept) return [{ kind: 'lost', words: `${name} was accepted as ${id} and is not there` }]
  const minor = BigInt(Math.round(amount * 10 ** currencies[kept.currency as Currency].exponent))
  const isSame =
    readId('transaction', id ?? '') === kept.id &&
    kept.type === (asked.path.startsWith('/fiat/deposit') ? 'deposit' : 'withdrew') &&
    minor === BigInt(kept.amount) &&
    (currency ?? kept.currency) === kept.currency
  return isSame
    ? []
    : [
        {
          kind: 'wrong',
          words: `${name} was accepted as ${id}, ${amount} ${currency}, and is kept as another`,
          payment: kept.id,
        },
      ]
}

/** The first response for a card or an account may be lost before it is stored; then only the payment is the same. */
function checkAgain({ kind, answer, again, merchant }: Asked): Violation[] {
  if (again === undefined || again['success'] === false) return again === undefined ? [] : refusedAgain(kind, again)
  const idOf = (body: Readonly<Record<string, unknown>>) =>
    (body['data'] as { transactionId?: string } | undefined)?.transactionId
  const isByPayment = /charge by (card|bank)|authorise/.test(kind)
  const isSame = isByPayment ? idOf(answer) === idOf(again) : isSameAnswer(answer, again)
  if (isSame) return []
  return [
    {
      kind: 'wrong',
      words: `${kind} of ${merchant.name}, said again, was answered otherwise: ${JSON.stringify(answer)} and ${JSON.stringify(again)}`,
    },
  ]
}

type Body = Readonly<Record<string, unknown>>

/** A bulk item refused as overloaded has no result yet. */
function isSameAnswer(answer: Body, again: Body): boolean {
  const [items, itemsAgain] = [answer['data'], again['data']]
  if (!Array.isArray(items) || !Array.isArray(itemsAgain)) return isDeepStrictEqual(answer, again)
  const isOpen = (item: Body | undefined) => item?.['errorCode'] === 'OVERLOADED'
  return (
    items.length === itemsAgain.length &&
    items.every(
      (item, place) => isOpen(item) || isOpen(itemsAgain[place]) || isDeepStrictEqual(item, itemsAgain[place]),
    )
  )
}

const refusedAgain = (kind: string, again: object): Violation[] => [
  { kind: 'wrong', words: `${kind}, accepted before, was refused when it was said again: ${JSON.stringify(again)}` },
]

/** A payout reported as cancelled has failed for that reason, and no other payout has. */
function checkCancels(record: readonly Asked[], payments: readonly Kept[]): Violation[] {
  const cancels = record.filter(({ kind }) => kind === 'cancel')
  const reportedOf = new Map(cancels.map(({ path, reported }) => [path.split('/').at(-2) ?? '', reported]))
  return payments.flatMap(({ id, external_reference, state, failure }): Violation[] => {
    const reported = reportedOf.get(external_reference)
    const isCancelled = state === 'failed' && failure?.code === 'MANUALLY_CANCELLED'
    const isRight = reported === 'unknown' || isCancelled === (reported === 'done')
    const words = `its cancelling was told ${reported}, and the payment is ${state} ${failure?.code ?? ''}`
    return isRight ? [] : [{ kind: 'wrong', words, payment: id }]
  })
}

/** Compares the clients' record of beneficiaries with the list: each one exists unless it was deleted. */
export function checkBeneficiaries(
  record: readonly Asked[],
  listed: ReadonlyMap<string, ReadonlySet<string>>,
): Violation[] {
  const touched = new Map(
    record
      .filter(({ kind }) => kind === 'delete beneficiary')
      .map(({ path, reported }) => [path.split('/').at(-1) ?? '', reported] as const),
  )
  return record
    .filter(({ kind, reported }) => kind === 'create beneficiary' && reported === 'done')
    .flatMap(({ answer, merchant }): Violation[] => {
      const { id } = answer['data'] as { id: string }
      const isThere = listed.get(merchant.id)?.has(id) === true
      const deleted = touched.get(id)
      if (deleted === undefined && !isThere)
        return [{ kind: 'lost', words: `beneficiary ${id} of ${merchant.name} is not in its list` }]
      if (deleted === 'done' && isThere)
        return [{ kind: 'wrong', words: `beneficiary ${id} of ${merchant.name} was deleted and is in its list` }]
      return []
    })
}
