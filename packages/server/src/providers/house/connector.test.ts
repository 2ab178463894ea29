import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, type ServerResponse } from 'node:http'
import { type TestContext, test } from 'node:test'
import { Secret } from '../../platform/secret.ts'
import type {
  MomoChargeAttempt,
  PayoutAttempt,
  PayoutTarget,
  SubmitOutcome,
  TransferChargeAttempt,
} from '../contract.ts'
import { createHouse } from './connector.ts'

const key = '0197d3a0-0000-4000-8000-000000000001'
const other = '0197d3a0-0000-4000-8000-000000000002'
const phone = '+254703456789'
const token = 'a-token-that-must-stay-secret'
const common = { key, country: 'KE', currency: 'KES', amount: 12_820n } as const
const charge: MomoChargeAttempt = { ...common, operator: 'MPESA_KE', phone }
const momo: PayoutTarget = { kind: 'momo', operator: 'MPESA_KE', phone, name: 'Juma Otieno' }
const payout: PayoutAttempt = { ...common, to: momo }
const transfer: TransferChargeAttempt = { ...common, email: 'amina@example.com', lifeSeconds: 7200 }
const account = { number: '1234567001', bankName: 'House Bank', expiresAt: '2026-11-15T10:00:00.000Z' }
const toPay = {
  state: 'waiting',
  action: {
    kind: 'pay_to_account',
    account: { accountNumber: account.number, bankName: account.bankName, expiresAt: account.expiresAt },
  },
}
const soon = () => AbortSignal.timeout(5000)

type Answer = (response: ServerResponse) => void

const says =
  (status: number, body: unknown): Answer =>
  (response) =>
    void response.writeHead(status).end(typeof body === 'string' ? body : JSON.stringify(body))
const answers = (fields: object) => says(200, { key, repeated: false, ...fields })
const refuses = (status: number, code: string) => says(status, { error: { code, message: `${phone} ${token}` } })

