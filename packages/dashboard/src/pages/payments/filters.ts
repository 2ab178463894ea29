import { textsIn } from '../../search.ts'

/**
 * What the list of payments shows. All of it is in the URL, so that a view can be saved and shared. What a person searches for is
 * not: it may be a phone number, and URLs are kept in histories and logs.
 */
export interface PaymentFilters {
  readonly status?: 'pending' | 'successful' | 'failed'
  readonly stage?: string
  readonly type?: string
  readonly method?: string
  readonly currency?: string
  readonly country?: string
  readonly minAmount?: number
  readonly maxAmount?: number
  /** A day of the reader's zone, or one of the moving ones such as `today`. */
  readonly startDate?: string
  readonly endDate?: string
  readonly reference?: string
  /** The open payment. */
  readonly open?: string
}

const texts = ['stage', 'type', 'method', 'currency', 'country', 'startDate', 'endDate', 'reference', 'open'] as const
const amounts = ['minAmount', 'maxAmount'] as const

/** Keeps what is known and drops the rest: a URL is written by anyone. */
export function readPaymentFilters(search: Record<string, unknown>): PaymentFilters {
  const { status } = search
  return {
    ...textsIn(search, texts),
    ...Object.fromEntries(amounts.flatMap((name) => amountIn(search, name))),
    ...((status === 'pending' || status === 'successful' || status === 'failed') && { status }),
  }
}

function amountIn(search: Record<string, unknown>, name: string): [string, number][] {
  const value = Number(search[name] ?? Number.NaN)
  return Number.isFinite(value) && value >= 0 ? [[name, value]] : []
}
