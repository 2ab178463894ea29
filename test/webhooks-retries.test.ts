import assert from 'node:assert/strict'
import { test } from 'node:test'
import { webhooks } from '@malipo/sdk'
import { until } from '../packages/server/src/dev-stack/until.ts'
import { proofSize } from './support/cluster/proof.ts'
import { createRandom } from './support/cluster/random.ts'
import { type Got, openReceiver } from './support/load/webhook-receiver.ts'
import { runStorm, type Shop } from './support/load/webhook-storm.ts'
import { hours, minutes, seconds, testWebhooks } from './support/load/webhooks.ts'

const events = proofSize('EVENTS', 500)
const kills = proofSize('KILLS', 2)
const seed = proofSize('SEED', 1)

const isTaken = ({ status = 0 }: Got) => status >= 200 && status < 300

/** Errors in what a shop received. */
async function faultsOf({ merchant, receiver, events: notified }: Shop): Promise<string[]> {
  const byId = Map.groupBy(receiver.got, ({ id }) => id)
  const lost = notified.filter(({ id }) => !byId.get(id)?.some(isTaken)).map(({ id }) => `${id} was never accepted`)
  const bodies = new Map(notified.map(({ id, body }) => [id, body]))
  const changed = receiver.got
    .filter(({ id, body }) => bodies.get(id) !== body)
    .map(({ id }) => `${id} has other bytes`)
  const feed = await merchant.feed()
  const isDense =
    feed.length === notified.length && feed.every(({ number, id }, at) => number === at + 1 && bodies.has(id))
  const inOrder = feed.every(({ id }, at) => id === notified[at]?.id)
  return [
    ...lost,
    ...changed,
    ...(isDense ? [] : ['the feed has a gap']),
    ...(inOrder ? [] : ['the feed is out of order']),
    ...(receiver.mostOpen > 8 ? [`${receiver.mostOpen} deliveries were in progress at once`] : []),
  ]
}

test(`${events} events reach every endpoint that recovers within 45 of 72 h, with ${kills} worker kills`, {
  timeout: 120_000 + events * 20,
}, async (t) => {
  const startedAt = performance.now()
  const hooks = await testWebhooks(t)
  const shopCount = Math.min(100, 10 + Math.floor(events / 1000))

  const storm = await runStorm(t, { hooks, random: createRandom(seed), events, kills, shops: shopCount })

  const { shops } = storm
  const got = shops.flatMap(({ receiver }) => receiver.got)
  const taken = got.filter(isTaken).length
  const notified = shops.reduce((sum, shop) => sum + shop.events.length, 0)
  const took = ((performance.now() - startedAt) / 1000).toFixed(1)
  t.diagnostic(
    `seed ${seed}: ${notified} events to ${shops.length} shops in ${took} s; ${storm.kills} times two workers were killed, with ${storm.cut} requests in progress`,
  )
  t.diagnostic(`${got.length} requests received, ${taken} accepted, of which ${taken - notified} were repeats`)
  assert.deepEqual((await Promise.all(shops.map(faultsOf))).flat().slice(0, 20), [])
  const records = await hooks.malipo.ask(
    `select status, (next_attempt_at is null) as is_done, count(*)::int, max(attempts) <= 12 as is_within from webhook_records
     where merchant_id = any($1) group by 1, 2`,
    [shops.map(({ merchant }) => merchant.id)],
  )
  assert.deepEqual(records, [{ status: 'SUCCESS', is_done: true, count: notified, is_within: true }])
})

const delays = [
  ...[seconds(5), seconds(15), seconds(45), minutes(5), minutes(30)],
  ...[hours(2), hours(5), hours(10), hours(14), hours(20), hours(24)],
]

test('a record is tried 12 times by the schedule, within a tenth, and then only when resent', async (t) => {
  const hooks = await testWebhooks(t)
  const receiver = await openReceiver(t, () => ({ status: 500 }))
  const merchant = await hooks.merchant(receiver.url)
  const [event] = await merchant.notify(1)
  const id = event?.id ?? ''
  assert.equal((await merchant.record(id)).status, 'CREATED')

  const now = async () => {
    const [row] = await hooks.malipo.ask<{ now: Date }>('select record_time() as now')
    return row?.now.getTime() ?? 0
  }
  let dueFrom = await now()
  hooks.deliver()
  for (const [index, delay] of delays.entries()) {
    const { nextAttemptAt = '' } = await merchant.becomes(id, { status: 'FAILED', attempts: index + 1 })
    const [from, to] = [Date.parse(nextAttemptAt) - (await now()), Date.parse(nextAttemptAt) - dueFrom]
    assert.ok(to >= delay * 0.9 && from <= delay * 1.1, `attempt ${index + 2} is ${from} to ${to} ms away`)
    const margin = Math.max(0, Math.min(from / 2, minutes(1)))
    await hooks.forward(Math.max(0, from - margin))
    if (margin > seconds(5)) assert.equal(receiver.got.length, index + 1)
    dueFrom = await now()
    await hooks.forward(margin + 100)
  }
  const given = await merchant.becomes(id, { status: 'FAILED', attempts: 12 })
  assert.equal(given.nextAttemptAt, undefined)
  await hooks.forward(hours(48))
  receiver.react = () => ({ status: 204 })
  assert.equal((await merchant.ask('POST', `/webhooks/${id}/resend`)).status, 200)

  await merchant.becomes(id, { status: 'SUCCESS', attempts: 13 })
  assert.equal(receiver.got.length, 13)
  assert.deepEqual(new Set(receiver.got.map((got) => `${got.id} ${got.body}`)), new Set([`${id} ${event?.body}`]))
})

