import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { testMalipo } from '../../server/src/testing/malipo.ts'
import { ConflictError, Malipo, NotFoundError } from './index.ts'

async function bench(t: TestContext) {
  const stack = await testMalipo(t, { MALIPO_RATE_LIMIT_SANDBOX: '100000' })
  const { publicKey, apiKey } = await stack.merchant()
  return { stack, malipo: new Malipo({ publicKey, apiKey, baseUrl: stack.url }) }
}

const url = 'https://books.example/webhooks'

test('an endpoint is created, read, changed, given a new secret and deleted', async (t) => {
  const { malipo } = await bench(t)
  await malipo.account.update({ webhookUrl: 'https://shop.example/webhooks' })

  const { secret, ...made } = await malipo.webhookEndpoints.create({ url, events: ['transaction_updated'] })

  assert.match(secret, /^whsec_/)
  assert.deepEqual(await malipo.webhookEndpoints.get(made.id), made)
  assert.deepEqual(
    (await malipo.webhookEndpoints.list()).map(({ id }) => id),
    ['default', made.id],
  )
  const changed = await malipo.webhookEndpoints.update(made.id, { isEnabled: false, description: 'books' })
  assert.deepEqual([changed.isEnabled, changed.description, changed.url], [false, 'books', url])
  assert.notEqual((await malipo.webhookEndpoints.rotateSecret(made.id)).secret, secret)
  await malipo.webhookEndpoints.delete(made.id)
  await assert.rejects(malipo.webhookEndpoints.get(made.id), NotFoundError)
})

test('an endpoint beyond the limit is a conflict', async (t) => {
  const { malipo } = await bench(t)
  for (let made = 0; made < 9; made += 1) await malipo.webhookEndpoints.create({ url })

  await assert.rejects(malipo.webhookEndpoints.create({ url }), ConflictError)
})

test('the request log is walked over all its pages, newest first', async (t) => {
  const { malipo, stack } = await bench(t)
  for (let sent = 0; sent < 205; sent += 1)
    await assert.rejects(malipo.webhooks.get('wh_00000000000000000000000000000000'))
  await stack.ctx.requestLog.flush()

  const found = await malipo.requestLog.list({ status: '4xx' }).toArray()

  assert.equal(found.length, 205)
  assert.ok(found.every((entry, index) => index === 0 || entry.at <= (found[index - 1]?.at ?? '')))
})
