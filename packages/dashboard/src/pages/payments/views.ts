import { dayOf } from './filter-fields.ts'
import type { PaymentFilters } from './filters.ts'

type Filters = Omit<PaymentFilters, 'open'>

export interface View {
  readonly name: string
  readonly filters: Filters
}

/** The views that everyone has. */
export const builtInViews: readonly View[] = [
  { name: 'All', filters: {} },
  { name: 'Charges', filters: { type: 'deposit' } },
  { name: 'Payouts', filters: { type: 'withdrew' } },
  { name: 'In doubt', filters: { stage: 'UNCONFIRMED' } },
  { name: 'Failed today', filters: { status: 'failed', startDate: 'today' } },
]

const sorted = (filters: object) =>
  JSON.stringify(Object.entries(filters).sort(([left], [right]) => (left < right ? -1 : 1)))

export const isSameView = (left: Filters, { open: _, ...right }: PaymentFilters): boolean =>
  sorted(left) === sorted(right)

/** What can be kept of the filters: a reference is one payment, and a day that moves is kept as it is today. */
export function keptFilters({ open: _, reference: __, startDate, endDate, ...rest }: PaymentFilters): Filters {
  return {
    ...rest,
    ...(startDate !== undefined && { startDate: dayOf(startDate) }),
    ...(endDate !== undefined && { endDate: dayOf(endDate) }),
  }
}
