import assert from 'node:assert/strict'
import { generateKeyPairSync } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { type TestContext, test } from 'node:test'
import { Secret } from '../../platform/secret.ts'
import type { InboundRequest, MomoChargeAttempt, PayoutAttempt, SubmitOutcome } from '../contract.ts'
import { createPawapay, type PawapayOptions } from './connector.ts'
import { findFlaw, signatureHeaders } from './signatures.ts'

const key = '0197d3a0-0000-4000-8000-000000000001'
const phone = '+256783456789'
const token = 'a-token-that-must-stay-secret'
const common = { key, country: 'UG', currency: 'UGX', amount: 1500n } as const
const charge: MomoChargeAttempt = { ...common, operator: 'mtn_ug', phone }
const payout: PayoutAttempt = { ...common, to: { kind: 'momo', operator: 'mtn_ug', phone, name: 'Amina' } }
const operators: PawapayOptions['operators'] = new Map([
  ['mtn_ug', { code: 'MTN_MOMO_UGA', country: 'UG', currency: 'UGX' }],
  ['mpesa_ke', { code: 'MPESA_KEN', country: 'KE', currency: 'KES' }],
])
const soon = () => AbortSignal.timeout(5000)

type Answer = (request: IncomingMessage, response: ServerResponse, body: string) => void

const says =
  (status: number, body: unknown): Answer =>
  (_, response) =>
    void response.writeHead(status).end(typeof body === 'string' ? body : JSON.stringify(body))