/** A fake house for one test, and a connector to it. */
async function house(t: TestContext, first: Answer) {
  const seen: { readonly line: string; readonly authorization: string | undefined; readonly json: unknown }[] = []
  const stub = { respond: first }
  const server = createServer(async (request, response) => {
    const body = String(Buffer.concat(await request.toArray()))
    const { method, url, headers } = request
    const json = body === '' ? undefined : JSON.parse(body)
    seen.push({ line: `${method} ${url}`, authorization: headers.authorization, json })
    stub.respond(response)
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as { port: number }
  const baseUrl = `http://127.0.0.1:${port}/house`
  const {
    momoCharges: charges,
    transferCharges: transfers,
    payouts,
    ...rest
  } = createHouse({ baseUrl, token: new Secret(token), secret: new Secret('s') })
  t.after(async () => {
    await rest.close()
    server.closeAllConnections()
    server.close()
  })
  assert.ok(charges && transfers && payouts)
  return { seen, stub, server, charges, transfers, payouts, ...rest }
}

const causeOf = (outcome: SubmitOutcome) => ('cause' in outcome ? `${outcome.certainty}: ${outcome.cause}` : '')

test('house offers every rail except cards everywhere, with a not-found window of one minute', async (t) => {
  const { capabilities, requestsPerSecond, charges, payouts } = await house(t, says(200, {}))

  assert.deepEqual(
    capabilities.map(({ operation }) => operation).sort(),
    'charge.bank-transfer charge.momo payout.bank payout.momo payout.paybill payout.till rates refund.bank-transfer refund.momo resolve.bank resolve.momo'.split(
      ' ',
    ),
  )
  assert.ok(capabilities.every(({ country, currency, target }) => `${country}${currency}${target}` === '***'))
  assert.deepEqual([requestsPerSecond, charges.notFoundWindowMs, payouts.notFoundWindowMs], [500, 60_000, 60_000])
})

test('the connector refuses to start with an empty callback secret', () => {
  const options = { baseUrl: 'http://127.0.0.1:1', token: new Secret(token), secret: new Secret('') }
  assert.throws(() => createHouse(options), /the callback secret must not be empty/)
})

test('a payment sends only the fields house documents', async (t) => {
  const { charges, payouts, seen } = await house(t, says(200, {}))
  const links = { successUrl: 'https://shop.example/yes', failureUrl: 'https://shop.example/no' }
  const francs = { country: 'CI', currency: 'XOF', amount: 5000n } as const
  const bank = { kind: 'bank', bankCode: '068', accountNumber: '0123456789', accountName: 'Juma' } as const
  const paybill = {
    kind: 'paybill',
    businessNumber: '522522',
    accountNumber: '0123456789',
    accountName: 'Juma',
  } as const
  const till = { kind: 'till', tillNumber: '123456', accountName: 'Shop' } as const

  await charges.submit(charge, soon())
  await charges.submit({ ...charge, ...francs, otpCode: '123456', ...links }, soon())
  await charges.submit({ ...charge, voucherPin: '123456789012' }, soon())
  const targets = [momo, { ...bank, branchCode: '001' }, { ...bank, branchCode: '' }, paybill, till]
  for (const to of targets) await payouts.submit({ ...payout, to }, soon())

  const money = { key, country: 'KE', currency: 'KES', amount: '128.20' }
  const plain = { ...money, operator: 'MPESA_KE', phone }
  assert.deepEqual(
    seen.map(({ json }) => json),
    [
      plain,
      { ...plain, country: 'CI', currency: 'XOF', amount: '5000', code: '123456', ...links },
      { ...plain, voucher: '123456789012' },
      ...[momo, { ...bank, branchCode: '001' }, bank, paybill, till].map((to) => ({ ...money, to })),
    ],
  )
  const lines = [...Array(3).fill('POST /house/v1/charges'), ...Array(5).fill('POST /house/v1/payouts')]
  assert.deepEqual(
    seen.map(({ line }) => line),
    lines,
  )
  assert.ok(seen.every(({ authorization }) => authorization === `Bearer ${token}`))
})

test('an amount that cannot be written is refused before anything is sent', async (t) => {
  const { charges, payouts, seen } = await house(t, says(200, {}))

  for (const amount of [0n, -1n, 10n ** 20n]) {
    assert.equal(causeOf(await charges.submit({ ...charge, amount }, soon())), 'definitely_not_submitted: unwritable')
    assert.equal(causeOf(await payouts.submit({ ...payout, amount }, soon())), 'definitely_not_submitted: unwritable')
  }
  assert.equal(seen.length, 0)
  await payouts.submit({ ...payout, amount: 10n ** 20n - 1n }, soon())
  assert.partialDeepStrictEqual(seen[0]?.json, { amount: '999999999999999999.99' })
})

test('an accepted charge asks for a PIN, unless a code or a voucher was given', async (t) => {
  const { charges, payouts } = await house(t, answers({ state: 'accepted' }))
  const providerStatus = (outcome: SubmitOutcome) =>
    outcome.certainty === 'accepted' ? outcome.providerStatus : outcome
  const submitted = { state: 'submitted' }

  assert.deepEqual(providerStatus(await charges.submit(charge, soon())), {
    state: 'waiting',
    action: { kind: 'pin_prompt' },
  })
  assert.deepEqual(providerStatus(await charges.submit({ ...charge, otpCode: '123456' }, soon())), submitted)
  assert.deepEqual(providerStatus(await charges.submit({ ...charge, voucherPin: '123456789012' }, soon())), submitted)
  assert.deepEqual(providerStatus(await payouts.submit(payout, soon())), submitted)
})

test('only codes that house documents for it mean not submitted', async (t) => {
  const { payouts, stub } = await house(t, says(200, {}))
  const documented: [Answer, string][] = [
    [says(429, '<html>'), 'rate_limited'],
    [answers({ state: 'failed', failure: { code: 'FLOAT_EMPTY', message: 'x' } }), 'float_exhausted'],
    ...['UNAUTHORIZED', 'TOKEN_EXPIRED'].map((code): [Answer, string] => [refuses(401, code), 'rejected']),
    ...['OPERATOR_CLOSED', 'OPERATOR_DELAYED'].map((code): [Answer, string] => [refuses(409, code), 'closed']),
  ]
  for (const [respond, cause] of documented) {
    stub.respond = respond
    assert.equal(causeOf(await payouts.submit(payout, soon())), `definitely_not_submitted: ${cause}`)
  }
})

test('a payment that house’s validation refuses fails', async (t) => {
  const { payouts, stub } = await house(t, says(200, {}))
  for (const providerCode of ['INVALID_BODY', 'UNKNOWN_FIELD', 'MISSING_FIELD', 'INVALID_FIELD']) {
    stub.respond = refuses(400, providerCode)
    const failure = { code: 'DETAILS_NOT_ACCEPTED', providerCode }
    assert.partialDeepStrictEqual(await payouts.submit(payout, soon()), { certainty: 'definitely_failed', failure })
  }
})

test('a broken, repeated or undocumented response leaves open whether money moved', async (t) => {
  const { payouts, stub } = await house(t, says(200, {}))
  const unclear: Record<string, [Answer, string]> = {
    500: [refuses(500, 'INVALID_FIELD'), 'server_error'],
    'HTML 503': [says(503, '<html>'), 'server_error'],
    'no JSON': [says(200, `{"key":"${key}"`), 'unreadable'],
    'an array': [says(200, [{ key, state: 'accepted', repeated: false }]), 'unreadable'],
    'no key': [says(200, { state: 'accepted', repeated: false }), 'unreadable'],
    'another key': [answers({ key: other, state: 'accepted' }), 'unreadable'],
    'no state': [answers({}), 'unreadable'],
    'a new state': [answers({ state: 'paused' }), 'unreadable'],
    'success of no amount': [answers({ state: 'completed' }), 'unreadable'],
    'no word on repetition': [says(200, { key, state: 'accepted' }), 'unreadable'],
    repeated: [answers({ state: 'accepted', repeated: true }), 'repeated'],
    'repeated and failed': [answers({ state: 'failed', repeated: true }), 'repeated'],
    'repeated without money': [
      answers({ state: 'failed', repeated: true, failure: { code: 'FLOAT_EMPTY' } }),
      'repeated',
    ],
    'repeated and done': [
      answers({ state: 'completed', repeated: true, amount: '128.20', currency: 'KES' }),
      'repeated',
    ],
    'a key used for another': [refuses(409, 'KEY_REUSED'), 'repeated'],
    409: [refuses(409, 'INVALID_FIELD'), 'unreadable'],
    '400 in unknown words': [refuses(400, 'GREMLIN'), 'unreadable'],
    '400 with the words of 401': [refuses(400, 'TOKEN_EXPIRED'), 'unreadable'],
    '400 in no words': [says(400, 'Bad Request'), 'unreadable'],
    'a prototype’s name': [refuses(400, 'constructor'), 'unreadable'],
    404: [refuses(404, 'NOT_FOUND'), 'unreadable'],
    'a redirect': [says(302, ''), 'unreadable'],
    'cut off': [(response) => void response.socket?.destroy(), 'broken_off'],
  }
  for (const [name, [respond, cause]] of Object.entries(unclear)) {
    stub.respond = respond
    assert.equal(causeOf(await payouts.submit(payout, soon())), `unknown: ${cause}`, name)
  }
})

test('an immediate failure is final with our code, and an immediate success has its amount', async (t) => {
  const { payouts, stub } = await house(t, says(200, {}))
  const failures: [object, object][] = [
    [{ failure: { code: 'RECIPIENT_NOT_FOUND' } }, { code: 'RECIPIENT_NOT_FOUND' }],
    [{ failure: { code: 'NEW_REASON' } }, { code: 'UNKNOWN_ERROR', providerCode: 'NEW_REASON' }],
    [{ failure: { code: phone } }, { code: 'UNSPECIFIED_FAILURE' }],
    [{}, { code: 'UNSPECIFIED_FAILURE' }],
  ]
  for (const [fields, failure] of failures) {
    stub.respond = answers({ state: 'failed', ...fields })
    const outcome = await payouts.submit(payout, soon())
    assert.partialDeepStrictEqual(outcome, { certainty: 'definitely_failed', failure })
  }

  stub.respond = answers({ state: 'completed', amount: '128.20', currency: 'KES' })
  const providerStatus = { state: 'successful', settled: { amount: 12_820n, currency: 'KES' } }
  assert.deepEqual(await payouts.submit(payout, soon()), { certainty: 'accepted', providerStatus })
})

test('a timeout is unknown, and a failed connection is definitely not submitted', async (t) => {
  const { payouts, server } = await house(t, () => undefined)

  assert.equal(causeOf(await payouts.submit(payout, AbortSignal.timeout(50))), 'unknown: timeout')
  server.closeAllConnections()
  server.close()
  await once(server, 'close')
  assert.equal(causeOf(await payouts.submit(payout, soon())), 'definitely_not_submitted: not_reached')
})

test('no detail shows a phone number, the token or what house wrote', async (t) => {
  const { payouts, stub } = await house(t, says(200, {}))
  const leaky = { echo: phone, authorization: token, error: { code: phone, message: token } }
  const replies = [200, 302, 400, 401, 404, 409, 500].map((status) => says(status, leaky))
  const failure = { code: 'RECIPIENT_NOT_FOUND', message: `${phone} ${token}` }
  for (const respond of [...replies, refuses(400, 'INVALID_FIELD'), answers({ state: 'failed', failure })]) {
    stub.respond = respond
    const reported = JSON.stringify([await payouts.submit(payout, soon()), await payouts.query(payout, soon())])
    assert.ok(!reported.includes(phone.slice(1)) && !reported.includes(token), reported)
  }
})

test('a query reports house’s status of the payment, in every state', async (t) => {
  const { charges, payouts, stub, seen } = await house(t, refuses(404, 'NOT_FOUND'))
  const money = { amount: '128.20', currency: 'KES' }
  const settled = { amount: 12_820n, currency: 'KES' }
  const states: [object, object][] = [
    [{ state: 'accepted', ...money }, { state: 'submitted' }],
    [
      { state: 'completed', ...money, receipt: 'R1' },
      { state: 'successful', settled: { ...settled, receipt: 'R1' } },
    ],
    [
      { state: 'completed', ...money, amount: '128.2' },
      { state: 'successful', settled },
    ],
    [
      { state: 'completed', ...money, amount: '128' },
      { state: 'successful', settled: { ...settled, amount: 12_800n } },
    ],
    [
      { state: 'failed', ...money, failure: { code: 'EXPIRED' } },
      { state: 'failed', failure: { code: 'EXPIRED' } },
    ],
    [
      { state: 'failed', ...money, failure: { code: 'FLOAT_EMPTY' } },
      { state: 'failed', failure: { code: 'UNKNOWN_ERROR', providerCode: 'FLOAT_EMPTY' } },
    ],
    [
      { state: 'reversed', ...money, returned: '28.20' },
      { state: 'reversed', failure: { code: 'REVERSED' }, returned: 2820n, collected: settled.amount },
    ],
    [
      { state: 'failed', ...money },
      { state: 'failed', failure: { code: 'UNSPECIFIED_FAILURE' } },
    ],
  ]

  assert.deepEqual(await charges.query(charge, soon()), { found: 'no' })
  assert.deepEqual(await payouts.query(payout, soon()), { found: 'no' })
  for (const [fields, providerStatus] of states) {
    stub.respond = says(200, { key, ...fields })
    assert.partialDeepStrictEqual(await charges.query(charge, soon()), { found: 'yes', providerStatus })
  }
  assert.equal(seen[0]?.line, `GET /house/v1/charges/${key}`)
  assert.equal(seen[1]?.line, `GET /house/v1/payouts/${key}`)
})

test('an unreadable query response is neither "not found" nor an end', async (t) => {
  const { payouts, stub } = await house(t, says(200, {}))
  const about = (fields: object) => says(200, { key, state: 'completed', amount: '128.20', currency: 'KES', ...fields })
  const unclear = [
    says(404, 'Not Found'),
    refuses(404, 'NO_SUCH_PATH'),
    refuses(200, 'NOT_FOUND'),
    refuses(503, 'NOT_FOUND'),
    says(200, '{"state":'),
    says(202, { key, state: 'accepted' }),
    about({ key: other }),
    about({ amount: 128.2 }),
    about({ amount: '1e3' }),
    about({ amount: '128.205' }),
    about({ amount: '0' }),
    about({ amount: '-128.20' }),
    about({ currency: 'XXX' }),
    about({ currency: undefined }),
    about({ state: 'COMPLETED' }),
    about({ state: 'reversed' }),
    about({ state: 'reversed', returned: 28.2 }),
    about({ state: 'reversed', returned: '0' }),
    about({ receipts: [{ id: '1', amount: '60', isReversed: 'yes' }] }),
    about({ state: undefined }),
  ]
  for (const respond of unclear) {
    stub.respond = respond
    assert.equal((await payouts.query(payout, soon())).found, 'unclear')
  }
})

test('names and rates are exactly what house reports', async (t) => {
  const { names, rates, stub, seen } = await house(t, says(200, { accountId: 'acc_1', accountName: 'Amina Diallo' }))
  const bank = { kind: 'bank', bankCode: '068', branchCode: '', accountNumber: '0123456789', currency: 'KES' } as const
  const { branchCode: _, ...sent } = bank

  const found = { found: 'yes', accountId: 'acc_1', accountName: 'Amina Diallo' }
  assert.deepEqual(await names?.resolve(bank, soon()), found)
  assert.deepEqual(seen[0]?.json, sent)
  stub.respond = refuses(404, 'NOT_FOUND')
  assert.deepEqual(await names?.resolve(bank, soon()), { found: 'no' })
  stub.respond = says(404, '<html>')
  assert.equal((await names?.resolve(bank, soon()))?.found, 'unclear')
  stub.respond = says(200, { buy: '128.5', sell: '129.5', at: 'now' })
  assert.deepEqual(await rates?.quote('USD', 'KES', soon()), { buy: '128.5', sell: '129.5' })
  stub.respond = refuses(404, 'NO_RATE')
  await assert.rejects(async () => rates?.quote('USD', 'KES', soon()), /no rate of USD\/KES: 404/)
})

test('a transfer charge returns its account, and the same account when it is sent again', async (t) => {
  const { transfers, stub, seen } = await house(t, answers({ state: 'accepted', account }))
  const accepted = { certainty: 'accepted', providerStatus: toPay }

  assert.deepEqual(await transfers.submit(transfer, soon()), accepted)
  const money = { key, country: 'KE', currency: 'KES', amount: '128.20' }
  const own = { kind: 'bank-transfer', email: 'amina@example.com', lifeSeconds: 7200 }
  assert.deepEqual(seen[0]?.json, { ...money, ...own })
  stub.respond = answers({ state: 'accepted', account, repeated: true })
  assert.deepEqual(await transfers.submit(transfer, soon()), accepted)
  for (const fields of [{ state: 'accepted' }, { state: 'failed', account }]) {
    stub.respond = answers({ ...fields, repeated: true })
    assert.equal(causeOf(await transfers.submit(transfer, soon())), 'unknown: repeated')
  }
  for (const broken of [undefined, {}, { ...account, number: 7 }, { ...account, expiresAt: 'soon' }]) {
    stub.respond = answers({ state: 'accepted', account: broken })
    assert.equal(causeOf(await transfers.submit(transfer, soon())), 'unknown: unreadable')
  }
})

test('money in an account is reported receipt by receipt, all of it or none', async (t) => {
  const { transfers, stub } = await house(t, says(200, {}))
  const shows = (fields: object) =>
    says(200, { key, state: 'accepted', amount: '128.20', currency: 'KES', account, ...fields })
  const one = { id: '901', amount: '100.00' }
  const ask = () => transfers.query(transfer, soon())

  stub.respond = shows({ receipts: [] })
  assert.deepEqual(await ask(), { found: 'yes', providerStatus: toPay })
  stub.respond = shows({ receipts: [one, { id: '902', amount: '28.20' }] })
  const receipts = [
    { id: '901', amount: 10_000n, currency: 'KES' },
    { id: '902', amount: 2820n, currency: 'KES' },
  ]
  assert.deepEqual(await ask(), { found: 'yes', providerStatus: { state: 'received', receipts } })
  stub.respond = shows({ receipts: [], state: 'failed', failure: { code: 'PAYMENT_NOT_APPROVED' } })
  assert.partialDeepStrictEqual(await ask(), { found: 'yes', providerStatus: { state: 'failed' } })
  for (const broken of [{ ...one, amount: 28.2 }, { amount: '28.20' }, { ...one, amount: '0' }, 7]) {
    stub.respond = shows({ receipts: [one, broken] })
    assert.equal((await ask()).found, 'unclear')
  }
})
