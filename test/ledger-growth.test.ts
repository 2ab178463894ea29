import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { loadConfig } from '../packages/server/src/config.ts'
import { openContext } from '../packages/server/src/context.ts'
import { checkLedger } from '../packages/server/src/ledger/check/check.ts'
import type { Db, Query, SnapshotDb } from '../packages/server/src/platform/db.ts'
import { openCell } from './support/cluster/cell.ts'
import { startOwnServers } from './support/cluster/own-servers.ts'
import { startControlledSimulator } from './support/cluster/simulator-control.ts'
import { fillOldLedger } from './support/load/old-ledger.ts'

const months = 36

interface Cost {
  /** Pages that statements read, from the cache or the disk. */
  readonly pages: number
  readonly seconds: number
  readonly transfers: number
  /** The largest number of months of transfers in one statement of a piece. */
  readonly monthsAtOnce: number
}

interface Plan {
  readonly 'Relation Name'?: string
  readonly 'Shared Hit Blocks': number
  readonly 'Shared Read Blocks': number
  readonly Plans?: readonly Plan[]
}

/** Explains every reading statement before it runs, and adds up what it reads. */
function explaining(db: SnapshotDb, note: (plan: Plan, query: Query) => void): SnapshotDb {
  const explain = <Each extends Db>(each: Each): Each => ({
    ...each,
    query: async (query: Query) => {
      if (/^\s*(select|with)/.test(query.text) && !query.text.includes('set_config')) {
        const text = `explain (analyze, buffers, timing off, format json) ${query.text}`
        const [row] = await each.query<{ 'QUERY PLAN': [{ Plan: Plan }] }>({ ...query, name: '', text })
        if (row) note(row['QUERY PLAN'][0].Plan, query)
      }
      return each.query(query)
    },
  })
  return { ...explain(db), snapshot: (work) => db.snapshot((tx) => work(explain(tx))) }
}

function monthsIn(plan: Plan): Set<string> {
  const own = /^transfers_\d{6}$/.test(plan['Relation Name'] ?? '') ? [plan['Relation Name'] ?? ''] : []
  return new Set([...own, ...(plan.Plans ?? []).flatMap((each) => [...monthsIn(each)])])
}

async function agedLedger(t: TestContext, payments: number) {
  const simulator = await startControlledSimulator(t)
  const cell = openCell(t, await startOwnServers(t), { ...simulator.settings, MALIPO_LOG_LEVEL: 'warn' })
  await fillOldLedger(cell, simulator, { payments, months })
  const { db, close } = openContext(loadConfig(cell.variables))
  t.after(close)
  const measure = async (isFull: boolean): Promise<Cost> => {
    let [pages, monthsAtOnce] = [0, 0]
    const explained = explaining(db.write, (plan, { text }) => {
      pages += plan['Shared Hit Blocks'] + plan['Shared Read Blocks']
      if (text.includes('batch < $')) monthsAtOnce = Math.max(monthsAtOnce, monthsIn(plan).size)
    })
    const options = { isFull, sealLines: [], pieceTransfers: 1000 }
    const { transfers } = await checkLedger(explained, options)
    const startedAt = performance.now()
    if (isFull) await checkLedger(db.write, options)
    return { pages, monthsAtOnce, transfers, seconds: (performance.now() - startedAt) / 1000 }
  }
  return { measure }
}

test('a full check of twice the transfers reads twice the pages, not four times', { timeout: 600_000 }, async (t) => {
  const full: Cost[] = []
  const ordinary: Cost[] = []
  for (const payments of [4000, 8000]) {
    const { measure } = await agedLedger(t, payments)
    full.push(await measure(true))
    // An ordinary check of everything, and one with nothing new: its pages must not depend on what was checked before.
    await measure(false)
    ordinary.push(await measure(false))
  }

  const [small, large] = full as [Cost, Cost]
  t.diagnostic(`full: ${JSON.stringify(full)}; ordinary with nothing new: ${JSON.stringify(ordinary)}`)
  assert.ok(large.transfers > 1.9 * small.transfers)
  assert.ok(large.pages < 2.3 * small.pages)
  assert.ok(Math.max(small.monthsAtOnce, large.monthsAtOnce) <= 4)
  const [before, after] = ordinary as [Cost, Cost]
  assert.equal(before.transfers, 0)
  assert.ok(after.pages < 1.2 * before.pages + 50)
})