/** A fake pawaPay for one test, and a connector to it. */
async function pawapay(t: TestContext, first: Answer, options: Partial<PawapayOptions> = {}) {
  const seen: (InboundRequest & { readonly json: unknown })[] = []
  const stub = { respond: first }
  const server = createServer(async (request, response) => {
    const body = Buffer.concat(await request.toArray())
    const { method = '', url: path = '', headers } = request
    const inbound = { method, path, authority: headers.host ?? '', headers: headers as InboundRequest['headers'], body }
    seen.push({ ...inbound, json: body.length > 0 ? JSON.parse(String(body)) : undefined })
    stub.respond(request, response, String(body))
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as { port: number }
  const baseUrl = `http://127.0.0.1:${port}/pawapay`
  const connector = createPawapay({ baseUrl, token: new Secret(token), operators, ...options })
  t.after(async () => {
    await connector.close()
    server.closeAllConnections()
    server.close()
  })
  return { seen, stub, connector, baseUrl, server }
}

const pay = async (t: TestContext, respond: Answer) =>
  (await pawapay(t, respond)).connector.payouts?.submit(payout, soon()) as Promise<SubmitOutcome>
const rejected = (failureCode: string) =>
  says(200, { payoutId: key, status: 'REJECTED', failureReason: { failureCode, failureMessage: `${phone} ${token}` } })
const refused = (status: number, failureCode: string) => says(status, { failureReason: { failureCode } })

test('a payment sends only the fields pawaPay documents', async (t) => {
  const { connector, seen } = await pawapay(t, says(200, {}))
  const redirect = { successUrl: 'https://shop.example/yes', failureUrl: 'https://shop.example/no' }

  await connector.momoCharges?.submit(charge, soon())
  await connector.momoCharges?.submit({ ...charge, otpCode: '367025', ...redirect }, soon())
  const kenya = { ...common, country: 'KE', currency: 'KES' } as const
  await connector.payouts?.submit(
    { ...kenya, amount: 12820n, to: { kind: 'momo', operator: 'mpesa_ke', phone: '+254703456789', name: 'Juma' } },
    soon(),
  )

  const account = { type: 'MMO', accountDetails: { phoneNumber: '256783456789', provider: 'MTN_MOMO_UGA' } }
  const message = { currency: 'UGX', amount: '1500', customerMessage: 'Malipo payment' }
  const deposit = { depositId: key, payer: account, ...message }
  assert.deepEqual(seen[0]?.json, deposit)
  const links = { successfulUrl: redirect.successUrl, failedUrl: redirect.failureUrl }
  assert.deepEqual(seen[1]?.json, { ...deposit, preAuthorisationCode: '367025', ...links })
  assert.deepEqual(seen[2]?.json, {
    payoutId: key,
    recipient: { type: 'MMO', accountDetails: { phoneNumber: '254703456789', provider: 'MPESA_KEN' } },
    currency: 'KES',
    amount: '128.2',
    customerMessage: 'Malipo payment',
  })
  assert.deepEqual(
    seen.map(({ method, path }) => `${method} ${path}`),
    ['POST /pawapay/v2/deposits', 'POST /pawapay/v2/deposits', 'POST /pawapay/v2/payouts'],
  )
  assert.ok(seen.every(({ headers }) => headers['authorization'] === `Bearer ${token}`))
})

test('requests are signed over the path with its prefix where the account requires it', async (t) => {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const findKey = async (id: string) => (id === 'ours' ? publicKey : undefined)
  const signing = { keyId: 'ours', privateKey }
  for (const [options, form] of [
    [{}, 'der'],
    [{ signatureForm: 'raw' }, 'raw'],
  ] as const) {
    const { connector, seen } = await pawapay(t, says(200, {}), { signing, ...options })

    await connector.payouts?.submit(payout, soon())

    const [request] = seen
    assert.ok(request)
    assert.equal(await findFlaw(request, { findKey, form }, Date.now()), undefined)
  }
})

test('a payment that pawaPay cannot take is refused before anything is sent', async (t) => {
  const { connector, seen } = await pawapay(t, says(200, {}))
  const till = { kind: 'till', tillNumber: '123456', accountName: 'Shop' } as const
  const outcomes = [
    await connector.payouts?.submit({ ...payout, to: till }, soon()),
    await connector.payouts?.submit({ ...payout, amount: 0n }, soon()),
    await connector.payouts?.submit({ ...payout, amount: -5n }, soon()),
    await connector.payouts?.submit({ ...payout, amount: 10n ** 18n }, soon()),
    await connector.payouts?.submit({ ...payout, currency: 'KES' }, soon()),
    await connector.momoCharges?.submit({ ...charge, operator: 'UNKNOWN' }, soon()),
    await connector.momoCharges?.submit({ ...charge, phone: '0783456789' }, soon()),
  ]

  assert.equal(seen.length, 0)
  for (const outcome of outcomes)
    assert.equal(outcome?.certainty === 'definitely_not_submitted' && outcome.cause, 'unwritable')
})

test('a submission that pawaPay took is never more than accepted', async (t) => {
  const { connector, stub } = await pawapay(t, says(200, { payoutId: key, status: 'ACCEPTED' }))
  const asked = async (fields: object) => {
    stub.respond = says(200, { depositId: key, status: 'ACCEPTED', ...fields })
    return connector.momoCharges?.submit(charge, soon())
  }

  const submitted = { certainty: 'accepted', providerStatus: { state: 'submitted' } }
  assert.deepEqual(await connector.payouts?.submit(payout, soon()), submitted)
  stub.respond = says(200, { payoutId: key, status: 'ENQUEUED' })
  assert.deepEqual(await connector.payouts?.submit(payout, soon()), submitted)
  const prompt = { certainty: 'accepted', providerStatus: { state: 'waiting', action: { kind: 'pin_prompt' } } }
  assert.deepEqual(await asked({ nextStep: 'FINAL_STATUS' }), prompt)
  assert.deepEqual(await asked({ nextStep: 'GET_AUTH_URL' }), submitted)
})

test('only codes that pawaPay documents for it mean not submitted', async (t) => {
  const causes: [string, Answer, string][] = [
    ['429', says(429, '<html>slow down</html>'), 'rate_limited'],
    ['closed', rejected('PROVIDER_TEMPORARILY_UNAVAILABLE'), 'closed'],
    ['no float', rejected('PAWAPAY_WALLET_OUT_OF_FUNDS'), 'float_exhausted'],
    ['currency', rejected('INVALID_CURRENCY'), 'rejected'],
    ['operator', rejected('INVALID_PROVIDER'), 'rejected'],
    ['401', refused(401, 'NO_AUTHENTICATION'), 'rejected'],
    ['403', refused(403, 'HTTP_SIGNATURE_ERROR'), 'rejected'],
  ]
  for (const [name, respond, cause] of causes) {
    const outcome = await pay(t, respond)
    assert.equal(outcome.certainty, 'definitely_not_submitted', name)
    assert.equal('cause' in outcome && outcome.cause, cause, name)
  }
})

test('a payment that pawaPay’s validation refuses fails', async (t) => {
  for (const providerCode of ['INVALID_INPUT', 'MISSING_PARAMETER', 'UNSUPPORTED_PARAMETER', 'INVALID_PARAMETER']) {
    const outcome = await pay(t, refused(400, providerCode))
    assert.partialDeepStrictEqual(outcome, {
      certainty: 'definitely_failed',
      failure: { code: 'DETAILS_NOT_ACCEPTED', providerCode },
    })
  }
})

test('a refusal about the recipient, the amount or a limit is final and keeps pawaPay’s code', async (t) => {
  const codes: [string, string][] = [
    ['RECIPIENT_NOT_FOUND', 'RECIPIENT_NOT_FOUND'],
    ['INVALID_PHONE_NUMBER', 'RECIPIENT_NOT_FOUND'],
    ['WALLET_LIMIT_REACHED', 'WALLET_LIMIT_REACHED'],
    ['AMOUNT_OUT_OF_BOUNDS', 'AMOUNT_NOT_ACCEPTED'],
    ['INVALID_AMOUNT', 'AMOUNT_NOT_ACCEPTED'],
  ]
  for (const [providerCode, code] of codes) {
    const outcome = await pay(t, rejected(providerCode))
    assert.ok(outcome.certainty === 'definitely_failed', providerCode)
    assert.equal(outcome.failure.code, code)
    assert.equal(outcome.failure.providerCode, providerCode)
  }
})

test('a broken, contradictory or undocumented response leaves open whether money moved', async (t) => {
  const other = '0197d3a0-0000-4000-8000-000000000002'
  const unclear: [string, Answer, string][] = [
    ['500', says(500, { failureReason: { failureCode: 'UNKNOWN_ERROR' } }), 'server_error'],
    ['HTML 503', says(503, '<html>'), 'server_error'],
    ['no JSON', says(200, '{"payoutId":'), 'unreadable'],
    ['an array', says(200, [{ payoutId: key, status: 'ACCEPTED' }]), 'unreadable'],
    ['no id', says(200, { status: 'ACCEPTED' }), 'unreadable'],
    ['another id', says(200, { payoutId: other, status: 'ACCEPTED' }), 'unreadable'],
    ['an id of the other kind', says(200, { depositId: key, status: 'ACCEPTED' }), 'unreadable'],
    ['no status', says(200, { payoutId: key }), 'unreadable'],
    ['success at once', says(200, { payoutId: key, status: 'COMPLETED' }), 'unreadable'],
    ['repeated', says(200, { payoutId: key, status: 'DUPLICATE_IGNORED' }), 'repeated'],
    ['a new rejection', rejected('RECIPIENT_ASLEEP'), 'unreadable'],
    ['a rejection of nothing', says(200, { payoutId: key, status: 'REJECTED' }), 'unreadable'],
    ['a prototype’s name', rejected('constructor'), 'unreadable'],
    ['400 in unknown words', refused(400, 'SOMETHING_ELSE'), 'unreadable'],
    [
      '400 about another',
      says(400, { payoutId: other, failureReason: { failureCode: 'INVALID_INPUT' } }),
      'unreadable',
    ],
    ['400 in no words', says(400, 'Bad Request'), 'unreadable'],
    ['404', refused(404, 'NOT_FOUND'), 'unreadable'],
    ['409', refused(409, 'INVALID_INPUT'), 'unreadable'],
    ['a redirect', says(302, ''), 'unreadable'],
    ['cut off', (_, response) => void response.socket?.destroy(), 'broken_off'],
    [
      'half',
      (_, response) =>
        void response.writeHead(200, { 'content-length': '99' }).write('{', () => response.socket?.end()),
      'broken_off',
    ],
  ]
  for (const [name, respond, cause] of unclear) {
    const outcome = await pay(t, respond)
    assert.equal(outcome.certainty, 'unknown', name)
    assert.equal('cause' in outcome && outcome.cause, cause, name)
  }
})

test('a timeout is unknown, and a failed connection is definitely not submitted', async (t) => {
  const { connector, server } = await pawapay(t, () => undefined)

  const silence = await connector.payouts?.submit(payout, AbortSignal.timeout(50))
  assert.equal(silence?.certainty === 'unknown' && silence.cause, 'timeout')
  server.closeAllConnections()
  server.close()
  await once(server, 'close')
  const unreached = await connector.payouts?.submit(payout, soon())
  assert.equal(unreached?.certainty === 'definitely_not_submitted' && unreached.cause, 'not_reached')
})

test('no detail shows a phone number, the token or what pawaPay wrote', async (t) => {
  const leaky = JSON.stringify({ echo: phone, authorization: token })
  const answers = [200, 302, 400, 401, 404, 500].map((status) => says(status, leaky))
  for (const respond of [...answers, rejected('INVALID_PROVIDER'), rejected('NEW'), rejected('RECIPIENT_NOT_FOUND')]) {
    const { connector } = await pawapay(t, respond)
    const reported = JSON.stringify([
      await connector.payouts?.submit(payout, soon()),
      await connector.payouts?.query(payout, soon()),
    ])
    assert.ok(!reported.includes(phone.slice(1)) && !reported.includes(token), reported)
  }
})

const completed = { status: 'COMPLETED', amount: '1500', currency: 'UGX', providerTransactionId: 'R1' }
const done = { state: 'successful', settled: { amount: 1500n, currency: 'UGX', receipt: 'R1' } }

test('a query reports pawaPay’s status of the payment, in every state', async (t) => {
  const { connector, stub, seen } = await pawapay(t, says(200, { status: 'NOT_FOUND' }))
  const prompt = { state: 'waiting', action: { kind: 'pin_prompt' } }
  const link = 'https://pay.wave.com/c/1'
  const unknownFailure = { code: 'UNKNOWN_ERROR', providerCode: 'NEW_REASON' }
  const states: [object, object][] = [
    [{ status: 'ACCEPTED' }, prompt],
    [{ status: 'PROCESSING' }, { state: 'submitted' }],
    [{ status: 'SUBMITTED' }, { state: 'submitted' }],
    [{ status: 'IN_RECONCILIATION' }, { state: 'submitted' }],
    [{ status: 'ENQUEUED' }, { state: 'submitted' }],
    [{ status: 'ACCEPTED', nextStep: 'GET_AUTH_URL' }, { state: 'submitted' }],
    [
      { status: 'PROCESSING', authorizationUrl: link },
      { state: 'waiting', action: { kind: 'redirect', url: link } },
    ],
    [completed, done],
    [{ ...completed, amount: '1500.00' }, done],
    [{ ...completed, amount: '1500.0000' }, done],
    [
      { ...completed, amount: '1499' },
      { ...done, settled: { ...done.settled, amount: 1499n } },
    ],
    [
      { status: 'FAILED', failureReason: { failureCode: 'NEW_REASON' } },
      { state: 'failed', failure: unknownFailure },
    ],
    [{ status: 'FAILED' }, { state: 'failed', failure: { code: 'UNSPECIFIED_FAILURE' } }],
  ]

  assert.deepEqual(await connector.momoCharges?.query(charge, soon()), { found: 'no' })
  for (const [data, providerStatus] of states) {
    stub.respond = says(200, { status: 'FOUND', data: { depositId: key, ...data } })
    assert.partialDeepStrictEqual(await connector.momoCharges?.query(charge, soon()), { found: 'yes', providerStatus })
  }
  stub.respond = says(200, { status: 'FOUND', data: { payoutId: key, status: 'ACCEPTED' } })
  assert.deepEqual(await connector.payouts?.query(payout, soon()), {
    found: 'yes',
    providerStatus: { state: 'submitted' },
  })
  assert.equal(seen.at(-1)?.path, `/pawapay/v2/payouts/${key}`)
  const payer = { type: 'MMO', accountDetails: { phoneNumber: '256783456789', provider: 'MTN_MOMO_UGA' } }
  stub.respond = says(200, { status: 'FOUND', data: { depositId: key, ...completed, payer } })
  assert.partialDeepStrictEqual(await connector.momoCharges?.query({ key }, soon()), { found: 'yes', country: 'UG' })
  const outOfFunds = { status: 'FAILED', failureReason: { failureCode: 'PAWAPAY_WALLET_OUT_OF_FUNDS' } }
  stub.respond = says(200, { status: 'FOUND', data: { payoutId: key, ...outOfFunds } })
  const failed = { found: 'yes', providerStatus: { state: 'failed', isOurShortfall: true } }
  assert.partialDeepStrictEqual(await connector.payouts?.query(payout, soon()), failed)
})

test('an unreadable query response is neither "not found" nor success', async (t) => {
  const { connector, stub } = await pawapay(t, says(404, { status: 'NOT_FOUND' }))
  const about = (data: object) => says(200, { status: 'FOUND', data: { depositId: key, ...data } })
  const answers = [
    says(404, { status: 'NOT_FOUND' }),
    says(200, { status: 'not_found' }),
    says(503, '<html>'),
    says(200, '{"status":"FOUND","data":'),
    says(200, { status: 'FOUND' }),
    says(200, { ...completed, depositId: key }),
    about({ ...completed, depositId: 'another' }),
    about({ ...completed, amount: undefined }),
    about({ ...completed, amount: 1500 }),
    about({ ...completed, amount: '1e3' }),
    about({ ...completed, amount: '1500.5' }),
    about({ ...completed, amount: '0' }),
    about({ ...completed, currency: 'XXX' }),
    about({ ...completed, currency: undefined }),
    about({ status: 'PROCESSING', authorizationUrl: 'http://pay.example/1' }),
    about({ status: 'PROCESSING', authorizationUrl: 'javascript:alert(1)' }),
    about({ status: 'DUPLICATE_IGNORED' }),
    about({ status: 'NEW_STATE' }),
    about({}),
  ]
  for (const respond of answers) {
    stub.respond = respond
    const outcome = await connector.momoCharges?.query(charge, soon())
    assert.equal(outcome?.found, 'unclear')
  }
})

const inbound = (body: unknown): InboundRequest => ({
  method: 'POST',
  path: '/callbacks/pawapay',
  authority: 'pay.example.com',
  headers: { 'content-type': 'application/json' },
  body: Buffer.from(typeof body === 'string' ? body : JSON.stringify(body)),
})

test('an unsigned callback is refused, or only a hint when pawaPay is set not to sign', async (t) => {
  const request = inbound({ depositId: key, ...completed })
  const strict = await pawapay(t, says(200, []))
  const lax = await pawapay(t, says(200, []), { areCallbacksSigned: false })

  assert.equal((await strict.connector.callbacks?.read(request))?.isGenuine, false)
  const hint = { isGenuine: true, isProof: false, isUnsigned: true, observations: [{ key, providerStatus: done }] }
  assert.deepEqual(await lax.connector.callbacks?.read(request), hint)
})

test('a signed callback is proof at our public host, and a hint when it is half-readable', async (t) => {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const keys = [{ id: 'theirs', key: publicKey.export({ type: 'spki', format: 'pem' }) }]
  const { connector } = await pawapay(t, says(200, keys))
  const reported = (fields: object) => {
    const body = JSON.stringify({ payoutId: key, ...fields })
    const message = {
      method: 'POST',
      url: 'https://pay.example.com/callbacks/pawapay',
      body,
      contentType: 'application/json',
    }
    const headers = Object.entries(signatureHeaders(message, { keyId: 'theirs', privateKey }, 'der', Date.now()))
    const lower = Object.fromEntries(headers.map(([name, value]) => [name.toLowerCase(), value]))
    return connector.callbacks?.read({ ...inbound(body), headers: { ...lower, host: 'server-7.internal' } })
  }

  const proof = { isGenuine: true, isProof: true, observations: [{ key, providerStatus: done }] }
  assert.deepEqual(await reported(completed), proof)
  assert.deepEqual(await reported({ ...completed, amount: '1500.0000' }), proof)
  const hint = { isGenuine: true, isProof: false, observations: [{ key, providerStatus: { state: 'submitted' } }] }
  assert.deepEqual(await reported({ ...completed, amount: 'much' }), hint)
})

test('a half-readable callback is a hint to query, and an unrelated one has no observations', async (t) => {
  const { connector } = await pawapay(t, says(200, []), { areCallbacksSigned: false })
  const observationsIn = async (body: unknown) => connector.callbacks?.read(inbound(body))
  const hint = {
    isGenuine: true,
    isProof: false,
    isUnsigned: true,
    observations: [{ key, providerStatus: { state: 'submitted' } }],
  }

  assert.deepEqual(await observationsIn({ payoutId: key, ...completed, amount: 1500 }), hint)
  assert.deepEqual(await observationsIn({ payoutId: key, status: 'NEW_STATE' }), hint)
  assert.deepEqual(await observationsIn({ remittanceId: key, status: 'COMPLETED' }), { ...hint, observations: [] })
  assert.equal((await observationsIn('not JSON'))?.isGenuine, false)
  assert.equal((await observationsIn('[]'))?.isGenuine, false)
})
