import { createHash, createHmac, randomBytes } from 'node:crypto'
import type { Call, CallbackAttempt, DialectMaker, Reply, Route } from '../dialect.ts'
import type { Operation, Payment, Receipt } from '../entries.ts'
import { create, present, read, subjectsOf } from './payments.ts'
import { readRate } from './rates.ts'
import { createRefund } from './refunds.ts'
import { resolve } from './resolve.ts'
import { refuse, words } from './words.ts'

/** Malipo's own small protocol for rails without a public one. Sandbox only. */
export const house: DialectMaker = {
  id: 'house',
  make: ({ TOKEN: token, SECRET: secret }) => {
    if (!token || !secret) return undefined
    const wrongSecret = randomBytes(32).toString('hex')
    return {
      id: 'house',
      token,
      words,
      hasAccounts: true,
      showsReturned: true,
      routes: [
        ...paymentRoutes('charge', '/v1/charges'),
        ...paymentRoutes('payout', '/v1/payouts'),
        ...paymentRoutes('refund', '/v1/refunds'),
        { method: 'POST', path: '/v1/resolve', operation: 'resolve', check: checkJson, handle: resolve },
        { method: 'GET', path: '/v1/rates', operation: 'rates', handle: readRate },
      ],
      callbackBody,
      callbackHeaders: (attempt) => signed(attempt, attempt.isForged ? wrongSecret : secret),
    }
  },
}

function paymentRoutes(operation: Operation, path: string): Route[] {
  const subjects = (call: Call) => subjectsOf(call, operation)
  const handle = (call: Call) => (operation === 'refund' ? createRefund(call) : create(call, operation))
  return [
    { method: 'POST', path, operation, check: checkJson, subjects, handle },
    {
      method: 'GET',
      path: `${path}/:key`,
      operation: `${operation}_status`,
      subjects,
      handle: (call) => read(call, operation),
    },
  ]
}

/** The id is derived from the content, so a repeat of the same report has the same id and is recognised. */
function callbackBody(payment: Payment, receipt?: Receipt): Record<string, unknown> {
  const { operation, key, state, endedAt = 0, returned = '' } = payment
  const version = receipt ? [receipt.id, receipt.reversedAt ?? '', receipt.reversals ?? 0] : [endedAt, returned]
  const content = [operation, key, state, ...version].join('/')
  const id = createHash('sha256').update(content).digest('hex').slice(0, 32)
  return { id: `cb_${id}`, operation, ...present(payment) }
}

function signed({ body }: CallbackAttempt, secret: string): Record<string, string> {
  const time = Math.floor(Date.now() / 1000)
  const value = createHmac('sha256', secret).update(`${time}.${body}`).digest('hex')
  return { 'content-type': 'application/json', 'house-signature': `t=${time},v1=${value}` }
}

function checkJson({ headers, json }: Call): Reply | undefined {
  const isJson = /^application\/json\s*(;|$)/i.test(headers['content-type'] ?? '')
  return isJson && json !== undefined ? undefined : refuse(400, 'INVALID_BODY', 'The body must be JSON.')
}
