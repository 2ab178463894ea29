import { randomUUID } from 'node:crypto'
import type { IncomingMessage } from 'node:http'

/** Responses are data for one caller: no client may cache, sniff, frame or run them. */
export const guards = {
  'x-api-version': '1.0.0',
  'cache-control': 'no-store',
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
  'x-content-type-options': 'nosniff',
}

/** Keeps the caller's id when it is safe in a log line and a header; otherwise generates one. */
export function requestId({ headers }: IncomingMessage): string {
  const sent = headers['x-request-id']
  return typeof sent === 'string' && /^[\x21-\x7e]{1,128}$/.test(sent) ? sent : `req_${randomUUID()}`
}
