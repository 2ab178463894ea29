import { randomUUID } from 'node:crypto'
import type { IncomingMessage } from 'node:http'

/** Answers are data for one caller: nothing keeps, guesses, frames or runs them. */
export const guards = {
  'x-api-version': '1.0.0',
  'cache-control': 'no-store',
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
  'x-content-type-options': 'nosniff',
}

/** The caller's own id is kept when it can stand in a log line and a header; else the request gets one. */
export function requestId({ headers }: IncomingMessage): string {
  const sent = headers['x-request-id']
  return typeof sent === 'string' && /^[\x21-\x7e]{1,128}$/.test(sent) ? sent : `req_${randomUUID()}`
}
