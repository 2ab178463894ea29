import assert from 'node:assert/strict'
import { test } from 'node:test'
import { testMalipo } from '../testing/malipo.ts'
import { attachPartitions } from './partitions.ts'

test('months of tables that are updated leave free space and are vacuumed early, also those that come later', async (t) => {
  const { ask, ctx } = await testMalipo(t)
  await ask(`update clock_offset set ahead = ahead + interval '3 months'`)
  await attachPartitions(ctx.db.write)

  const rows = await ask<{ parent: string; settings: string[] | null; months: number }>(
    `select i.inhparent::regclass::text as parent, c.reloptions as settings, count(*)::int as months
     from pg_inherits i
     join pg_class c on c.oid = i.inhrelid and c.relkind = 'r'
     where i.inhparent in ('transactions'::regclass, 'attempts'::regclass, 'webhook_records'::regclass, 'transfers'::regclass)
     group by 1, 2
     order by 1`,
  )

  const settings = ['fillfactor=80', 'autovacuum_vacuum_scale_factor=0.02', 'autovacuum_analyze_scale_factor=0.02']
  assert.deepEqual(
    rows.map(({ parent, settings: found }) => [parent, found]),
    [
      ['attempts', settings],
      ['transactions', settings],
      ['transfers', null],
      ['webhook_records', settings],
    ],
  )
  assert.ok(rows.every(({ months }) => months >= 7))
})
