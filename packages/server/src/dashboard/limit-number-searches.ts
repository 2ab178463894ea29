import type { FastifyRequest } from 'fastify'
import { hasBearer } from '../auth/request-bearer.ts'
import { AppError } from '../errors.ts'
import type { App } from '../http/app.ts'
import { mayBeNumber } from '../people/personal-data.ts'
import { principalOf } from '../people/request-principal.ts'
import { seesNumbers } from '../people/sees-numbers.ts'
import { createTokenBuckets } from '../platform/token-buckets.ts'

/** Typing one number is a few searches. */
const limit = { perSecond: 300 / 3600, burst: 300 }

/**
 * People who see masked numbers find a payment by the number that a customer names. Trying numbers until one is found would reveal the
 * masked digits, so they search for few numbers in an hour.
 */
export function limitNumberSearches(app: App): void {
  const searches = createTokenBuckets()
  app.addHook('preHandler', async (request) => {
    if (!mayBeNumber(textOf(request)) || !hasBearer(request) || seesNumbers(request)) return
    if (!searches.take(principalOf(request).id, limit)) throw tooManySearches()
  })
}

/** What is searched for, in the query or in the body. */
function textOf({ query, body }: FastifyRequest): string {
  const { q } = { ...(query as object), ...(body as object | undefined) } as { readonly q?: unknown }
  return typeof q === 'string' ? q : ''
}

const tooManySearches = () =>
  new AppError('RATE_LIMIT_EXCEEDED', {
    message: 'You searched for too many numbers.',
    headers: { 'retry-after': '60' },
    fix: 'Wait a minute, or find the payment by its reference.',
  })
