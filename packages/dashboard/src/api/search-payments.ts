import type { Operations } from '../generated/merchant-api.ts'
import type { AnswerOf } from './caller.ts'
import { merchantApi } from './merchant-api.ts'
import type { Place } from './place.ts'

export type FoundPayments = AnswerOf<Operations['getSearchTransactions']>
export type WantedPayments = NonNullable<Operations['getSearchTransactions']['query']>

/** A page of payments. A text to search for is not in the URL: it may be a phone number, and proxies log URLs. */
export function searchPayments(place: Place, wanted: WantedPayments, signal?: AbortSignal): Promise<FoundPayments> {
  const input = signal ? { signal } : {}
  return wanted.q === undefined
    ? merchantApi(place)('getSearchTransactions', { ...input, query: wanted })
    : merchantApi(place)('postSearchTransactions', { ...input, body: wanted })
}
