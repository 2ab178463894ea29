import assert from 'node:assert/strict'
import { createDecipheriv } from 'node:crypto'
import { once } from 'node:events'
import { test } from 'node:test'
import type { AuthoriseOutcome, SubmitOutcome } from '../contract.ts'
import {
  cardCharge,
  causeOf,
  cutOff,
  encryptionKey,
  flutterwave,
  key,
  other,
  pan,
  refuses,
  says,
  secretKey,
  soon,
  success,
} from './stub.suite.ts'

const data = { id: 285_959_875, tx_ref: key, flw_ref: 'FLW-MOCK-1', amount: 1500.5, charged_amount: 1500.5 }
const paid = { ...data, currency: 'NGN', app_fee: 21, status: 'successful', processor_response: 'successful' }
const settled = { amount: 150_050n, currency: 'NGN', fee: 2100n, receipt: '285959875' }
const asks = (mode: string, rest: object = {}) => ({ meta: { authorization: { mode, ...rest } } })
const sentence = (message: string) => says(200, { status: 'success', message, data: { ...paid, status: 'failed' } })
const opened = (json: unknown) => {
  const decipher = createDecipheriv('des-ede3', Buffer.from(encryptionKey), null)
  const { client } = json as { client: string }
  return JSON.parse(Buffer.concat([decipher.update(client, 'base64'), decipher.final()]).toString('utf8'))
}
const continuationOf = (outcome: SubmitOutcome | AuthoriseOutcome) =>
  (outcome.certainty === 'accepted' && outcome.continuation) || ''
const providerStatusIn = (outcome: SubmitOutcome | AuthoriseOutcome) =>
  outcome.certainty === 'accepted' && outcome.providerStatus

test('a charge sends only the fields Flutterwave documents, with the card encrypted', async (t) => {
  const { cardCharges, seen } = await flutterwave(t, success(asks('pin')))
  const device = { colorDepth: 24, screenHeight: 9, screenWidth: 9, userAgent: 'b', timeZone: 0, deviceId: 'd-1' }

  await cardCharges.submit(cardCharge, soon())
  await cardCharges.submit({ ...cardCharge, device, returnUrl: 'https://shop.example/back' }, soon())
  await cardCharges.submit({ ...cardCharge, currency: 'XOF', amount: 5000n }, soon())

  const plain = {
    card_number: pan,
    cvv: '564',
    expiry_month: '09',
    expiry_year: '32',
    currency: 'NGN',
    amount: 1500.5,
    email: 'amina@example.com',
    fullname: 'Amina Okafor',
    client_ip: '102.89.1.7',
    tx_ref: key,
  }
  assert.deepEqual(
    seen.map(({ json }) => Object.keys(json as object)),
    [['client'], ['client'], ['client']],
  )
  assert.deepEqual(opened(seen[0]?.json), plain)
  const more = { device_fingerprint: 'd-1', redirect_url: 'https://shop.example/back' }
  assert.deepEqual(opened(seen[1]?.json), { ...plain, ...more })
  assert.deepEqual(opened(seen[2]?.json), { ...plain, currency: 'XOF', amount: 5000 })
  assert.ok(seen.every(({ line }) => line === 'POST /v3/charges?type=card'))
  assert.ok(seen.every(({ authorization }) => authorization === `Bearer ${secretKey}`))
})

test('a charge that Flutterwave cannot take is refused before anything is sent', async (t) => {
  const { cardCharges, seen } = await flutterwave(t, says(200, {}))
  const { card } = cardCharge
  const impossible = [
    { ...cardCharge, amount: 0n },
    { ...cardCharge, amount: 10n ** 15n },
    { ...cardCharge, currency: 'MAD' },
    { ...cardCharge, card: { ...card, number: '4242 4242 4242 4242' } },
    { ...cardCharge, card: { ...card, cvv: '' } },
    { ...cardCharge, card: { ...card, expYear: '32' } },
  ] as const
  for (const attempt of impossible)
    assert.equal(causeOf(await cardCharges.submit(attempt, soon())), 'definitely_not_submitted: unwritable')
  assert.equal(seen.length, 0)
})

