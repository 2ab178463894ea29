import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { loadConfig } from '../packages/server/src/config.ts'
import { openContext } from '../packages/server/src/context.ts'
import { until } from '../packages/server/src/dev-stack/until.ts'
import { showId } from '../packages/server/src/platform/ids.ts'
import { type TestPerson, testPerson } from '../packages/server/src/testing/people.ts'
import type { Cell, CellMerchant } from '../test/support/cluster/cell.ts'
import { buildDashboard, isDashboardStale } from '../tools/dashboard/build.ts'
import type { Bench } from './bench.ts'
import { copyAll, makePayments, nameOf, phoneOf, prepareBatches } from './dashboard-fill.ts'
import {
  site as address,
  startBrowser,
  type Times,
  timesOf,
  type Viewer,
  viewerOf,
  waitFor,
} from './dashboard-times.ts'
import { onSite, type Site } from './site.ts'

const payments = Number(process.env['BENCH_PAYMENTS'] ?? 1_000_000)
const rounds = Number(process.env['BENCH_ROUNDS'] ?? 7)
/** In milliseconds: a page from its navigation, a search from the last key, the drawer from the click, a frame of the page's thread. */
const limits = { page: 2000, search: 300, drawer: 200, frame: 1000 / 60 } as const
const rowsScrolled = Number(process.env['BENCH_ROWS'] ?? 50_000)

/**
 * The dashboard of a merchant with 1,000,000 payments of one month, and of the operator, in a real browser: every page from the
 * navigation until it is ready, each kind of search from the last key to its rows, and the drawer from the click to the payment.
 * Every page is opened by a new navigation. Fails when the 95th percentile of any of them is above its limit.
 */
export const dashboard: Bench = async (print) => {
  if (isDashboardStale() && buildDashboard() !== undefined) throw new Error('the dashboard cannot be built')
  return onSite({ cell: { MALIPO_WEBHOOK_RANGES: '127.0.0.0/8', MALIPO_PUBLIC_URL: address } }, async (site) => {
    const { merchant, url } = await fillSite(site, print)
    return { figures: await measureDashboard({ cell: site.cell, merchant, url, payments }, print), ratios: {} }
  })
}

/** Its payments are made first; then the processes start again, as after a deployment. */
async function fillSite(site: Site, print: (line: string) => void) {
  const { cell, servers, simulator } = site
  const set = (...settings: string[]) =>
    servers.postgres.run('postgres', ...settings.map((each) => `alter system set ${each}`), 'select pg_reload_conf()')
  await set(`max_wal_size = '8GB'`, `maintenance_work_mem = '1GB'`, 'fsync = off', 'full_page_writes = off')
  await prepareBatches(cell)
  const merchant = await cell.merchant()
  const receiver = createServer((request, response) => {
    request.resume()
    response.end()
  }).listen(0, '127.0.0.1')
  await once(receiver, 'listening')
  const { port } = receiver.address() as AddressInfo
  await cell.ask(`update webhook_endpoints set url = $1 where env = 'sandbox' and merchant_id = $2`, [
    `http://127.0.0.1:${port}/`,
    merchant.id,
  ])
  const shown = showId('merchant', merchant.id)
  await cell.operator.fees.set({ env: 'sandbox', merchant: shown, basisPoints: 150, reason: 'a bench' })
  const api = await cell.start('api', 'filling-api')
  const worker = await cell.start('worker', 'filling-worker')
  await simulator.tune({ callbackBase: `${api.url}/callbacks/sandbox` })
  await simulator.setFloat('1000000000000', { country: 'KEN', currency: 'KES' })
  const startedAt = Date.now()
  const stories = await makePayments(site, merchant, api.url)
  // Without them: the tables have no indexes while they are filled.
  for (const each of [api, worker]) await each.stop()
  const made = await copyAll(cell, merchant, stories, payments)
  print(`${made} payments in ${Math.round((Date.now() - startedAt) / 1000)} s`)
  await set('fsync = on', 'full_page_writes = on')
  await cell.ask('checkpoint')
  receiver.close()
  await cell.start('worker', 'worker')
  await untilSummed(cell)
  return { merchant, url: (await cell.start('api', 'api')).url }
}

/** In service, each day is summed by the next one. */
function untilSummed({ ask }: Cell): Promise<boolean> {
  const areSummed = async () => {
    const [row] = await ask<{ isDone: boolean | null }>(
      `select max(day) = extract(epoch from now())::int / 86400 - 1 as "isDone" from wallet_day_sums`,
    )
    return row?.isDone ?? false
  }
  return until('the sums of past days', areSummed, { timeoutMs: 600_000 })
}

