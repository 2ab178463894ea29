import assert from 'node:assert/strict'
import { createHmac } from 'node:crypto'
import { test } from 'node:test'
import fc from 'fast-check'
import { Webhook } from 'standardwebhooks'
import { Webhook as SvixWebhook } from 'svix'
import { makeWebhookSecret } from '../merchants/webhook-secret.ts'
import { type Received, signatureHeaders, verify } from './sign.ts'

const now = new Date('2026-11-15T10:00:00.500Z')
const seconds = Math.floor(now.getTime() / 1000)
const secret = makeWebhookSecret()
const body = '{"id":"evt_1","event":"transaction_updated","data":{"amount":"12.50","name":"Wanjirũ"}}'

/** What a receiver of this body gets, with the changes of a case. */
function received(changed: Partial<Received> = {}): Received {
  const headers = signatureHeaders({ id: 'evt_1', at: now, body, secrets: [secret] })
  return { headers, body, secrets: [secret], now, ...changed }
}

function whyOf(changed: Partial<Received>): string {
  const verified = verify(received(changed))
  return verified.ok ? 'ok' : verified.why
}

const isTakenBy = (oracle: typeof Webhook | typeof SvixWebhook, key: string, sent: Record<string, string>) => {
  try {
    new oracle(key).verify(body, sent)
    return true
  } catch {
    return false
  }
}

test('signing reproduces the published vector of Standard Webhooks', () => {
  const headers = signatureHeaders({
    id: 'msg_p5jXN8AQM9LWM0D4loKWxJek',
    at: new Date(1_614_265_330_000),
    body: '{"test": 2432232314}',
    secrets: ['whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw'],
  })

  assert.deepEqual(headers, {
    'webhook-id': 'msg_p5jXN8AQM9LWM0D4loKWxJek',
    'webhook-timestamp': '1614265330',
    'webhook-signature': 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=',
  })
})

test('through 100 rotations both secrets verify in other libraries, and a third does not', () => {
  let previous = makeWebhookSecret()
  const stranger = makeWebhookSecret()
  for (let rotation = 0; rotation < 100; rotation += 1) {
    const current = makeWebhookSecret()
    const sent = signatureHeaders({ id: `evt_${rotation}`, at: new Date(), body, secrets: [current, previous] })

    for (const oracle of [Webhook, SvixWebhook]) {
      assert(isTakenBy(oracle, current, sent))
      assert(isTakenBy(oracle, previous, sent))
      assert(!isTakenBy(oracle, stranger, sent))
    }
    for (const key of [current, previous])
      assert.deepEqual(verify({ headers: sent, body, secrets: [key], now: new Date() }), { ok: true })
    assert(!verify({ headers: sent, body, secrets: [stranger], now: new Date() }).ok)
    previous = current
  }
})

test('a body of any bytes verifies as sent and not with one byte changed', () => {
  fc.assert(
    fc.property(fc.uint8Array({ minLength: 1, maxLength: 200 }), fc.nat(), (bytes, place) => {
      const headers = signatureHeaders({ id: 'evt_1', at: now, body: bytes, secrets: [secret] })
      const changed = bytes.map((byte, index) => (index === place % bytes.length ? byte ^ 1 : byte))

      assert(verify({ headers, body: bytes, secrets: [secret], now }).ok)
      assert(!verify({ headers, body: changed, secrets: [secret], now }).ok)
    }),
  )
})

test('header names may be in any case', () => {
  const shouted = Object.entries(received().headers).map(([name, value]) => [name.toUpperCase(), ` ${value} `])

  assert.equal(whyOf({ headers: Object.fromEntries(shouted) }), 'ok')
})

test('a receiver with both secrets of a rotation accepts a signature by either', () => {
  const other = makeWebhookSecret()

  assert.equal(whyOf({ secrets: [other, secret] }), 'ok')
  assert.equal(whyOf({ secrets: [secret, other] }), 'ok')
})

for (const [offset, expected] of [
  [300, 'ok'],
  [301, 'the signature matches, but the timestamp is too old by 1 s: it is 301 s old, and 300 s are allowed'],
  [-300, 'ok'],
  [-301, 'the signature matches, but the timestamp lies 301 s in the future, and 300 s are allowed; check the clock'],
] as const) {
  test(`a webhook from ${offset} s ago: ${expected.slice(0, 50)}`, () => {
    assert.equal(whyOf({ now: new Date(now.getTime() + offset * 1000) }), expected)
  })
}

