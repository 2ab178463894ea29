import { type Operations, operations } from '../generated/merchant-api.ts'
import { type Caller, caller } from './caller.ts'
import type { Place } from './place.ts'

export const merchantRoot = ({ merchantId, env }: Place): string =>
  `/dashboard/v1/merchants/${encodeURIComponent(merchantId)}/${env}`

export const merchantApi = (place: Place): Caller<Operations> => caller<Operations>(merchantRoot(place), operations)
