import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import type { Db } from '../platform/db.ts'
import { payingMalipo } from '../testing/paying.ts'
import { payoutBody } from '../testing/payout-body.ts'
import { expireKeys } from './expire-keys.ts'

const day = 86_400

async function setUp(t: TestContext) {
  const malipo = await payingMalipo(t)
  const reset = async () => {
    await malipo.ask(`update clock_offset set ahead = '0'`)
    await malipo.ask(`update leases set place = 0 where name = 'retention'`)
  }
  await reset()
  t.after(reset)
  const merchant = await malipo.merchant()
  const pay = async (key: string, externalReference: string, amount = 100) => {
    const headers = { authorization: `Bearer ${await merchant.token()}`, 'idempotency-key': key }
    const order = payoutBody(amount, { externalReference: `${merchant.id}-${externalReference}` })
    const { status, body, headers: sent } = await malipo.call('POST', '/api/b2b/fiat/payout', headers, order)
    const isReplay = sent.get('idempotency-replayed') === 'true'
    return { status, errorCode: body['errorCode'], id: body['transactionId'], isReplay }
  }
  return { malipo, pay, merchant, expire: () => expireKeys(malipo.ctx.db.write) }
}

test('a key one day before its end returns the same response, and another body is refused', async (t) => {
  const { malipo, pay, expire } = await setUp(t)
  const first = await pay('k1', 'r1')
  assert.equal(first.status, 200)
  await malipo.later(29 * day)
  await expire()

  assert.deepEqual(await pay('k1', 'r1'), { ...first, isReplay: true })
  const other = await pay('k1', 'r2', 50)
  assert.deepEqual([other.status, other.errorCode], [422, 'IDEMPOTENCY_KEY_REUSED'])
})

test('a key after its end is a new request, and its reference still has one payment', async (t) => {
  const { malipo, pay, expire } = await setUp(t)
  const first = await pay('k1', 'r1')
  await malipo.later(30 * day + 60)
  await expire()

  const again = await pay('k1', 'r1')
  const next = await pay('k1', 'r2', 50)

  assert.deepEqual([again.status, again.errorCode], [409, 'E-API-D.S-28'])
  assert.deepEqual([next.status, next.isReplay], [200, false])
  assert.notEqual(next.id, first.id)
  await expire()
  assert.deepEqual(await pay('k1', 'r2', 50), { ...next, isReplay: true }, 'the key holds for 30 days again')
})

test('copies of a request at the end of its key make one payment per reference', async (t) => {
  const { malipo, pay, merchant, expire } = await setUp(t)
  const rounds = [0, 1, 2, 3, 4]
  for (const round of rounds) await pay(`k${round}`, `old${round}`)
  await malipo.later(30 * day + 60)

  for (const round of rounds) {
    const copies = [0, 1, 2, 3].flatMap(() => [pay(`k${round}`, `old${round}`), pay(`k${round}`, `new${round}`, 50)])
    const [, ...responses] = await Promise.all([expire(), ...copies])
    for (const { status, isReplay, errorCode } of responses)
      assert.ok(
        status === 200 || ['E-API-D.S-28', 'IDEMPOTENCY_KEY_REUSED'].includes(String(errorCode)),
        `${status} ${errorCode} ${isReplay}`,
      )
  }

  const made = await malipo.ask<{ payments: number }>(
    `select count(*)::int as payments from transactions where external_reference like $1 group by external_reference`,
    [`${merchant.id}-%`],
  )
  assert.ok(made.length >= rounds.length)
  assert.deepEqual([...new Set(made.map(({ payments }) => payments))], [1])
})

/** Keys on hundreds of pages; every second one is older than 30 days. */
const fillTable = (ask: (text: string) => Promise<unknown>) =>
  ask(`
    insert into idempotency_keys (merchant_id, env, key, fingerprint, response, created_at)
    select '01a1dcca-6078-7000-8e5b-057d3cc01da8', 'sandbox', 'bulk' || n,
      (select string_agg(md5(concat(n, '/', part)), '') from generate_series(1, 50) as part), '{}',
      now() - case when n % 2 = 0 then interval '31 days' else interval '29 days' end
    from generate_series(1, 8000) as n`)

test('runs read the whole table in turn, a bounded part each, and delete only old keys', async (t) => {
  const { malipo, expire } = await setUp(t)
  await malipo.ask('delete from idempotency_keys')
  await fillTable(malipo.ask)
  const count = async () => {
    const [row] = await malipo.ask<{ old: number; young: number; place: number }>(`
      select (count(*) filter (where created_at < now() - interval '30 days'))::int as old,
        (count(*) filter (where created_at >= now() - interval '30 days'))::int as young,
        (select place::int from leases where name = 'retention') as place
      from idempotency_keys`)
    assert(row)
    return row
  }

  await expire()
  const first = await count()
  assert.ok(first.old > 0 && first.old < 4000, `${first.old} old keys after one run`)
  assert.equal(first.place, 64)
  while ((await count()).place > 0) await expire()

  const last = await count()
  assert.deepEqual([last.old, last.young], [0, 4000])
})

test('a step that fails is passed and reported, and the next run continues behind it', async (t) => {
  const { malipo, expire } = await setUp(t)
  await malipo.ask('truncate idempotency_keys')
  await fillTable(malipo.ask)
  const { write } = malipo.ctx.db
  let steps = 0
  const failing: Db = {
    query: async (query) => {
      if (/delete from/.test(query.text)) steps += 1
      if (steps === 1 && /delete from/.test(query.text)) throw new Error('invalid page')
      return write.query(query)
    },
  }
  const oldKeysFrom = async (page: number) => {
    const found = await malipo.ask(
      `select from idempotency_keys where created_at < now() - interval '30 days' and ctid >= $1::tid and ctid < $2::tid`,
      [`(${page},0)`, `(${page + 32},0)`],
    )
    return found.length
  }

  await assert.rejects(expireKeys(failing), AggregateError)

  assert.equal(steps, 2)
  assert.ok((await oldKeysFrom(0)) > 0, 'the pages that failed')
  assert.equal(await oldKeysFrom(32), 0)
  assert.deepEqual(await malipo.ask(`select place::int from leases where name = 'retention'`), [{ place: 64 }])
  await expire()
  assert.equal(await oldKeysFrom(64), 0)
})

test('a delete of a range of pages scans only these pages, in each partition', async (t) => {
  const { malipo } = await setUp(t)
  const plan = await malipo.ctx.db.write.query<{ 'QUERY PLAN': string }>({
    name: 'plan-of-expiry',
    text: `explain (costs off) delete from idempotency_keys
      where ctid >= '(0,0)'::tid and ctid < '(32,0)'::tid and created_at < now()`,
    values: [],
  })

  const scans = plan.flatMap(({ 'QUERY PLAN': line }) => /-> +(.* Scan)/.exec(line)?.[1] ?? [])
  assert.deepEqual([...new Set(scans)], ['Tid Range Scan'])
  assert.equal(scans.length, 16)
})
