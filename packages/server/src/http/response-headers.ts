import { randomUUID } from 'node:crypto'
import type { IncomingMessage } from 'node:http'

/** Responses are data for one caller: no client may cache, sniff, frame or run them, nor name their address to another site. */
export const guards = {
  'x-api-version': '1.0.0',
  'cache-control': 'no-store',
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
}

/**
 * Keeps the caller's id when it is safe in a log line and a header; otherwise generates one. The ids of people's requests are
 * always generated: the audit trail has them, and no request may pass for another.
 */
export function requestId({ headers, url = '' }: IncomingMessage): string {
  const sent = ofPeople.test(decoded(url)) ? undefined : headers['x-request-id']
  return typeof sent === 'string' && /^[\x21-\x7e]{1,128}$/.test(sent) ? sent : `req_${randomUUID()}`
}

const ofPeople = /^(?:[a-z]+:\/\/[^/]*)?\/(?:operator|people|dashboard)\//i

/** A path that cannot be decoded has no route. */
function decoded(url: string): string {
  try {
    return decodeURIComponent(url)
  } catch {
    return url
  }
}
