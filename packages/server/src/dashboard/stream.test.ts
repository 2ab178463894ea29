import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { machineTime, until } from '../dev-stack/until.ts'
import { createApiServer } from '../http/server.ts'
import { readId } from '../platform/ids.ts'
import { type LiveStream, openStream } from '../testing/live-stream.ts'
import { type Malipo, testMalipo } from '../testing/malipo.ts'
import { member, pathIn } from '../testing/members.ts'
import { payingMalipo } from '../testing/paying.ts'
import type { TestPerson } from '../testing/people.ts'
import { charge, newPhone, payOut } from '../testing/searching.ts'

/** Payments are accepted and stay open. */
const noProvider = { MALIPO_SIMULATOR_URL: 'http://127.0.0.1:9', MALIPO_SIMULATOR_TOKEN: 'unused-simulator-token' }

async function setUp(t: TestContext, malipo: Malipo) {
  const merchant = await malipo.merchant()
  const viewer = await member(malipo, merchant.id, ['viewer'])
  const follow = async (person: TestPerson = viewer, query = '', headers: Record<string, string> = {}) => {
    const url = `${malipo.url}${pathIn(merchant.id, 'sandbox', '/stream')}${query}`
    const stream = await openStream(url, { ...person.headers, ...headers })
    t.after(() => stream.close())
    return stream
  }
  return { merchant, viewer, follow }
}

const idsOf = (payments: Awaited<ReturnType<LiveStream['payments']>>) =>
  payments.map(({ data }) => data['transactionId'])

test('a charge appears within 2 s and is followed to its success, without personal data', async (t) => {
  const malipo = await payingMalipo(t)
  malipo.work()
  const { merchant, follow } = await setUp(t, malipo)
  const stream = await follow()

  const phone = newPhone()
  const id = await charge(merchant, { phone, amount: 250 })
  const acceptedAt = machineTime()
  const [first] = await stream.payments(1)
  assert.ok(machineTime() - acceptedAt < 2000)
  await malipo.comesTo(id, 'successful')
  const last = (await stream.payments(2)).at(-1)

  const { at, ...facts } = first?.data ?? {}
  assert.ok(Math.abs(Date.parse(String(at)) - Date.now()) < 60_000)
  const same = { transactionId: id, type: 'deposit', method: 'momo', amount: 250, currency: 'KES' }
  assert.deepEqual(facts, { ...same, status: 'PENDING', stage: 'PROCESSING' })
  assert.deepEqual({ ...last?.data, at }, { ...same, status: 'SUCCESSFUL', stage: 'COMPLETED', at })
  assert.ok(!JSON.stringify(stream.events).includes(phone.slice(-6)))
})

test('a client that connects again gets every event once, by header and by since', async (t) => {
  const malipo = await testMalipo(t, noProvider)
  const { merchant, viewer, follow } = await setUp(t, malipo)
  const paid = [await payOut(merchant), await payOut(merchant)]
  const before = await follow(viewer, '?since=0')
  const [first] = await before.payments(2)
  before.close()
  paid.push(await payOut(merchant), await payOut(merchant))

  const header = await follow(viewer, '?since=0', { 'last-event-id': String(first?.id) })
  const since = await follow(viewer, '?since=2')
  const ahead = await follow(viewer, '?since=999999')
  await Promise.all([header.payments(3), since.payments(2)])
  paid.push(await payOut(merchant))

  assert.deepEqual(idsOf(await header.payments(4)), paid.slice(1))
  assert.deepEqual(idsOf(await since.payments(3)), paid.slice(2))
  assert.deepEqual(idsOf(await ahead.payments(1)), paid.slice(4))
  assert.deepEqual(
    (await header.payments(4)).map(({ id }) => id),
    ['2', '3', '4', '5'],
  )
  const polled = await viewer.call('GET', pathIn(merchant.id, 'sandbox', '/stream?since=0'))
  assert.equal(polled.status, 200)
})

test("another merchant's payments and the other environment's are never seen", async (t) => {
  const malipo = await testMalipo(t, noProvider)
  const { merchant, viewer, follow } = await setUp(t, malipo)
  const other = await malipo.merchant()
  const live = await openStream(`${malipo.url}${pathIn(merchant.id, 'live', '/stream?since=0')}`, viewer.headers)
  t.after(() => live.close())
  const stream = await follow()

  await payOut(other)
  const own = await payOut(merchant)

  assert.deepEqual(idsOf(await stream.payments(1)), [own])
  assert.deepEqual(
    live.events.map(({ event }) => event),
    ['position'],
  )
  const foreign = await openStream(`${malipo.url}${pathIn(other.id, 'sandbox', '/stream')}`, viewer.headers)
  assert.equal(foreign.status, 404)
})

