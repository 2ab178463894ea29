import { queryOptions } from '@tanstack/react-query'
import { merchantApi } from '../../api/merchant-api.ts'
import type { Place } from '../../api/place.ts'
import type { Schemas } from '../../generated/merchant-api.ts'
import type { PaymentFilters } from './filters.ts'

export type SavedView = Omit<Schemas['SavedView'], 'filters'> & { readonly filters: Omit<PaymentFilters, 'open'> }

export const savedViewsKey = (place: Place) => ['saved-views', place] as const

export function savedViewsQuery(place: Place) {
  return queryOptions({
    queryKey: savedViewsKey(place),
    staleTime: 60_000,
    queryFn: async ({ signal }) => (await merchantApi(place)('getSavedViews', { signal })).data as readonly SavedView[],
  })
}
