import { exponents } from '../../generated/values.ts'
import { dayBefore, dayIn } from '../../ui/time-text.ts'
import { zoneChoice, zoneName, zoneWord } from '../../ui/zone.ts'
import type { PaymentFilters } from './filters.ts'

type Filters = Omit<PaymentFilters, 'open'>
type FieldName = 'date' | 'status' | 'stage' | 'type' | 'method' | 'currency' | 'country' | 'amount' | 'reference'

interface Choice {
  readonly value: string
  readonly word: string
}

export interface Field {
  readonly name: FieldName
  readonly word: string
  /** The filters that it sets. */
  readonly sets: readonly (keyof Filters)[]
  readonly choices?: readonly Choice[]
}

/** Days that move: a view of today is one of today tomorrow, too. */
const movingDays: Readonly<Record<string, { readonly word: string; readonly daysBack: number }>> = {
  today: { word: 'Today', daysBack: 0 },
  'last-7-days': { word: 'Last 7 days', daysBack: 6 },
  'last-30-days': { word: 'Last 30 days', daysBack: 29 },
}

/** The zone of all days here: the one in which every time is shown. */
const zone = () => zoneName(zoneChoice.get())

/** A day as the API takes it. */
export const dayOf = (text: string): string => {
  const moving = movingDays[text]
  return moving ? dayBefore(moving.daysBack, zone()) : text
}

export const fields: readonly Field[] = [
  {
    name: 'date',
    word: 'Date',
    sets: ['startDate', 'endDate'],
    choices: Object.entries(movingDays).map(([value, { word }]) => ({ value, word })),
  },
  {
    name: 'status',
    word: 'Status',
    sets: ['status'],
    choices: [
      { value: 'pending', word: 'In progress' },
      { value: 'successful', word: 'Completed' },
      { value: 'failed', word: 'Failed' },
    ],
  },
  {
    name: 'stage',
    word: 'Stage',
    sets: ['stage'],
    choices: [
      { value: 'AWAITING_APPROVAL', word: 'Awaiting approval' },
      { value: 'PROCESSING', word: 'Processing' },
      { value: 'AWAITING_CUSTOMER', word: 'Awaiting customer' },
      { value: 'UNCONFIRMED', word: 'In doubt' },
    ],
  },
  {
    name: 'type',
    word: 'Type',
    sets: ['type'],
    choices: [
      { value: 'deposit', word: 'Charge' },
      { value: 'withdrew', word: 'Payout' },
      { value: 'refund', word: 'Refund' },
      { value: 'conversion', word: 'Conversion' },
      { value: 'adjustment', word: 'Adjustment' },
    ],
  },
  {
    name: 'method',
    word: 'Method',
    sets: ['method'],
    choices: [
      { value: 'momo', word: 'Mobile money' },
      { value: 'card', word: 'Card' },
      { value: 'bank-transfer', word: 'Bank transfer' },
      { value: 'bank', word: 'Bank' },
      { value: 'conversion', word: 'Conversion' },
    ],
  },
  {
    name: 'currency',
    word: 'Currency',
    sets: ['currency'],
    choices: Object.keys(exponents).map((code) => ({ value: code, word: code })),
  },
  { name: 'country', word: 'Country', sets: ['country'] },
  { name: 'amount', word: 'Amount', sets: ['minAmount', 'maxAmount'] },
  { name: 'reference', word: 'Reference', sets: ['reference'] },
]

export const isSet = (filters: Filters, { sets }: Field): boolean => sets.some((name) => filters[name] !== undefined)

/** A new object without the filters of a field. */
export const without = (filters: PaymentFilters, { sets }: Field): PaymentFilters =>
  Object.fromEntries(
    Object.entries(filters).filter(([name]) => !(sets as readonly string[]).includes(name)),
  ) as PaymentFilters

const number = new Intl.NumberFormat('en', { maximumFractionDigits: 3 })

/** The operator and the value of a filter, in words. */
export function wordsOf(filters: Filters, field: Field): { readonly operator: string; readonly value: string } {
  if (field.name === 'date') return dateWords(filters)
  if (field.name === 'amount') return amountWords(filters)
  const [name] = field.sets
  const value = String(name === undefined ? '' : filters[name])
  return { operator: 'is', value: field.choices?.find((choice) => choice.value === value)?.word ?? value }
}

function dateWords({ startDate, endDate }: Filters) {
  const zoneText = zoneWord(zoneChoice.get())
  const moving = movingDays[startDate ?? '']
  if (moving && endDate === undefined) return { operator: 'is', value: `${moving.word}, ${zoneText}` }
  if (startDate === undefined) return { operator: 'until', value: `${endDate}, ${zoneText}` }
  if (endDate === undefined) return { operator: 'from', value: `${dayOf(startDate)}, ${zoneText}` }
  if (startDate === endDate) return { operator: 'is', value: `${startDate}, ${zoneText}` }
  return { operator: 'between', value: `${dayOf(startDate)} and ${endDate}, ${zoneText}` }
}

function amountWords({ minAmount, maxAmount }: Filters) {
  if (minAmount === undefined) return { operator: 'at most', value: number.format(maxAmount ?? 0) }
  if (maxAmount === undefined) return { operator: 'at least', value: number.format(minAmount) }
  if (minAmount === maxAmount) return { operator: 'is', value: number.format(minAmount) }
  return { operator: 'between', value: `${number.format(minAmount)} and ${number.format(maxAmount)}` }
}

/** Whether a moment is not after the last of the days. */
export const isUntil = (endDate: string | undefined, at: string): boolean =>
  endDate === undefined || dayOf(endDate) >= dayIn(at, zone())

/** The filters as the API takes them. */
export function apiFiltersOf({ open: _, reference, startDate, endDate, ...rest }: PaymentFilters, q: string) {
  const hasDays = startDate !== undefined || endDate !== undefined
  const text = reference ?? (q === '' ? undefined : q)
  return {
    ...rest,
    ...(startDate !== undefined && { startDate: dayOf(startDate) }),
    ...(endDate !== undefined && { endDate: dayOf(endDate) }),
    ...(hasDays && { zone: zone() }),
    ...(text !== undefined && { q: text }),
  }
}
