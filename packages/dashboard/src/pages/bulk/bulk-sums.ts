import { fromMinor, toMinor } from '../../ui/amount.ts'
import type { CheckedRow } from './use-bulk.ts'

/** What the ready rows of one destination and currency come to. */
export interface DestinationSum {
  readonly destination: string
  readonly currency: string
  readonly debitCurrency: string
  readonly rows: number
  readonly amount: string
  readonly fee: string
}

export interface Sum {
  readonly currency: string
  readonly rows: number
  readonly amount: string
}

interface Part {
  readonly currency: string
  readonly amount: number
}

const destinationOf = ({ item, row }: CheckedRow) => item?.operator?.name ?? row.fields.destination ?? 'Beneficiary'

export function sumsByDestination(ready: readonly CheckedRow[]): DestinationSum[] {
  const keyOf = (each: CheckedRow) =>
    [destinationOf(each), each.item?.currency ?? '', each.item?.debitCurrency ?? ''].join('\n')
  const groups = Map.groupBy(ready, keyOf)
  return [...groups].map(([key, rows]) => {
    const [destination = '', currency = '', debitCurrency = ''] = key.split('\n')
    return {
      destination,
      currency,
      debitCurrency,
      rows: rows.length,
      amount: add(rows.map(({ item }) => ({ currency, amount: item?.amount ?? 0 }))),
      fee: add(rows.map(({ item }) => ({ currency: debitCurrency, amount: item?.fee ?? 0 }))),
    }
  })
}

/** What the beneficiaries get in each currency: the totals that the person types. */
export function sumsByCurrency(ready: readonly CheckedRow[]): Sum[] {
  const groups = Map.groupBy(ready, ({ item }) => item?.currency ?? '')
  return [...groups].map(([currency, rows]) => ({
    currency,
    rows: rows.length,
    amount: add(rows.map(({ item }) => ({ currency, amount: item?.amount ?? 0 }))),
  }))
}

/** What leaves each wallet, fees included. */
export function sumsByWallet(ready: readonly CheckedRow[]): (Sum & { readonly country: string })[] {
  const groups = Map.groupBy(ready, ({ item }) => `${item?.debitCurrency} ${item?.debitCountry}`)
  return [...groups].map(([key, rows]) => {
    const [currency = '', country = ''] = key.split(' ')
    const parts = rows.map(({ item }) => ({ currency, amount: item?.debitAmount ?? 0 }))
    return { currency, country, rows: rows.length, amount: add(parts) }
  })
}

function add(parts: readonly Part[]): string {
  const [first] = parts
  const sum = parts.reduce((total, { amount, currency }) => total + toMinor(amount, currency), 0n)
  return fromMinor(sum, first?.currency ?? '')
}
