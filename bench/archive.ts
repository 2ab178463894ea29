import assert from 'node:assert/strict'
import { mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { loadConfig } from '../packages/server/src/config.ts'
import { openContext } from '../packages/server/src/context.ts'
import { sealHeads } from '../packages/server/src/ledger/seals.ts'
import { showId } from '../packages/server/src/platform/ids.ts'
import { sumDays } from '../packages/server/src/wallets/sum-days.ts'
import type { Cell } from '../test/support/cluster/cell.ts'
import { fillOldLedger } from '../test/support/load/old-ledger.ts'
import type { Bench } from './bench.ts'
import { onSite, type Site } from './site.ts'

const payments = Number(process.env['BENCH_PAYMENTS'] ?? 1_000_000)
const months = 4
const mebibyte = 2 ** 20

/**
 * Payments of four months: three are archived, all are checked, one is read and one month is restored. Fails when a check finds a
 * difference, or when a check with the files counts other transfers than before.
 */
export const archive: Bench = async (print) =>
  onSite({}, async (site) => {
    const folder = mkdtempSync(join(tmpdir(), 'malipo-archive-'))
    try {
      return { figures: await measure(site, folder, print), ratios: {} }
    } finally {
      rmSync(folder, { recursive: true, force: true })
    }
  })

async function measure(site: Site, folder: string, print: (line: string) => void): Promise<Record<string, number>> {
  const { cell } = site
  const { operator, ask } = cell
  const figures: Record<string, number> = { payments }
  const note = (name: string, value: number) => {
    figures[name] = Number(value.toPrecision(3))
    print(`${name}: ${figures[name]}`)
  }
  const timed: Timed = async (name, work) => {
    const startedAt = performance.now()
    const result = await work()
    note(`${name}Seconds`, (performance.now() - startedAt) / 1000)
    return result
  }
  await fill(site, timed)
  const [found] = await ask<{ id: string; before: string; first: string }>(`
    select min(id::text) as id, to_char(date_trunc('month', now() at time zone 'UTC') - interval '1 month', 'YYYY-MM') as before,
      to_char(date_trunc('month', now() at time zone 'UTC') - interval '${months} months', 'YYYY-MM') as first
    from transactions where external_reference = 'fill-2'`)
  const { id = '', before = '', first = '' } = found ?? {}
  const shown = showId('transaction', id)
  await timed('ordinaryCheck', () => operator.ledger.check({ isFull: false }))
  const whole = await timed('fullCheckBefore', () => operator.ledger.check({ isFull: true }))
  note('transfersMiBBefore', await sizeOf(cell))
  const drawing = await operator.ledger.show(shown)
  const created = await timed('archive', () => operator.archive.create({ before, folder, keptMonths: 0 }))
  assert.equal(created.length, 3)
  note(
    'archivedTransfers',
    created.reduce((sum, { transfers }) => sum + transfers, 0),
  )
  note('transfersMiBAfter', await sizeOf(cell))
  note('filesMiB', readdirSync(folder).reduce((sum, name) => sum + statSync(join(folder, name)).size, 0) / mebibyte)
  const checked = await timed('fullCheckAfter', () => operator.ledger.check({ isFull: true, archive: folder }))
  assert.equal(checked.transfers, whole.transfers)
  await timed('ordinaryCheckAfter', () => operator.ledger.check({ isFull: false }))
  assert.equal(await timed('read', () => operator.archive.show(shown, folder)), drawing)
  await timed('restore', () => operator.archive.restore(first, folder))
  note('residentMiB', process.memoryUsage().rss / mebibyte)
  return figures
}

async function sizeOf({ ask }: Cell): Promise<number> {
  const [row] = await ask<{ mib: number }>(
    `select sum(pg_total_relation_size(inhrelid))::float8 / ${mebibyte} as mib from pg_inherits where inhparent = 'transfers'::regclass`,
  )
  return row?.mib ?? 0
}

type Timed = <Result>(name: string, work: () => Promise<Result>) => Promise<Result>

/** Then the sums of past days and a seal, as a worker makes them. */
async function fill({ cell, simulator, servers }: Site, timed: Timed): Promise<void> {
  await servers.postgres.run('postgres', `alter system set max_wal_size = '8GB'`, 'select pg_reload_conf()')
  await timed('copy', () => fillOldLedger(cell, simulator, { payments, months }))
  const { db, close } = openContext(loadConfig(cell.variables))
  await timed('sumDays', () => sumDays(db.write, { signal: new AbortController().signal }))
  await sealHeads(db.write)
  await close()
}
