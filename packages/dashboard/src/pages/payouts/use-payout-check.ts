import { keepPreviousData, useQuery } from '@tanstack/react-query'
import type { Place } from '../../api/place.ts'
import { useDebounced } from '../../ui/use-debounced.ts'
import { type PayoutDraft, type QuoteBody, quoteBody, type Wallet } from './payout-draft.ts'
import { type Quote, quoteQuery, type Validation, validationQuery } from './payout-queries.ts'
import { plainMessage } from './plain-message.ts'

export interface PayoutCheck {
  readonly validation: Validation | undefined
  /** Held by the server, and of exactly what is entered. */
  readonly quote: Quote | undefined
  readonly error: Error | null
  /** What is entered is not checked yet. */
  readonly isChecking: boolean
  /** Problems of fields that the person has filled. */
  readonly problemOf: (field: string) => string | undefined
}

/** Stands in for a reference that is not entered yet, so that the rest is checked already. */
const noReference = 'not-entered-yet'

/**
 * Has the server check and price what is entered, once the person pauses. While `isFrozen`, the quote stays as it is: a request that
 * got no response must be repeated exactly.
 */
export function usePayoutCheck(
  place: Place,
  draft: PayoutDraft,
  wallet: Wallet | undefined,
  isFrozen: boolean,
): PayoutCheck {
  const entered = JSON.stringify([quoteBody(draft, wallet) ?? null, draft.reference.trim()])
  const settled = useDebounced(entered)
  const [body, reference] = JSON.parse(settled) as [QuoteBody | null, string]
  const whole = body ? { ...body, externalReference: reference || noReference } : undefined
  const validated = useQuery({ ...validationQuery(place, whole), placeholderData: keepPreviousData })
  const validation = body ? validated.data : undefined
  const isAcceptable = isAccepted(validation) && !validated.isPlaceholderData
  const frozen = isFrozen ? { refetchInterval: false as const, staleTime: Number.POSITIVE_INFINITY } : {}
  const quoted = useQuery({ ...quoteQuery(place, isAcceptable ? (body ?? undefined) : undefined), ...frozen })
  const isCurrent = entered === settled
  return {
    validation,
    quote: isCurrent && isAcceptable ? quoted.data : undefined,
    error: validated.error ?? quoted.error,
    isChecking: !isCurrent || validated.isFetching || quoted.isLoading,
    problemOf: (field) => {
      const problem = validation?.problems.find((each) => each.field === field)
      return problem && plainMessage(problem.message)
    },
  }
}

const isAccepted = (validation: Validation | undefined) => validation?.isAcceptable === true
