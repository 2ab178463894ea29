import type { FastifyReply, FastifyRequest } from 'fastify'
import { bearerOf, hasBearer } from '../auth/request-bearer.ts'
import type { Config } from '../config.ts'
import { AppError } from '../errors.ts'
import { hasPrincipal, principalOf } from '../people/request-principal.ts'
import type { Environment, Owner } from '../platform/db.ts'
import { createTokenBuckets, type RateLimit } from '../platform/token-buckets.ts'

/** A response counts as one request for every started block of this size. */
const bytesPerUnit = 16 * 1024

export const rateRefusal = () => new AppError('RATE_LIMIT_EXCEEDED', { headers: { 'retry-after': '1' } })

/**
 * Limits a merchant's requests per second in each environment, with a burst of one second. A request counts as one on arrival,
 * and as more once its body or response shows its cost: the excess is a debt that later requests wait for. People and the
 * operator's machines have limits of their own.
 */
export function createRateLimit(config: Config, now?: () => number) {
  const buckets = createTokenBuckets(now)
  const limits: Record<Environment, RateLimit> = {
    live: { perSecond: config.liveRateLimit, burst: config.liveRateLimit },
    sandbox: { perSecond: config.sandboxRateLimit, burst: config.sandboxRateLimit },
  }
  const people = createTokenBuckets(now)
  const ofPeople = { perSecond: config.peopleRateLimit, burst: 2 * config.peopleRateLimit }
  const keyOf = ({ merchant_id, env }: Owner) => `${merchant_id} ${env}`
  const leftOf = (owner: Owner) => buckets.left(keyOf(owner), limits[owner.env])
  const headersOf = (owner: Owner) => {
    const { perSecond, burst } = limits[owner.env]
    const left = leftOf(owner)
    return {
      'ratelimit-limit': perSecond,
      'ratelimit-remaining': Math.max(0, Math.floor(left)),
      'ratelimit-reset': Math.ceil((burst - left) / perSecond),
    }
  }
  const notify = (reply: FastifyReply, owner: Owner) => reply.headers(headersOf(owner))
  const owe = (request: FastifyRequest, reply: FastifyReply, units: number) => {
    if (hasPrincipal(request)) return people.owe(principalOf(request).id, ofPeople, units)
    const bearer = bearerOf(request)
    buckets.owe(keyOf(bearer), limits[bearer.env], units)
    notify(reply, bearer)
  }
  return {
    headersOf,
    /** Whether the merchant's next request would be refused. */
    isOver: (owner: Owner): boolean => leftOf(owner) < 1,
    admit: (request: FastifyRequest, reply: FastifyReply): void => {
      if (hasPrincipal(request) && !people.take(principalOf(request).id, ofPeople)) throw rateRefusal()
      if (!hasBearer(request)) return
      const bearer = bearerOf(request)
      const isWithin = buckets.take(keyOf(bearer), limits[bearer.env])
      notify(reply, bearer)
      if (!isWithin) throw rateRefusal()
    },
    owe,
    /** Counts a long response as several requests, because it costs as much. */
    countSize: (request: FastifyRequest, reply: FastifyReply, payload: unknown): void => {
      const isLong = typeof payload === 'string' && payload.length > bytesPerUnit
      if (isLong && hasBearer(request)) owe(request, reply, Math.ceil(payload.length / bytesPerUnit) - 1)
    },
  }
}
