import { type EndpointKey, endpointKeyOf } from '../events/endpoint-tables.ts'

/** How many attempts may be under way. */
export interface SlotLimits {
  /** At endpoints that respond quickly. Every endpoint counts as quick until an attempt has taken `quickMs`. */
  readonly quickMax: number
  readonly quickMs: number
  /** Slow attempts. At this limit, endpoints known as slow get no more. */
  readonly slowMax: number
  /** Both together, so that file descriptors and memory suffice. */
  readonly underWayMax: number
}

/** Slots for deliveries under way, divided so that slow endpoints, however many, leave room for quick ones. */
export interface DeliverySlots {
  hasRoom(): boolean
  /** Endpoints that get no attempt now: those known as slow, while slow attempts fill their share. */
  leftOut(): readonly EndpointKey[]
  /** Takes a slot. The returned function gives it back. */
  take(endpoint: EndpointKey): () => void
}

/** An endpoint is slow from the moment an attempt has taken `quickMs` until one has taken less. */
export function divideSlots(limits: SlotLimits, onSlow: () => void): DeliverySlots {
  const { quickMax, quickMs, slowMax, underWayMax } = limits
  const slowEndpoints = new Map<string, EndpointKey>()
  let [quick, slow] = [0, 0]

  return {
    hasRoom: () => quick < quickMax && quick + slow < underWayMax,
    leftOut: () => (slow < slowMax ? [] : [...slowEndpoints.values()]),
    take: ({ merchant_id, env, endpoint_id }) => {
      const endpoint = { merchant_id, env, endpoint_id }
      const key = endpointKeyOf(endpoint)
      let isSlow = slowEndpoints.has(key)
      let isOverdue = false
      if (isSlow) slow += 1
      else quick += 1
      const timer = setTimeout(() => {
        isOverdue = true
        slowEndpoints.set(key, endpoint)
        if (isSlow) return
        isSlow = true
        quick -= 1
        slow += 1
        onSlow() // It no longer takes the slot of a quick one.
      }, quickMs)
      return () => {
        clearTimeout(timer)
        if (!isOverdue) slowEndpoints.delete(key)
        if (isSlow) slow -= 1
        else quick -= 1
      }
    },
  }
}
