import assert from 'node:assert/strict'
import { test } from 'node:test'
import { until } from '../dev-stack/until.ts'
import { attachPartitions, monthly, partitionsLeft } from '../platform/partitions.ts'
import { call, type Malipo, testMalipo } from '../testing/malipo.ts'

/** The readiness response once the process has noticed the problem. */
const notReady = (malipo: Malipo) =>
  until('the process not to be ready', async () => {
    const { status, body } = await call(malipo.url, 'GET', '/health/ready')
    return status === 503 && { status, checks: body['checks'] as Record<string, string> }
  })

test('a process whose NATS is unavailable is ready and reports it', async (t) => {
  const malipo = await testMalipo(t, { NATS_URL: 'nats://127.0.0.1:9' })

  const { status, body } = await call(malipo.url, 'GET', '/health/ready')

  assert.equal(status, 200)
  assert.match(String(body['wakeups']), /^NATS unavailable/)
})

test('a process without NATS configured is ready and reports it', async (t) => {
  const malipo = await testMalipo(t, { NATS_URL: '' })

  const { status, body } = await call(malipo.url, 'GET', '/health/ready')

  assert.equal(status, 200)
  assert.equal(body['wakeups'], 'NATS not configured, polling')
})

test('a process is not ready when a migration is missing', async (t) => {
  const malipo = await testMalipo(t)
  const [{ name } = { name: '' }] = await malipo.ask<{ name: string }>(
    `delete from schema_migrations where name like '0003%' returning name`,
  )
  t.after(() => malipo.ask(`insert into schema_migrations (name, checksum) values ($1, 'x')`, [name]))

  const { checks } = await notReady(malipo)

  assert.equal(checks['migrations'], `not applied: ${name}; run malipo migrate`)
})

test('a process with live providers is not ready while live fees are not set', async (t) => {
  const malipo = await testMalipo(t, {
    MALIPO_PAWAPAY_URL: 'http://127.0.0.1:9',
    MALIPO_PAWAPAY_TOKEN: 'a-token-of-sixteen',
  })
  const ready = async () => {
    const { status, body } = await call(malipo.url, 'GET', '/health/ready')
    return [status, String((body['checks'] as Record<string, string>)['fees'])] as const
  }

  const [status, reported] = await ready()
  assert.deepEqual([status, reported.includes('malipo fees set --env live')], [503, true])
  await malipo.operator.fees.set({ env: 'live', basisPoints: 0, reason: 'a pilot' })

  await until('readiness', async () => (await ready())[0] === 200)
  assert.deepEqual(await ready(), [200, 'ok'])
})

const readiness = async (malipo: Malipo) => {
  const { status, body } = await call(malipo.url, 'GET', '/health/ready')
  const checks = body['checks'] as Record<string, string>
  const left = body['partitionsLeft'] as { readonly hours: number; readonly months: number } | undefined
  return { status, partitions: checks['partitions'], left }
}

test('a process is not ready when the next month has no partition', async (t) => {
  const malipo = await testMalipo(t)
  const next = `month_of('audit_entries', (date_trunc('month', now() at time zone 'UTC') + interval '1 month')::date)`
  const [{ name } = { name: '' }] = await malipo.ask<{ name: string }>(`select ${next} as name`)
  await malipo.ask(`alter table ${name} rename to audit_entries_away`)
  t.after(() => malipo.ask(`alter table audit_entries_away rename to ${name}`))

  const { checks } = await notReady(malipo)

  assert.equal(checks['partitions'], 'the next month has no partition')
})

test('readiness and metrics report the partitions left, and too few hours are not ready', async (t) => {
  const settings = { MALIPO_METRICS_TOKEN: 'a-long-enough-token' }
  const malipo = await testMalipo(t, settings)
  await malipo.ask(`update clock_offset set ahead = date_trunc('hour', now()) + interval '90 minutes' - now()`) // No hour ends.
  await attachPartitions(malipo.ctx.db.write)
  const { hours } = await partitionsLeft(malipo.ctx.db.write)
  const headers = { authorization: `Bearer ${settings.MALIPO_METRICS_TOKEN}` }
  const scrape = async () => (await fetch(`${malipo.url}/metrics`, { headers })).text()
  const move = (by: number) => malipo.ask(`update clock_offset set ahead = ahead + make_interval(hours => $1)`, [by])
  t.after(() => malipo.ask(`update clock_offset set ahead = '0'`))

  const many = await until('72 hours to be left', async () => {
    const found = await readiness(malipo)
    return found.left?.hours === hours && found
  })
  const text = await scrape()
  await move(hours - 1)
  const few = await notReady(malipo)

  assert.deepEqual([many.status, many.partitions, many.left], [200, 'ok', { hours, months: 3 }])
  assert.match(text, new RegExp(`^malipo_partition_hours_left\\{table="timers"\\} ${hours}$`, 'm'))
  for (const table of monthly)
    assert.match(text, new RegExp(`^malipo_partition_months_left\\{table="${table}"\\} 3$`, 'm'))
  assert.equal(few.checks['partitions'], 'hours of timers left: 1, needed: 2')
  assert.match(await scrape(), /^malipo_partition_hours_left\{table="timers"\} 1$/m)
})
