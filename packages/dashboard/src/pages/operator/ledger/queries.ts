import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query'
import { operatorApi } from '../../../api/operator-api.ts'
import type { Environment } from '../../../api/place.ts'
import type { Schemas } from '../../../generated/operator-api.ts'
import { operatorKey } from '../parts/use-operator.ts'

export type Account = Schemas['LedgerAccount']
export type TrialBalanceData = Schemas['TrialBalance']
export type Integrity = Schemas['LedgerIntegrity']
export type Entry = Schemas['LedgerEntries']['entries'][number]

export const trialBalanceQuery = (env: Environment) =>
  queryOptions({
    queryKey: [operatorKey, 'trial-balance', env],
    refetchInterval: 30_000,
    queryFn: async ({ signal }) => (await operatorApi('getLedgerTrialBalance', { query: { env }, signal })).data,
  })

export const integrityQuery = queryOptions({
  queryKey: [operatorKey, 'integrity'],
  refetchInterval: 60_000,
  queryFn: async ({ signal }) => (await operatorApi('getLedgerIntegrity', { signal })).data,
})

const pageSize = 100

export interface AccountsWanted {
  readonly env: Environment
  readonly currency?: string
  readonly kind?: Account['kind']
  readonly merchant?: string
}

export const accountsQuery = (wanted: AccountsWanted) =>
  infiniteQueryOptions({
    queryKey: [operatorKey, 'accounts', wanted],
    initialPageParam: undefined as string | undefined,
    queryFn: async ({ pageParam: after, signal }) =>
      (await operatorApi('getLedgerAccounts', { query: { ...wanted, limit: pageSize, after }, signal })).data,
    getNextPageParam: ({ next }) => next,
  })

export const entriesQuery = (account: string) =>
  infiniteQueryOptions({
    queryKey: [operatorKey, 'entries', account],
    initialPageParam: undefined as string | undefined,
    queryFn: async ({ pageParam: cursor, signal }) =>
      (
        await operatorApi('getLedgerAccountsAccountEntries', {
          path: { account },
          query: { limit: pageSize, cursor },
          signal,
        })
      ).data,
    getNextPageParam: ({ next }) => next,
  })
