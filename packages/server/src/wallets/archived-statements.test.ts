import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createPlatformAccounts } from '../ledger/accounts.ts'
import { readId } from '../platform/ids.ts'
import { type ArchivingScene, archivingScene } from '../testing/archiving.ts'
import { movement } from '../testing/ledger.ts'
import { createPoster } from '../testing/poster.ts'
import { readWalletFlow, sumOf } from './flow.ts'
import { type Line, readStatement } from './statement.ts'
import { dayUs } from './sum-days.ts'

const place = { currency: 'KES', country: 'KE' }
const end = BigInt(Date.UTC(9999, 11, 31)) * 1000n

interface Period {
  readonly from: bigint
  readonly to: bigint
}

async function scene(t: Parameters<typeof archivingScene>[0]) {
  const found = await archivingScene(t)
  const { malipo, merchant } = found
  const owner = { merchant_id: readId('merchant', merchant.id) ?? '', env: 'sandbox' } as const
  const [{ wallet } = assert.fail()] = await malipo.ask<{ wallet: string }>(
    `select id as wallet from wallets where merchant_id = $1 and env = 'sandbox' and currency = 'KES'`,
    [owner.merchant_id],
  )
  const db = malipo.ctx.db.read
  return {
    ...found,
    wallet,
    flow: (period: Period) => readWalletFlow(db, owner, { ...place, ...period }),
    /** All pages of a period, with what holds for each of them. */
    statement: async ({ from, to }: Period) => {
      const lines: ReturnType<typeof shownOf>[] = []
      let page = await readStatement(db, owner, { ...place, from, to, limit: 3 })
      const { opening } = page
      let balance = opening
      for (;;) {
        assert.equal(page.opening, balance, 'a page opens with the closing of the previous one')
        for (const line of page.lines) {
          balance += line.change
          assert.equal(line.balance, balance, 'every line starts from the balance before it')
          assert.ok(line.entry_at >= from && line.entry_at < to, 'a line is of the period')
        }
        assert.equal(page.closing, balance, 'opening and lines are the closing')
        lines.push(...page.lines.map(shownOf))
        if (page.next === undefined) return { opening, lines, closing: page.closing }
        page = await readStatement(db, owner, { ...place, from: page.next, to, limit: 3 })
      }
    },
  }
}

const shownOf = ({ entry_at, transaction_id, event, number, change, balance }: Line) => {
  return { entry_at, transaction_id, event, number, change, balance }
}

type Scene = Awaited<ReturnType<typeof scene>>

/** The wallet's lines as the ledger has them before a month is archived. */
async function linesOf({ malipo, wallet }: Scene): Promise<{ at: bigint; change: bigint }[]> {
  const rows = await malipo.ask<{ at: string; change: string }>(
    `select entry_at as at, case when credit_account = wallet_id then amount else -amount end as change
     from transfers where wallet_id = $1 and entry_at is not null order by entry_at`,
    [wallet],
  )
  return rows.map(({ at, change }) => ({ at: BigInt(at), change: BigInt(change) }))
}

/** Moments at which the balance is exact after archiving, and one within each day at which it may be that of a later moment. */
function momentsOf(lines: readonly { readonly at: bigint }[]): { readonly at: bigint; readonly isExact: boolean }[] {
  const days = [...Map.groupBy(lines, ({ at }) => at / dayUs)]
  return [
    { at: 0n, isExact: true },
    ...days.flatMap(([day, some]) => [
      { at: day * dayUs, isExact: true },
      { at: some[1]?.at ?? day * dayUs + 1n, isExact: false },
      { at: (some.at(-1)?.at ?? 0n) + 1n, isExact: true },
      { at: (day + 1n) * dayUs, isExact: true },
    ]),
    { at: end, isExact: true },
  ]
}

/** From every moment to itself, to the next ones, one of them a day later, and to the end. */
const periodsOf = (moments: ReturnType<typeof momentsOf>) =>
  moments.flatMap((from, index) =>
    [0, 1, 2, 3, 5, moments.length]
      .flatMap((steps) => moments[Math.min(index + steps, moments.length - 1)] ?? [])
      .map((to) => ({ from: from.at, to: to.at, isExact: from.isExact && to.isExact })),
  )

/** Statement and flow of every period have the balances of the ledger before it was archived. */
async function assertAll(
  { statement, flow }: Scene,
  periods: ReturnType<typeof periodsOf>,
  lines: readonly { readonly at: bigint; readonly change: bigint }[],
): Promise<void> {
  const balanceAt = (moment: bigint) => lines.reduce((sum, { at, change }) => (at < moment ? sum + change : sum), 0n)
  for (const period of periods) {
    const label = `${period.from} to ${period.to}`
    const [shown, flowed] = await Promise.all([statement(period), flow(period)])
    assert.deepEqual([shown.opening, shown.closing], [flowed.opening, flowed.closing], label)
    assert.equal(flowed.opening + sumOf(flowed.into), sumOf(flowed.out) + flowed.closing, label)
    if (period.isExact)
      assert.deepEqual([shown.opening, shown.closing], [balanceAt(period.from), balanceAt(period.to)], label)
  }
}

