import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import pg from 'pg'
import { testDatabase } from '../dev-stack/servers.ts'
import { type Malipo, testMalipo } from '../testing/malipo.ts'
import { payingMalipo, payOut } from '../testing/paying.ts'
import { keepPartitions } from '../workers/partition-keeper.ts'
import { newId } from './ids.ts'
import { attachPartitions, monthly, partitionsLeft } from './partitions.ts'

/** A separate superuser session. */
async function session(t: TestContext): Promise<pg.Client> {
  const { superuserUrl } = await testDatabase()
  const client = new pg.Client({ connectionString: superuserUrl })
  client.on('error', () => undefined)
  await client.connect()
  t.after(() => client.end())
  return client
}

/** Holds the same lock on timers as a pg_dump or a report, until it is ended. */
async function readTimers(t: TestContext): Promise<{ end(): Promise<void> }> {
  const reader = await session(t)
  await reader.query('begin; lock table timers in access share mode')
  return { end: () => reader.query('rollback').then(() => undefined) }
}

const forward = (malipo: Malipo, hours: number) =>
  malipo.ask(`update clock_offset set ahead = ahead + make_interval(hours => $1)`, [hours])

/** Hourly partitions of timers in the database, attached or not. */
const hoursThere = async (malipo: Malipo) => {
  const found = await malipo.ask(
    `select from pg_class where relnamespace = 'timer_hours'::regnamespace and relkind = 'r'`,
  )
  return found.length
}

/** Polls continuously for exclusive locks on timers, which would block every payment. */
function watchForStalls(malipo: Malipo) {
  let isOver = false
  const stalls: string[] = []
  const watching = (async () => {
    while (!isOver)
      stalls.push(
        ...(
          await malipo.ctx.db.write.query<{ mode: string }>({
            name: 'stalls',
            text: `select mode from pg_locks where relation = 'timers'::regclass and mode ~ '^(Access)?Exclusive|^Share(RowExclusive)?Lock'`,
            values: [],
          })
        ).map(({ mode }) => mode),
      )
  })()
  return async () => {
    isOver = true
    await watching
    return stalls
  }
}

test('this month, the next three and 72 hours are writable, and attaching again changes nothing', async (t) => {
  const malipo = await testMalipo(t)

  await Promise.all(Array.from({ length: 8 }, () => attachPartitions(malipo.ctx.db.write)))
  const before = await hoursThere(malipo)
  await attachPartitions(malipo.ctx.db.write)

  const { hours, months } = await partitionsLeft(malipo.ctx.db.write)
  assert.ok(hours >= 72, `${hours} hours`)
  assert.deepEqual(
    [...months.values()],
    monthly.map(() => 3),
  )
  assert.equal(await hoursThere(malipo), before)
})

test('every table partitioned by range is extended ahead of time', async (t) => {
  const malipo = await testMalipo(t)
  const ranged = await malipo.ask<{ name: string }>(
    `select partrelid::regclass::text as name from pg_partitioned_table where partstrat = 'r'`,
  )

  assert.deepEqual(new Set(ranged.map(({ name }) => name)), new Set(['timers', 'request_log', ...monthly]))
})

test('a reader that locks timers for days blocks no payout, and hours stay 72 ahead', async (t) => {
  const malipo = await payingMalipo(t)
  const merchant = await malipo.merchant()
  await keepPartitions(malipo.ctx)
  const took: number[] = []
  const pay = async () => {
    const startedAt = performance.now()
    await payOut(merchant)
    took.push(performance.now() - startedAt)
  }
  for (let payouts = 0; payouts < 10; payouts += 1) await pay()
  const alone = took.splice(0).toSorted((left, right) => left - right)[5] ?? 0
  const reader = await readTimers(t)
  const stalls = watchForStalls(malipo)

  for (let moved = 0; moved < 80; moved += 20) {
    await forward(malipo, 20)
    const keeping = keepPartitions(malipo.ctx)
    for (let payouts = 0; payouts < 5; payouts += 1) await pay()
    await keeping
    const { hours } = await partitionsLeft(malipo.ctx.db.write)
    assert.ok(hours >= 72, `${hours} hours are left after ${moved + 20} with a reader`)
  }

  assert.deepEqual(await stalls(), [])
  const median = took.toSorted((left, right) => left - right)[10] ?? 0
  t.diagnostic(
    `a payout took ${alone.toFixed(0)} ms alone, ${median.toFixed(0)} ms with a reader; the slowest ${Math.max(...took).toFixed(0)} ms`,
  )
  await reader.end()
  await keepPartitions(malipo.ctx)
  assert.ok((await hoursThere(malipo)) <= 6 + 1 + 73 + 1, 'old hours are dropped once the reader has ended')
})

test('a detach left pending by a crash is finished by the next run of any process', async (t) => {
  const malipo = await testMalipo(t)
  await keepPartitions(malipo.ctx)
  const pending = () => malipo.ask('select from pg_inherits where inhdetachpending')
  const reader = await readTimers(t)
  await forward(malipo, 20)
  await keepPartitions(malipo.ctx) // Starts to detach the oldest hour and cannot finish, as after a crash.
  assert.equal((await pending()).length, 1)
  await attachPartitions(malipo.ctx.db.write)
  assert.ok((await partitionsLeft(malipo.ctx.db.write)).hours >= 72)
  await reader.end()

  await Promise.all(Array.from({ length: 4 }, () => keepPartitions(malipo.ctx)))

  assert.equal((await pending()).length, 0)
  assert.ok((await hoursThere(malipo)) <= 6 + 1 + 73 + 1)
})

