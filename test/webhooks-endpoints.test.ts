import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { webhooks } from '@malipo/sdk'
import { until } from '../packages/server/src/dev-stack/until.ts'
import { fastForwardWebhooks } from '../packages/server/src/events/fast-forward.ts'
import { showId } from '../packages/server/src/platform/ids.ts'
import type { Malipo } from '../packages/server/src/testing/malipo.ts'
import { sweepEndpoints } from '../packages/server/src/webhooks/sweep.ts'
import { type Got, openReceiver, type Receiver } from './support/load/webhook-receiver.ts'
import { type HookedMerchant, hours, minutes, seconds, testWebhooks } from './support/load/webhooks.ts'

interface Shown {
  readonly id: string
  readonly url: string
  readonly description: string
  readonly events: readonly string[]
  readonly isEnabled: boolean
  readonly health: { readonly status: string; readonly failures: number }
  readonly secret?: string
}

interface ShownRecord {
  readonly id: string
  readonly endpointId: string
  readonly eventId: string
  readonly status: string
  readonly attempts: number
  readonly nextAttemptAt?: string
  readonly response: { readonly status: string; readonly error?: string }
}

const path = '/webhook-endpoints'
const ok = () => ({ status: 204 })

/** A merchant with the default endpoint, which accepts everything, and a way to add more. */
async function testEndpoints(t: TestContext) {
  const hooks = await testWebhooks(t)
  await hooks.malipo.ask('delete from added_webhook_endpoints') // Left by the previous test.
  const receiver = await openReceiver(t, ok)
  const merchant = await hooks.merchant(receiver.url)
  return {
    ...hooks,
    merchant,
    another: hooks.merchant,
    receiver,
    add: async (url: string, over: object = {}) => data(await merchant.ask('POST', path, { url, ...over })),
    read: async (id: string) => data(await merchant.ask('GET', `${path}/${id}`)),
    change: async (id: string, change: object) => data(await merchant.ask('PUT', `${path}/${id}`, change)),
  }
}

function data({ status, body }: Awaited<ReturnType<HookedMerchant['ask']>>): Shown {
  assert.equal(status, 200, JSON.stringify(body))
  return body['data'] as Shown
}

async function records(merchant: HookedMerchant, query = ''): Promise<ShownRecord[]> {
  const { body } = await merchant.ask('GET', `/webhooks?limit=200${query}`)
  return body['data'] as ShownRecord[]
}

const openRecords = (malipo: Malipo, merchantId: string) =>
  malipo.ask('select id from added_webhook_records where next_attempt_at is not null and merchant_id = $1', [
    merchantId,
  ])

const received = (receiver: Receiver, count: number) =>
  until(`${count} requests`, () => Promise.resolve(receiver.got.length >= count))

const isSignedBy = (secret: string | undefined, { body, headers }: Got) => {
  try {
    webhooks.verify(body, headers, secret ?? '')
    return true
  } catch {
    return false
  }
}

test('every endpoint gets every event once, with one id and its own record', async (t) => {
  const { merchant, receiver, add, deliver } = await testEndpoints(t)
  const other = await openReceiver(t, ok)
  const { id } = await add(other.url)
  deliver()

  const events = await merchant.notify(5)

  await Promise.all([received(receiver, 5), received(other, 5)])
  for (const { got } of [receiver, other]) {
    assert.deepEqual(new Set(got.map((each) => each.id)), new Set(events.map((event) => event.id)))
    assert.deepEqual(new Set(got.map(({ body }) => body)), new Set(events.map(({ body }) => body)))
  }
  const all = await until('ten records', async () => {
    const found = await records(merchant, '&status=SUCCESS')
    return found.length === 10 && found
  })
  const byEndpoint = Map.groupBy(all, ({ endpointId }) => endpointId)
  assert.deepEqual(new Set(byEndpoint.keys()), new Set(['default', id]))
  for (const record of byEndpoint.get('default') ?? []) assert.equal(record.id, record.eventId)
  for (const record of byEndpoint.get(id) ?? []) {
    assert.notEqual(record.id, record.eventId)
    const { body } = await merchant.ask('GET', `/webhooks/${record.id}`)
    assert.equal((body['data'] as ShownRecord).eventId, record.eventId)
  }
})