test('a PIN or an address resends the whole charge; a code sends Flutterwave’s reference', async (t) => {
  const { cardCharges, seen, stub } = await flutterwave(t, success(asks('pin')))
  const toPin = await cardCharges.submit(cardCharge, soon())
  stub.responses = [
    success({ data: { ...data, status: 'pending' }, ...asks('otp', { endpoint: '/v3/validate-charge' }) }),
  ]
  const toCode = await cardCharges.authorise(cardCharge, { kind: 'pin', value: '3310' }, continuationOf(toPin), soon())
  stub.responses = [success({ data: paid })]
  const code = { kind: 'otp', value: '123456' } as const
  const done = await cardCharges.authorise(cardCharge, code, continuationOf(toCode), soon())
  stub.responses = [success(asks('avs_noauth'))]
  const toAddress = await cardCharges.submit(cardCharge, soon())
  const address = { street1: '1 Marina', city: 'Lagos', state: 'LA', zip: '100001', country: 'NG' }
  await cardCharges.authorise(cardCharge, { kind: 'address', address }, continuationOf(toAddress), soon())

  assert.deepEqual(providerStatusIn(toPin), { state: 'waiting', action: { kind: 'pin' } })
  const charge = opened(seen[0]?.json)
  assert.deepEqual(opened(seen[1]?.json), { ...charge, authorization: { mode: 'pin', pin: '3310' } })
  assert.deepEqual(providerStatusIn(toCode), { state: 'waiting', action: { kind: 'otp' } })
  assert.equal(seen[2]?.line, 'POST /v3/validate-charge')
  assert.deepEqual(seen[2]?.json, { otp: '123456', flw_ref: 'FLW-MOCK-1', type: 'card' })
  assert.equal(seen[3]?.line, `GET /v3/transactions/verify_by_reference?tx_ref=${key}`)
  assert.deepEqual(providerStatusIn(done), { state: 'successful', settled })
  assert.deepEqual(opened(seen[5]?.json), {
    ...charge,
    authorization: {
      mode: 'avs_noauth',
      address: '1 Marina',
      city: 'Lagos',
      state: 'LA',
      country: 'NG',
      zipcode: '100001',
    },
  })
})

test('the continuation for a code holds no card', async (t) => {
  const { cardCharges } = await flutterwave(t, success({ data: { ...data, status: 'pending' }, ...asks('otp') }))

  const kept = continuationOf(await cardCharges.submit(cardCharge, soon()))
  assert.deepEqual(JSON.parse(kept), { key, step: 'otp', flwRef: 'FLW-MOCK-1' })
})

test('the question to the customer is found beside the data and inside it', async (t) => {
  const { cardCharges, stub } = await flutterwave(t)
  const page = 'https://bank.example/3ds/1'
  const pending = { ...data, status: 'pending', processor_response: 'Please enter the OTP sent to 080****** today' }
  const redirect = { state: 'waiting', action: { kind: 'redirect', url: page } }
  const otp = { state: 'waiting', action: { kind: 'otp', hint: pending.processor_response } }
  const cases: [object, unknown][] = [
    [{ data: pending, ...asks('redirect', { redirect: page }) }, redirect],
    [{ data: { ...pending, ...asks('redirect', { redirect: page }) } }, redirect],
    [{ data: { ...pending, auth_url: page } }, redirect],
    [{ data: pending, ...asks('otp') }, otp],
    [{ data: { ...pending, ...asks('otp') } }, otp],
    [{ data: pending }, otp],
    [{ data: { ...pending, status: 'success-pending-validation', ...asks('otp') } }, otp],
    [{ data: { ...pending, processor_response: 'Pending validation', auth_url: 'N/A' } }, { state: 'submitted' }],
    [
      { data: null, ...asks('pin') },
      { state: 'waiting', action: { kind: 'pin' } },
    ],
  ]
  for (const [response, providerStatus] of cases) {
    stub.responses = [success(response)]
    assert.deepEqual(providerStatusIn(await cardCharges.submit(cardCharge, soon())), providerStatus)
  }
})

test('success is reported only when a query confirms exactly the requested amount', async (t) => {
  const { cardCharges, stub } = await flutterwave(t)
  const confirmed = [
    paid,
    { ...paid, amount: '1500.50', charged_amount: '1521.50', app_fee: '21.00' },
    { ...paid, amount: '1500.5', id: '285959875' },
  ]
  const unconfirmed = [
    success({ data: { ...paid, amount: 1500 } }),
    success({ data: { ...paid, amount: 1500.501 } }),
    success({ data: { ...paid, currency: 'KES' } }),
    success({ data: { ...paid, tx_ref: other } }),
    success({ data: { ...paid, charged_amount: 1499 } }),
    success({ data: { ...paid, id: undefined } }),
    success({ data: { ...paid, status: 'pending' } }),
    success({ data: { ...paid, status: 'failed' } }),
    refuses(400, 'No transaction was found for this id'),
    refuses(500, 'An error occurred'),
    cutOff,
  ]
  for (const fields of confirmed) {
    stub.responses = [success({ data: paid }), success({ data: fields })]
    assert.deepEqual(providerStatusIn(await cardCharges.submit(cardCharge, soon())), { state: 'successful', settled })
  }
  for (const verify of unconfirmed) {
    stub.responses = [success({ data: paid }), verify]
    assert.deepEqual(providerStatusIn(await cardCharges.submit(cardCharge, soon())), { state: 'submitted' })
  }
})

