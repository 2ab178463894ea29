import { useParams } from '@tanstack/react-router'
import type { Place } from '../api/place.ts'
import { permissionsIn, useMe } from '../session.ts'

/** The merchant and environment of the page. */
export const usePlace = (): Place => useParams({ from: '/m/$merchantId/$env' })

/** What the person may do there. */
export function useMay(): ReadonlySet<string> {
  return permissionsIn(useMe(), usePlace())
}
