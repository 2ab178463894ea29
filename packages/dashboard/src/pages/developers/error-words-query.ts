import { queryOptions } from '@tanstack/react-query'

/** Cause and fix of every error code: a file of its own, loaded when an error is looked at. */
export const errorWordsQuery = queryOptions({
  queryKey: ['error-words'],
  staleTime: Number.POSITIVE_INFINITY,
  queryFn: async () => (await import('../../generated/error-words.ts')).errorWords,
})
