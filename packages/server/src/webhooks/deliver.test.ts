import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { test } from 'node:test'
import { defaultEndpointId } from '../events/endpoint-tables.ts'
import { makeWebhookSecret, sealWebhookSecret } from '../merchants/webhook-secret.ts'
import type { Posted } from '../platform/gated-http.ts'
import { testMalipo } from '../testing/malipo.ts'
import type { Delivery } from './claim.ts'
import { deliver, openGates } from './deliver.ts'

test('MALIPO_WEBHOOK_RANGES opens private addresses to sandbox webhooks and never to live ones', async (t) => {
  const { ctx } = await testMalipo(t)
  const receiver = createServer((_, response) => response.end()).listen(0, '127.0.0.1')
  await once(receiver, 'listening')
  const gates = openGates({ sandboxRanges: ['127.0.0.0/8'], timeoutMs: 5000 })
  t.after(async () => {
    await Promise.all([gates.live.close(), gates.sandbox.close()])
    receiver.close()
  })
  const outcomes: Posted[] = []
  const reporter = { submit: async ({ posted }: { posted: Posted }) => void outcomes.push(posted) }
  const address = `127.0.0.1:${(receiver.address() as AddressInfo).port}`

  for (const [env, url] of [
    ['sandbox', `http://${address}/hooks`],
    ['live', `https://${address}/hooks`],
  ] as const) {
    const endpoint = { merchant_id: '01a1dcca-6078-7000-8e5b-057d3cc01da8', env, endpoint_id: defaultEndpointId }
    const secret = sealWebhookSecret(ctx.vault, endpoint, makeWebhookSecret())
    const delivery = {
      ...endpoint,
      id: endpoint.merchant_id,
      event_id: endpoint.merchant_id,
      url,
      body: '{}',
      secret,
      previous_secret: null,
    }
    await deliver({ gates, vault: ctx.vault, reporter }, delivery as unknown as Delivery)
  }

  const [sandbox, live] = outcomes
  assert.equal(sandbox?.kind, 'responded')
  assert.deepEqual([live?.kind, live && 'detail' in live && live.detail], ['refused', 'the address is not allowed'])
})
