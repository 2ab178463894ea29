import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { until } from '../../../packages/server/src/dev-stack/until.ts'
import type { Currency } from '../../../packages/server/src/money/currencies.ts'
import { numberFromMinor } from '../../../packages/server/src/money/money.ts'
import { providerKeyOf } from '../../../packages/server/src/platform/ids.ts'
import type { Cell } from '../cluster/cell.ts'
import type { Moved, SimulatorControl } from '../cluster/simulator-control.ts'

/** The final row of a payment. */
export interface Row extends Record<string, unknown> {
  readonly id: string
  readonly merchant_id: string
  readonly type: string
  readonly method: string
  readonly state: string
  readonly doubt: string
  /** What moved after its end: its adjustments, and the amount in suspense. */
  readonly adjustments: readonly string[]
  readonly suspended: string
  readonly failure: { readonly code: string } | null
  readonly currency: Currency
  readonly amount: string
  readonly received: string
  readonly fee: string
  readonly attempt: number
  readonly external_reference: string
}

/** Every requested payment, with the ids of its adjustments. */
export const readAll = (cell: Cell) =>
  cell.ask<Row>(`select id, merchant_id, type, method, state, doubt, adjustments, suspended, failure, currency, amount,
    received, fee, attempt, external_reference from transactions where type <> 'adjustment' order by id`)

export const tally = (rows: readonly Row[]) =>
  Object.fromEntries(
    [...Map.groupBy(rows, (row) => [row.type, row.method, row.state, row.failure?.code ?? ''].join(' ').trim())]
      .map(([name, found]) => [name, found.length] as const)
      .sort(([left], [right]) => (left < right ? -1 : 1)),
  )

/** Moves both clocks step by step, only while nothing is due, until every payment is decided. */
export async function letTimePass(
  t: TestContext,
  cell: Cell,
  simulator: SimulatorControl,
  stepsMs: readonly number[],
  eachStep: () => Promise<void> = async () => undefined,
): Promise<void> {
  const countOf = async (text: string) => (await cell.ask<{ count: number }>(text))[0]?.count ?? 0
  const open = () => countOf(`select count(*)::int from transactions where state not in ('successful', 'failed')`)
  const due = () =>
    countOf(`select count(*)::int from transactions
      where state not in ('successful', 'failed') and wake_at <= record_time()`)
  for (const [passed, stepMs] of stepsMs.entries()) {
    const startedAt = performance.now()
    await eachStep()
    await until('everything due to be done', async () => (await due()) === 0, { timeoutMs: 120_000 })
    const took = performance.now() - startedAt
    if (took > 5000) t.diagnostic(`step ${passed}: what was due took ${Math.round(took)} ms`)
    if ((await open()) === 0) return
    await simulator.advance(stepMs)
    await cell.forward(stepMs)
  }
  await until('everything to end', async () => (await open()) === 0)
}

/**
 * The provider's own books: one movement of the right amount for each success, none for each failure, the receipts for an
 * account.
 */
export async function assertMovedOnce(cell: Cell, rows: readonly Row[], moved: readonly Moved[]): Promise<void> {
  const byKey = Map.groupBy(moved, ({ key }) => key)
  const receipts = await cell.ask<{ transaction_id: string; amount: string }>(
    `select transaction_id, amount from receipts order by amount`,
  )
  const received = Map.groupBy(receipts, (receipt) => receipt.transaction_id)
  const all = rows.map((row) => {
    const keys = Array.from({ length: row.attempt }, (_, index) => providerKeyOf(row.id, index + 1))
    const found = keys.flatMap((key) => byKey.get(key) ?? []).map(({ kind, amount }) => `${kind} ${Number(amount)}`)
    return { row, found: sorted(found), wanted: sorted(wantedOf(row, received.get(row.id) ?? [])) }
  })
  const wrong = all.filter(({ row, found, wanted }) => found.join() !== wanted.join() || !isExplained(row))
  assert.deepEqual(
    wrong.map(({ row, found, wanted }) => ({ ...row, found, wanted })),
    [],
  )
  const expected = all.reduce((sum, { wanted }) => sum + wanted.length, 0)
  assert.equal(moved.length, expected, 'money moved that belongs to no payment')
}

/** Nothing moved after the end. Only receipts for a charge that was not paid in full are in suspense, all of them. */
const isExplained = ({ adjustments, suspended, failure, received }: Row) =>
  adjustments.length === 0 && suspended === (failure?.code === 'UNDERPAID' ? received : '0')

const sorted = (words: readonly string[]) => words.toSorted((left, right) => (left < right ? -1 : 1))

function wantedOf(row: Row, receipts: readonly { readonly amount: string }[]): string[] {
  const kind = row.type === 'withdrew' ? 'paid' : 'collected'
  const sum = (minor: string) => `${kind} ${numberFromMinor(BigInt(minor), row.currency)}`
  if (row.method === 'bank-transfer' && kind === 'collected') return receipts.map(({ amount }) => sum(amount))
  return row.state === 'successful' ? [sum(row.amount)] : []
}

/** Each feed counts 1, 2, 3 …, and reports the creation and the end of every payment and adjustment once. */
export async function assertFeeds(cell: Cell): Promise<void> {
  const feeds = await cell.ask(`
    select merchant_id from events where feed_number is not null group by merchant_id, env
    having count(*) <> max(feed_number) or count(distinct feed_number) <> count(*) or min(feed_number) <> 1`)
  assert.deepEqual(feeds, [])
  const unreported = await cell.ask(`
    select t.id, count(*) filter (where e.name = begun.name) as created,
      count(*) filter (where e.name is not null and e.state = t.state) as ended
    from transactions t
    cross join lateral (
      select case t.type when 'adjustment' then 'adjustment_created' else 'transaction_created' end as name
    ) begun
    left join events e on e.transaction_id = t.id and e.merchant_id = t.merchant_id
    group by t.id, t.state
    having count(*) filter (where e.name = begun.name) <> 1
      or count(*) filter (where e.name is not null and e.state = t.state) <> 1`)
  assert.deepEqual(unreported, [])
  const strays = await cell.ask(`
    select a.id
    from transactions a
    left join transactions p on p.id = a.related_transaction_id and p.merchant_id = a.merchant_id and p.env = a.env
      and a.id = any(p.adjustments)
    where a.type = 'adjustment' and p.id is null`)
  assert.deepEqual(strays, [], 'an adjustment belongs to a payment of its merchant')
}

/** Lines that the processes logged as errors; faults done to them must not cause any. */
export function complaintsIn({ folder }: Cell, isExpected: (line: string) => boolean = () => false): string[] {
  const logs = readdirSync(folder).filter((name) => name.endsWith('.log'))
  const lines = logs.flatMap((name) => readFileSync(join(folder, name), 'utf8').split('\n'))
  return lines.filter((line) => /"level":(50|60|"error"|"fatal")/.test(line) && !isExpected(line)).slice(0, 5)
}
