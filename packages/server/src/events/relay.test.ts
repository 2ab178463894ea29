import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { type TestContext, test } from 'node:test'
import { messagesOf, wipeStream } from '../dev-stack/nats.ts'
import { until } from '../dev-stack/until.ts'
import { newTransactionId, readId, showId } from '../platform/ids.ts'
import { openStream, type Stream } from '../platform/stream.ts'
import { type Malipo, testMalipo } from '../testing/malipo.ts'
import { emit, type NewEvent } from './emit.ts'
import { createRelay, type Relay } from './relay.ts'

const noProvider = { MALIPO_SIMULATOR_URL: 'http://127.0.0.1:9', MALIPO_SIMULATOR_TOKEN: 'unused-simulator-token' }
const cells = Array.from({ length: 10 }, (_, index) => 100 + index)

/** Each test gets its own cell, so that tests do not read one another's events. */
async function setUp(t: TestContext): Promise<{ malipo: Malipo; stream: Stream; seen(): Promise<string[]> }> {
  const cell = cells.pop() ?? 0
  const malipo = await testMalipo(t, { ...noProvider, MALIPO_CELL: String(cell) })
  const url = malipo.ctx.config.natsUrl?.reveal() ?? ''
  const stream = openStream({ url, cell })
  t.after(() => stream.close())
  const seen = async () => {
    const relayed = await messagesOf<{ transactionId: string }>(url, 'EVENTS', `malipo.${cell}.events.`)
    return relayed.map(({ transactionId }) => transactionId)
  }
  await malipo.ask(`delete from events`)
  await malipo.ask(`update relays set relayed_below = 0, held_until = '-infinity'`)
  return { malipo, stream, seen }
}

/** Polls until this many events are published: transactions of other databases on this server delay the newest ones. */
async function relayAll(relay: Relay, seen: () => Promise<string[]>, count: number): Promise<string[]> {
  return until(`${count} events to be published`, async () => {
    await relay.poll()
    const relayed = await seen()
    return relayed.length >= count && relayed
  })
}

async function payOut(malipo: Malipo, count: number): Promise<string[]> {
  const { call } = await malipo.merchant()
  const ids: string[] = []
  for (let index = 0; index < count; index += 1) {
    const payoutMethod = { accountName: 'Amina Otieno', accountNumber: '+254703456789' }
    const body = { amount: 20, currency: 'KES', country: 'KE', destination: 'MoMo', payoutMethod }
    const answer = await call('POST', '/api/b2b/fiat/payout', { ...body, externalReference: `r${index}` })
    ids.push(String(answer.body['transactionId']))
  }
  return ids
}

function createdEvent(transaction_id: string, merchant_id: string): NewEvent {
  return {
    ...{
      transaction_id,
      number: 1,
      merchant_id,
      env: 'sandbox',
      cause: 'request',
      state: 'accepted',
      stage: 'accepted',
    },
    ...{
      notification: { name: 'transaction_created', id: randomUUID(), sequence: 1, scenario: null, body: '{}' },
      message: '',
      detail: {},
    },
  }
}

test('the relay publishes every event once, in order, however often it polls', async (t) => {
  const { malipo, stream, seen } = await setUp(t)
  const [one, other] = [createRelay(malipo.ctx.db.write, stream), createRelay(malipo.ctx.db.write, stream)]

  const ids = await payOut(malipo, 3)
  await relayAll(one, seen, 3)
  await one.poll()
  ids.push(...(await payOut(malipo, 2)))
  await other.poll() // Another worker waits while the first holds the relay.
  await relayAll(one, seen, 5)
  await one.poll()

  assert.deepEqual(await seen(), ids)
})

test('events of one batch that exceed a page are all published once', async (t) => {
  const { malipo, stream, seen } = await setUp(t)
  const { call } = await malipo.merchant()
  const payoutMethod = { accountName: 'Amina Otieno', accountNumber: '+254703456789' }
  const payout = { amount: 10, currency: 'KES', country: 'KE', destination: 'MoMo', payoutMethod }
  const bulk = (from: number) =>
    Array.from({ length: 600 }, (_, index) => ({ ...payout, externalReference: `b${from + index}` }))
  for (const from of [0, 600]) await call('POST', '/api/b2b/fiat/payouts/bulk', { payouts: bulk(from) })
  await malipo.ask(`update events set batch = (select max(batch) from events)`)

  const relayed = await relayAll(createRelay(malipo.ctx.db.write, stream), seen, 1200)

  assert.deepEqual([relayed.length, new Set(relayed).size], [1200, 1200])
})

test('an event is published once its transaction ends, even after events that came later', async (t) => {
  const { malipo, stream, seen } = await setUp(t)
  const relay = createRelay(malipo.ctx.db.write, stream)
  const slow = newTransactionId(Date.now(), 0)

  const before = await payOut(malipo, 2)
  const { id: merchantId } = await malipo.merchant()
  await malipo.ctx.db.write.batch(5000, async (tx) => {
    await emit(tx, new Date(), [createdEvent(slow, readId('merchant', merchantId) ?? '')])
    before.push(...(await payOut(malipo, 1)))
    await relay.poll()
  })
  const relayed = await relayAll(relay, seen, 4)

  assert.deepEqual(relayed, before.toSpliced(2, 0, showId('transaction', slow)))
})

test('a worker that takes over a dead relay repeats no event and skips none', async (t) => {
  const { malipo, stream, seen } = await setUp(t)
  const ids = await payOut(malipo, 2)
  await relayAll(createRelay(malipo.ctx.db.write, stream), seen, 2)
  ids.push(...(await payOut(malipo, 2)))
  await malipo.ask(`update relays set held_until = now() - interval '1 second'`)

  const relayed = await relayAll(createRelay(malipo.ctx.db.write, stream), seen, 4)

  assert.deepEqual(relayed, ids)
})

test('an event that cannot be published is retried, and a wiped stream is created again', async (t) => {
  const { malipo, stream, seen } = await setUp(t)
  const nowhere = openStream({ url: 'nats://127.0.0.1:9', cell: 0 })
  const ids = await payOut(malipo, 2)
  const deaf = createRelay(malipo.ctx.db.write, nowhere)
  await until('it to fail', () =>
    deaf.poll().then(
      () => false,
      () => true,
    ),
  )
  await malipo.ask(`update relays set held_until = now() - interval '1 second'`)
  await wipeStream(malipo.ctx.config.natsUrl?.reveal() ?? '', 'EVENTS')

  const relay = createRelay(malipo.ctx.db.write, stream)
  await relay.poll().catch(() => undefined)
  const relayed = await relayAll(relay, seen, 2)

  assert.deepEqual(relayed, ids)
})
