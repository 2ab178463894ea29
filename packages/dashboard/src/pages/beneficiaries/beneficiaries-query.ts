import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query'
import type { AnswerOf, Paged } from '../../api/caller.ts'
import { merchantApi } from '../../api/merchant-api.ts'
import type { Place } from '../../api/place.ts'
import type { Operations } from '../../generated/merchant-api.ts'

const pageSize = 100

/** Every list of beneficiaries, to be read again after a change. */
export const beneficiariesKey = (place: Place) => ['beneficiaries', place] as const

function readPage(place: Place, cursor: string | undefined, signal: AbortSignal): Promise<Paged<Listed>> {
  const query = { type: 'payout', limit: pageSize, cursor } as const
  return merchantApi(place)('getExternalAccounts', { query, signal })
}

type Listed = AnswerOf<Operations['getExternalAccounts']>

/** The newest beneficiaries, for a choice. */
export const beneficiariesQuery = (place: Place) =>
  queryOptions({
    queryKey: [...beneficiariesKey(place), 'newest'],
    queryFn: ({ signal }) => readPage(place, undefined, signal),
  })

/** All beneficiaries, page by page, newest first. */
export const allBeneficiariesQuery = (place: Place) =>
  infiniteQueryOptions({
    queryKey: [...beneficiariesKey(place), 'all'],
    initialPageParam: undefined as string | undefined,
    queryFn: ({ pageParam, signal }) => readPage(place, pageParam, signal),
    getNextPageParam: ({ nextCursor }) => nextCursor,
  })
