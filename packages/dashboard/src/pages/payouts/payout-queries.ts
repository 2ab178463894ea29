import { queryOptions } from '@tanstack/react-query'
import { merchantApi } from '../../api/merchant-api.ts'
import type { Place } from '../../api/place.ts'
import type { Schemas } from '../../generated/merchant-api.ts'
import type { QuoteBody } from './payout-draft.ts'

export const walletsQuery = (place: Place) =>
  queryOptions({
    queryKey: ['user', place],
    queryFn: ({ signal }) => merchantApi(place)('getUsers', { signal }),
  })

export const controlsQuery = (place: Place) =>
  queryOptions({
    queryKey: ['payout-controls', place],
    queryFn: async ({ signal }) => (await merchantApi(place)('getPayoutControls', { signal })).data,
  })

/** Every reason to refuse the payout, its price, and whether it needs approval. Nothing is made. */
export const validationQuery = (place: Place, body: (QuoteBody & { externalReference: string }) | undefined) =>
  queryOptions({
    queryKey: ['payout-validation', place, body],
    enabled: body !== undefined,
    retry: false,
    staleTime: 0,
    gcTime: 60_000,
    queryFn: async ({ signal }) => {
      const { data } = await merchantApi(place)('postFiatPayoutValidate', { body: body as Schemas['Payout'], signal })
      return data
    },
  })

/** Quotes live for a minute; a new one replaces them before that. */
const quoteMs = 45_000

/** The price that is held for this payout. */
export const quoteQuery = (place: Place, body: QuoteBody | undefined) =>
  queryOptions({
    queryKey: ['quote', place, body],
    enabled: body !== undefined,
    retry: false,
    staleTime: quoteMs,
    gcTime: 0,
    refetchInterval: quoteMs,
    queryFn: async ({ signal }) => {
      const { data } = await merchantApi(place)('postQuotes', { body: body as Schemas['QuoteRequest'], signal })
      return data
    },
  })

export type Quote = Schemas['Quote']
export type Validation = Schemas['ValidatedPayout']
