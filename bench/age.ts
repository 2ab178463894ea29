import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { ask } from '../packages/server/src/testing/malipo.ts'
import type { Cell } from '../test/support/cluster/cell.ts'
import { capture, captureSettings, type Execution, readExecutions, readTimes } from './age/capture.ts'
import { hotReads, perSecond } from './age/concurrent.ts'
import { createMerchants, createMonths, fillYears } from './age/fill-years.ts'
import { runJourneys } from './age/journeys.ts'
import { byName, type Figures, memoryAfterAll, replayAll } from './age/replay.ts'
import { namesOf, shapeOf, statementsInCode } from './age/statements-in-code.ts'
import { ageTable, togetherTable } from './age-table.ts'
import { type Bench, type Measured, median, rounded } from './bench.ts'
import { prepareBatches } from './dashboard-fill.ts'
import { onSite, type Site } from './site.ts'

const months = Number(process.env['BENCH_MONTHS'] ?? 60)
const paymentsPerMonth = Number(process.env['BENCH_PAYMENTS'] ?? 3000)
const paymentsNow = Number(process.env['BENCH_PAYMENTS_NOW'] ?? 20_000)
const merchantCount = Number(process.env['BENCH_MERCHANTS'] ?? 2000)
/** Five with a plan for their values, then those that count. */
const runs = 14
const rounds = 3
const youngDatabase = 'story'
const oldDatabase = 'aged'

/**
 * Every statement of the product on a young database, with 20,000 payments of this month, and on an old one: the same with 3,000
 * payments in each of 60 past months. Of 2,000 merchants one has a third of the payments. The statements are those that the product
 * sends during journeys through its APIs, workers and commands, with their values, roles and settings; each runs 14 times on one
 * connection, so plans are those that a connection settles on. Then the reads that ran the most often, by 32 connections, and the
 * memory of a connection that has planned all of them.
 */
export const age: Bench = async (print) => {
  const folder = mkdtempSync(join(tmpdir(), 'malipo-statements-'))
  const cell = { ...captureSettings(folder), MALIPO_WEBHOOK_RANGES: '127.0.0.0/8' }
  const measureSite = async (site: Site): Promise<Measured> => {
    const captured = await captureJourneys(site, folder, print)
    const { postgres } = site.servers
    await createMerchants(site.cell, captured.merchant, merchantCount)
    await fillYears(site.cell, captured.samples, { months: 0, paymentsPerMonth: 0, paymentsNow })
    await postgres.run(
      'postgres',
      `select pg_terminate_backend(pid) from pg_stat_activity where datname = '${youngDatabase}'`,
      `create database ${oldDatabase} template ${youngDatabase}`,
    )
    const oldAsk: Pick<Cell, 'ask'> = { ask: (text, values) => ask(postgres.urlOf(oldDatabase), text, values) }
    await createMonths(oldAsk, months)
    await fillYears(oldAsk, captured.samples, { months, paymentsPerMonth, paymentsNow: 0 })
    print('filled')
    const urls = { young: postgres.urlOf(youngDatabase), old: postgres.urlOf(oldDatabase) }
    const young = await measureSide(urls.young, captured)
    print('young: measured')
    const old = await measureSide(urls.old, captured)
    print('old: measured')
    await measureTogether({ young, old }, urls, captured, folder)
    const measured = tabulate({ young, old }, namesOf(captured.executions))
    for (const table of [ageTable(measured), togetherTable(measured)]) print(table)
    return measured
  }
  try {
    return await onSite({ cell }, measureSite)
  } finally {
    rmSync(folder, { recursive: true }) // It has real values of statements.
  }
}

interface Captured {
  readonly executions: readonly Execution[]
  readonly times: ReadonlyMap<string, number>
  readonly merchant: string
  /** Payments to be copied. */
  readonly samples: readonly string[]
}

async function captureJourneys(site: Site, folder: string, print: (line: string) => void): Promise<Captured> {
  const { cell, simulator, servers } = site
  const set = ['fsync = off', 'full_page_writes = off', `max_wal_size = '8GB'`]
  await servers.postgres.run('postgres', ...set.map((each) => `alter system set ${each}`), 'select pg_reload_conf()')
  await prepareBatches(cell)
  capture(folder)
  const { merchant, charge, failedCharge, payout, refused } = await runJourneys({ cell, simulator })
  for (const line of refused) print(`refused: ${line}`)
  const executions = readExecutions(folder)
  const reached = new Set(executions.map(({ text }) => shapeOf(text)))
  const unreached = statementsInCode()
    .filter(({ text }) => !reached.has(shapeOf(text)))
    .map(({ name }) => name)
  print(`${reached.size} statements captured; the journeys do not reach ${unreached.length}:`)
  print(unreached.join(', '))
  return { executions, times: readTimes(folder), merchant: merchant.id, samples: [charge, failedCharge, payout] }
}

interface Side {
  readonly byText: ReadonlyMap<string, Figures>
  /** Executions a second by text. */
  readonly rates: Map<string, number>
  readonly memory: Readonly<Record<string, number>>
}

async function measureSide(url: string, { executions }: Captured): Promise<Side> {
  await ask(url, 'vacuum analyze')
  const byText = await replayAll(executions, { url, runs })
  const writerMiB = await memoryAfterAll(executions, 'malipo_write', url)
  const readerMiB = await memoryAfterAll(executions, 'malipo_read', url)
  return { byText, rates: new Map(), memory: { writerMiB, readerMiB } }
}

/** In pairs, so that a slow moment of the machine affects both sides. */
async function measureTogether(
  sides: Readonly<Record<'young' | 'old', Side>>,
  urls: Readonly<Record<'young' | 'old', string>>,
  { executions, times }: Captured,
  folder: string,
): Promise<void> {
  const withMonths = executions.filter(({ text }) => hasMonths(sides, text))
  for (const execution of hotReads(withMonths, times)) {
    const pairs: Record<'young' | 'old', number>[] = []
    for (let round = 0; round < rounds; round += 1)
      pairs.push({
        young: await perSecond(execution, urls.young, folder),
        old: await perSecond(execution, urls.old, folder),
      })
    for (const side of ['young', 'old'] as const)
      sides[side].rates.set(execution.text, median(pairs.map((pair) => pair[side])))
  }
}

/** Figures are named `statement side.figure`. Statements without a table of months are the same at any age. */
function tabulate(sides: Readonly<Record<string, Side>>, names: ReadonlyMap<string, string>): Measured {
  const figures: Record<string, number> = {}
  for (const [side, { byText, rates, memory }] of Object.entries(sides)) {
    const add = (name: string, values: object) => {
      for (const [figure, value] of Object.entries(values))
        figures[`${name} ${side}.${figure}`] = rounded(Number(value))
    }
    const aged = new Map([...byText].filter(([text]) => hasMonths(sides, text)))
    for (const [name, { refusal: _, ...values }] of byName(aged, names)) add(name, values)
    for (const [text, perSecond] of rates) add(names.get(text) ?? 'unknown', { perSecond })
    add('connection', memory)
  }
  return { figures, ratios: {} }
}

const hasMonths = (sides: Readonly<Record<string, Side>>, text: string) =>
  Object.values(sides).some(({ byText }) => {
    const { planned = 0, locksFirst = 0 } = byText.get(text) ?? {}
    return planned > 0 || locksFirst > months
  })
