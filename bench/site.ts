import { fork } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { createDatabase, login } from '../packages/server/src/dev-stack/database.ts'
import { type Cell, type CellMerchant, openCell } from '../test/support/cluster/cell.ts'
import { type OwnServers, startOwnServers } from '../test/support/cluster/own-servers.ts'
import { type SimulatorControl, startControlledSimulator } from '../test/support/cluster/simulator-control.ts'
import type { LoadOrder, LoadReport } from '../test/support/load/payout-load.ts'

/** A cell to measure, with its own servers and a simulator. */
export interface Site {
  readonly servers: OwnServers
  readonly simulator: SimulatorControl
  readonly cell: Cell
  /** Another cell on the same servers, with its own database and simulator. */
  beside(database: string): Promise<Site>
}

interface SiteSettings {
  readonly simulator?: Readonly<Record<string, string>>
  readonly cell?: Readonly<Record<string, string>>
}

type Life = Parameters<typeof startOwnServers>[0]

/** Everything that was started ends with the work, last first. */
export async function onSite<Value>(settings: SiteSettings, work: (site: Site) => Promise<Value>): Promise<Value> {
  const closers: (() => unknown)[] = []
  const life = { after: (close: () => unknown) => void closers.push(close) } as Life
  try {
    return await work(await openSite(life, await startOwnServers(life), settings))
  } finally {
    for (const close of closers.reverse()) await close()
  }
}

async function openSite(life: Life, servers: OwnServers, settings: SiteSettings): Promise<Site> {
  const simulator = await startControlledSimulator(life, settings.simulator)
  const cell = openCell(life, servers, { ...simulator.settings, MALIPO_LOG_LEVEL: 'warn', ...settings.cell })
  return {
    servers,
    simulator,
    cell,
    beside: async (database) => {
      const { postgres, password } = servers
      await createDatabase(postgres, database, password, 1)
      const loginUrl = postgres.urlOf(database, { name: login, password })
      const others = { ...servers, superuserUrl: postgres.urlOf(database), loginUrl }
      return openSite(life, others, { ...settings, cell: { ...settings.cell, MALIPO_CELL: '1' } })
    },
  }
}

const atOnce = 8

/** This many merchants with money in the sandbox; their notifications go to this URL. */
export async function merchantsOf(cell: Cell, count: number, webhookUrl: string): Promise<CellMerchant[]> {
  const merchants: CellMerchant[] = []
  const make = async () => {
    while (merchants.length < count) {
      const place = merchants.push(undefined as unknown as CellMerchant) - 1
      merchants[place] = await cell.merchant()
    }
  }
  await Promise.all(Array.from({ length: atOnce }, make))
  const ids = merchants.map(({ id }) => id)
  await cell.ask(`update webhook_endpoints set url = $1 where env = 'sandbox' and merchant_id = any($2)`, [
    webhookUrl,
    ids,
  ])
  return merchants
}

/** Authorization headers of merchants. */
export async function tokensOf(merchants: readonly CellMerchant[], url: string): Promise<string[]> {
  const tokens: string[] = []
  for (const merchant of merchants) tokens.push(await merchant.authorization(url))
  return tokens
}

export type Asked = Omit<LoadOrder, 'port'>

/** Load comes from a separate process, and its own cost is reported with the result. */
export async function putLoad(url: string, order: Asked): Promise<LoadReport> {
  const child = fork(join(import.meta.dirname, '../test/support/load/payout-load.ts'), { serialization: 'advanced' })
  child.send({ port: Number(new URL(url).port), ...order })
  const [report] = (await once(child, 'message')) as [LoadReport]
  const statuses = Object.keys(report.latencies)
  if (statuses.some((status) => status !== '200') || report.ids.length === 0)
    throw new Error(`payouts failed with ${statuses.join(', ')}: ${JSON.stringify(report.samples)}`)
  return report
}

/** Payouts accepted in a second. */
export const rateOf = ({ ids, tookMs }: LoadReport) => ids.length / (tookMs / 1000)

export const percentile = (sorted: readonly number[], share: number) =>
  sorted[Math.floor(sorted.length * share)] ?? Number.NaN

/** Clears the remains of other work, so that the next measurement pays only for itself. */
export async function settleDown({ cell }: Site): Promise<void> {
  await cell.ask('vacuum analyze')
  await cell.ask('checkpoint')
}
