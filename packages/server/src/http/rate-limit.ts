import type { FastifyReply, FastifyRequest } from 'fastify'
import { bearerOf, hasBearer } from '../auth/request-bearer.ts'
import type { Config } from '../config.ts'
import { AppError } from '../errors.ts'
import { BoundedMap } from '../platform/bounded-map.ts'
import type { Environment, Owner } from '../platform/db.ts'

interface Bucket {
  tokens: number
  filledAt: number
}

const merchantsMax = 100_000

/**
 * Holds a merchant to so many requests a second in each environment, with a burst of one second's worth. A request counts
 * as one when it comes, and as more once its body shows that it is: what is over is owed, and the next ones wait for it.
 */
export function createRateLimit(config: Config, now: () => number = () => performance.now()) {
  const buckets = new BoundedMap<string, Bucket>(merchantsMax)
  const limits: Record<Environment, number> = { live: config.liveRateLimit, sandbox: config.sandboxRateLimit }

  const bucketOf = ({ merchant_id, env }: Owner): Bucket => {
    const key = `${merchant_id} ${env}`
    const bucket = buckets.get(key) ?? { tokens: limits[env], filledAt: now() }
    if (!buckets.has(key)) buckets.set(key, bucket)
    refill(bucket, limits[env], now())
    return bucket
  }
  const tell = (reply: FastifyReply, { tokens }: Bucket, limit: number) =>
    reply.headers({
      'ratelimit-limit': limit,
      'ratelimit-remaining': Math.max(0, Math.floor(tokens)),
      'ratelimit-reset': Math.ceil((limit - tokens) / limit),
    })

  return {
    admit: (request: FastifyRequest, reply: FastifyReply): void => {
      if (!hasBearer(request)) return
      const bearer = bearerOf(request)
      const bucket = bucketOf(bearer)
      const isWithin = bucket.tokens >= 1
      if (isWithin) bucket.tokens -= 1
      tell(reply, bucket, limits[bearer.env])
      if (!isWithin) throw new AppError('RATE_LIMIT_EXCEEDED', { headers: { 'retry-after': '1' } })
    },
    owe: (request: FastifyRequest, reply: FastifyReply, units: number): void => {
      const bearer = bearerOf(request)
      const bucket = bucketOf(bearer)
      bucket.tokens -= units
      tell(reply, bucket, limits[bearer.env])
    },
  }
}

function refill(bucket: Bucket, limit: number, at: number): void {
  bucket.tokens = Math.min(limit, bucket.tokens + ((at - bucket.filledAt) / 1000) * limit)
  bucket.filledAt = at
}
