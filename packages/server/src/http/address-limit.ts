import type { IncomingMessage } from 'node:http'
import type { FastifyRequest } from 'fastify'
import { tokenOf } from '../auth/bearer-token.ts'
import type { Config } from '../config.ts'
import type { Context } from '../context.ts'
import { AppError } from '../errors.ts'
import { allowing, clientAddress, countedAs } from '../platform/addresses.ts'
import type { Log } from '../platform/log.ts'
import { createTokenBuckets } from '../platform/token-buckets.ts'

/**
 * Limits requests by client address before any work is done: requests without a token (token exchanges, published documents,
 * health), and requests refused for a wrong token or, on a callback, a wrong signature. Neither limit applies to a known token.
 * Only refused callbacks count against a callback, because a provider sends many from few addresses.
 */
export function createAddressLimit({ tokenCache, config, log }: Pick<Context, 'tokenCache' | 'config' | 'log'>) {
  const [withoutToken, refused] = [createTokenBuckets(), createTokenBuckets()]
  const limit = limitOf(config)
  const warn = createProxyWarning(config, log)
  const isProxy = config.trustedProxies.length === 0 ? () => false : allowing(config.trustedProxies)
  const isWithin = ({ headers, ip, raw: { url = '' } }: FastifyRequest) => {
    const token = tokenOf(headers.authorization)
    if (tokenCache.peek(token) !== undefined) return true
    if (isNameless(url, token)) {
      const isTaken = withoutToken.take(countedAs(ip), limit)
      if (isTaken && isExchangePath(url)) withoutToken.owe(countedAs(ip), limit, exchangeUnits - 1)
      return isTaken
    }
    return refused.left(countedAs(ip), limit) >= 1
  }
  const addressOf = (request: IncomingMessage) => countedAs(clientAddress(request, isProxy))
  return {
    addressOf,
    admit: (request: FastifyRequest): void => {
      warn(request)
      if (!isWithin(request)) throw addressRefusal()
    },
    /** Whether a request would be refused, by its headers alone. Does not count the request. */
    isOver: (request: IncomingMessage): boolean => {
      const { headers, url = '' } = request
      const [address, token] = [addressOf(request), tokenOf(headers.authorization)]
      if (tokenCache.peek(token) !== undefined) return false
      return (isNameless(url, token) ? withoutToken : refused).left(address, limit) < 1
    },
    /** Counts a request with a wrong token, and a callback rejected for any reason. */
    countRejected: ({ ip, raw: { url = '' } }: FastifyRequest, status: number): void => {
      const isRejected = status === 401 || (isCallbackPath(url) && status >= 400 && status < 500 && status !== 429)
      if (isRejected) refused.owe(countedAs(ip), limit, 1)
    },
  }
}

export const addressRefusal = () =>
  new AppError('RATE_LIMIT_EXCEEDED', {
    message: 'Too many requests without a valid token from this address.',
    headers: { 'retry-after': '1' },
  })

/** Whether no token is verified for the request: it has none, or its path is public. */
const isNameless = (url: string, token: string) =>
  !isCallbackPath(url) && (token === '' || !url.startsWith('/api/') || isExchangePath(url))

/** A token exchange counts as this many requests: it uses the database, and a client needs one an hour. */
const exchangeUnits = 10

export const isExchangePath = (url: string) => url.includes('/auth/generate-bearer-token')

export const isCallbackPath = (url: string) => url.startsWith('/callbacks/')

const limitOf = ({ addressRateLimit }: Config) => ({ perSecond: addressRateLimit, burst: 2 * addressRateLimit })

/** Behind a proxy that is not configured, all clients share one address and its limits. */
function createProxyWarning({ trustedProxies }: Config, log: Log): (request: FastifyRequest) => void {
  let isWarned = trustedProxies.length > 0
  return ({ headers, ip }) => {
    if (isWarned || headers['x-forwarded-for'] === undefined) return
    isWarned = true
    log.warn({ address: ip }, 'X-Forwarded-For ignored: the sender is not in MALIPO_TRUSTED_PROXIES')
  }
}