test('a stream is refused without a session or with an invalid position', async (t) => {
  const malipo = await testMalipo(t, noProvider)
  const { merchant, viewer } = await setUp(t, malipo)
  const path = pathIn(merchant.id, 'sandbox', '/stream')
  const status = async (headers: Record<string, string>, query = '') => {
    const stream = await openStream(`${malipo.url}${path}${query}`, headers)
    stream.close()
    return stream.status
  }

  assert.equal(await status({}), 401)
  assert.equal(await status({ authorization: `Bearer ${await merchant.token()}` }), 401)
  for (const id of ['x', '-1', '1.5', '9'.repeat(17)])
    assert.equal(await status({ ...viewer.headers, 'last-event-id': id }), 400, id)
  for (const since of ['x', '-1', '1.5', '']) assert.equal(await status(viewer.headers, `?since=${since}`), 400, since)
})

test('a person has at most six streams at once, and a closed one makes room', async (t) => {
  const malipo = await testMalipo(t, noProvider)
  const { merchant, follow } = await setUp(t, malipo)
  const streams = await Promise.all(Array.from({ length: 6 }, () => follow()))

  const seventh = await follow()
  const another = await follow(await member(malipo, merchant.id, ['viewer']))

  assert.deepEqual(
    [...streams.map(({ status }) => status), seventh.status, another.status],
    [...[200, 200, 200, 200, 200, 200], ...[429, 200]],
  )
  streams[0]?.close()
  await until('a free place', async () => (await follow()).status === 200)
})

test('a stream ends when its session ends, and when its role is taken away', async (t) => {
  const malipo = await testMalipo(t, noProvider)
  const { merchant, viewer, follow } = await setUp(t, malipo)
  const [other, third] = [await member(malipo, merchant.id, ['viewer']), await member(malipo, merchant.id, ['viewer'])]
  const [signedOut, withoutRole, stays] = [await follow(viewer), await follow(other), await follow(third)]

  await malipo.ask('update sessions set ended_at = now() where person_id = $1', [viewer.person_id])
  await malipo.ask(`update memberships set ended_at = now(), ended_by = 'test' where person_id = $1`, [other.person_id])
  await until('two ended streams', () => signedOut.isEnded() && withoutRole.isEnded())

  assert.equal(stays.isEnded(), false)
})

/** Gives the merchant's feed this many events of its newest payment. */
async function fillFeed(malipo: Malipo, merchantId: string, count: number): Promise<void> {
  await malipo.ask(
    `with one as (select * from events where merchant_id = $1 order by feed_number desc limit 1),
       counted as (update feed_counters set last = last + $2 where merchant_id = $1)
     insert into events (transaction_id, number, merchant_id, env, at, cause, name, id, feed_number, sequence, state, stage, message)
     select transaction_id, number + n, merchant_id, env, at, cause, 'transaction_updated', gen_random_uuid(), feed_number + n,
       sequence + n, state, stage, message
     from one, generate_series(1, $2::int) as n`,
    [readId('merchant', merchantId), count],
  )
}

test('a client that reads nothing is cut off, and one that reads slowly gets everything', async (t) => {
  const malipo = await testMalipo(t, noProvider)
  const { merchant, viewer, follow } = await setUp(t, malipo)
  await payOut(merchant)
  await fillFeed(malipo, merchant.id, 30_000)
  const url = `${malipo.url}${pathIn(merchant.id, 'sandbox', '/stream?since=0')}`

  const deaf = await openStream(url, viewer.headers, { isDeaf: true })
  t.after(() => deaf.close())
  const reading = await follow(viewer, '?since=29000')
  const events = await reading.payments(1001)

  assert.deepEqual(
    events.map(({ id }) => Number(id)),
    Array.from({ length: 1001 }, (_, index) => 29_001 + index),
  )
  // A client that does not read does not notice either, but its place is free again.
  for (let places = 4; places > 0; places -= 1) assert.equal((await follow()).status, 200)
  assert.equal((await follow()).status, 429)
  await until('the client to be cut off', async () => (await follow()).status === 200)
})

test('a process that stops ends its streams', async (t) => {
  const malipo = await testMalipo(t, noProvider)
  const { merchant, viewer } = await setUp(t, malipo)
  const { app } = createApiServer(malipo.ctx)
  const url = await app.listen({ host: '127.0.0.1', port: 0 })
  const stream = await openStream(`${url}${pathIn(merchant.id, 'sandbox', '/stream')}`, viewer.headers)

  await app.close()

  await until('the end of the stream', () => stream.isEnded())
})
