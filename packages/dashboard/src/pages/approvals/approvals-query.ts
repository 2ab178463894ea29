import { queryOptions } from '@tanstack/react-query'
import { merchantApi } from '../../api/merchant-api.ts'
import type { Place } from '../../api/place.ts'
import type { Schemas } from '../../generated/merchant-api.ts'

export type WaitingPayout = Schemas['WaitingPayout']
export type DecidedPayout = Schemas['DecidedPayout']

/** Others decide too, so the list is read again by itself. */
const againMs = 15_000

/** Payouts that wait for a person, the oldest first. */
export const waitingQuery = (place: Place) =>
  queryOptions({
    queryKey: ['approvals', place, 'waiting'],
    refetchInterval: againMs,
    queryFn: async ({ signal }) => (await merchantApi(place)('getApprovals', { signal })).data,
  })

export const decidedQuery = (place: Place) =>
  queryOptions({
    queryKey: ['approvals', place, 'decided'],
    refetchInterval: againMs,
    queryFn: async ({ signal }) => (await merchantApi(place)('getApprovalsDecided', { signal })).data,
  })

export const entriesQuery = (place: Place, transactionId: string) =>
  queryOptions({
    queryKey: ['payment', place, transactionId, 'entries'],
    queryFn: async ({ signal }) =>
      (await merchantApi(place)('getTransactionsTransactionIdEntries', { path: { transactionId }, signal })).data,
  })

export const controlsQuery = (place: Place) =>
  queryOptions({
    queryKey: ['controls', place],
    queryFn: async ({ signal }) => (await merchantApi(place)('getPayoutControls', { signal })).data,
  })

/** A person by name. A key pair is used by the merchant's server: its id says nothing to the approver. */
export const makerOf = ({ madeBy, madeByName }: Pick<WaitingPayout, 'madeBy' | 'madeByName'>): string =>
  madeByName ?? (/^(pk|cred)_/.test(madeBy) ? 'Your server (API)' : madeBy)

/** Who is paid, as far as the person may see it. */
export const receiverOf = ({ beneficiary }: Pick<WaitingPayout, 'beneficiary'>): string =>
  beneficiary.accountName || beneficiary.accountNumber || '–'
