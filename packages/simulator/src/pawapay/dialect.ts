import { createPublicKey } from 'node:crypto'
import type { Call, Dialect, DialectMaker, Reply, Route } from '../dialect.ts'
import { showPage, submitPage } from './page.ts'
import { failEnqueued, initiate, initiateBulk, readStatus, resendCallback, subjectsOf } from './payments.ts'
import { presentCallback } from './present.ts'
import { initiateRefund, refundSubjects } from './refunds.ts'
import { findSignatureProblem, makeKey, readKey, type Signer, signPost } from './signature.ts'
import { activeConf, availability, predictProvider, walletBalances } from './toolkit.ts'
import { refuse, words } from './words.ts'

const keyId = 'HTTP_EC_P256_KEY:1'

/** pawaPay's Merchant API v2, without remittances. */
export const pawapay: DialectMaker = {
  id: 'pawapay',
  make: (variables, keep) => {
    const { TOKEN: token, PUBLIC_KEY: merchantKey, KEY_ID: merchantKeyId = '' } = variables
    if (!token) return undefined
    const signer = { keyId, key: readKey(keep('pawapay-key', makeKey)) }
    const forger = { keyId, key: readKey(makeKey()) }
    const merchant = merchantKey ? { keyId: merchantKeyId, key: createPublicKey(unescaped(merchantKey)) } : undefined
    const dialect: Dialect = {
      id: 'pawapay',
      token,
      words,
      routes: [
        ...paymentRoutes(merchant),
        ...refundRoutes(merchant),
        ...toolkitRoutes(signer, merchant),
        ...pageRoutes,
      ],
      callbackBody: presentCallback,
      callbackHeaders: ({ isForged, ...attempt }) => signPost(attempt, isForged ? forger : signer),
    }
    return dialect
  },
}

/** An environment variable often has the line ends of a PEM as two characters. */
const unescaped = (pem: string) => pem.replaceAll('\\n', '\n')

function paymentRoutes(merchant: Signer | undefined): Route[] {
  const check = checkOf(merchant)
  const charges = (call: Call) => subjectsOf(call, 'charge')
  const payouts = (call: Call) => subjectsOf(call, 'payout')
  return [
    {
      method: 'POST',
      path: '/v2/deposits',
      operation: 'charge',
      check,
      subjects: charges,
      handle: (call) => initiate(call, 'charge'),
    },
    {
      method: 'GET',
      path: '/v2/deposits/:id',
      operation: 'charge_status',
      subjects: charges,
      handle: (call) => readStatus(call, 'charge'),
    },
    {
      method: 'POST',
      path: '/v2/deposits/resend-callback/:id',
      operation: 'resend_callback',
      subjects: charges,
      handle: (call) => resendCallback(call, 'charge'),
    },
    {
      method: 'POST',
      path: '/v2/payouts',
      operation: 'payout',
      check,
      subjects: payouts,
      handle: (call) => initiate(call, 'payout'),
    },
    { method: 'POST', path: '/v2/payouts/bulk', operation: 'payout', check, subjects: payouts, handle: initiateBulk },
    {
      method: 'GET',
      path: '/v2/payouts/:id',
      operation: 'payout_status',
      subjects: payouts,
      handle: (call) => readStatus(call, 'payout'),
    },
    {
      method: 'POST',
      path: '/v2/payouts/fail-enqueued/:id',
      operation: 'cancel',
      subjects: payouts,
      handle: (call) => failEnqueued(call, 'payout'),
    },
    {
      method: 'POST',
      path: '/v2/payouts/resend-callback/:id',
      operation: 'resend_callback',
      subjects: payouts,
      handle: (call) => resendCallback(call, 'payout'),
    },
  ]
}

const checkOf = (merchant: Signer | undefined) => (call: Call) => checkJson(call) ?? checkSignature(call, merchant)

function refundRoutes(merchant: Signer | undefined): Route[] {
  const subjects = refundSubjects
  return [
    {
      method: 'POST',
      path: '/v2/refunds',
      operation: 'refund',
      check: checkOf(merchant),
      subjects,
      handle: initiateRefund,
    },
    {
      method: 'GET',
      path: '/v2/refunds/:id',
      operation: 'refund_status',
      subjects,
      handle: (call) => readStatus(call, 'refund'),
    },
    {
      method: 'POST',
      path: '/v2/refunds/fail-enqueued/:id',
      operation: 'cancel',
      subjects,
      handle: (call) => failEnqueued(call, 'refund'),
    },
    {
      method: 'POST',
      path: '/v2/refunds/resend-callback/:id',
      operation: 'resend_callback',
      subjects,
      handle: (call) => resendCallback(call, 'refund'),
    },
  ]
}

function toolkitRoutes(signer: Signer, merchant: Signer | undefined): Route[] {
  const requests = merchant !== undefined
  return [
    { method: 'GET', path: '/v2/active-conf', operation: 'toolkit', handle: (call) => activeConf(call, { requests }) },
    { method: 'GET', path: '/v2/availability', operation: 'toolkit', handle: availability },
    { method: 'POST', path: '/v2/predict-provider', operation: 'toolkit', check: checkJson, handle: predictProvider },
    { method: 'GET', path: '/v2/wallet-balances', operation: 'balances', handle: walletBalances },
    { method: 'GET', path: '/v2/public-key/http', operation: 'toolkit', handle: () => publicKeys(signer) },
  ]
}

const pageRoutes: readonly Route[] = [
  { method: 'GET', path: '/pay/:id', operation: 'page', isOpen: true, handle: showPage },
  { method: 'POST', path: '/pay/:id', operation: 'page', isOpen: true, handle: submitPage },
]

function publicKeys({ keyId: id, key }: Signer): Reply {
  const pem = createPublicKey(key).export({ type: 'spki', format: 'pem' }).toString()
  return { status: 200, body: [{ id, key: pem }] }
}

function checkJson({ headers, json }: Call): Reply | undefined {
  const isJson = /^application\/json\s*(;|$)/i.test(headers['content-type'] ?? '')
  if (!isJson) return refuse(400, 'INVALID_INPUT', 'The content type must be application/json.')
  return json === undefined ? refuse(400, 'INVALID_INPUT', 'The payload could not be parsed.') : undefined
}

function checkSignature(call: Call, merchant: Signer | undefined): Reply | undefined {
  if (merchant === undefined) return undefined
  const { method, path, headers, raw } = call
  const problem = findSignatureProblem({ method, authority: headers.host ?? '', path, headers, raw }, merchant)
  return problem === undefined ? undefined : refuse(403, 'HTTP_SIGNATURE_ERROR', problem)
}