const monthOf = (month: string): Period => {
  const [year = 0, number = 0] = month.split('-').map(Number)
  return { from: BigInt(Date.UTC(year, number - 1)) * 1000n, to: BigInt(Date.UTC(year, number)) * 1000n }
}

const amountsOf = ({ lines }: { readonly lines: readonly ReturnType<typeof shownOf>[] }) =>
  lines.map(({ event, change }) => [event, Number(change)])

async function receiveLate({ malipo, wallet, charge }: ArchivingScene & Pick<Scene, 'wallet'>): Promise<void> {
  const { write } = malipo.ctx.db
  const fees = await createPlatformAccounts(write, 0).idOf({ env: 'sandbox', kind: 'fees', currency: 'KES' })
  const late = movement({
    ...{ kind: 'transfer', number: 91, transaction_id: readId('transaction', charge) ?? '' },
    ...{ debit_account: fees, credit_account: wallet, amount: 7_00n },
  })
  assert.equal(await createPoster(write).submit({ wallets: [wallet], movements: [late] }), undefined)
}

/** Through the API: the statement and its export, by days of UTC. */
async function readMonth({ merchant, malipo }: Scene, month: string) {
  const last = new Date(Number(monthOf(month).to / 1000n) - 1).toISOString().slice(0, 10)
  const query = `currency=KES&startDate=${month}-01&endDate=${last}`
  const { status, body } = await merchant.call('GET', `/api/b2b/wallets/statement?${query}`)
  assert.equal(status, 200, JSON.stringify(body))
  const headers = { authorization: `Bearer ${await merchant.token()}` }
  const exported = await fetch(`${malipo.url}/api/b2b/exports/statement?${query}&format=ndjson`, { headers })
  const records = (await exported.text()).trim().split('\n')
  return {
    ...(body['data'] as { opening: number; closing: number; lines: { at: string; type: string; amount: number }[] }),
    exported: records.flatMap((record) => (record === '' ? [] : [Number(JSON.parse(record).amount)])),
  }
}

test('a statement keeps its balances when its months are archived', async (t) => {
  const archiving = await scene(t)
  const { malipo, months, folder, statement, archive } = archiving
  const before = await linesOf(archiving)
  const periods = periodsOf(momentsOf(before))
  const readMonths = () => Promise.all(months.map((month) => statement(monthOf(month))))
  const statements = await readMonths()
  const shown: Awaited<ReturnType<typeof readMonth>>[] = []
  for (const month of months) shown.push(await readMonth(archiving, month))
  await assertAll(archiving, periods, before)
  assert.ok(statements.every(({ lines }) => lines.length >= 4 && lines.every(({ event }) => event !== 'archived')))

  await archive()

  await t.test('of any period, opening and lines are the closing, and the flow has the same balances', async () => {
    await assertAll(archiving, periods, before)
  })

  await t.test('archived lines are one line before, between or after those that stay, or the only line', async () => {
    const found = await readMonths()
    const ends = (all: typeof found) => all.map(({ opening, closing }) => [opening, closing])
    assert.deepEqual(ends(found), ends(statements))
    const [funds = 0, refund = 0, moved = 0] = [0, 3, 7].map((index) => Number(statements[0]?.lines[index]?.balance))
    assert.deepEqual(found.map(amountsOf).slice(0, 3), [
      [
        ['wallet_funded', funds],
        ['archived', refund + 400_00 - funds],
        ['refund_successful', -400_00],
        ['archived', moved - refund],
      ],
      ...found.slice(1, 3).map(({ opening, closing }) => [['archived', Number(closing - opening)]]),
    ])
    assert.deepEqual(found[3], statements[3], 'a month that is not archived is unchanged')
  })

  await t.test('the API and the export show the archived line, dated within the period', async () => {
    for (const [index, month] of months.entries()) {
      const found = await readMonth(archiving, month)
      assert.deepEqual([found.opening, found.closing], [shown[index]?.opening, shown[index]?.closing], month)
      assert.deepEqual(
        found.exported,
        found.lines.map(({ amount }) => amount),
      )
      assert.ok(found.lines.every(({ at }) => at.startsWith(month)))
    }
    assert.deepEqual(await readMonth(archiving, months[3]), shown[3])
  })

  await t.test('money that moves late in an archived month changes the day on which it moves only', async () => {
    await receiveLate(archiving)
    const [late = assert.fail()] = (await linesOf(archiving)).slice(-1)
    await assertAll(archiving, periods, [...before, late])
    assert.deepEqual(await statement(monthOf(months[3])), statements[3])
  })

  await t.test('a restored month has its lines again', async () => {
    await malipo.operator.archive.restore(months[1], folder)
    const [first, second] = await readMonths()
    assert.equal(first?.closing, statements[0]?.closing)
    assert.deepEqual(second, statements[1])
  })
})
