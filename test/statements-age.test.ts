import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { judge } from '../bench/age/budget.ts'
import { capture, captureSettings, type Execution, readExecutions } from '../bench/age/capture.ts'
import { exceptions } from '../bench/age/exceptions.ts'
import { createMerchants, createMonths, fillYears } from '../bench/age/fill-years.ts'
import { runJourneys } from '../bench/age/journeys.ts'
import { byName, replayAll } from '../bench/age/replay.ts'
import { namesOf } from '../bench/age/statements-in-code.ts'
import { testDatabase } from '../packages/server/src/dev-stack/servers.ts'
import { openCell } from './support/cluster/cell.ts'
import { startControlledSimulator } from './support/cluster/simulator-control.ts'

const months = 36
/** The first plans, the second has the plan. */
const runs = 2

/** Reads each month's partition of a table, as a statement does that does not name its months. */
const planted: Execution = {
  text: `select count(*) from transactions where external_reference = $1`,
  values: ['planted'],
  role: 'malipo_write',
  caller: 'planted',
}

const advice =
  'give the statement the ids or the months of what it reads, or list it in bench/age/exceptions.ts with the reason:'

test(`with ${months} past months, each statement locks and reads no more than its budget, and a planted one does not pass`, {
  timeout: 240_000,
}, async (t) => {
  const { executions, url } = await agedCell(t)

  const figures = await replayAll([...executions, planted], { url, runs, isForAllValues: true })

  const measured = byName(figures, namesOf([...executions, planted]))
  t.diagnostic(`${measured.size} statements`)
  const problems = judge(measured, exceptions)
  const [found, unexpected] = [true, false].map((isPlanted) =>
    problems.filter((problem) => problem.startsWith(planted.caller) === isPlanted),
  )
  assert.deepEqual(unexpected, [], advice)
  assert.equal(found?.length, 1)
})

/** A cell in which the product has worked for a while, with past months. */
async function agedCell(t: TestContext): Promise<{ executions: readonly Execution[]; url: string }> {
  const folder = mkdtempSync(join(tmpdir(), 'malipo-statements-'))
  const simulator = await startControlledSimulator(t)
  const settings = { ...simulator.settings, ...captureSettings(folder), MALIPO_WEBHOOK_RANGES: '127.0.0.0/8' }
  const database = await testDatabase()
  const cell = openCell(t, database, settings)
  t.after(() => rmSync(folder, { recursive: true }))
  capture(folder)
  const { merchant, charge, failedCharge, payout } = await runJourneys({ cell, simulator })
  await createMerchants(cell, merchant.id, 50)
  await createMonths(cell, months)
  await fillYears(cell, [charge, failedCharge, payout], { months, paymentsPerMonth: 30, paymentsNow: 300 })
  await cell.ask('vacuum analyze')
  return { executions: readExecutions(folder), url: database.superuserUrl }
}
