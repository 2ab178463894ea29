import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query'
import { merchantApi } from '../../api/merchant-api.ts'
import type { Place } from '../../api/place.ts'
import type { Schemas } from '../../generated/merchant-api.ts'
import type { DeveloperSearch } from './developers-search.ts'

export type KeyPair = Schemas['KeyPair']
export type LoggedRequest = Schemas['LoggedRequest']
export type Endpoint = Schemas['WebhookEndpoint']
export type Delivery = Schemas['WebhookRecord']

export const keysQuery = (place: Place) =>
  queryOptions({
    queryKey: ['keys', place],
    queryFn: async ({ signal }) => (await merchantApi(place)('getKeys', { signal })).data,
  })

const requestsPage = 100

type RequestFilters = Pick<DeveloperSearch, 'status' | 'path' | 'requestId' | 'startDate' | 'endDate'>

/** The merchant's requests, newest first. */
export function requestsQuery(place: Place, search: RequestFilters, zone?: string) {
  const { status, path, requestId, startDate, endDate } = search
  const filters = { status, path, requestId, startDate, endDate, zone }
  return infiniteQueryOptions({
    queryKey: ['request-log', place, filters],
    initialPageParam: undefined as string | undefined,
    queryFn: ({ pageParam: cursor, signal }) =>
      merchantApi(place)('getRequestLog', { query: { ...filters, limit: requestsPage, cursor }, signal }),
    getNextPageParam: ({ nextCursor }) => nextCursor,
  })
}

export const endpointsQuery = (place: Place) =>
  queryOptions({
    queryKey: ['endpoints', place],
    queryFn: async ({ signal }) => (await merchantApi(place)('getWebhookEndpoints', { signal })).data,
  })

/** As many as the server gives at once. */
export const deliveriesMax = 200

export const deliveriesQuery = (place: Place, status?: 'FAILED') =>
  queryOptions({
    queryKey: ['deliveries', place, status ?? 'all'],
    refetchInterval: 15_000,
    queryFn: async ({ signal }) =>
      (await merchantApi(place)('getWebhooks', { query: { limit: deliveriesMax, status }, signal })).data,
  })

export const armedQuery = (place: Place) =>
  queryOptions({
    queryKey: ['armed', place],
    queryFn: async ({ signal }) => (await merchantApi(place)('getUtilitiesScenarios', { signal })).data,
  })
