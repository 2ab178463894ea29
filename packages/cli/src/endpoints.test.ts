import assert from 'node:assert/strict'
import { test } from 'node:test'
import { exitCodes } from './exit-codes.ts'
import { openShop } from './testing/shop.ts'

test('an endpoint is added with its secret, listed, stopped and removed', async (t) => {
  const { run } = await openShop(t)
  const none = await run('endpoints')
  assert.match(none.out, /No webhook endpoints yet/)

  const added = await run('endpoints', 'add', 'http://127.0.0.1:9/books', '--events', 'transaction_updated')

  const [id = '', secret = ''] = added.out.split('\n')
  assert.match(secret, /^whsec_/)
  assert.match((await run('endpoints')).out, new RegExp(`${id}.*transaction_updated.*healthy`))
  assert.match((await run('endpoints', 'set', id, '--enabled', 'no', '--events', 'all')).out, /all .*disabled/)
  assert.equal((await run('endpoints', 'delete', id)).code, exitCodes.done)
  assert.match((await run('endpoints', 'get', id)).err, /Webhook endpoint not found/)
})

test('a change of nothing and an unknown event are refused', async (t) => {
  const { run } = await openShop(t)

  assert.equal((await run('endpoints', 'set', 'default')).code, exitCodes.usage)
  assert.equal((await run('endpoints', 'set', 'default', '--enabled', 'perhaps')).code, exitCodes.usage)
  const unknown = await run('endpoints', 'add', 'http://127.0.0.1:9/books', '--events', 'transaction_lost')
  assert.match(unknown.err, /events must be names of events/)
})

test('logs requests lists what was sent, with the error of a refusal', async (t) => {
  const { run, malipo } = await openShop(t)
  await run('webhooks', 'get', 'wh_00000000000000000000000000000000')
  await malipo.ctx.requestLog.flush()

  const { out } = await run('logs', 'requests', '--status', '4xx')

  assert.match(out, /GET \/api\/b2b\/webhook\/\{id\} +404 WEBHOOK_NOT_FOUND/)
  assert.equal((await run('logs', 'requests', '--status', 'lost')).code, exitCodes.usage)
})
