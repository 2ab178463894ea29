import { type QueryClient, queryOptions } from '@tanstack/react-query'
import { merchantApi } from '../../api/merchant-api.ts'
import type { Place } from '../../api/place.ts'
import type { Schemas } from '../../generated/merchant-api.ts'
import { paymentQuery } from '../payments/payments-query.ts'

export type OnePayment = Schemas['OneTransaction']
export type LedgerEntry = Schemas['LedgerEntry']
export type LoggedRequest = Schemas['LoggedRequest']

/** Everything of one payment has a key that starts with the payment's, so that it is read again when the payment changes. */
const keyOf = (place: Place, transactionId: string, part: string) => ['payment', place, transactionId, part] as const

export const entriesQuery = (place: Place, transactionId: string) =>
  queryOptions({
    queryKey: keyOf(place, transactionId, 'entries'),
    queryFn: async ({ signal }) =>
      (await merchantApi(place)('getTransactionsTransactionIdEntries', { path: { transactionId }, signal })).data,
  })

export const webhooksQuery = (place: Place, transactionId: string, isEnabled: boolean) =>
  queryOptions({
    queryKey: keyOf(place, transactionId, 'webhooks'),
    enabled: isEnabled,
    queryFn: async ({ signal }) =>
      (await merchantApi(place)('getWebhooks', { query: { reference: transactionId }, signal })).data,
  })

export const requestsQuery = (place: Place, transactionId: string, isEnabled: boolean) =>
  queryOptions({
    queryKey: keyOf(place, transactionId, 'requests'),
    enabled: isEnabled,
    queryFn: async ({ signal }) =>
      (await merchantApi(place)('getRequestLog', { query: { transactionId }, signal })).data,
  })

/** Requests all that a payment shows at once, before it is drawn. A request in flight is not repeated. */
export function readPayment(queries: QueryClient, place: Place, transactionId: string, may: ReadonlySet<string>): void {
  const isDeveloper = may.has('webhooks:read')
  void queries.prefetchQuery(paymentQuery(place, transactionId))
  void queries.prefetchQuery(entriesQuery(place, transactionId))
  if (!isDeveloper) return
  void queries.prefetchQuery(webhooksQuery(place, transactionId, isDeveloper))
  void queries.prefetchQuery(requestsQuery(place, transactionId, isDeveloper))
}
