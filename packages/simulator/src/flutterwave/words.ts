import type { Reply, Words } from '../dialect.ts'

export function refuse(status: number, message: string): Reply {
  return { status, body: { status: 'error', message, data: null } }
}

/** The call worked. The payment's status is in the data. */
export function respond(message: string, rest: Readonly<Record<string, unknown>>): Reply {
  return { status: 200, body: { status: 'success', message, ...rest } }
}

const wrongKey = () => refuse(401, 'Invalid authorization key')

export const words: Words = {
  notFound: () => refuse(404, 'Cannot find the requested path'),
  noToken: wrongKey,
  wrongToken: wrongKey,
  tokenExpired: wrongKey,
  notAllowed: () => refuse(400, 'Please enable IP Whitelisting to access this service'),
  rateLimited: (seconds) => ({
    ...refuse(429, 'Too many requests'),
    headers: { 'retry-after': String(seconds) },
  }),
  unknownWords: (code) => refuse(400, code),
  broken: () => refuse(503, 'An error occurred. Please contact support'),
}

/** The message of a closed operator, for charges and transfers. */
export const closed = 'Bank is not available at the moment'
export const repeatedCharge = 'Transaction with this tx_ref already exists'
export const repeatedTransfer = 'Transfer with this reference already exists'
export const unknownTransaction = 'No transaction was found for this id'
