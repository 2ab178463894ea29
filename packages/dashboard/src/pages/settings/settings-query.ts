import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query'
import { merchantApi } from '../../api/merchant-api.ts'
import { peopleApi } from '../../api/people-api.ts'
import type { Place } from '../../api/place.ts'
import type { Schemas } from '../../generated/merchant-api.ts'

export type Team = Schemas['Team']
export type AuditEntry = Schemas['AuditEntry']
export type Controls = Schemas['PayoutControls']

export const profileQuery = (place: Place) =>
  queryOptions({
    queryKey: ['user', place],
    queryFn: ({ signal }) => merchantApi(place)('getUsers', { signal }),
  })

export const teamQuery = (place: Place) =>
  queryOptions({
    queryKey: ['team', place],
    queryFn: async ({ signal }) => (await merchantApi(place)('getPeople', { signal })).data,
  })

export const passkeysQuery = queryOptions({
  queryKey: ['passkeys'],
  queryFn: async ({ signal }) => (await peopleApi('getPasskeys', { signal })).data,
})

export const sessionsQuery = queryOptions({
  queryKey: ['sessions'],
  queryFn: async ({ signal }) => (await peopleApi('getSessions', { signal })).data,
})

const auditPage = 100

/** Entries of the merchant, newest first. */
export const auditQuery = (place: Place) =>
  infiniteQueryOptions({
    queryKey: ['audit', place],
    initialPageParam: undefined as string | undefined,
    queryFn: async ({ pageParam: after, signal }) =>
      (await merchantApi(place)('getAudit', { query: { limit: auditPage, after }, signal })).data,
    getNextPageParam: (page) => (page.length === auditPage ? page.at(-1)?.id : undefined),
  })
