import assert from 'node:assert/strict'
import { test } from 'node:test'
import { settings } from '../config.ts'
import { testMalipo } from '../testing/malipo.ts'
import { monthly } from './partitions.ts'
import { retentionTable } from './retention-table.ts'

interface Found {
  readonly name: string
  /** Range, list, hash; null when it is one piece. */
  readonly strategy: 'r' | 'l' | 'h' | null
}

/** Differences between the tables of a schema and their plans. */
function faultsOf(found: readonly Found[]): string[] {
  const planned = new Set(Object.keys(retentionTable))
  const there = new Set(found.map(({ name }) => name))
  return [
    ...found.filter(({ name }) => !planned.has(name)).map(({ name }) => `${name} has no plan`),
    ...[...planned].filter((name) => !there.has(name)).map((name) => `${name} is not in the schema`),
    ...found
      .filter(({ name, strategy }) => planned.has(name) && partsOf(name, strategy) !== retentionTable[name]?.parts)
      .map(({ name }) => `${name} is not divided as its plan says`),
  ]
}

function partsOf(name: string, strategy: Found['strategy']) {
  if (strategy === null) return undefined
  if (strategy === 'h') return 'hash'
  if (strategy === 'l') return 'turns'
  if ((monthly as readonly string[]).includes(name)) return 'months'
  return name === 'timers' ? 'hours' : 'days'
}

test('every table of the schema has a plan for its rows, and every plan has its table', async (t) => {
  const malipo = await testMalipo(t)

  const found = await malipo.ask<Found>(`
    select c.relname as name, p.partstrat as strategy
    from pg_class c
    left join pg_partitioned_table p on p.partrelid = c.oid
    where c.relnamespace = 'public'::regnamespace
      and c.relkind in ('r', 'p')
      and not c.relispartition`)

  assert.deepEqual(faultsOf(found), [])
  const missing = found.filter(({ name }) => name !== 'quotes')
  assert.deepEqual(faultsOf([...missing, { name: 'planted', strategy: null }]), [
    'planted has no plan',
    'quotes is not in the schema',
  ])
})

test('a plan says how long and what removes a row, and its setting exists', () => {
  const variables: readonly string[] = Object.values(settings).map(({ name }) => name)
  for (const [name, { plan, kept, setting, removedBy, parts }] of Object.entries(retentionTable)) {
    if (plan === 'expires') assert.ok(kept && removedBy, name)
    if (plan === 'permanent') assert.ok(kept, name)
    if (plan === 'archive' && parts === undefined) assert.ok(kept, name)
    if (setting !== undefined) assert.ok(variables.includes(setting), setting)
  }
})