test('a decline is final in every envelope and reports the issuer’s reason', async (t) => {
  const { cardCharges, stub } = await flutterwave(t)
  const words: [unknown, string][] = [
    ['Insufficient Funds', 'INSUFFICIENT_BALANCE'],
    ['Do Not Honour', 'CARD_DECLINED'],
    ['Do Not Honor', 'CARD_DECLINED'],
    ['DECLINED', 'CARD_DECLINED'],
    ['Declined by AVS', 'CARD_DECLINED'],
    ['Restricted card', 'CARD_DECLINED'],
    ['Invalid transaction', 'CARD_DECLINED'],
    ['Transaction not permitted', 'CARD_DECLINED'],
    ['Expired card', 'CARD_EXPIRED'],
    ['Suspected fraud', 'SUSPECTED_FRAUD'],
    ['Wrong PIN', 'AUTHENTICATION_FAILED'],
    ['Too many attempts', 'AUTHENTICATION_FAILED'],
    ['Something new', 'UNSPECIFIED_FAILURE'],
    [undefined, 'UNSPECIFIED_FAILURE'],
    [7, 'UNSPECIFIED_FAILURE'],
  ]
  for (const [processor_response, code] of words) {
    const failed = { ...paid, status: 'failed', processor_response }
    for (const [status, outer] of [
      [200, 'success'],
      [200, 'error'],
      [400, 'error'],
    ] as const) {
      stub.responses = [says(status, { status: outer, message: 'Charge failed', data: failed })]
      const outcome = await cardCharges.submit(cardCharge, soon())
      assert.partialDeepStrictEqual(outcome, { certainty: 'definitely_failed', failure: { code } })
    }
  }
  stub.responses = [refuses(400, 'Insufficient Funds')]
  const refused = { certainty: 'definitely_failed', failure: { code: 'INSUFFICIENT_BALANCE' } }
  assert.partialDeepStrictEqual(await cardCharges.submit(cardCharge, soon()), refused)
})

test('an unknown reason is stored short, printable and without card numbers', async (t) => {
  const processor_response = `No \u0007way for 5531 8866 5214 2950 ${'x'.repeat(200)}`
  const { cardCharges } = await flutterwave(t, success({ data: { ...paid, status: 'failed', processor_response } }))

  const outcome = await cardCharges.submit(cardCharge, soon())
  const words = (outcome.certainty === 'definitely_failed' && outcome.failure.providerCode) || ''
  assert.ok(words.startsWith('No  way for … xxx') && words.length === 100, words)
})

test('only Flutterwave’s own sentence, or an impossible value, counts as a wrong value', async (t) => {
  const { cardCharges, stub, seen } = await flutterwave(t, success(asks('pin')))
  const toPin = continuationOf(await cardCharges.submit(cardCharge, soon()))
  const toCode = JSON.stringify({ key, step: 'otp', flwRef: 'FLW-MOCK-1' })
  const pin = (value: string) => cardCharges.authorise(cardCharge, { kind: 'pin', value }, toPin, soon())
  const otp = (value: string) => cardCharges.authorise(cardCharge, { kind: 'otp', value }, toCode, soon())

  stub.responses = [refuses(400, 'Invalid PIN. Please try again')]
  assert.equal((await pin('1111')).certainty, 'wrong_value')
  stub.responses = [refuses(400, 'Invalid OTP. Please try again')]
  assert.equal((await otp('11111')).certainty, 'wrong_value')
  assert.equal((await pin('1111')).certainty, 'definitely_not_submitted')
  const sent = seen.length
  for (const value of ['', '123', 'abcd', '12345678']) {
    assert.equal((await pin(value)).certainty, 'wrong_value')
    assert.equal((await otp(value)).certainty, 'wrong_value')
  }
  assert.equal(seen.length, sent)
  stub.responses = [refuses(400, 'Transaction not found')]
  assert.equal((await otp('11111')).certainty, 'definitely_not_submitted')
  stub.responses = [sentence('Charge validated')]
  assert.equal((await otp('11111')).certainty, 'definitely_failed')
})

