import { setTimeout as pause } from 'node:timers/promises'
import { readId } from '../packages/server/src/platform/ids.ts'
import type { Cell, CellMerchant } from '../test/support/cluster/cell.ts'
import { type Bench, median, rounded } from './bench.ts'
import { usedMs } from './processes.ts'
import { merchantsOf, onSite } from './site.ts'

const seconds = Number(process.env['BENCH_SECONDS'] ?? 60)
const backlog = Number(process.env['BENCH_BACKLOG'] ?? 45_000)
const requestsPerSecond = 50
const workers = 2

/**
 * How long a prompt and a payout of other merchants wait to be sent at a live rate of 50 requests a second, in an empty lane and
 * behind the payouts of one merchant that fill it for a quarter of an hour. Waits run from acceptance to the claim, by the
 * database's clock.
 */
export const lanes: Bench = async (print) =>
  onSite({ cell: { MALIPO_SANDBOX_REQUESTS_PER_SECOND: String(requestsPerSecond) } }, async ({ cell, simulator }) => {
    const [big, ...small] = await merchantsOf(cell, 6, '')
    if (!big) throw new Error('no merchant was created')
    const { url } = await cell.start('api', 'api')
    const pids: number[] = []
    for (let place = 1; place <= workers; place += 1) pids.push((await cell.start('worker', `worker-${place}`)).pid)
    await simulator.tune({ callbackBase: `${url}/callbacks/sandbox` })
    const measured = async (name: string) => {
      const before = await countsOf(cell, pids)
      const waits = await sendSteadily(cell, url, small)
      const after = await countsOf(cell, pids)
      const core = (after.usedMs - before.usedMs) / (seconds * 10)
      const read = (after.timersRead - before.timersRead) / seconds
      print(
        `${name}: prompts median ${waits.prompt.median} s, most ${waits.prompt.most} s; payouts median ${waits.payout.median} s, most ${waits.payout.most} s; ` +
          `workers ${rounded(core)} % of a core, ${Math.round(read)} timers read a second, ${after.waiting} wait`,
      )
      return { ...waits, core, read }
    }
    const empty = await measured('empty lane')
    for (let sent = 0; sent < backlog; sent += 1000) await payBulk(big, url, Math.min(1000, backlog - sent))
    const full = await measured(`behind ${backlog} payouts`)
    return {
      figures: {
        promptMedianSeconds: full.prompt.median,
        promptMostSeconds: full.prompt.most,
        payoutMedianSeconds: full.payout.median,
        payoutMostSeconds: full.payout.most,
        emptyPromptMedianSeconds: empty.prompt.median,
        emptyPromptMostSeconds: empty.prompt.most,
        workersPercentOfCore: rounded(full.core),
        timersReadPerSecond: rounded(full.read),
      },
      ratios: { promptMedian: rounded(full.prompt.median / empty.prompt.median) },
    }
  })

async function countsOf(cell: Cell, pids: readonly number[]) {
  const [row] = await cell.ask<{ timers_read: number; waiting: number }>(`
    select (select sum(idx_tup_read) from pg_stat_user_indexes where relname ~ '^timers_')::int as timers_read,
      (select count(*) from transactions where state = 'accepted')::int as waiting`)
  const used = pids.reduce((sum, pid) => sum + usedMs(pid), 0)
  return { timersRead: row?.timers_read ?? 0, waiting: row?.waiting ?? 0, usedMs: used }
}

let orders = 0
const reference = () => {
  orders += 1
  return `lane-${orders}`
}

const payout = (place: number) => ({
  amount: 10,
  currency: 'KES',
  country: 'KE',
  destination: 'MoMo',
  externalReference: reference(),
  payoutMethod: { accountName: 'Amina', accountNumber: `+25471${String(place % 10_000).padStart(4, '0')}678` },
})

async function payBulk(merchant: CellMerchant, url: string, count: number): Promise<void> {
  const payouts = Array.from({ length: count }, (_, place) => payout(place))
  const { status, body } = await merchant.call(url, 'POST', '/fiat/payouts/bulk', { payouts })
  const data = (body['data'] ?? []) as { success: boolean }[]
  if (status !== 200 || data.some(({ success }) => !success)) throw new Error(JSON.stringify(body).slice(0, 300))
}

/** A prompt and a payout of another merchant every second; then how long each waited. */
async function sendSteadily(cell: Cell, url: string, merchants: readonly CellMerchant[]) {
  const ids: Record<'prompt' | 'payout', string[]> = { prompt: [], payout: [] }
  for (let second = 0; second < seconds; second += 1) {
    const merchant = merchants[second % merchants.length] as CellMerchant
    const charge = { amount: 100, currency: 'KES', phoneNumber: '+254703456789', externalReference: reference() }
    const prompt = await merchant.call(url, 'POST', '/fiat/deposit/momo', charge)
    const paid = await merchant.call(url, 'POST', '/fiat/payout', payout(second))
    ids.prompt.push(readId('transaction', String(prompt.body['transactionId'])) ?? '')
    ids.payout.push(readId('transaction', String(paid.body['transactionId'])) ?? '')
    await pause(1000)
  }
  await pause(5000) // A payment not sent by then counts as waiting until now.
  return { prompt: await waitsOf(cell, ids.prompt), payout: await waitsOf(cell, ids.payout) }
}

async function waitsOf(cell: Cell, ids: readonly string[]) {
  const rows = await cell.ask<{ waited: number }>(
    `select extract(epoch from coalesce(a.send_deadline - interval '10 seconds', record_time()) - t.created_at)::float8 as waited
     from transactions t join attempts a on a.transaction_id = t.id
     where t.id = any($1)`,
    [ids],
  )
  const waits = rows.map(({ waited }) => waited)
  return { median: rounded(median(waits)), most: rounded(Math.max(...waits)) }
}