test('a gone endpoint gets nothing until its URL is set again, and then everything it missed', async (t) => {
  const hooks = await testWebhooks(t)
  const receiver = await openReceiver(t, () => ({ status: 410 }))
  const merchant = await hooks.merchant(receiver.url)
  hooks.deliver()
  const [first] = await merchant.notify(1)
  await merchant.becomes(first?.id ?? '', { status: 'FAILED', attempts: 1 })

  const missed = await merchant.notify(20)
  await hooks.forward(hours(1))
  const other = await openReceiver(t, () => ({ status: 200 }))
  const neighbour = await hooks.merchant(other.url)
  const [witness] = await neighbour.notify(1)
  await neighbour.becomes(witness?.id ?? '', { status: 'SUCCESS' })
  assert.equal(receiver.got.length, 1)
  receiver.react = () => ({ status: 200 })
  await merchant.setUrl(receiver.url)

  for (const event of [first, ...missed]) await merchant.becomes(event?.id ?? '', { status: 'SUCCESS' })
})

test('an endpoint that fails for 5 days is disabled, one that fails for less is not', async (t) => {
  const hooks = await testWebhooks(t)
  const receiver = await openReceiver(t, () => 'reset')
  const merchant = await hooks.merchant(receiver.url)
  hooks.deliver()
  const failOnce = async () => {
    const [event] = await merchant.notify(1)
    await merchant.becomes(event?.id ?? '', { status: 'FAILED' })
  }
  const isDisabled = async () => {
    const found = await hooks.malipo.ask<{ is: boolean }>(
      `select disabled_at is not null as is from webhook_endpoints where merchant_id = $1 and env = 'sandbox'`,
      [merchant.id],
    )
    return found[0]?.is
  }

  await failOnce()
  await hooks.forward(hours(119))
  await failOnce()
  assert.equal(await isDisabled(), false)
  await hooks.forward(hours(2))

  await until('the endpoint to be disabled', isDisabled)
})

test('a rotated secret signs beside the new one for 24 hours, and not after', async (t) => {
  const hooks = await testWebhooks(t)
  const receiver = await openReceiver(t, () => ({ status: 200 }))
  const merchant = await hooks.merchant(receiver.url)
  hooks.deliver()
  const rotate = async () => {
    const { body } = await merchant.ask('POST', '/users/webhook-secret/rotate')
    return (body['data'] as { secret: string }).secret
  }
  const deliverOne = async () => {
    const [event] = await merchant.notify(1)
    await merchant.becomes(event?.id ?? '', { status: 'SUCCESS' })
    return receiver.got.at(-1) as Got
  }
  const isSignedBy = ({ headers, body }: Got, secret: string) => {
    try {
      return Boolean(webhooks.verify(body, headers, secret))
    } catch {
      return false
    }
  }
  const old = await rotate()
  await hooks.forward(hours(25))

  const fresh = await rotate()
  const during = await deliverOne()
  assert.deepEqual([isSignedBy(during, old), isSignedBy(during, fresh)], [true, true])
  await hooks.forward(hours(24) - minutes(1))
  assert.equal(isSignedBy(await deliverOne(), old), true)
  await hooks.forward(minutes(2))

  const after = await deliverOne()
  assert.deepEqual([isSignedBy(after, old), isSignedBy(after, fresh)], [false, true])
  assert.equal(after.headers['webhook-signature']?.split(' ').length, 1)
})

test('Retry-After is honoured when it asks for more than the schedule, up to 24 hours', async (t) => {
  const hooks = await testWebhooks(t)
  const receiver = await openReceiver(t, () => ({ status: 503 }))
  const merchant = await hooks.merchant(receiver.url)
  hooks.deliver()
  const waitAfter = async (retryAfter: string) => {
    receiver.react = () => ({ status: 503, headers: { 'retry-after': retryAfter } })
    const [event] = await merchant.notify(1)
    const [{ now } = { now: new Date(0) }] = await hooks.malipo.ask<{ now: Date }>('select record_time() as now')
    const { nextAttemptAt = '' } = await merchant.becomes(event?.id ?? '', { status: 'FAILED', attempts: 1 })
    return Math.round((Date.parse(nextAttemptAt) - now.getTime()) / seconds(10))
  }

  assert.ok((await waitAfter('1')) <= 1)
  assert.equal(await waitAfter('3600'), 360)
  assert.equal(await waitAfter(new Date(Date.now() + hours(2)).toUTCString()), 720)
  assert.equal(await waitAfter(String(30 * 3600)), 8640)
})

test('an endpoint has at most 8 deliveries in progress, 2 while it fails, and delays no other', async (t) => {
  const hooks = await testWebhooks(t)
  const [slow, quick] = [await openReceiver(t, () => 'held'), await openReceiver(t, () => ({ status: 200 }))]
  const [sluggish, brisk] = [await hooks.merchant(slow.url), await hooks.merchant(quick.url)]
  hooks.deliver()

  await sluggish.notify(40)
  await until('8 to be under way', () => slow.open === 8)
  const swift = await brisk.notify(40)
  for (const { id } of swift) await brisk.becomes(id, { status: 'SUCCESS' })
  assert.deepEqual([slow.open, slow.mostOpen], [8, 8])
  slow.release({ status: 500 })
  await until('2 others to be under way', () => slow.got.length === 10 && slow.open === 2)
  slow.forgetMost()
  for (const { id } of await brisk.notify(40)) await brisk.becomes(id, { status: 'SUCCESS' })
  assert.equal(slow.mostOpen, 2)

  slow.release({ status: 200 })
  await until('8 to be under way again', () => slow.open === 8)
  assert.equal(slow.mostOpen, 8)
  slow.react = () => ({ status: 200 })
  slow.release({ status: 200 })
})