test('an hour detached but not dropped by a dead process is dropped by the next run', async (t) => {
  const malipo = await testMalipo(t)
  await keepPartitions(malipo.ctx)
  await forward(malipo, 20)
  const [old] = await malipo.ask<{ name: string }>(
    `select min(relname) as name from pg_class where relnamespace = 'timer_hours'::regnamespace and relkind = 'r'`,
  )
  await malipo.ask(`alter table timers detach partition timer_hours.${old?.name} concurrently`)

  await keepPartitions(malipo.ctx)

  assert.deepEqual(await malipo.ask(`select to_regclass($1) as name`, [`timer_hours.${old?.name}`]), [{ name: null }])
})

test("a lock on one table blocks no other table's partitions, and times out after 200 ms", async (t) => {
  const malipo = await testMalipo(t)
  await attachPartitions(malipo.ctx.db.write)
  const holder = await session(t)
  for (const held of ['timers', 'transfers']) {
    await forward(malipo, 24 * 32)
    await holder.query(`begin; lock table ${held} in share update exclusive mode`) // As another attach or an analyze does.

    const startedAt = performance.now()
    await assert.rejects(attachPartitions(malipo.ctx.db.write), (error: AggregateError) => {
      assert.deepEqual(
        error.errors.map(({ code }: { code?: string }) => code),
        ['55P03'],
      )
      return true
    })
    t.diagnostic(`${held} held: given up after ${(performance.now() - startedAt).toFixed(0)} ms, all others attached`)
    await holder.query('rollback')
  }

  const { hours, months } = await partitionsLeft(malipo.ctx.db.write)
  assert.ok(hours >= 72)
  assert.deepEqual(
    [...months].filter(([table]) => table !== 'transfers').map(([, left]) => left),
    monthly.slice(1).map(() => 3),
  )
})

test('a missing month is reported and attached again', async (t) => {
  const malipo = await testMalipo(t)
  await attachPartitions(malipo.ctx.db.write)
  const [next] = await malipo.ask<{ name: string }>(
    `select month_of('audit_entries', (date_trunc('month', record_time() at time zone 'UTC') + interval '1 month')::date) as name`,
  )
  await malipo.ask(`drop table ${next?.name}`)
  assert.equal((await partitionsLeft(malipo.ctx.db.write)).fewestMonths, 0)

  await attachPartitions(malipo.ctx.db.write)

  assert.equal((await partitionsLeft(malipo.ctx.db.write)).fewestMonths, 3)
})

test('hours start at the full UTC hour, whatever the time zone of the database', async (t) => {
  const malipo = await testMalipo(t)
  const client = await session(t)
  await client.query(`set timezone = 'Asia/Kolkata'`)
  await forward(malipo, 500)

  await client.query('select attach_timer_hours(3, 1)')

  const bounds = await malipo.ask<{ bound: string }>(
    `select pg_get_expr(relpartbound, oid) as bound from pg_class where relname >= hour_of(record_time() - interval '1 hour')
     and relnamespace = 'timer_hours'::regnamespace and relkind = 'r'`,
  )
  assert.equal(bounds.length, 5)
  for (const { bound } of bounds) assert.match(bound, /FROM \('[^']+:00:00\+00'\) TO \('[^']+:00:00\+00'\)/)
})

test('the role that drops hours has no access beyond timers', async (t) => {
  const malipo = await testMalipo(t)
  const { loginUrl } = await testDatabase()
  const client = new pg.Client({ connectionString: loginUrl, options: '-c role=malipo_timers' })
  await client.connect()
  t.after(() => client.end())
  const owned = await malipo.ask<{ name: string }>(
    `select relname as name from pg_class where relowner = 'malipo_timers'::regrole and relnamespace = 'public'::regnamespace`,
  )

  assert.deepEqual(new Set(owned.map(({ name }) => name)), new Set(['timers', 'timers_of_lane']))
  for (const statement of [
    'select 1 from transfers',
    'select 1 from merchants',
    `alter table transfers detach partition transfers_${new Date().toISOString().slice(0, 7).replace('-', '')}`,
    'create table public.mine (x int)',
    `update clock_offset set ahead = '1 day'`,
    'set role malipo_owner',
  ])
    await assert.rejects(client.query(statement), { code: '42501' }, statement)
})

test('an id is in the month of its millisecond, at both ends of a month', async (t) => {
  const malipo = await testMalipo(t)
  const now = new Date()
  const month = (offset: number) => Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + offset)
  const partitionOf = async (atMs: number) => {
    const [row] = await malipo.ask<{ name: string }>(
      `insert into audit_entries (id, actor, action, subject) values ($1, 'a', 'a', 'a') returning tableoid::regclass::text as name`,
      [newId(atMs, 0xfff)],
    )
    return row?.name.slice(-6)
  }
  const named = (atMs: number) => new Date(atMs).toISOString().slice(0, 7).replace('-', '')

  for (const atMs of [month(0), month(1) - 1, month(1), month(2) - 1])
    assert.equal(await partitionOf(atMs), named(atMs))
})

test('an hour detached by a clock jump is attached again when the clock is back', async (t) => {
  const malipo = await payingMalipo(t)
  const merchant = await malipo.merchant()
  await keepPartitions(malipo.ctx)
  const [now] = await malipo.ask<{ hour: string }>(`select hour_of(date_trunc('hour', record_time(), 'UTC')) as hour`)
  const reader = await session(t)
  await reader.query(`begin; select count(*) from timer_hours.${now?.hour}`)
  await forward(malipo, 10)
  await keepPartitions(malipo.ctx)
  await forward(malipo, -10)
  await reader.query('rollback')

  await keepPartitions(malipo.ctx)

  assert.ok((await partitionsLeft(malipo.ctx.db.write)).hours >= 72)
  await payOut(merchant)
})
