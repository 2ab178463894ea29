import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { test } from 'node:test'
import fc from 'fast-check'
import { signatureHeaders } from '../../server/src/webhooks/sign.ts'
import { WebhookVerificationError, webhooks } from './index.ts'

const newSecret = () => `whsec_${randomBytes(32).toString('base64')}`
const secret = newSecret()
const event = {
  id: 'wh_1',
  event: 'transaction_updated',
  data: { transactionId: 'txn_1', externalReference: 'order-1', status: 'successful', note: 'für 5 €' },
  timestamp: '2026-11-16T08:00:00.000Z',
  sequence: 2,
}
const body = JSON.stringify(event)
const at = new Date('2026-11-16T08:00:05Z')
const seconds = (count: number) => new Date(at.getTime() + count * 1000)
const headers: Record<string, string> = signatureHeaders({ id: 'wh_1', at, body, secrets: [secret] })

function reasonFor(
  given: { headers?: Record<string, string | undefined>; body?: string; secret?: string | string[]; now?: Date } = {},
): string {
  try {
    webhooks.verify(given.body ?? body, given.headers ?? headers, given.secret ?? secret, { now: given.now ?? at })
    return 'verified'
  } catch (error) {
    assert.ok(error instanceof WebhookVerificationError)
    assert.ok(!error.message.includes(secret.slice(6)), 'the message contains the secret')
    return error.reason
  }
}

test('a signed webhook is verified as text or bytes, with header names in any case', () => {
  const upper = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toUpperCase(), value]))
  const listed = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, [value]]))

  for (const raw of [body, Buffer.from(body), new TextEncoder().encode(body)])
    assert.deepEqual(webhooks.verify(raw, headers, secret, { now: at }), event)
  for (const given of [upper, listed, new Headers(headers)])
    assert.deepEqual(webhooks.verify(body, given, secret, { now: at }), event)
})

test('during a secret rotation, either side may switch first', () => {
  const [before, after] = [newSecret(), newSecret()]
  const both = { ...signatureHeaders({ id: 'wh_1', at, body, secrets: [after, before] }) }
  const early = { ...signatureHeaders({ id: 'wh_1', at, body, secrets: [before] }) }

  assert.equal(reasonFor({ headers: both, secret: before }), 'verified')
  assert.equal(reasonFor({ headers: both, secret: after }), 'verified')
  assert.equal(reasonFor({ headers: early, secret: [after, before] }), 'verified')
  assert.equal(reasonFor({ headers: early, secret: after }), 'bad_signature')
})

test('a different body, id, time or secret fails the signature check', () => {
  assert.equal(reasonFor({ body: body.replace('successful', 'failed') }), 'bad_signature')
  assert.equal(reasonFor({ body: JSON.stringify(event, null, 1) }), 'bad_signature')
  assert.equal(reasonFor({ headers: { ...headers, 'webhook-id': 'wh_2' } }), 'bad_signature')
  assert.equal(reasonFor({ headers: { ...headers, 'webhook-timestamp': '1' } }), 'bad_signature')
  assert.equal(reasonFor({ secret: newSecret() }), 'bad_signature')
  assert.equal(reasonFor({ headers: { ...headers, 'webhook-signature': 'v1,AAAA v1a,AAAA' } }), 'bad_signature')
})

for (const name of ['webhook-id', 'webhook-timestamp', 'webhook-signature']) {
  test(`a webhook without the header ${name} is refused`, () => {
    assert.equal(reasonFor({ headers: { ...headers, [name]: undefined } }), 'missing_header')
    assert.equal(reasonFor({ headers: { ...headers, [name]: ' ' } }), 'missing_header')
  })
}

test('a webhook may be at most five minutes early or late, and the tolerance can be changed', () => {
  assert.equal(reasonFor({ now: seconds(300) }), 'verified')
  assert.equal(reasonFor({ now: seconds(301) }), 'too_old')
  assert.equal(reasonFor({ now: seconds(-300) }), 'verified')
  assert.equal(reasonFor({ now: seconds(-301) }), 'from_the_future')
  assert.equal(reasonFor({ headers: { ...headers, 'webhook-timestamp': 'soon' } }), 'bad_header')

  const options = { now: seconds(20), toleranceSeconds: 10 }
  assert.throws(() => webhooks.verify(body, headers, secret, options), { reason: 'too_old' })
})

test('a malformed secret has a different error than a wrong secret', () => {
  for (const wrong of ['', 'whsec_', 'whsec_not base 64', `"${secret}"`, [], [secret, '']])
    assert.equal(reasonFor({ secret: wrong }), 'bad_secret', String(wrong))
})

test('a body of any bytes verifies as sent, and not with one byte changed', () => {
  fc.assert(
    fc.property(fc.uint8Array({ minLength: 1, maxLength: 200 }), fc.nat(), (bytes, place) => {
      const sent = { ...signatureHeaders({ id: 'wh_1', at, body: bytes, secrets: [secret] }) }
      const changed = bytes.map((byte, index) => (index === place % bytes.length ? byte ^ 1 : byte))
      const verified = (raw: Uint8Array) => {
        try {
          return Boolean(webhooks.verify(raw, sent, secret, { now: at })) || true
        } catch (error) {
          return (error as WebhookVerificationError).reason === 'bad_body' // Signed, and only not JSON.
        }
      }

      assert.deepEqual([verified(bytes), verified(changed)], [true, false])
    }),
  )
})

test('one v1 signature among others is enough, and a timestamp must be whole seconds', () => {
  const signature = `v1a,AAAA v1,wrong ${headers['webhook-signature']} v2,BBBB`

  assert.equal(reasonFor({ headers: { ...headers, 'webhook-signature': signature } }), 'verified')
  for (const timestamp of ['2026-11-15T10:00:00Z', '-5', '1e9', '17632000001234567'])
    assert.equal(reasonFor({ headers: { ...headers, 'webhook-timestamp': timestamp } }), 'bad_header')
})

test('testHeaders makes the same headers as the server', () => {
  assert.deepEqual(webhooks.testHeaders(body, secret, { at }), headers)
  assert.deepEqual(webhooks.verify(body, webhooks.testHeaders(body, secret), secret), event)
  assert.throws(() => webhooks.verify('[]x', webhooks.testHeaders('[]x', secret, { id: 'wh_9' }), secret), {
    reason: 'bad_body',
  })
})
