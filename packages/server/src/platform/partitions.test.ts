import assert from 'node:assert/strict'
import { test } from 'node:test'
import { testMalipo } from '../testing/malipo.ts'
import { newId } from './ids.ts'
import { attachPartitions, fewestMonthsAhead } from './partitions.ts'

test('this month and the next three can be written to, and attaching again changes nothing', async (t) => {
  const malipo = await testMalipo(t)

  assert.equal(await fewestMonthsAhead(malipo.ctx.db.write), 3)
  await Promise.all(Array.from({ length: 8 }, () => attachPartitions(malipo.ctx.db.write)))

  assert.equal(await fewestMonthsAhead(malipo.ctx.db.write), 3)
})

test('a missing month is counted, and attached by the worker', async (t) => {
  const malipo = await testMalipo(t)
  const [next] = await malipo.ask<{ name: string }>(
    `select month_of('audit_entries', (date_trunc('month', now() at time zone 'UTC') + interval '1 month')::date) as name`,
  )
  await malipo.ask(`drop table ${next?.name}`)
  assert.equal(await fewestMonthsAhead(malipo.ctx.db.write), 0)

  await attachPartitions(malipo.ctx.db.write)

  assert.equal(await fewestMonthsAhead(malipo.ctx.db.write), 3)
})

test('an id lies in the month of its millisecond, at both ends of a month', async (t) => {
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