interface Measured {
  readonly cell: Pick<Cell, 'variables' | 'ask'>
  readonly merchant: Pick<CellMerchant, 'id'>
  readonly url: string
  readonly payments: number
}

/** Opens everything as an owner of the merchant and as the operator's staff. */
export async function measureDashboard(
  { cell, merchant, url, payments: count }: Measured,
  print: (line: string) => void,
): Promise<Record<string, number>> {
  const ctx = openContext(loadConfig(cell.variables))
  const browser = await startBrowser(new URL(url).port)
  try {
    const shown = showId('merchant', merchant.id)
    const owner = await testPerson({ ctx, url }, { merchant: { id: shown, roles: ['owner'] } })
    const staff = await testPerson({ ctx, url }, { operator: ['admin'] })
    const [ofMerchant, ofStaff] = [await viewerOf(browser, owner.token), await viewerOf(browser, staff.token)]
    const [account] = await cell.ask<{ id: string }>(
      `select id from platform_accounts where env = 'sandbox' and kind = 'float' and currency = 'KES' order by debits_posted desc limit 1`,
    )
    const report = createReport(print)
    const root = `/m/${shown}/sandbox`
    await measurePages(ofMerchant, merchantPages(root), report)
    await measurePages(ofStaff, operatorPages(shown, showId('account', account?.id ?? '')), report)
    await measureSearches(ofMerchant, { person: owner, root, shown, count }, report)
    await measureDrawer(ofMerchant, root, report)
    await measureScrolling(ofMerchant, root, report)
    return report.figures()
  } finally {
    await browser.close()
    await ctx.close()
  }
}

type Report = ReturnType<typeof createReport>

function createReport(print: (line: string) => void) {
  const figures: Record<string, number> = {}
  const slow: string[] = []
  return {
    add: (name: string, times: readonly number[], limit: number): void => {
      const { median, p95 }: Times = timesOf(times)
      print(`${name}: median ${median} ms, 95 % ${p95} ms; first ${Math.round(times[0] ?? 0)} ms`)
      Object.assign(figures, { [`${name} medianMs`]: median, [`${name} p95Ms`]: p95 })
      if (p95 > limit) slow.push(`${name}: ${p95} ms, above ${limit} ms`)
    },
    figures: () => {
      if (slow.length > 0) throw new Error(slow.join('; '))
      return figures
    },
  }
}

function merchantPages(root: string): Record<string, string> {
  const tabs = (path: string, ...names: string[]) =>
    Object.fromEntries(names.map((name) => [`${path} ${name}`, `${root}/${path}?tab=${name}`]))
  return {
    home: root,
    payments: `${root}/payments`,
    'payments failed': `${root}/payments?status=FAILED`,
    balances: `${root}/balances?currency=KES&country=KE`,
    'new payout': `${root}/payouts/new`,
    bulk: `${root}/payouts/bulk`,
    beneficiaries: `${root}/beneficiaries`,
    approvals: `${root}/approvals`,
    ...tabs('developers', 'requests', 'webhooks', 'keys', 'sandbox', 'go-live'),
    ...tabs('settings', 'profile', 'team', 'security', 'controls'),
    audit: `${root}/audit`,
  }
}

function operatorPages(merchant: string, account: string): Record<string, string> {
  const env = '?env=sandbox'
  return {
    operations: `/operator${env}`,
    'operator payments': `/operator/payments${env}`,
    merchants: `/operator/merchants${env}`,
    merchant: `/operator/merchants/${merchant}${env}`,
    ledger: `/operator/ledger${env}`,
    'ledger account': `/operator/ledger/accounts/${account}${env}`,
    suspense: `/operator/suspense${env}`,
    proposals: `/operator/proposals${env}`,
    people: `/operator/people${env}`,
    'operator audit': `/operator/audit${env}`,
  }
}

async function measurePages(viewer: Viewer, pages: Record<string, string>, report: Report): Promise<void> {
  for (const [name, path] of Object.entries(pages)) {
    const times: number[] = []
    for (let round = 0; round < rounds; round += 1) times.push(await viewer.open(path))
    report.add(name, times, limits.page)
  }
}

interface Searched {
  readonly person: TestPerson
  readonly root: string
  readonly shown: string
  readonly count: number
}