test('while one endpoint fails the other gets everything in order, and only the first is failing', async (t) => {
  const { merchant, receiver, add, read, deliver } = await testEndpoints(t)
  const bad = await openReceiver(t, () => ({ status: 500 }))
  const { id } = await add(bad.url)
  deliver()
  const sent: string[] = []

  for (let count = 1; count <= 20; count += 1) {
    sent.push(...(await merchant.notify(1)).map((event) => event.id))
    await received(receiver, count)
  }

  assert.deepEqual(
    receiver.got.map((got) => got.id),
    sent,
  )
  await until('the failure to be stored', async () => (await read(id)).health.failures > 0)
  assert.equal((await read(id)).health.status, 'failing')
  assert.deepEqual((await read('default')).health, { status: 'healthy', failures: 0 })
})

test('an endpoint that holds every request delays only itself', async (t) => {
  const { merchant, receiver, add, deliver } = await testEndpoints(t)
  const [slow, quick] = [await openReceiver(t, () => 'held'), await openReceiver(t, ok)]
  await add(slow.url)
  await add(quick.url)
  deliver()

  await merchant.notify(30)

  await Promise.all([received(receiver, 30), received(quick, 30)])
  assert.ok(slow.mostOpen <= 8)
  slow.release({ status: 204 })
})

test('an endpoint gets only the events it is set for', async (t) => {
  const { merchant, receiver, add, deliver } = await testEndpoints(t)
  const other = await openReceiver(t, ok)
  const { id, events } = await add(other.url, { events: ['transaction_updated', 'transaction_updated'] })
  assert.deepEqual(events, ['transaction_updated'])
  deliver()

  await merchant.notify(2)
  await received(receiver, 2)
  assert.equal(other.got.length, 0)
  assert.equal((await merchant.ask('PUT', `${path}/${id}`, { events: [] })).status, 200)
  await merchant.notify(1)

  await received(other, 1)
  assert.deepEqual((await records(merchant)).filter(({ endpointId }) => endpointId === id).length, 1)
})

test('a disabled endpoint gets nothing, and enabling it sends only later events', async (t) => {
  const { merchant, receiver, add, change, deliver } = await testEndpoints(t)
  const other = await openReceiver(t, () => ({ status: 500 }))
  const { id } = await add(other.url)
  deliver()
  await merchant.notify(1)
  await received(other, 1)

  assert.equal((await change(id, { isEnabled: false })).isEnabled, false)
  await merchant.notify(1)
  await received(receiver, 2)
  other.react = ok
  assert.deepEqual((await change(id, { isEnabled: true })).health, { status: 'healthy', failures: 0 })
  const [later] = await merchant.notify(1)

  await received(other, 2)
  assert.equal(other.got.at(-1)?.id, later?.id)
  const own = (await records(merchant)).filter(({ endpointId }) => endpointId === id)
  assert.equal(own.length, 2)
  const stopped = own.at(-1)
  assert.deepEqual([stopped?.status, stopped?.nextAttemptAt], ['FAILED', undefined])
})

test('deleting an endpoint while it retries ends its records, which stay readable', async (t) => {
  const { merchant, add, forward, deliver } = await testEndpoints(t)
  const other = await openReceiver(t, () => ({ status: 500 }))
  const { id } = await add(other.url)
  deliver()
  await merchant.notify(1)
  const [record] = await until('a failed attempt', async () => {
    const found = await records(merchant, '&status=FAILED')
    return found.length === 1 && found
  })

  assert.equal((await merchant.ask('DELETE', `${path}/${id}`)).status, 200)
  await forward(hours(1))
  await merchant.notify(1)
  await until('the default to be served', async () => (await records(merchant, '&status=SUCCESS')).length === 2)

  assert.equal(other.got.length, 1)
  const { body } = await merchant.ask('GET', `/webhooks/${record?.id}`)
  const ended = body['data'] as ShownRecord
  assert.deepEqual([ended.status, ended.nextAttemptAt, ended.endpointId], ['FAILED', undefined, id])
  assert.equal(ended.response.error, 'the endpoint was deleted')
  const resent = await merchant.ask('POST', `/webhooks/${record?.id}/resend`)
  assert.deepEqual([resent.status, resent.body['errorCode']], [404, 'WEBHOOK_ENDPOINT_NOT_FOUND'])
  assert.equal((await merchant.ask('GET', `${path}/${id}`)).status, 404)
})

