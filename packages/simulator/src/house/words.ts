import type { Reply, Words } from '../dialect.ts'

export function refuse(status: number, code: string, message: string): Reply {
  return { status, body: { error: { code, message } } }
}

export const words: Words = {
  notFound: () => refuse(404, 'NOT_FOUND', 'Path not found.'),
  noToken: () => refuse(401, 'UNAUTHORIZED', 'The bearer token is missing.'),
  wrongToken: () => refuse(401, 'UNAUTHORIZED', 'The bearer token is wrong.'),
  tokenExpired: () => refuse(401, 'TOKEN_EXPIRED', 'The bearer token has expired.'),
  notAllowed: () => refuse(401, 'UNAUTHORIZED', 'The account may not do this.'),
  rateLimited: (seconds) => ({
    ...refuse(429, 'RATE_LIMITED', 'Too many requests.'),
    headers: { 'retry-after': String(seconds) },
  }),
  unknownWords: (code) => refuse(400, code, 'An error that is not documented.'),
  broken: () => refuse(503, 'UNAVAILABLE', 'The request could not be processed.'),
}
