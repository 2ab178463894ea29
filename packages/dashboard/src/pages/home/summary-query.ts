import { queryOptions } from '@tanstack/react-query'
import { merchantApi } from '../../api/merchant-api.ts'
import type { Place } from '../../api/place.ts'
import type { Schemas } from '../../generated/merchant-api.ts'

export type Summary = Schemas['Summary']

const againMs = 15_000

/** Today in one currency and zone, compared with the same weekday a week ago. */
export const summaryQuery = (place: Place, currency: string, zone: string) =>
  queryOptions({
    queryKey: ['summary', place, currency, zone],
    refetchInterval: againMs,
    queryFn: async ({ signal }) => (await merchantApi(place)('getSummary', { query: { currency, zone }, signal })).data,
  })

const latestCount = 8

export const latestQuery = (place: Place) =>
  queryOptions({
    queryKey: ['latest-payments', place],
    refetchInterval: againMs,
    queryFn: async ({ signal }) =>
      (await merchantApi(place)('getSearchTransactions', { query: { limit: latestCount }, signal })).data,
  })
