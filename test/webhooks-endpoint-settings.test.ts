import assert from 'node:assert/strict'
import { test } from 'node:test'
import { until } from '../packages/server/src/dev-stack/until.ts'
import { showId } from '../packages/server/src/platform/ids.ts'
import { ok, path, received, records, type Shown, testEndpoints } from './support/load/endpoints.ts'
import { openReceiver } from './support/load/webhook-receiver.ts'
import { hours } from './support/load/webhooks.ts'

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
    { url: 'https://shop.example/hooks#' },
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

test('a resend to an endpoint that its merchant disabled, or to none, is refused and not promised', async (t) => {
  const { merchant, add, change, deliver } = await testEndpoints(t)
  const other = await openReceiver(t, ok)
  const { id } = await add(other.url)
  deliver()
  await merchant.notify(1)
  const all = await until('two deliveries', async () => {
    const found = await records(merchant, '&status=SUCCESS')
    return found.length === 2 && found
  })
  const resend = async (endpoint: string) => {
    const record = all.find(({ endpointId }) => endpointId === endpoint)
    const { status, body } = await merchant.ask('POST', `/webhooks/${record?.id}/resend`)
    return [status, body['errorCode']]
  }

  await change(id, { isEnabled: false })
  assert.deepEqual(await resend(id), [409, 'WEBHOOK_ENDPOINT_DISABLED'])
  await change('default', { isEnabled: false })
  assert.deepEqual(await resend('default'), [409, 'WEBHOOK_ENDPOINT_DISABLED'])
  await merchant.ask('DELETE', `${path}/default`)
  assert.deepEqual(await resend('default'), [404, 'WEBHOOK_ENDPOINT_NOT_FOUND'])
  await change(id, { isEnabled: true })
  assert.deepEqual(await resend(id), [200, undefined])

  await received(other, 2)
})

test('the time when an endpoint was disabled stays, whatever else changes', async (t) => {
  const { merchant, add, change } = await testEndpoints(t)
  const { id } = await add('http://127.0.0.1:9/books')
  const { health } = await change(id, { isEnabled: false })

  await merchant.ask('POST', `${path}/${id}/rotate-secret`)
  const changed = await change(id, { description: 'books', url: 'http://127.0.0.1:9/other', isEnabled: false })

  assert.deepEqual(changed.health, health)
})
