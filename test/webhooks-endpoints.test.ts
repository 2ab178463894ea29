import assert from 'node:assert/strict'
import { test } from 'node:test'
import { webhooks } from '@malipo/sdk'
import { until } from '../packages/server/src/dev-stack/until.ts'
import { fastForwardWebhooks } from '../packages/server/src/events/fast-forward.ts'
import { sweepEndpoints } from '../packages/server/src/webhooks/sweep.ts'
import { ok, openRecords, path, received, records, type ShownRecord, testEndpoints } from './support/load/endpoints.ts'
import { type Got, openReceiver } from './support/load/webhook-receiver.ts'
import { hours, minutes, seconds } from './support/load/webhooks.ts'

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

test('an event written while its endpoint is deleted leaves no open record', async (t) => {
  const { malipo, merchant, add } = await testEndpoints(t)

  for (let round = 0; round < 10; round += 1) {
    const { id } = await add('http://127.0.0.1:9/short')
    await Promise.all([...Array.from({ length: 5 }, () => merchant.notify(2)), merchant.ask('DELETE', `${path}/${id}`)])
  }

  assert.deepEqual(await openRecords(malipo, merchant.id), [])
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
