import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { readId } from '../platform/ids.ts'
import { member, pathIn } from '../testing/members.ts'
import { payOut } from '../testing/paying.ts'
import { refundingMalipo } from '../testing/refunding.ts'
import { sumDays } from '../wallets/sum-days.ts'

interface Flow {
  readonly kind: string
  readonly method: string
  readonly amount: number
  readonly count: number
}

interface MoneyFlow {
  readonly opening: number
  readonly in: readonly Flow[]
  readonly totalIn: number
  readonly out: readonly Flow[]
  readonly totalOut: number
  readonly closing: number
  readonly totals: { readonly in: number; readonly out: number; readonly fees: number }
}

interface Statement {
  readonly opening: number
  readonly closing: number
  readonly lines: readonly { readonly kind: string; readonly amount: number }[]
}

const dayOf = (daysAgo: number) => new Date(Date.now() - daysAgo * 86_400_000).toISOString().slice(0, 10)
const minor = (amount: number) => Math.round(amount * 100)
const sum = (amounts: readonly number[]) => amounts.reduce((total, amount) => total + minor(amount), 0)

async function setUp(t: TestContext) {
  const malipo = await refundingMalipo(t)
  const merchant = await malipo.refunding()
  const viewer = await member(malipo, merchant.id, ['viewer'])
  const call = (query: string, path = '/money-flow') =>
    viewer.call('GET', pathIn(merchant.id, 'sandbox', `${path}?${query}`))
  const read = async <Data>(query: string, path?: string) => {
    const { status, body } = await call(query, path)
    assert.equal(status, 200, JSON.stringify(body))
    return body['data'] as Data
  }
  return { malipo, merchant, call, read }
}

/** From yesterday to tomorrow, so that midnight changes nothing. */
const around = `currency=KES&startDate=${dayOf(1)}&endDate=${dayOf(-1)}`

test('what came in and opening are what left and closing, and each part is in its place', async (t) => {
  const { malipo, merchant, read } = await setUp(t)
  const charge = await merchant.paid(500)
  await merchant.paidByTransfer(300)
  const refund = await merchant.refunded(charge.id, { amount: 120 })
  await malipo.comesTo(refund, 'successful')
  const { id: payout } = await payOut(merchant, { amount: 75 })
  await malipo.comesTo(payout, 'successful')
  // This one stays open while both pages are read.
  const pawapay = { env: 'sandbox', reason: 'the last payout waits' } as const
  await malipo.operator.providers.pause('pawapay', pawapay)
  t.after(() => malipo.operator.providers.resume('pawapay', pawapay))
  await payOut(merchant, { amount: 33 })

  const flow = await read<MoneyFlow>(around)
  const statement = await read<Statement>(around, '/wallets/statement')

  assert.equal(minor(flow.opening) + minor(flow.totalIn), minor(flow.totalOut) + minor(flow.closing))
  assert.deepEqual([flow.opening, flow.closing], [statement.opening, statement.closing])
  assert.equal(minor(flow.totalIn), sum(flow.in.map(({ amount }) => amount)))
  assert.equal(minor(flow.totalOut), sum(flow.out.map(({ amount }) => amount)))
  const lines = statement.lines.map(({ amount }) => amount)
  assert.equal(minor(flow.totalIn), sum(lines.filter((amount) => amount > 0)))
  const { totals } = flow
  assert.equal(minor(flow.opening) + minor(totals.in) - minor(totals.out) - minor(totals.fees), minor(flow.closing))
  const fees = statement.lines.filter(({ kind }) => kind === 'fee').map(({ amount }) => amount)
  assert.ok(fees.length >= 3)
  assert.equal(minor(totals.fees), -sum(fees))
  const find = (flows: readonly Flow[], kind: string, method = '') => {
    const found = flows.find((each) => each.kind === kind && each.method === method)
    return found && [found.amount, found.count]
  }
  assert.deepEqual(find(flow.in, 'charge', 'momo'), [500, 1])
  assert.deepEqual(find(flow.in, 'charge', 'bank-transfer'), [300, 1])
  assert.deepEqual(find(flow.in, 'funding'), [1_000_000, 1])
  assert.deepEqual(find(flow.out, 'payout', 'momo'), [75, 1])
  assert.deepEqual(find(flow.out, 'refund'), [120, 1])
})