test('an attempt under way when its endpoint is deleted keeps its outcome and plans no retry', async (t) => {
  const { malipo, merchant, add, forward, deliver } = await testEndpoints(t)
  const other = await openReceiver(t, () => 'held')
  const { id } = await add(other.url)
  deliver()
  await merchant.notify(1)
  await received(other, 1)

  assert.equal((await merchant.ask('DELETE', `${path}/${id}`)).status, 200)
  other.release({ status: 500 })

  const own = async () => (await records(merchant)).find(({ endpointId }) => endpointId === id)
  await until('the outcome', async () => (await own())?.attempts === 1)
  assert.deepEqual([(await own())?.status, (await own())?.nextAttemptAt], ['FAILED', undefined])
  await forward(minutes(10))
  assert.deepEqual(await openRecords(malipo, merchant.id), [])
})

test('a rotated secret of one endpoint signs beside the old one for a day, and at no other', async (t) => {
  const { merchant, receiver, add, forward, deliver } = await testEndpoints(t)
  const other = await openReceiver(t, ok)
  const { id, secret: first } = await add(other.url)
  const { body } = await merchant.ask('POST', `${path}/${id}/rotate-secret`)
  const { secret: second } = body['data'] as { secret: string }
  deliver()

  await merchant.notify(1)
  await Promise.all([received(other, 1), received(receiver, 1)])
  await forward(hours(24) + seconds(1))
  await merchant.notify(1)
  await received(other, 2)

  const [during, after] = other.got
  assert.ok(during && after && receiver.got[0])
  assert.equal(during.headers['webhook-signature']?.split(' ').length, 2)
  assert.equal(after.headers['webhook-signature']?.split(' ').length, 1)
  assert.deepEqual([isSignedBy(first, during), isSignedBy(second, during)], [true, true])
  assert.equal(isSignedBy(second, receiver.got[0]), false)
})

test('a 410 disables only its endpoint, and enabling that one sends what waited', async (t) => {
  const { merchant, receiver, add, read, change, deliver } = await testEndpoints(t)
  const other = await openReceiver(t, () => ({ status: 410 }))
  const { id } = await add(other.url)
  deliver()
  await merchant.notify(1)
  await until('the endpoint to be disabled', async () => !(await read(id)).isEnabled)
  assert.equal((await read(id)).health.status, 'disabled')

  await merchant.notify(1)
  await received(receiver, 2)
  assert.equal(other.got.length, 1)
  other.react = ok
  assert.equal((await change(id, { isEnabled: true })).isEnabled, true)

  await received(other, 2)
  assert.equal((await read('default')).isEnabled, true)
})

test('the default endpoint and the profile are one, whichever changes it', async (t) => {
  const { merchant, receiver, read, change, forward, deliver } = await testEndpoints(t)
  const profileUrl = async () => (await merchant.ask('GET', '/users')).body['sandboxWebhookUrl']
  assert.equal((await read('default')).url, receiver.url)

  const other = await openReceiver(t, () => ({ status: 500 }))
  await change('default', { url: other.url, description: 'orders' })
  assert.equal(await profileUrl(), other.url)
  deliver()
  await merchant.notify(1)
  await until('a failed attempt', async () => (await records(merchant, '&status=FAILED')).length === 1)
  assert.equal((await merchant.ask('DELETE', `${path}/default`)).status, 200)

  assert.equal(await profileUrl(), '')
  assert.equal((await merchant.ask('GET', `${path}/default`)).status, 404)
  assert.equal((await merchant.ask('DELETE', `${path}/default`)).status, 404)
  assert.deepEqual((await merchant.ask('GET', path)).body['data'], [])
  await forward(hours(1))
  await merchant.setUrl(receiver.url)
  const [later] = await merchant.notify(1)
  await received(receiver, 1)
  assert.deepEqual(
    receiver.got.map(({ id }) => id),
    [later?.id],
  )
  assert.equal((await read('default')).description, '')
})

