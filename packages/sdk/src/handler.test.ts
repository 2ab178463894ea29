import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { type TestContext, test } from 'node:test'
import { until } from '../../server/src/dev-stack/until.ts'
import { payingMalipo } from '../../server/src/testing/paying.ts'
import { startDeliveries } from '../../server/src/workers/deliveries.ts'
import { type HandlerOptions, Malipo, type WebhookEvent, webhooks } from './index.ts'

const secret = `whsec_${randomBytes(32).toString('base64')}`

async function listen(t: TestContext, listener: RequestListener): Promise<string> {
  const server = createServer(listener).listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.after(() => {
    server.closeAllConnections()
    server.close()
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/hooks`
}

/** A receiver, and a sender that signs as Malipo does. */
async function bench(t: TestContext, options: Partial<HandlerOptions> = {}) {
  const got: WebhookEvent[] = []
  const on = { transaction_updated: (event: WebhookEvent) => void got.push(event) }
  const url = await listen(t, webhooks.handler({ secret, on, ...options }))
  const post = async (body: string, headers: Record<string, string> = webhooks.testHeaders(body, secret)) => {
    const response = await fetch(url, { method: 'POST', body, headers })
    return { status: response.status, text: await response.text() }
  }
  return { got, url, post }
}

const bodyOf = (id: string, event = 'transaction_updated') =>
  JSON.stringify({ id, event, data: { externalReference: 'order-1', status: 'successful' }, sequence: 2 })

test('a webhook is handled once, and its duplicate is accepted without handling', async (t) => {
  const { got, post } = await bench(t)

  const statuses = [await post(bodyOf('wh_1')), await post(bodyOf('wh_1')), await post(bodyOf('wh_2'))]

  assert.deepEqual(
    statuses.map(({ status }) => status),
    [200, 200, 200],
  )
  assert.deepEqual(
    got.map(({ id }) => id),
    ['wh_1', 'wh_2'],
  )
})

test('concurrent copies are handled once, and all get their response when it is done', async (t) => {
  let runs = 0
  const { promise, resolve } = Promise.withResolvers<void>()
  const on = {
    transaction_updated: () => {
      runs += 1
      return promise
    },
  }
  const { post } = await bench(t, { on })

  const copies = Promise.all(Array.from({ length: 10 }, () => post(bodyOf('wh_1'))))
  const first = await Promise.race([
    copies.then(() => 'responded'),
    until('it to be handled', () => runs > 0 && 'runs'),
  ])
  resolve()

  assert.equal(first, 'runs')
  assert.ok((await copies).every(({ status }) => status === 200))
  assert.equal(runs, 1)
})

test('a handler that throws returns 500 and runs again; its error goes to onError only', async (t) => {
  const reported: unknown[] = []
  let runs = 0
  const on = {
    transaction_updated: async () => {
      runs += 1
      if (runs === 1) throw new Error('the database of the shop is down')
    },
  }
  const { post } = await bench(t, { on, onError: (error, { id }) => reported.push([(error as Error).message, id]) })

  const [failed, again, copy] = [await post(bodyOf('wh_1')), await post(bodyOf('wh_1')), await post(bodyOf('wh_1'))]

  assert.deepEqual([failed.status, again.status, copy.status, runs], [500, 200, 200, 2])
  assert.ok(!failed.text.includes('database'))
  assert.deepEqual(reported, [['the database of the shop is down', 'wh_1']])
})

test('the store of seen ids is replaceable, and while it fails no webhook is accepted', async (t) => {
  const kept = new Set<string>()
  let failures = 1
  const seen = {
    has: async (id: string) => {
      failures -= 1
      if (failures >= 0) throw new Error('no table')
      return kept.has(id)
    },
    add: async (id: string) => kept.add(id),
  }
  const { got, post } = await bench(t, { seen, onError: () => undefined })

  assert.equal((await post(bodyOf('wh_1'))).status, 500)
  assert.equal((await post(bodyOf('wh_1'))).status, 200)

  assert.deepEqual([...kept], ['wh_1'])
  assert.equal(got.length, 1)
})

test('a bad signature returns 400 with the reason, and nothing is handled', async (t) => {
  const { got, post } = await bench(t)
  const body = bodyOf('wh_1')
  const old = webhooks.testHeaders(body, secret, { at: new Date(Date.now() - 600_000) })

  const responses = [
    await post(body, webhooks.testHeaders(body, `whsec_${randomBytes(32).toString('base64')}`)),
    await post(`${body} `, webhooks.testHeaders(body, secret)),
    await post(body, old),
    await post(body, {}),
  ]

  assert.deepEqual(
    responses.map(({ status }) => status),
    [400, 400, 400, 400],
  )
  assert.ok(responses.some(({ text }) => /sent 60\d s ago/.test(text)))
  assert.equal(got.length, 0)
})

test('an event of another kind is accepted and ignored', async (t) => {
  const { got, post } = await bench(t)

  assert.equal((await post(bodyOf('wh_1', 'transaction_created'))).status, 200)
  assert.equal((await post(bodyOf('wh_2', 'something_new'))).status, 200)
  assert.equal(got.length, 0)
})

test('a body that is too large is refused before its end, and so is any method but POST', async (t) => {
  const { url, post } = await bench(t, { maxBytes: 1000 })
  const endless = new ReadableStream({ pull: (controller) => controller.enqueue(new Uint8Array(1024)) })

  assert.equal((await post('x'.repeat(1001), {})).status, 413)
  assert.equal((await fetch(url)).status, 405)
  const streamed = await fetch(url, { method: 'POST', body: endless, duplex: 'half' } as RequestInit).then(
    ({ status }) => status,
    () => 'cut off',
  )
  assert.ok(streamed === 413 || streamed === 'cut off', String(streamed))
})

test('a body that a framework kept as bytes is used, and a parsed body is refused', async (t) => {
  const got: string[] = []
  const handle = webhooks.handler({ secret, on: { transaction_updated: ({ id }) => got.push(id) } })
  const keeping =
    (keep: (bytes: Buffer) => unknown): RequestListener =>
    async (request, response) => {
      const bytes = Buffer.concat(await request.toArray())
      await handle(Object.assign(request, { body: keep(bytes) }), response)
    }
  const raw = await listen(
    t,
    keeping((bytes) => bytes),
  )
  const parsed = await listen(
    t,
    keeping((bytes) => JSON.parse(String(bytes))),
  )
  const body = bodyOf('wh_1')
  const post = (url: string) => fetch(url, { method: 'POST', body, headers: webhooks.testHeaders(body, secret) })

  assert.equal((await post(raw)).status, 200)
  const refused = await post(parsed)

  assert.equal(refused.status, 500)
  assert.match(await refused.text(), /before any body parser/)
  assert.deepEqual(got, ['wh_1'])
})

test('Malipo notifies the shop of a payout, retries after a failure and resends on request', async (t) => {
  const watches: { stop(): Promise<void> }[] = []
  t.after(() => Promise.all(watches.map((watch) => watch.stop())))
  const stack = await payingMalipo(t, { MALIPO_WEBHOOK_RANGES: '127.0.0.0/8' })
  const { publicKey, apiKey } = await stack.merchant()
  const malipo = new Malipo({ publicKey, apiKey, baseUrl: stack.url })
  const got: WebhookEvent[] = []
  let failures = 1
  const take = (event: WebhookEvent) => {
    failures -= 1
    if (failures >= 0) throw new Error('not now')
    got.push(event)
  }
  const { secret: own } = await malipo.account.rotateWebhookSecret()
  const handle = malipo.webhooks.handler({ secret: own, on: { transaction_created: take }, onError: () => undefined })
  await malipo.account.update({ webhookUrl: await listen(t, handle) })
  watches.push(startDeliveries(stack.ctx))

  const { transactionId } = await malipo.payouts.create({
    amount: 100,
    currency: 'KES',
    country: 'KE',
    destination: 'MoMo',
    externalReference: 'notified',
    payoutMethod: { accountName: 'Amina Otieno', accountNumber: '+254703456789' },
  })
  const record = async () => (await malipo.webhooks.list({ reference: 'notified' }).toArray())[0]
  await until('the first attempt to fail', async () => (await record())?.status === 'FAILED')
  await stack.later(10)
  stack.ctx.wakeups.wake('webhooks')
  const taken = await until('it to be accepted', async () => {
    const each = await record()
    return each?.status === 'SUCCESS' && each
  })
  await malipo.webhooks.resend(taken.id)
  await until('it to arrive again', async () => (await malipo.webhooks.get(taken.id)).attempts === 3)

  assert.deepEqual(
    got.map(({ id, event, data, sequence }) => [id, event, data.transactionId, data.status, data.amount, sequence]),
    [[taken.id, 'transaction_created', transactionId, 'pending', 100, 1]],
  )
  assert.equal(taken.response.status, '200')
})
