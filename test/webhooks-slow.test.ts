import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import type { Context } from '../packages/server/src/context.ts'
import { until } from '../packages/server/src/dev-stack/until.ts'
import { createMerchant } from '../packages/server/src/merchants/create.ts'
import { setDefaultUrl } from '../packages/server/src/merchants/endpoints.ts'
import { newId } from '../packages/server/src/platform/ids.ts'
import { notifyMerchants } from '../packages/server/src/testing/notifying.ts'
import { openReceiver } from './support/load/webhook-receiver.ts'
import { testWebhooks } from './support/load/webhooks.ts'

/** At eight each they have more in progress than a worker starts at once. */
const slowEndpoints = 130

/** Endpoints at one receiver, each with its maximum of events in progress. */
async function openEndpoints(ctx: Context, url: string): Promise<string[]> {
  const names = { name: 'Slow', email: 'slow@example.com', first_name: 'S', last_name: 'S', home_country: 'KE' }
  const ids = Array.from({ length: slowEndpoints }, () => newId(Date.now(), 0))
  await ctx.db.write.transaction(async (tx) => {
    for (const id of ids) {
      await createMerchant(tx, ctx.vault, { id, ...names })
      await setDefaultUrl(tx, { merchant_id: id, env: 'sandbox' }, `${url}/${id}`)
    }
  })
  for (let event = 0; event < 8; event += 1) await notifyMerchants(ctx.db.write, ids)
  return ids
}

async function setUp(t: TestContext) {
  const hooks = await testWebhooks(t)
  const slow = await openReceiver(t, () => 'held')
  const quick = await openReceiver(t, () => ({ status: 200 }))
  await openEndpoints(hooks.malipo.ctx, slow.url)
  const merchant = await hooks.merchant(quick.url)
  return { hooks, slow, quick, merchant }
}

test(`${slowEndpoints} slow endpoints leave room for a quick one`, async (t) => {
  const { hooks, slow, quick, merchant } = await setUp(t)
  hooks.deliver()
  await until('the slow ones to hold all they can', () => slow.open >= 1000)
  const startedAt = performance.now()

  await merchant.notify(1)
  await until('the quick one to get its event', () => quick.got.length === 1)

  t.diagnostic(`${Math.round(performance.now() - startedAt)} ms, while ${slow.open} slow attempts were in progress`)
  assert.ok(slow.open >= 1000, 'it had to wait until slow attempts ended')
  slow.release({ status: 200 })
})
