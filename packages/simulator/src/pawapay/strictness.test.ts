import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Body, deposit, payout, startTestSimulator } from '../testing/simulator.ts'

test('a caller without the right token is rejected', async (t) => {
  const sim = await startTestSimulator(t)
  const none = await fetch(`${sim.url}/pawapay/v2/deposits`, { method: 'POST' })
  const wrong = await sim.pawapay('POST', '/v2/deposits', deposit(), { authorization: 'Bearer pawapay-tokem' })

  assert.equal(none.status, 401)
  assert.equal(((await none.json()) as Body).failureReason.failureCode, 'NO_AUTHENTICATION')
  assert.equal(wrong.status, 403)
  assert.equal(wrong.body.failureReason.failureCode, 'AUTHENTICATION_ERROR')
})

const counterparty = (details: Record<string, unknown>, more: Record<string, unknown> = {}) => ({
  type: 'MMO',
  accountDetails: { phoneNumber: '250783456789', provider: 'MTN_MOMO_RWA', ...details },
  ...more,
})
const bfa = { currency: 'XOF', payer: counterparty({ phoneNumber: '22607345678', provider: 'ORANGE_BFA' }) }

const refused: readonly (readonly [string, Record<string, unknown>, string])[] = [
  ['an unknown field', { surprise: 1 }, 'UNSUPPORTED_PARAMETER'],
  ['an unknown field inside', { payer: counterparty({ surprise: 1 }) }, 'UNSUPPORTED_PARAMETER'],
  ['a missing amount', { amount: undefined }, 'MISSING_PARAMETER'],
  ['a missing payer', { payer: undefined }, 'MISSING_PARAMETER'],
  ['a missing phone', { payer: counterparty({ phoneNumber: undefined }) }, 'MISSING_PARAMETER'],
  ['an id that is not a UUID v4', { depositId: '11111111-1111-1111-8111-111111111111' }, 'INVALID_PARAMETER'],
  ['an amount that is a number', { amount: 100 }, 'INVALID_PARAMETER'],
  ['another kind of payer', { payer: counterparty({}, { type: 'CARD' }) }, 'INVALID_PARAMETER'],
  ['a short message', { customerMessage: 'abc' }, 'INVALID_PARAMETER'],
  ['a message with special characters', { customerMessage: 'Order #12' }, 'INVALID_PARAMETER'],
  ['a long message', { customerMessage: 'a'.repeat(23) }, 'INVALID_PARAMETER'],
  ['eleven metadata', { metadata: Array.from({ length: 11 }, (_, n) => ({ [`k${n}`]: 'v' })) }, 'INVALID_PARAMETER'],
  ['two fields in one metadata', { metadata: [{ a: '1', b: '2' }] }, 'INVALID_PARAMETER'],
  ['the same metadata twice', { metadata: [{ a: '1' }, { a: '2' }] }, 'DUPLICATE_METADATA_FIELD'],
  ['an unneeded code', { preAuthorisationCode: '123456' }, 'UNSUPPORTED_PARAMETER'],
  ['a missing code', bfa, 'MISSING_PARAMETER'],
  ['an unneeded page URL', { successfulUrl: 'https://a.example' }, 'UNSUPPORTED_PARAMETER'],
]

for (const [what, changes, code] of refused)
  test(`a deposit with ${what} is refused with HTTP 400`, async (t) => {
    const sim = await startTestSimulator(t)
    const { status, body } = await sim.pawapay('POST', '/v2/deposits', deposit(changes))
    assert.equal(status, 400)
    assert.equal(body.failureReason.failureCode, code)
    assert.equal((await sim.control('GET', '/payments')).body.items.length, 0)
  })

const kenya = { currency: 'KES', payer: counterparty({ phoneNumber: '254703456789', provider: 'MPESA_KEN' }) }