test('a default that its merchant disables makes no records until the profile sets its URL', async (t) => {
  const { merchant, receiver, change, deliver } = await testEndpoints(t)
  deliver()
  assert.equal((await change('default', { isEnabled: false })).isEnabled, false)

  await merchant.notify(2)
  assert.deepEqual(await records(merchant), [])
  await merchant.setUrl(receiver.url)
  const [later] = await merchant.notify(1)

  await received(receiver, 1)
  assert.deepEqual(
    receiver.got.map(({ id }) => id),
    [later?.id],
  )
})

test('endpoints added at once never exceed ten with the default', async (t) => {
  const { merchant } = await testEndpoints(t)
  const make = () => merchant.ask('POST', path, { url: 'http://127.0.0.1:9/many' })

  const made = await Promise.all(Array.from({ length: 25 }, make))

  const counts = Map.groupBy(made, ({ status }) => status)
  assert.deepEqual([counts.get(200)?.length, counts.get(409)?.length], [9, 16])
  assert.equal(counts.get(409)?.[0]?.body['errorCode'], 'WEBHOOK_ENDPOINT_LIMIT')
  const listed = (await merchant.ask('GET', path)).body['data'] as Shown[]
  assert.deepEqual([listed.length, listed[0]?.id], [10, 'default'])
})

test('an event written while its endpoint is deleted leaves no open record', async (t) => {
  const { malipo, merchant, add } = await testEndpoints(t)

  for (let round = 0; round < 10; round += 1) {
    const { id } = await add('http://127.0.0.1:9/short')
    await Promise.all([...Array.from({ length: 5 }, () => merchant.notify(2)), merchant.ask('DELETE', `${path}/${id}`)])
  }

  assert.deepEqual(await openRecords(malipo, merchant.id), [])
})

test('an endpoint is invisible to other merchants and gets no events of theirs', async (t) => {
  const { add, merchant: mine, another, ...hooks } = await testEndpoints(t)
  const inbox = await openReceiver(t, ok)
  const { id } = await add(inbox.url)
  const stranger = await another(hooks.receiver.url)
  hooks.deliver()

  for (const [method, body] of [['GET'], ['PUT', { isEnabled: false }], ['DELETE']] as const)
    assert.equal((await stranger.ask(method, `${path}/${id}`, body)).status, 404)
  assert.equal((await stranger.ask('POST', `${path}/${id}/rotate-secret`)).status, 404)
  await stranger.notify(1)
  const [own] = await mine.notify(1)

  await received(inbox, 1)
  assert.deepEqual(
    inbox.got.map((got) => got.id),
    [own?.id],
  )
})

test('an endpoint of the sandbox is invisible in live, where only https is taken', async (t) => {
  const { malipo, merchant, add } = await testEndpoints(t)
  const { id } = await add('http://127.0.0.1:9/hooks')
  const pair = await malipo.operator.keys.create(showId('merchant', merchant.id), { env: 'live' })
  const live = await malipo.as(pair)
  const at = `/api/b2b${path}`

  assert.deepEqual((await live.call('GET', at)).body['data'], [])
  for (const [method, body] of [['GET'], ['PUT', { isEnabled: false }], ['DELETE']] as const)
    assert.equal((await live.call(method, `${at}/${id}`, body)).status, 404)
  const plain = await live.call('POST', at, { url: 'http://shop.example/hooks' })
  assert.deepEqual([plain.status, plain.body['errorCode']], [400, 'VALIDATION_ERROR'])
  assert.equal((await live.call('POST', at, { url: 'https://shop.example/hooks' })).status, 200)
})