test('the last step matches only our reference or Flutterwave’s', async (t) => {
  const { cardCharges, stub } = await flutterwave(t)
  const kept = JSON.stringify({ key, step: 'otp', flwRef: 'FLW-MOCK-1' })
  const validate = () => cardCharges.authorise(cardCharge, { kind: 'otp', value: '12345' }, kept, soon())

  for (const fields of [{}, { tx_ref: undefined }]) {
    stub.responses = [success({ data: { ...paid, ...fields } }), success({ data: paid })]
    assert.deepEqual(providerStatusIn(await validate()), { state: 'successful', settled })
  }
  for (const fields of [{ tx_ref: other }, { tx_ref: undefined, flw_ref: 'FLW-MOCK-2' }]) {
    stub.responses = [success({ data: { ...paid, ...fields } }), success({ data: paid })]
    const outcome = await validate()
    assert.equal(outcome.certainty === 'unknown' && outcome.cause, 'unreadable')
  }
})

test('a query reports Flutterwave’s status of the charge, and is unclear when unreadable', async (t) => {
  const { cardCharges, stub } = await flutterwave(t)
  const ask = () => cardCharges.query(cardCharge, soon())
  const states: [object, object][] = [
    [{}, { state: 'successful', settled }],
    [{ app_fee: 21.005 }, { state: 'successful', settled: { amount: 150_050n, currency: 'NGN' } }],
    [{ amount: 1400 }, { state: 'successful', settled: { amount: 140_000n } }],
    [{ status: 'pending', processor_response: 'Pending' }, { state: 'submitted' }],
    [
      { status: 'failed', processor_response: 'Declined' },
      { state: 'failed', failure: { code: 'CARD_DECLINED' } },
    ],
    [
      { status: 'failed', processor_response: 'Reversed' },
      { state: 'reversed', failure: { code: 'REVERSED' } },
    ],
    [{ status: 'reversed' }, { state: 'reversed', failure: { code: 'REVERSED' } }],
  ]
  for (const [fields, providerStatus] of states) {
    stub.responses = [success({ data: { ...paid, ...fields } })]
    assert.partialDeepStrictEqual(await ask(), { found: 'yes', providerStatus })
  }
  stub.responses = [refuses(400, 'No transaction was found for this id')]
  assert.deepEqual(await ask(), { found: 'no' })
  const unclear = [
    refuses(404, 'No transaction was found for this id'),
    refuses(400, 'Something else'),
    says(200, { status: 'error', message: 'No transaction was found for this id' }),
    success({ data: [paid] }),
    success({ data: { ...paid, tx_ref: other } }),
    success({ data: { ...paid, amount: '1e3' } }),
    success({ data: { ...paid, amount: 0 } }),
    success({ data: { ...paid, amount: undefined } }),
    success({ data: { ...paid, currency: 'XXX' } }),
    success({ data: { ...paid, status: 'SUCCESSFUL' } }),
    cutOff,
  ]
  for (const [index, response] of unclear.entries()) {
    stub.responses = [response]
    assert.equal((await ask()).found, 'unclear', String(index))
  }
})

test('a timeout is unknown, and a failed connection is definitely not submitted', async (t) => {
  const { cardCharges, server } = await flutterwave(t, () => undefined)

  assert.equal(causeOf(await cardCharges.submit(cardCharge, AbortSignal.timeout(50))), 'unknown: timeout')
  server.closeAllConnections()
  server.close()
  await once(server, 'close')
  assert.equal(causeOf(await cardCharges.submit(cardCharge, soon())), 'definitely_not_submitted: not_reached')
})

test('no outcome shows a card, a PIN, a code, our key or what Flutterwave wrote', async (t) => {
  const { cardCharges, stub } = await flutterwave(t)
  const values = { pin: '4713', otp: '847130' }
  const hidden = [pan, ...Object.values(values), secretKey, encryptionKey]
  const leaky = hidden.join(' ')
  const kept = JSON.stringify({ key, step: 'otp', flwRef: 'FLW-MOCK-1' })
  const responses = [
    ...[200, 302, 400, 401, 404, 500].map((status) => refuses(status, leaky)),
    success({ data: { ...paid, echo: leaky } }),
    success({ data: { ...paid, status: 'failed', processor_response: `${pan} 4713 847130` } }),
    success({ data: { ...data, status: 'pending', processor_response: `OTP ${pan} 847130` } }),
    success({ data: { ...data, status: 'odd', echo: leaky } }),
    says(400, leaky),
  ]
  for (const response of responses) {
    stub.responses = [response]
    const outcomes = [
      await cardCharges.submit(cardCharge, soon()),
      await cardCharges.authorise(cardCharge, { kind: 'otp', value: values.otp }, kept, soon()),
      await cardCharges.query(cardCharge, soon()),
    ]
    const reported = JSON.stringify(outcomes, (_, value) => (typeof value === 'bigint' ? String(value) : value))
    for (const each of hidden) assert.ok(!reported.includes(each), reported)
  }
})
