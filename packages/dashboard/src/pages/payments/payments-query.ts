import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query'
import { merchantApi } from '../../api/merchant-api.ts'
import type { Place } from '../../api/place.ts'
import type { PaymentFilters } from './filters.ts'

const pageSize = 100

/** Payments that the filters select, newest first, page by page. */
export function paymentsQuery(place: Place, { open: _, ...filters }: PaymentFilters, q: string | undefined) {
  return infiniteQueryOptions({
    queryKey: ['payments', place, filters, q ?? ''],
    initialPageParam: undefined as string | undefined,
    queryFn: ({ pageParam: cursor, signal }) =>
      merchantApi(place)('getSearchTransactions', {
        query: { ...filters, ...(q !== undefined && { q }), limit: pageSize, cursor } as never,
        signal,
      }),
    getNextPageParam: ({ nextCursor }) => nextCursor || undefined,
  })
}

export function paymentQuery(place: Place, transactionId: string) {
  return queryOptions({
    queryKey: ['payment', place, transactionId],
    queryFn: async ({ signal }) =>
      (await merchantApi(place)('getTransactionsTransactionId', { path: { transactionId }, signal })).data,
  })
}