/** What is typed, by kind. Amounts are not typed but a filter. */
const kinds: Record<string, (n: number, count: number) => string> = {
  reference: (n) => `order-${n}`,
  phone: (n, count) => phoneOf(n, count),
  name: (n) => nameOf(n),
  nothing: (n) => `unknown ${n}`,
}

async function measureSearches(
  viewer: Viewer,
  { person, root, shown, count }: Searched,
  report: Report,
): Promise<void> {
  const path = `/dashboard/v1/merchants/${shown}/sandbox/search/transactions`
  const timed = async (query: string) => {
    const startedAt = performance.now()
    const { status } = await person.call('GET', `${path}?limit=100&${query}`)
    if (status !== 200) throw new Error(`${query}: ${status}`)
    return performance.now() - startedAt
  }
  const some = Array.from({ length: rounds }, (_, round) => Math.floor((count * (round + 1)) / (rounds + 2)))
  await viewer.open(`${root}/payments`)
  for (const [kind, make] of Object.entries(kinds)) {
    const alone: number[] = []
    const shownAfter: number[] = []
    for (const n of some) {
      const q = make(n, count)
      alone.push(await timed(new URLSearchParams({ q }).toString()))
      shownAfter.push(await typed(viewer, make(n + 7, count)))
    }
    report.add(`search ${kind}, API`, alone, limits.search)
    report.add(`search ${kind}`, shownAfter, limits.search)
  }
  const amounts: number[] = []
  for (const n of some) amounts.push(await timed(`minAmount=${100 + (n % 90) * 100}&maxAmount=${200 + (n % 90) * 100}`))
  report.add('search amount, API', amounts, limits.search)
}

/** From the last key until the list is that of the text. */
async function typed({ page, until }: Viewer, text: string): Promise<number> {
  const box = page.getByRole('searchbox').first()
  await box.fill(text.slice(0, -1))
  await waitFor(page, 'window.readyAt')
  const before = Number(await page.evaluate('window.searches'))
  return until(() => box.press(text.slice(-1)), 'input', `window.searches > ${before} && window.openRequests() === 0`)
}

async function measureDrawer(viewer: Viewer, root: string, report: Report): Promise<void> {
  const { page, until, open } = viewer
  await open(`${root}/payments`)
  const list = page.getByRole('region', { name: 'Payments', exact: true })
  const times: number[] = []
  for (let round = 0; round < rounds; round += 1) {
    const row = list.getByRole('row').nth(2 + round)
    times.push(await until(() => row.click(), 'click', `document.querySelector('aside [role=tablist]') !== null`))
    await page.keyboard.press('Escape')
    await waitFor(page, `document.querySelector('aside [role=tablist]') === null`)
  }
  report.add('drawer', times, limits.drawer)
}

/** Loads the rows by scrolling to the end again and again, then scrolls from the start by 6,000 pixels in a second. */
async function measureScrolling({ context, page, open }: Viewer, root: string, report: Report): Promise<void> {
  await open(`${root}/payments`)
  const list = `document.querySelector('section[aria-label="Payments"]')`
  await page.evaluate(`new Promise((resolve) => {
    const rows = () => Number(/([\\d,]+) payments/.exec(document.body.textContent)?.[1].replaceAll(',', '') ?? 0)
    const step = () => {
      if (rows() >= ${rowsScrolled}) return resolve()
      ${list}.scrollTop = 1e9
      requestAnimationFrame(step)
    }
    step()
  })`)
  const debug = await context.newCDPSession(page)
  await debug.send('Performance.enable', { timeDomain: 'threadTicks' })
  const cpuMs = async () => {
    const { metrics } = await debug.send('Performance.getMetrics')
    return (metrics.find(({ name }) => name === 'TaskDuration')?.value ?? 0) * 1000
  }
  const before = await cpuMs()
  const frames = (await page.evaluate(`new Promise((resolve) => {
    const list = ${list}
    list.scrollTop = 0
    const times = []
    const step = (at) => {
      times.push(at)
      list.scrollTop += 100
      if (times.length < 300) requestAnimationFrame(step)
      else resolve(times)
    }
    requestAnimationFrame(step)
  })`)) as number[]
  report.add(
    `frame with ${rowsScrolled} rows, page's thread`,
    [((await cpuMs()) - before) / frames.length],
    limits.frame,
  )
  const gaps = frames.slice(1).map((at, index) => at - (frames[index] ?? at))
  report.add(`frame with ${rowsScrolled} rows`, gaps, limits.frame * 1.5)
}
