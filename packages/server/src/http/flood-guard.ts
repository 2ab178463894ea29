import { createTokenBuckets, type RateLimit } from '../platform/token-buckets.ts'

/**
 * Finds addresses whose connections are closed without a response. Count only what no client or proxy does by mistake, such as
 * opening hundreds of connections a second beyond the address's share: many clients can share an address, and all of them are
 * cut off.
 */
export interface FloodGuard {
  /** Each offence counts by its approximate CPU cost in milliseconds. */
  count(address: string, costMs: number): void
  isBlocked(address: string): boolean
}

/** An address may use two percent of a CPU before all of its clients are blocked. */
const limit: RateLimit = { perSecond: 20, burst: 50 }

export function createFloodGuard(now?: () => number): FloodGuard {
  const left = createTokenBuckets(now)
  return {
    count: (address, costMs) => left.owe(address, limit, costMs),
    isBlocked: (address) => left.left(address, limit) < 0,
  }
}
