import { queryOptions } from '@tanstack/react-query'
import { merchantApi } from '../../api/merchant-api.ts'
import type { Place } from '../../api/place.ts'

/** Countries, operators and banks change with a release of the server, not during a visit. */
const staleTime = Number.POSITIVE_INFINITY

export const countriesQuery = (place: Place) =>
  queryOptions({
    queryKey: ['countries', place],
    staleTime,
    queryFn: async ({ signal }) => (await merchantApi(place)('getUtilitiesCountries', { signal })).data,
  })

/** Their state changes: an operator may be paused. */
export const operatorsQuery = (place: Place) =>
  queryOptions({
    queryKey: ['operators', place],
    staleTime: 60_000,
    queryFn: async ({ signal }) => (await merchantApi(place)('getUtilitiesMomoOperators', { signal })).data,
  })

export const banksQuery = (place: Place) =>
  queryOptions({
    queryKey: ['banks', place],
    staleTime,
    queryFn: async ({ signal }) => (await merchantApi(place)('getUtilitiesBanks', { signal })).data,
  })

export const branchesQuery = (place: Place, bankId: number) =>
  queryOptions({
    queryKey: ['branches', place, bankId],
    staleTime,
    queryFn: async ({ signal }) =>
      (await merchantApi(place)('getUtilitiesBranches', { query: { bankId }, signal })).data,
  })
