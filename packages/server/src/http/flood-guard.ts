import { createTokenBuckets, type RateLimit } from '../platform/token-buckets.ts'

/**
 * Finds addresses whose connections are closed without a response. Only for what no client or proxy does by mistake, such as opening
 * hundreds of connections a second beyond the address's share: many clients can share an address, and all of them are cut off.
 */
export interface FloodGuard {
  /** An offence counts by about how many milliseconds it costs. */
  count(address: string, costMs: number): void
  isBlocked(address: string): boolean
}

/** Two percent of a processor are left to an address before all of its clients pay for one of them. */
const limit: RateLimit = { perSecond: 20, burst: 50 }

export function createFloodGuard(now?: () => number): FloodGuard {
  const left = createTokenBuckets(now)
  return {
    count: (address, costMs) => left.owe(address, limit, costMs),
    isBlocked: (address) => left.left(address, limit) < 0,
  }
}
