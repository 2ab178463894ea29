import { useMatch, useParams } from '@tanstack/react-router'
import type { Environment } from '../api/place.ts'

interface Where {
  /** Missing on the operator's pages. */
  readonly merchantId: string | undefined
  /** Missing where there is no environment, such as on the page of an unknown address. */
  readonly env: Environment | undefined
}

/** Which merchant and environment a page is about. A merchant's environment is in the path, the operator's in the query. */
export function useWhere(): Where {
  const { merchantId, env } = useParams({ strict: false }) as { merchantId?: string; env?: Environment }
  const operator = useMatch({ from: '/operator', shouldThrow: false })
  return { merchantId, env: env ?? (operator && (operator.search.env ?? 'live')) }
}
