import assert from 'node:assert/strict'
import { createHmac } from 'node:crypto'
import { test } from 'node:test'
import { webhooks } from '@malipo/sdk'
import { diagnose, type ReceivedWebhook } from './webhook-diagnosis.ts'

const secret = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw'
const body = '{"id":"wh_1","event":"transaction_updated","data":{"amount":"12.50","name":"Wanjirũ"}}'
const headers = webhooks.testHeaders(body, secret)

function whyOf(changed: Omit<Partial<ReceivedWebhook>, 'body'> & { readonly body?: string }): string {
  const received = { headers, secrets: [secret], toleranceSeconds: 300, ...changed }
  const result = diagnose({ ...received, body: Buffer.from(changed.body ?? body) })
  return result.ok ? 'ok' : result.why
}

test('a webhook as sent is ok, with one of several secrets and one of several signatures', () => {
  const signature = `v1a,AAAA v1,wrong ${headers['webhook-signature']} v2,BBBB`

  assert.equal(whyOf({}), 'ok')
  assert.equal(whyOf({ secrets: ['whsec_AAAA', secret] }), 'ok')
  assert.equal(whyOf({ headers: { ...headers, 'webhook-signature': signature } }), 'ok')
})

test('the diagnosis recognises a body that was serialised again', () => {
  for (const rewritten of [
    JSON.stringify(JSON.parse(body), null, 2),
    body.replaceAll('":', '": '),
    body.replace('ũ', '\\u0169'),
  ])
    assert.match(whyOf({ body: rewritten }), /^The signature does not match\. The body was parsed and serialised again/)
})

test('the diagnosis recognises a line break that an editor added, also around a body that is not JSON', () => {
  const plain = webhooks.testHeaders('plain', secret, { id: 'wh_1' })

  assert.equal(whyOf({ headers: plain, body: 'plain' }), 'ok')
  assert.match(whyOf({ headers: plain, body: 'plain\n' }), /Blanks or a line break were added around the body/)
  assert.match(whyOf({ body: `${body}\n` }), /Blanks or a line break were added around the body/)
})

test('the diagnosis recognises a signature made with the undecoded secret', () => {
  const signed = `wh_1.${headers['webhook-timestamp']}.${body}`
  for (const key of [secret, secret.replace('whsec_', '')]) {
    const signature = `v1,${createHmac('sha256', key).update(signed).digest('base64')}`

    assert.match(whyOf({ headers: { ...headers, 'webhook-signature': signature } }), /with the text of the secret/)
  }
})

test('the diagnosis recognises the signature of another scheme', () => {
  const signed = (signature: string) => whyOf({ headers: { ...headers, 'webhook-signature': signature } })

  assert.match(whyOf({ headers: { 'stripe-signature': 't=1,v1=ab' } }), /is the signature of Stripe\.$/)
  assert.match(whyOf({ headers: { 'x-hub-signature-256': 'sha256=ab' } }), /is the signature of GitHub and Meta\.$/)
  assert.match(signed('v1a,hnO3f9T8Ytu9HwrXslvumlUpqtNVqkhqw/enGzPCXe5B'), /v1a is made with a key pair/)
  assert.match(signed('t=1700000000,v1=abcdef'), /that of Stripe/)
  assert.match(signed('sha256=abcdef'), /starts with sha256\. It must look like v1,/)
  assert.match(signed('K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN'), /has no version/)
})

test('any other change is not explained by a mistake that was not made', () => {
  for (const changed of [
    { body: body.replace('12.50', '1250') },
    { body: '{' },
    { secrets: ['whsec_AAAA'] },
    { headers: { ...headers, 'webhook-id': 'wh_2' } },
    { headers: { ...headers, 'webhook-signature': 'v1,' } },
  ])
    assert.match(whyOf(changed), /^The signature does not match: /)
})
