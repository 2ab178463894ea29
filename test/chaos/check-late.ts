import { type Books, isFinal, type Kept, type KeptAdjustment, type Violation } from './books.ts'

const wrong = (payment: string, words: string): Violation => ({ kind: 'wrong', words, payment })

/** Each adjustment belongs to a final payment of its merchant, which names it once and counts its amount. */
export function checkAdjustments({ payments, adjustments }: Books): Violation[] {
  const known = new Map(payments.map((kept) => [kept.id, kept]))
  const byFirst = Map.groupBy(adjustments, ({ related_transaction_id }) => related_transaction_id)
  return [
    ...adjustments
      .filter((each) => !isFit(each, known.get(each.related_transaction_id)))
      .map(({ id, related_transaction_id }) =>
        wrong(id, `an adjustment of ${related_transaction_id}, which is not a final payment of its merchant`),
      ),
    ...payments.flatMap((kept) => checkNamed(kept, byFirst.get(kept.id) ?? [])),
  ]
}

const isFit = ({ merchant_id, wallet_id, currency }: KeptAdjustment, first: Kept | undefined) =>
  first !== undefined &&
  isFinal(first) &&
  first.merchant_id === merchant_id &&
  first.wallet_id === wallet_id &&
  first.currency === currency

function checkNamed({ id, adjustments: named, adjusted }: Kept, own: readonly KeptAdjustment[]): Violation[] {
  const sum = own.reduce((total, each) => total + signedOf(each), 0n)
  const isSame = own.map((each) => each.id).join() === named.toSorted().join()
  if (isSame && sum === BigInt(adjusted)) return []
  const made = own.map(({ id: each, direction, amount }) => `${each} ${direction} ${amount}`).join(', ') || 'none'
  return [wrong(id, `it names ${named.join(', ') || 'no adjustments'} of ${adjusted}, but these exist: ${made}`)]
}

const signedOf = ({ direction, amount }: KeptAdjustment) => (direction === 'credit' ? BigInt(amount) : -BigInt(amount))

/** Money in suspense for a payment has an open case of the same amount, and every open case has its payment. */
export function checkCases({ payments, cases }: Books): Violation[] {
  const byPayment = Map.groupBy(cases, ({ transaction_id }) => transaction_id)
  const known = new Set(payments.map(({ id }) => id))
  return [
    ...payments.flatMap(({ id, suspended }) => {
      const open = byPayment.get(id) ?? []
      const isRight = suspended === '0' ? open.length === 0 : open.length === 1 && open[0]?.amount === suspended
      const found = open.map(({ amount }) => amount).join(', ') || 'none'
      return isRight ? [] : [wrong(id, `${suspended} is in suspense for it, but its open cases are: ${found}`)]
    }),
    ...cases
      .filter(({ transaction_id }) => transaction_id === null || !known.has(transaction_id))
      .map(({ id, amount }): Violation => ({ kind: 'lost', words: `case ${id} has ${amount} for an unknown payment` })),
  ]
}
