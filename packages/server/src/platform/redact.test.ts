import assert from 'node:assert/strict'
import { test } from 'node:test'
import { inspect } from 'node:util'
import { createLog } from './log.ts'
import { redact } from './redact.ts'
import { Secret } from './secret.ts'

const pan = '4242424242424242'
const apiKey = `sk_test_${'a1B2'.repeat(12)}c`
const token = `eyJhbGciOiJFZERTQSJ9.eyJzdWIiOiJ4In0.${'s'.repeat(86)}`
const webhookSecret = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw'

const leaks: Record<string, { text: string; secret: string }> = {
  'a card number': { text: `charged ${pan} twice`, secret: pan },
  'a card number in groups': { text: '5531 8866 5214 2950', secret: '5531 8866 5214 2950' },
  'a card number with dashes': { text: 'card=4000-0027-6000-3184;', secret: '4000-0027-6000-3184' },
  'an American Express number': { text: '378282246310005', secret: '378282246310005' },
  'an API key': { text: `header api-key: ${apiKey}`, secret: apiKey },
  'a token': { text: `could not verify ${token}`, secret: token },
  'a bearer header': { text: 'authorization: Bearer abc.def~ghi', secret: 'abc.def~ghi' },
  'a webhook secret': { text: `secret ${webhookSecret}`, secret: webhookSecret },
  'a password in a URL': { text: 'postgres://malipo:hunter2@db/malipo', secret: 'hunter2' },
  'a CVV in JSON': { text: '{"cvv":"739","amount":1}', secret: '739' },
  'a PIN in JSON inside JSON': { text: JSON.stringify({ body: '{"pin": "1234"}' }), secret: '1234' },
  'a CVV sent as a number': { text: '{"cvv":739}', secret: '739' },
  'an OTP with a quote inside': { text: '{"otp":"12\\"3456"}', secret: '3456' },
}

for (const [name, { text, secret }] of Object.entries(leaks)) {
  test(`${name} is hidden`, () => {
    assert.ok(!redact(text).includes(secret), redact(text))
    assert.match(redact(text), /\[hidden\]/)
  })
}

test('text without a secret is left unchanged', () => {
  const harmless = [
    '{"time":"2026-11-15T09:30:00.000Z","transactionId":"txn_0193313a7c8070008b1fa1b2c3d4e500"}',
    '0193313a-7c80-7000-8b1f-424242424242',
    'phone +254700123456, account 1234567890123',
    '{"amount":1500,"externalReference":"order-1042"}',
  ]

  for (const text of harmless) assert.equal(redact(text), text)
})

test('a secret prints as [hidden] everywhere', () => {
  const secret = new Secret(apiKey)

  assert.equal(`${secret}`, '[hidden]')
  assert.equal(JSON.stringify({ secret }), '{"secret":"[hidden]"}')
  assert.equal(inspect({ secret }), '{ secret: [hidden] }')
  assert.equal(secret.reveal(), apiKey)
})

test('no secret reaches the log by message, field, nested object or error', () => {
  const lines: string[] = []
  const log = createLog({ level: 'trace', write: (line) => lines.push(line) })

  log.info({ note: leaks, nested: { deep: { cvv: '739', header: `Bearer ${token}` } } }, `paid with ${pan}`)
  log.error({ err: new Error(`refused ${apiKey}`, { cause: new Error(webhookSecret) }) }, 'broke')

  const written = lines.join('')
  for (const { secret } of Object.values(leaks)) assert.ok(!written.includes(secret), secret)
  assert.equal(lines.length, 2)
})
