import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Secret } from '../../platform/secret.ts'
import { createFlutterwave } from './connector.ts'
import { sandboxKeysOf } from './sandbox-keys.ts'
import { encryptionKey, flutterwave, secretKey, webhookHash } from './stub.suite.ts'

test('the connector offers only what Flutterwave serves, with its not-found windows', async (t) => {
  const { capabilities, cardCharges, transferCharges, payouts, refunds } = await flutterwave(t)
  const lines = capabilities.map(({ operation, country, currency, target }) =>
    [operation, country, currency, target].join(' '),
  )

  assert.deepEqual(
    lines.filter((line) => !/^(charge|refund)\.card/.test(line)),
    [
      'charge.bank-transfer NG NGN *',
      'refund.bank-transfer NG NGN *',
      'rates * * *',
      'payout.bank NG NGN 044',
      'resolve.bank NG NGN 044',
      'payout.bank NG NGN 303',
      'resolve.bank NG NGN 303',
      'payout.bank GH GHS 190100',
      'payout.bank UG UGX 04',
      'payout.bank KE KES 01',
      'payout.bank ZA ZAR 250655',
    ],
  )
  for (const operation of ['charge.card', 'refund.card']) {
    const cards = lines.filter((line) => line.startsWith(`${operation} * `)).map((line) => line.split(' ')[2])
    assert.deepEqual(cards.sort(), 'EUR GBP GHS KES NGN RWF TZS UGX USD XAF XOF ZAR ZMW'.split(' '))
  }
  const windows = [cardCharges, transferCharges, payouts, refunds].map(
    ({ notFoundWindowMs }) => notFoundWindowMs / 60_000,
  )
  assert.deepEqual(windows, [30, 30, 5, 60])
})

test('the connector refuses to start with invalid keys', () => {
  const good = {
    baseUrl: 'http://127.0.0.1:1/v3',
    secretKey: new Secret(secretKey),
    encryptionKey: new Secret(encryptionKey),
    webhookHash: new Secret(webhookHash),
    bankCodes: new Map(),
  }
  for (const wrong of ['', 'short', `${encryptionKey}!`])
    assert.throws(() => createFlutterwave({ ...good, encryptionKey: new Secret(wrong) }), /24 characters/)
  assert.throws(() => createFlutterwave({ ...good, webhookHash: new Secret('') }), /the webhook hash must not be empty/)
})

test('the simulator’s keys are derived from its token, the same every time', () => {
  const keys = sandboxKeysOf('simulator-of-a-test')

  assert.deepEqual(keys, sandboxKeysOf('simulator-of-a-test'))
  assert.match(keys.encryptionKey, /^[0-9a-f]{24}$/)
  assert.notEqual(keys.encryptionKey, sandboxKeysOf('another').encryptionKey)
})
