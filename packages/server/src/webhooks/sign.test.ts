import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Webhook } from 'standardwebhooks'
import { Webhook as SvixWebhook } from 'svix'
import { makeWebhookSecret } from '../merchants/webhook-secret.ts'
import { signatureHeaders } from './sign.ts'

const body = '{"id":"evt_1","event":"transaction_updated","data":{"amount":"12.50","name":"Wanjirũ"}}'

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
    previous = current
  }
})
