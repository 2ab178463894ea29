import { type InfiniteData, infiniteQueryOptions, queryOptions } from '@tanstack/react-query'
import { merchantApi } from '../../api/merchant-api.ts'
import type { Place } from '../../api/place.ts'
import { type FoundPayments, searchPayments, type WantedPayments } from '../../api/search-payments.ts'
import type { Schemas } from '../../generated/merchant-api.ts'
import { apiFiltersOf } from './filter-fields.ts'
import type { PaymentFilters } from './filters.ts'

export type Payment = Schemas['FoundTransaction']
export type PaymentsPage = FoundPayments
export type LoadedPayments = InfiniteData<PaymentsPage, string | undefined>

const pageSize = 100

/** One page of the payments that the filters select, newest first. */
export const readPage = (
  place: Place,
  filters: PaymentFilters,
  q: string,
  input: { readonly cursor?: string | undefined; readonly signal?: AbortSignal },
): Promise<PaymentsPage> =>
  searchPayments(
    place,
    { ...(apiFiltersOf(filters, q) as WantedPayments), limit: pageSize, ...(input.cursor && { cursor: input.cursor }) },
    input.signal,
  )

/** Its days are those of the zone in which times are shown. */
export const paymentsKey = (place: Place, filters: PaymentFilters, q: string) =>
  ['payments', place, apiFiltersOf(filters, q)] as const

/**
 * The list, page by page. It is not read again by itself: rows on the screen follow the stream, and reading many pages again would
 * move the list.
 */
export function paymentsQuery(place: Place, filters: PaymentFilters, q: string) {
  return infiniteQueryOptions({
    queryKey: paymentsKey(place, filters, q),
    initialPageParam: undefined as string | undefined,
    queryFn: ({ pageParam: cursor, signal }) => readPage(place, filters, q, { cursor, signal }),
    getNextPageParam: ({ nextCursor }) => nextCursor || undefined,
    // Rows of the filters before stay until those of the new ones are there, but never rows of another merchant or environment.
    placeholderData: (before: LoadedPayments | undefined, query) =>
      isSame(query?.queryKey[1], place) ? before : undefined,
    // Comparing all rows of all pages at every change costs more than drawing those on the screen.
    structuralSharing: false,
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
  })
}

const isSame = (left: Place | undefined, right: Place) =>
  left?.merchantId === right.merchantId && left.env === right.env

export function paymentQuery(place: Place, transactionId: string) {
  return queryOptions({
    queryKey: ['payment', place, transactionId],
    queryFn: async ({ signal }) =>
      (await merchantApi(place)('getTransactionsTransactionId', { path: { transactionId }, signal })).data,
  })
}

/** How many payments are in doubt: all of them, or that there are more than a page. */
export function doubtsQuery(place: Place) {
  return queryOptions({
    queryKey: ['doubts', place],
    queryFn: async ({ signal }) => {
      const page = await readPage(place, { stage: 'UNCONFIRMED' }, '', { signal })
      return { count: page.data.length, hasMore: page.nextCursor !== '' }
    },
  })
}
