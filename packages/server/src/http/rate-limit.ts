import type { FastifyReply, FastifyRequest } from 'fastify'
import { bearerOf, hasBearer } from '../auth/request-bearer.ts'
import type { Config } from '../config.ts'
import { AppError } from '../errors.ts'
import { BoundedMap } from '../platform/bounded-map.ts'
import type { Environment } from '../platform/db.ts'

interface Bucket {
  tokens: number
  filledAt: number
}

const merchantsMax = 100_000

/** Holds a merchant to so many requests a second in each environment, with a burst of one second's worth. */
export function createRateLimit(config: Config, now: () => number = () => performance.now()) {
  const buckets = new BoundedMap<string, Bucket>(merchantsMax)
  const limits: Record<Environment, number> = { live: config.liveRateLimit, sandbox: config.sandboxRateLimit }

  return async (request: FastifyRequest, reply: FastifyReply): Promise<void> => {
    if (!hasBearer(request)) return
    const { merchant_id, env } = bearerOf(request)
    const limit = limits[env]
    const key = `${merchant_id} ${env}`
    const bucket = buckets.get(key) ?? { tokens: limit, filledAt: now() }
    if (!buckets.has(key)) buckets.set(key, bucket)
    refill(bucket, limit, now())
    const isWithin = bucket.tokens >= 1
    if (isWithin) bucket.tokens -= 1
    reply.headers({
      'ratelimit-limit': limit,
      'ratelimit-remaining': Math.floor(bucket.tokens),
      'ratelimit-reset': Math.ceil((limit - bucket.tokens) / limit),
    })
    if (!isWithin) throw new AppError('RATE_LIMIT_EXCEEDED', { headers: { 'retry-after': '1' } })
  }
}

function refill(bucket: Bucket, limit: number, at: number): void {
  bucket.tokens = Math.min(limit, bucket.tokens + ((at - bucket.filledAt) / 1000) * limit)
  bucket.filledAt = at
}
