import { queryOptions } from '@tanstack/react-query'
import { merchantApi } from '../../api/merchant-api.ts'
import type { Place } from '../../api/place.ts'
import type { Schemas } from '../../generated/merchant-api.ts'
import type { QuoteBody, Wallet } from './payout-draft.ts'

/** Wallets that pay and get paid come before those that only exist. */
const useOf = ({ pending, balance }: Wallet) => (pending > 0 ? 2 : 0) + (balance !== 0 ? 1 : 0)

export const walletsQuery = (place: Place) =>
  queryOptions({
    queryKey: ['user', place],
    queryFn: ({ signal }) => merchantApi(place)('getUsers', { signal }),
    select: (user) => ({ ...user, wallets: user.wallets.toSorted((a, b) => useOf(b) - useOf(a)) }),
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
