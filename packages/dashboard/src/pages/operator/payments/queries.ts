import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query'
import type { InputOf } from '../../../api/caller.ts'
import { operatorApi } from '../../../api/operator-api.ts'
import type { Operations, Schemas } from '../../../generated/operator-api.ts'
import { operatorKey } from '../parts/use-operator.ts'

export type ListedPayment = Schemas['PaymentPage']['payments'][number]
export type Payment = Schemas['Payment']
export type Resolution = Schemas['Resolution']

/** The money leaves. */
export const isOut = (type: ListedPayment['type']): boolean => type === 'payout' || type === 'refund'

type Wanted = Omit<InputOf<Operations['getPayments']>['query'], 'limit' | 'after'>

const pageSize = 100

/** Payments that the filters select, page by page. */
export const paymentsQuery = (wanted: Wanted) =>
  infiniteQueryOptions({
    queryKey: [operatorKey, 'payments', wanted],
    initialPageParam: undefined as string | undefined,
    refetchInterval: 15_000,
    queryFn: async ({ pageParam: after, signal }) =>
      (await operatorApi('getPayments', { query: { ...wanted, limit: pageSize, after }, signal })).data,
    getNextPageParam: ({ next }) => next,
  })

export const paymentQuery = (payment: string) =>
  queryOptions({
    queryKey: [operatorKey, 'payment', payment],
    refetchInterval: 15_000,
    queryFn: async ({ signal }) => (await operatorApi('getPaymentsPayment', { path: { payment }, signal })).data,
  })

/** What each manual resolution would do now. */
export const resolutionsQuery = (payment: string) =>
  queryOptions({
    queryKey: [operatorKey, 'resolutions', payment],
    queryFn: async ({ signal }) =>
      (await operatorApi('getPaymentsPaymentResolutions', { path: { payment }, signal })).data,
  })
