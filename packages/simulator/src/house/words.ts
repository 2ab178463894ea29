import type { Reply, Words } from '../dialect.ts'

export function refuse(status: number, code: string, message: string): Reply {
  return { status, body: { error: { code, message } } }
}

export const words: Words = {
  notFound: () => refuse(404, 'NOT_FOUND', 'There is no such path.'),
  noToken: () => refuse(401, 'UNAUTHORIZED', 'A bearer token is needed.'),
  wrongToken: () => refuse(401, 'UNAUTHORIZED', 'The bearer token is wrong.'),
  tokenExpired: () => refuse(401, 'TOKEN_EXPIRED', 'The bearer token has expired.'),
  notAllowed: () => refuse(401, 'UNAUTHORIZED', 'The account may not do this.'),
  rateLimited: (seconds) => ({
    ...refuse(429, 'RATE_LIMITED', 'Slow down.'),
    headers: { 'retry-after': String(seconds) },
  }),
  unknownWords: (code) => refuse(400, code, 'Something that no page of the documentation speaks of.'),
  broken: () => refuse(503, 'UNAVAILABLE', 'The request could not be worked on.'),
}
