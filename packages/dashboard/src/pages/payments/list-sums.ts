import { fromMinor, toMinor } from '../../ui/amount.ts'
import { isOut } from './counterparty.ts'

type Listed = Parameters<typeof isOut>[0] & {
  readonly status: string
  readonly amount: number
  readonly currency: string
}

interface Sum {
  readonly currency: string
  readonly amount: string
  readonly isOut: boolean
  readonly about: string
}

/** What the completed payments of a list come to, for each currency and direction. */
export function sumsOf(payments: readonly Listed[]): readonly Sum[] {
  const completed = payments.filter(({ status }) => status === 'SUCCESSFUL')
  const groups = Map.groupBy(completed, (payment) => `${payment.currency} ${isOut(payment) ? 'out' : 'in'}`)
  return [...groups]
    .toSorted(([left], [right]) => left.localeCompare(right))
    .map(([key, some]) => {
      const [currency = '', direction = ''] = key.split(' ')
      const minor = some.reduce((sum, { amount }) => sum + toMinor(amount, currency), 0n)
      const about = `in ${some.length.toLocaleString('en')} ${direction === 'out' ? 'sent' : 'received'}`
      return { currency, amount: fromMinor(minor, currency), isOut: direction === 'out', about }
    })
}
