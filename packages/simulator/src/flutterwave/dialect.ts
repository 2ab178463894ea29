import { randomBytes } from 'node:crypto'
import type { Call, DialectMaker, Reply, Route } from '../dialect.ts'
import type { Subject } from '../faults.ts'
import { accountSubjects, openAccount } from './accounts.ts'
import { cardSubjects, chargeCard, isAuthorisation, validateCharge } from './charges.ts'
import { showPage, submitPage } from './page.ts'
import { callbackBody } from './present.ts'
import { isFields } from './read.ts'
import { createRefund, listRefunds, readRefund, refundSubjects } from './refunds.ts'
import { listBalances, readBalance, readRate, resolveAccount } from './tools.ts'
import { findCharge, listTransactions, verifyById, verifyByReference } from './transactions.ts'
import { createTransfer, listTransfers, readTransfer, transferSubjects } from './transfers.ts'
import { refuse, words } from './words.ts'

const halfHourMs = 30 * 60_000

/** Flutterwave's API v3: cards, bank transfers, payouts, refunds. No mobile money charges, no bank lists. */
export const flutterwave: DialectMaker = {
  id: 'flutterwave',
  make: ({ TOKEN: token, ENCRYPTION_KEY: key, HASH: hash }) => {
    if (!token || !key || !hash) return undefined
    if (Buffer.byteLength(key) !== 24) throw new Error('SIMULATOR_FLUTTERWAVE_ENCRYPTION_KEY must have 24 characters')
    const wrongHash = randomBytes(24).toString('hex')
    return {
      id: 'flutterwave',
      token,
      words,
      routes: [...chargeRoutes(key), ...transactionRoutes, ...transferRoutes, ...refundRoutes, ...pageRoutes],
      retryPausesMs: [halfHourMs, halfHourMs, halfHourMs],
      hasAccounts: true,
      callbackBody,
      callbackHeaders: ({ isForged }) => ({
        'content-type': 'application/json',
        'verif-hash': isForged ? wrongHash : hash,
      }),
    }
  },
}

function chargeRoutes(key: string): Route[] {
  const isCard = ({ query }: Call) => query.get('type') === 'card'
  const isTransfer = ({ query }: Call) => query.get('type') === 'bank_transfer'
  return [
    {
      method: 'POST',
      path: '/v3/charges',
      operation: 'charge',
      operationOf: (call) => (isCard(call) && isAuthorisation(call, key) ? 'authorise' : 'charge'),
      check: checkJson,
      subjects: (call) => (isCard(call) ? cardSubjects(call, key) : accountSubjects(call)),
      handle: (call) => {
        if (isCard(call)) return chargeCard(call, key)
        return isTransfer(call) ? openAccount(call) : refuse(400, 'type is invalid')
      },
    },
    {
      method: 'POST',
      path: '/v3/validate-charge',
      operation: 'authorise',
      check: checkJson,
      subjects: namedSubjects,
      handle: validateCharge,
    },
  ]
}

const transactionRoutes: readonly Route[] = [
  {
    method: 'GET',
    path: '/v3/transactions/verify_by_reference',
    operation: 'charge_status',
    subjects: referenceSubjects,
    handle: verifyByReference,
  },
  {
    method: 'GET',
    path: '/v3/transactions/:id/verify',
    operation: 'charge_status',
    subjects: namedSubjects,
    handle: verifyById,
  },
  {
    method: 'GET',
    path: '/v3/transactions',
    operation: 'charge_status',
    subjects: referenceSubjects,
    handle: listTransactions,
  },
]

const transferRoutes: readonly Route[] = [
  {
    method: 'POST',
    path: '/v3/transfers',
    operation: 'payout',
    check: checkJson,
    subjects: transferSubjects,
    handle: createTransfer,
  },
  {
    method: 'GET',
    path: '/v3/transfers',
    operation: 'payout_status',
    subjects: transferSubjects,
    handle: listTransfers,
  },
  { method: 'GET', path: '/v3/transfers/rates', operation: 'rates', handle: readRate },
  {
    method: 'GET',
    path: '/v3/transfers/:id',
    operation: 'payout_status',
    subjects: transferSubjects,
    handle: readTransfer,
  },
  { method: 'POST', path: '/v3/accounts/resolve', operation: 'resolve', check: checkJson, handle: resolveAccount },
  { method: 'GET', path: '/v3/balances', operation: 'balances', handle: listBalances },
  { method: 'GET', path: '/v3/balances/:currency', operation: 'balances', handle: readBalance },
]

const refundRoutes: readonly Route[] = [
  {
    method: 'POST',
    path: '/v3/transactions/:id/refund',
    operation: 'refund',
    check: checkJson,
    subjects: refundSubjects,
    handle: createRefund,
  },
  { method: 'GET', path: '/v3/refunds', operation: 'refund_status', subjects: refundSubjects, handle: listRefunds },
  { method: 'GET', path: '/v3/refunds/:id', operation: 'refund_status', subjects: refundSubjects, handle: readRefund },
]

const pageRoutes: readonly Route[] = [
  {
    method: 'GET',
    path: '/bank-page/:ref',
    operation: 'page',
    isOpen: true,
    subjects: namedSubjects,
    handle: showPage,
  },
  {
    method: 'POST',
    path: '/bank-page/:ref',
    operation: 'page',
    isOpen: true,
    subjects: namedSubjects,
    handle: submitPage,
  },
]

function referenceSubjects({ core, query }: Call): Subject[] {
  const key = query.get('tx_ref')?.toLowerCase() ?? ''
  const payment = findCharge(core, key)
  return [payment ? { key, amount: payment.amount, operator: payment.operator } : { key }]
}

/** The targets of a call with the provider's own id or reference. */
function namedSubjects({ core, parameters, json }: Call): Subject[] {
  const flwRef = isFields(json) ? json['flw_ref'] : undefined
  const payment = core.books.findNamed('flutterwave', String(parameters['id'] ?? parameters['ref'] ?? flwRef))
  return payment ? [{ key: payment.key, amount: payment.amount, operator: payment.operator }] : []
}

function checkJson({ headers, json }: Call): Reply | undefined {
  const isJson = /^application\/json\s*(;|$)/i.test(headers['content-type'] ?? '')
  return isJson && json !== undefined ? undefined : refuse(400, 'The request body must be JSON')
}
