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

test('logs requests lists what was sent and its filters select, with the error of a refusal', async (t) => {
  const { run, malipo } = await openShop(t)
  await run('webhooks', 'get', 'wh_00000000000000000000000000000000')
  await run('balance')
  await malipo.ctx.requestLog.flush()

  const { out } = await run('logs', 'requests', '--status', '4xx')
  const read = await run('logs', 'requests', '--path', '/api/b2b/users', '--json')

  assert.match(out, /GET \/api\/b2b\/webhook\/\{id\} +404 WEBHOOK_NOT_FOUND/)
  assert.doesNotMatch(out, / 200 /)
  const found = JSON.parse(read.out) as { readonly path: string; readonly requestId: string }[]
  assert.deepEqual([...new Set(found.map(({ path }) => path))], ['/api/b2b/users'])
  const one = await run('logs', 'requests', '--request-id', found[0]?.requestId ?? '', '--json')
  assert.deepEqual(JSON.parse(one.out), found.slice(0, 1))
  assert.equal((await run('logs', 'requests', '--status', 'lost')).code, exitCodes.usage)
})