test('verify names every missing header', () => {
  const { headers } = received()

  for (const name of Object.keys(headers)) {
    assert.equal(whyOf({ headers: { ...headers, [name]: undefined } }), `the header ${name} is missing`)
    assert.equal(whyOf({ headers: { ...headers, [name]: '' } }), `the header ${name} is missing`)
  }
  assert.equal(whyOf({ headers: {} }), 'the headers webhook-id and webhook-timestamp and webhook-signature are missing')
})

test('verify recognises the signature of another scheme', () => {
  const { headers } = received()
  const signed = (signature: string) => whyOf({ headers: { ...headers, 'webhook-signature': signature } })

  assert.match(whyOf({ headers: { 'Stripe-Signature': 't=1,v1=ab' } }), /another scheme, that of Stripe$/)
  assert.match(whyOf({ headers: { 'x-hub-signature-256': 'sha256=ab' } }), /another scheme, that of GitHub and Meta$/)
  assert.match(signed('v1a,hnO3f9T8Ytu9HwrXslvumlUpqtNVqkhqw/enGzPCXe5B'), /another scheme: v1a uses a key pair/)
  assert.match(signed('t=1700000000,v1=abcdef'), /another scheme: .* is that of Stripe/)
  assert.match(signed('sha256=abcdef'), /another scheme: it begins with sha256, and must look like v1,/)
  assert.match(signed('K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN'), /another scheme: it has no version in front/)
})

test('one v1 signature among others is enough', () => {
  const { headers } = received()
  const signature = `v1a,AAAA v1,wrong ${headers['webhook-signature']} v2,BBBB`

  assert.equal(whyOf({ headers: { ...headers, 'webhook-signature': signature } }), 'ok')
})

test('verify reports a timestamp that is not a number of seconds', () => {
  for (const timestamp of ['2026-11-15T10:00:00Z', '-5', '1e9', '17632000001234567'])
    assert.match(
      whyOf({ headers: { ...received().headers, 'webhook-timestamp': timestamp } }),
      /webhook-timestamp is not a number of seconds/,
    )
})

test('verify recognises a body that was parsed and serialised again', () => {
  for (const rewritten of [
    JSON.stringify(JSON.parse(body), null, 2),
    body.replaceAll('":', '": '),
    body.replace('ũ', '\\u0169'),
  ])
    assert.match(whyOf({ body: rewritten }), /does not match: the body was parsed and serialised again/)
})

test('verify recognises a line break that an editor added, also around a body that is not JSON', () => {
  const headers = signatureHeaders({ id: 'evt_1', at: now, body: 'plain', secrets: [secret] })

  assert.match(whyOf({ headers, body: 'plain\n' }), /spaces or a line break were added around the body/)
})

test('verify recognises a signature made with the undecoded secret', () => {
  for (const key of [secret, secret.replace('whsec_', '')]) {
    const signature = createHmac('sha256', key).update(`evt_1.${seconds}.${body}`).digest('base64')
    const headers = { ...received().headers, 'webhook-signature': `v1,${signature}` }

    assert.match(whyOf({ headers }), /computed with the text of the secret; .* must be decoded first/)
  }
})

test('any other change is reported as a changed body or another secret', () => {
  const { headers } = received()
  const expected = 'the signature does not match: the body was changed in transit, or the secret is wrong'

  assert.equal(whyOf({ body: body.replace('12.50', '1250') }), expected)
  assert.equal(whyOf({ body: '{' }), expected)
  assert.equal(whyOf({ secrets: [makeWebhookSecret()] }), expected)
  assert.equal(whyOf({ headers: { ...headers, 'webhook-id': 'evt_2' } }), expected)
  assert.equal(whyOf({ headers: { ...headers, 'webhook-timestamp': String(seconds + 1) } }), expected)
  assert.equal(whyOf({ headers: { ...headers, 'webhook-signature': 'v1,' } }), expected)
})

test('verify reports a malformed secret before it compares anything', () => {
  for (const unusable of ['', 'whsec_', 'whsec_abc', `${secret}"`, secret.slice(0, -2), 'whsec_ab cd', 'whsec_a-b_'])
    assert.match(whyOf({ secrets: [unusable] }), /^the secret is not in the form whsec_ and base 64/)
  assert.equal(whyOf({ secrets: [] }), 'no secret was given')
})
