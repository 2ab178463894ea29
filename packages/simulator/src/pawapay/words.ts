import type { Reply, Words } from '../dialect.ts'

/** A refusal before the request is read as a payment. */
export function refuse(status: number, code: string, message: string): Reply {
  return { status, body: { failureReason: { failureCode: code, failureMessage: message } } }
}

export interface Rejection {
  readonly code: string
  readonly message: string
}

export const words: Words = {
  notFound: () => refuse(404, 'NOT_FOUND', 'Path not found.'),
  noToken: () => refuse(401, 'NO_AUTHENTICATION', 'The API token was not found in the request headers.'),
  wrongToken: () => refuse(403, 'AUTHENTICATION_ERROR', 'The API token is not valid.'),
  tokenExpired: () => refuse(403, 'AUTHENTICATION_ERROR', 'The API token is no longer valid.'),
  notAllowed: (operation) =>
    operation === 'refund'
      ? refuse(403, 'REFUNDS_NOT_ALLOWED', 'Refunds are not enabled for this account.')
      : refuse(403, 'AUTHORISATION_ERROR', 'The API token is not authorised for this request.'),
  rateLimited: (seconds) => ({
    ...refuse(429, 'TOO_MANY_REQUESTS', 'Too many requests.'),
    headers: { 'retry-after': String(seconds) },
  }),
  unknownWords: (code) => refuse(400, code, 'An error that is not documented.'),
  broken: () => refuse(500, 'UNKNOWN_ERROR', 'The request could not be processed.'),
}