test('a restarted worker delivers what the first one left, at every endpoint, once', async (t) => {
  const { merchant, receiver, add, deliver } = await testEndpoints(t)
  const other = await openReceiver(t, ok)
  await add(other.url)
  const first = deliver()
  await merchant.notify(10)
  await received(receiver, 1)
  await first.stop()
  await merchant.notify(10)

  deliver()

  await until('all records', async () => (await records(merchant, '&status=SUCCESS')).length === 40)
  for (const { got } of [receiver, other]) {
    assert.equal(new Set(got.map(({ id }) => id)).size, 20)
    assert.equal(got.length, 20)
  }
})

test('URLs and events that are invalid are refused', async (t) => {
  const { merchant, add } = await testEndpoints(t)
  const { id } = await add('http://127.0.0.1:9/hooks', { isEnabled: false })
  const url = 'http://127.0.0.1:9/hooks'

  for (const body of [
    {},
    { url: '' },
    { url: 'not a url' },
    { url: 'ftp://shop.example/hooks' },
    { url: 'https://user:secret@shop.example/hooks' },
    { url, events: ['transaction_lost'] },
    { url, events: 'transaction_created' },
    { url, isEnabled: 'yes' },
    { url, secret: 'whsec_mine' },
  ]) {
    const made = await merchant.ask('POST', path, body)
    assert.deepEqual([made.status, made.body['errorCode']], [400, 'VALIDATION_ERROR'], JSON.stringify(body))
    if ('url' in body) assert.equal((await merchant.ask('PUT', `${path}/${id}`, body)).status, 400)
  }
})

test('the sandbox clock brings retries forward at every endpoint', async (t) => {
  const { malipo, merchant, receiver, add, deliver } = await testEndpoints(t)
  const other = await openReceiver(t, () => ({ status: 500 }))
  receiver.react = () => ({ status: 500 })
  await add(other.url)
  deliver()
  await merchant.notify(1)
  await until('two failed attempts', async () => (await records(merchant, '&status=FAILED')).length === 2)
  receiver.react = ok
  other.react = ok

  const advanced = await fastForwardWebhooks(
    malipo.ctx.db.write,
    { merchant_id: merchant.id, env: 'sandbox' },
    minutes(1),
  )
  malipo.ctx.wakeups.wake('webhooks')

  assert.equal(advanced, 2)
  await until('both to be delivered', async () => (await records(merchant, '&status=SUCCESS')).length === 2)
})

test('open records of an endpoint that is gone are ended by the sweep', async (t) => {
  const { malipo, merchant, add } = await testEndpoints(t)
  const { id } = await add('http://127.0.0.1:9/gone')
  await merchant.notify(3)
  // As if the process that deleted it had died before it ended the records.
  await malipo.ask('delete from added_webhook_endpoints where merchant_id = $1', [merchant.id])
  assert.equal((await openRecords(malipo, merchant.id)).length, 3)

  await sweepEndpoints(malipo.ctx.db.write)

  assert.deepEqual(await openRecords(malipo, merchant.id), [])
  const own = (await records(merchant)).filter(({ endpointId }) => endpointId === id)
  assert.deepEqual(new Set(own.map(({ status }) => status)), new Set(['FAILED']))
})

test('a record of an added endpoint is sent again to that endpoint only', async (t) => {
  const { merchant, receiver, add, deliver } = await testEndpoints(t)
  const other = await openReceiver(t, ok)
  const { id } = await add(other.url)
  deliver()
  const [event] = await merchant.notify(1)
  const all = await until('two deliveries', async () => {
    const found = await records(merchant, '&status=SUCCESS')
    return found.length === 2 && found
  })
  const record = all.find(({ endpointId }) => endpointId === id)

  assert.equal((await merchant.ask('POST', `/webhooks/${record?.id}/resend`)).status, 200)

  await received(other, 2)
  assert.deepEqual(
    other.got.map((got) => got.id),
    [event?.id, event?.id],
  )
  assert.equal(receiver.got.length, 1)
})
