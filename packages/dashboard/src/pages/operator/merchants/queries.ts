import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query'
import { operatorApi } from '../../../api/operator-api.ts'
import type { Environment } from '../../../api/place.ts'
import type { Schemas } from '../../../generated/operator-api.ts'
import { operatorKey } from '../parts/use-operator.ts'

export type Merchant = Schemas['Merchant']
export type Overview = Schemas['MerchantOverview']

const pageSize = 200

export const merchantsQuery = infiniteQueryOptions({
  queryKey: [operatorKey, 'merchants'],
  initialPageParam: undefined as string | undefined,
  queryFn: async ({ pageParam: after, signal }) =>
    (await operatorApi('getMerchants', { query: { limit: pageSize, after }, signal })).data,
  getNextPageParam: (page) => (page.length < pageSize ? undefined : page.at(-1)?.id),
})

export const merchantQuery = (merchant: string) =>
  queryOptions({
    queryKey: [operatorKey, 'merchant', merchant],
    queryFn: async ({ signal }) => (await operatorApi('getMerchantsMerchant', { path: { merchant }, signal })).data,
  })

export const currenciesQuery = (merchant: string) =>
  queryOptions({
    queryKey: [operatorKey, 'currencies', merchant],
    queryFn: async ({ signal }) =>
      (await operatorApi('getMerchantsMerchantCurrencies', { path: { merchant }, signal })).data,
  })

/** Rules of every merchant, and of each. */
export const feesQuery = (env: Environment) =>
  queryOptions({
    queryKey: [operatorKey, 'fees', env],
    queryFn: async ({ signal }) => (await operatorApi('getFees', { query: { env, isHistory: false }, signal })).data,
  })
