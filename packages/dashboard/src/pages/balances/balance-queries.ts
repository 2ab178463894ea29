import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query'
import type { AnswerOf, Paged } from '../../api/caller.ts'
import { merchantApi } from '../../api/merchant-api.ts'
import type { Place } from '../../api/place.ts'
import type { Operations, Schemas } from '../../generated/merchant-api.ts'

/** A wallet and days of it, as the URL has them, in the zone in which times are shown. */
export interface Period {
  readonly currency: string
  readonly country: string
  readonly startDate: string
  readonly endDate: string
  readonly zone: string
}

export type Line = Schemas['Statement']['data']['lines'][number]
type Answer = AnswerOf<Operations['getWalletsStatement']>

/** Lines oldest first, page by page. Each page opens with the closing balance of the one before. */
export const statementQuery = (place: Place, period: Period) =>
  infiniteQueryOptions({
    queryKey: ['statement', place, period],
    initialPageParam: undefined as string | undefined,
    queryFn: ({ pageParam: cursor, signal }): Promise<Paged<Answer>> =>
      merchantApi(place)('getWalletsStatement', { query: { ...period, cursor }, signal }),
    getNextPageParam: ({ nextCursor }) => nextCursor,
  })

export type MoneyFlow = Schemas['MoneyFlow']

export const flowQuery = (place: Place, period: Period) =>
  queryOptions({
    queryKey: ['money-flow', place, period],
    queryFn: async ({ signal }) => (await merchantApi(place)('getMoneyFlow', { query: period, signal })).data,
  })

export type Rate = Schemas['HistoricalRates']['data'][number]

export const ratesQuery = (place: Place, from: string, to: string) =>
  queryOptions({
    queryKey: ['rates', place, from, to],
    retry: false,
    staleTime: 60_000,
    queryFn: async ({ signal }) =>
      (await merchantApi(place)('getUtilitiesRatesHistorical', { query: { from, to }, signal })).data,
  })
