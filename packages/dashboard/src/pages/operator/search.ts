import type { Environment } from '../../api/place.ts'

/** The environment of all pages of the operator is in the URL, as everything that they show. */
export interface OperatorSearch {
  readonly env?: Environment
}

export const readOperatorSearch = ({ env }: Record<string, unknown>): OperatorSearch =>
  env === 'sandbox' || env === 'live' ? { env } : {}
