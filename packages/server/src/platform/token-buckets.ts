import { BoundedMap } from './bounded-map.ts'

interface Bucket {
  tokens: number
  filledAt: number
}

/** Limits each key to a number of units a second, with a burst. Memory is bounded: the oldest keys are dropped. */
export interface TokenBuckets {
  /** Takes one unit if one is available. */
  take(key: string, limit: RateLimit): boolean
  /** Takes units even when they are not available: the key then waits until they are. */
  owe(key: string, limit: RateLimit, units: number): void
  /** Units left now. Negative when some are owed. */
  left(key: string, limit: RateLimit): number
}

export interface RateLimit {
  readonly perSecond: number
  /** The most units that can be saved up. */
  readonly burst: number
}

const keysMax = 100_000

export function createTokenBuckets(now: () => number = () => performance.now()): TokenBuckets {
  const buckets = new BoundedMap<string, Bucket>(keysMax)
  const filled = (key: string, { perSecond, burst }: RateLimit): Bucket => {
    const bucket = buckets.get(key) ?? { tokens: burst, filledAt: now() }
    if (!buckets.has(key)) buckets.set(key, bucket)
    bucket.tokens = Math.min(burst, bucket.tokens + ((now() - bucket.filledAt) / 1000) * perSecond)
    bucket.filledAt = now()
    return bucket
  }
  return {
    take: (key, limit) => {
      const bucket = filled(key, limit)
      const isThere = bucket.tokens >= 1
      if (isThere) bucket.tokens -= 1
      return isThere
    },
    owe: (key, limit, units) => {
      filled(key, limit).tokens -= units
    },
    left: (key, limit) => filled(key, limit).tokens,
  }
}