const rejected: readonly (readonly [string, Record<string, unknown>, string])[] = [
  ['too small an amount', { amount: '4' }, 'AMOUNT_OUT_OF_BOUNDS'],
  ['too large an amount', { amount: '2000001' }, 'AMOUNT_OUT_OF_BOUNDS'],
  ['a leading zero', { amount: '0100' }, 'INVALID_AMOUNT'],
  ['a trailing zero', { amount: '100.50' }, 'INVALID_AMOUNT'],
  ['decimals the provider does not take', { ...kenya, amount: '100.5' }, 'INVALID_AMOUNT'],
  ['an unknown provider', { payer: counterparty({ provider: 'MTN_MOMO_XXX' }) }, 'INVALID_PROVIDER'],
  ['the currency of another country', { currency: 'KES' }, 'INVALID_CURRENCY'],
  ['the number of another country', { payer: counterparty({ phoneNumber: '254703456789' }) }, 'INVALID_PHONE_NUMBER'],
  ['a number with a plus', { payer: counterparty({ phoneNumber: '+250783456789' }) }, 'INVALID_PHONE_NUMBER'],
  ['a number too short', { payer: counterparty({ phoneNumber: '25078345678' }) }, 'INVALID_PHONE_NUMBER'],
]

for (const [what, changes, code] of rejected)
  test(`a deposit with ${what} is rejected with HTTP 200`, async (t) => {
    const sim = await startTestSimulator(t)
    const order = deposit(changes)
    const { status, body } = await sim.pawapay('POST', '/v2/deposits', order)
    assert.equal(status, 200)
    assert.deepEqual([body.depositId, body.status], [order.depositId, 'REJECTED'])
    assert.equal(body.failureReason.failureCode, code)
    assert.deepEqual((await sim.pawapay('GET', `/v2/deposits/${order.depositId}`)).body, { status: 'NOT_FOUND' })
  })

test('limits and decimals differ between deposits and payouts of one operator', async (t) => {
  const sim = await startTestSimulator(t)
  const send = async (amount: string) => {
    const { body } = await sim.pawapay(
      'POST',
      '/v2/payouts',
      payout({ amount, currency: 'KES' }, '254703456789', 'MPESA_KEN'),
    )
    return body.status
  }
  assert.equal(await send('100.5'), 'ACCEPTED')
  assert.equal(await send('9'), 'REJECTED')
})

test('a request that is not JSON is refused', async (t) => {
  const sim = await startTestSimulator(t)
  const broken = await sim.pawapay('POST', '/v2/deposits', '{"depositId":')
  const form = await sim.pawapay('POST', '/v2/deposits', deposit(), { 'content-type': 'text/plain' })
  assert.deepEqual([broken.status, broken.body.failureReason.failureCode], [400, 'INVALID_INPUT'])
  assert.deepEqual([form.status, form.body.failureReason.failureCode], [400, 'INVALID_INPUT'])
})

test('a phone number is cleaned and its operator predicted', async (t) => {
  const sim = await startTestSimulator(t)
  const predict = async (phoneNumber: string) =>
    (await sim.pawapay('POST', '/v2/predict-provider', { phoneNumber })).body
  assert.deepEqual(await predict('+260 763-456789'), {
    country: 'ZMB',
    provider: 'MTN_MOMO_ZMB',
    phoneNumber: '260763456789',
  })
  assert.equal((await predict('2290195345789')).provider, 'MOOV_BEN')
  assert.equal((await predict('12025550123')).failureReason.failureCode, 'INVALID_PHONE_NUMBER')
})

test('the configuration lists limits, decimals and how the payer approves', async (t) => {
  const sim = await startTestSimulator(t)
  const { body } = await sim.pawapay('GET', '/v2/active-conf?country=BFA&operationType=DEPOSIT')
  const [moov, orange] = body.countries[0].providers
  const { DEPOSIT } = orange.currencies[0].operationTypes
  assert.equal(moov.currencies[0].operationTypes.DEPOSIT.pinPrompt, 'MANUAL')
  assert.deepEqual([DEPOSIT.authType, DEPOSIT.decimalsInAmount, DEPOSIT.minAmount], ['PREAUTH', 'NONE', '100'])
  assert.equal((await sim.pawapay('GET', '/v2/active-conf')).body.countries.length, 20)
  assert.equal((await sim.pawapay('GET', '/v2/active-conf?country=XXX')).status, 400)
})