test('days before and after have the balance of then, and other days are refused', async (t) => {
  const { merchant, call, read } = await setUp(t)
  await merchant.paid(500)

  const before = await read<MoneyFlow>('currency=KES&startDate=2026-01-01&endDate=2026-01-31')
  const after = await read<MoneyFlow>(`currency=KES&startDate=${dayOf(-2)}&endDate=${dayOf(-3)}`)

  assert.deepEqual([before.opening, before.in, before.out, before.closing], [0, [], [], 0])
  assert.deepEqual([after.opening, after.in, after.out], [after.closing, [], []])
  assert.ok(after.closing > 1_000_000)
  for (const [query, code] of [
    ['currency=KES&startDate=2026-01-01&endDate=2026-04-03', 'VALIDATION_ERROR'],
    ['currency=KES&startDate=2026-01-02&endDate=2026-01-01', 'VALIDATION_ERROR'],
    ['currency=KES&startDate=2026-02-30&endDate=2026-03-01', 'VALIDATION_ERROR'],
    ['currency=KES&startDate=2026-01-01', 'VALIDATION_ERROR'],
    ['currency=ABC&startDate=2026-01-01&endDate=2026-01-02', 'UNSUPPORTED_CURRENCY'],
  ])
    assert.equal((await call(String(query))).body['errorCode'], code, query)
  assert.equal((await call('currency=KES&startDate=2026-01-01&endDate=2026-04-02')).status, 200)
})

test('past days without sums and the days after them are exact together', async (t) => {
  const { malipo, merchant } = await setUp(t)
  t.after(() => malipo.ask(`update clock_offset set ahead = '0'`))
  await merchant.paid(500)
  const days = (from: number, to: number) => `currency=KES&startDate=${dayOf(from)}&endDate=${dayOf(to)}`
  // A session ends with the clock, so each reader is new.
  const read = async <Data>(query: string, path = '/money-flow') => {
    const viewer = await member(malipo, merchant.id, ['viewer'])
    return (await viewer.call('GET', pathIn(merchant.id, 'sandbox', `${path}?${query}`))).body['data'] as Data
  }
  const first = await read<MoneyFlow>(days(1, 0))
  await malipo.later(2 * 86_400)
  const past = await read<MoneyFlow>(days(1, -2))
  await merchant.paid(300)
  const both = await read<MoneyFlow>(days(1, -3))
  const recent = await read<MoneyFlow>(days(-1, -3))
  const statement = await read<Statement>(days(1, -3), '/wallets/statement')

  const charges = ({ in: into }: MoneyFlow) => into.find(({ kind }) => kind === 'charge')
  assert.deepEqual([first, past].map(charges), Array(2).fill({ kind: 'charge', method: 'momo', amount: 500, count: 1 }))
  assert.deepEqual(charges(both), { kind: 'charge', method: 'momo', amount: 800, count: 2 })
  assert.deepEqual(charges(recent), { kind: 'charge', method: 'momo', amount: 300, count: 1 })
  assert.deepEqual([both.opening, both.closing], [statement.opening, statement.closing])
  assert.equal(minor(both.opening) + minor(both.totalIn), minor(both.totalOut) + minor(both.closing))
  assert.equal(past.closing, recent.opening)
})

test('a flow is the same before and after a worker has summed its past days', async (t) => {
  const { malipo, merchant } = await setUp(t)
  t.after(() => malipo.ask(`update clock_offset set ahead = '0'`))
  const charge = await merchant.paid(500)
  await merchant.paidByTransfer(300)
  await malipo.comesTo(await merchant.refunded(charge.id, { amount: 120 }), 'successful')
  await malipo.later(2 * 86_400)
  await merchant.paid(200)
  const viewer = await member(malipo, merchant.id, ['viewer'])
  const read = async () => {
    const query = `/money-flow?currency=KES&startDate=${dayOf(1)}&endDate=${dayOf(-3)}`
    return (await viewer.call('GET', pathIn(merchant.id, 'sandbox', query))).body['data'] as MoneyFlow
  }
  const fromLedger = await read()

  await sumDays(malipo.ctx.db.write, { signal: new AbortController().signal })

  const [{ lines } = assert.fail()] = await malipo.ask<{ lines: string }>(
    `select sum(count) as lines from wallet_day_sums
     where wallet_id in (select id from wallets where merchant_id = $1)`,
    [readId('merchant', merchant.id)],
  )
  assert.ok(Number(lines) >= 6, `${lines} lines are summed`)
  assert.deepEqual(await read(), fromLedger)
})

test('92 days are allowed in a zone whose clocks go back meanwhile', async (t) => {
  const { call } = await setUp(t)
  const days = (endDate: string) => `currency=KES&startDate=2026-08-01&endDate=${endDate}&zone=Africa/Cairo`

  assert.equal((await call(days('2026-10-31'))).status, 200)
  assert.equal((await call(days('2026-11-01'))).body['errorCode'], 'VALIDATION_ERROR')
})

test("a merchant's flow has nothing of another merchant", async (t) => {
  const { malipo, merchant, read } = await setUp(t)
  const other = await malipo.refunding()
  await other.paid(500)

  const flow = await read<MoneyFlow>(around)

  assert.deepEqual(
    flow.in.map(({ kind, amount }) => [kind, amount]),
    [['funding', 1_000_000]],
  )
  assert.notEqual(other.id, merchant.id)
})
