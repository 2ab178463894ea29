import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { dayIn } from '../platform/zones.ts'
import { member, pathIn } from '../testing/members.ts'
import { payOut } from '../testing/paying.ts'
import { refundingMalipo } from '../testing/refunding.ts'

/** A zone whose day is another than that of UTC now, by hours. */
const zone = new Date().getUTCHours() < 12 ? 'Etc/GMT+12' : 'Etc/GMT-14'
const utcDay = dayIn(new Date(), 'UTC')
const zoneDay = dayIn(new Date(), zone)
const daysOf = (day: string) => `startDate=${day}&endDate=${day}`

/** A merchant with a charge, a refund of it and a payout of now, and its finance person. */
async function setUp(t: TestContext) {
  const malipo = await refundingMalipo(t)
  const merchant = await malipo.refunding()
  const charge = await merchant.paid(500)
  await malipo.comesTo(await merchant.refunded(charge.id, { amount: 120 }), 'successful')
  for (const amount of [75, 40]) await malipo.comesTo((await payOut(merchant, { amount })).id, 'successful')
  const person = await member(malipo, merchant.id, ['finance'])
  const call = (path: string, body?: unknown) =>
    person.call(body ? 'POST' : 'GET', pathIn(merchant.id, 'sandbox', path), body)
  const read = async <Data>(path: string, body?: unknown) => {
    const response = await call(path, body)
    assert.equal(response.status, 200, JSON.stringify(response.body))
    return response.body['data'] as Data
  }
  return { malipo, merchant, person, call, read }
}

/** A number of payments or of statement lines that a path has for these days. */
const counted: Readonly<Record<string, (data: never) => number>> = {
  '/search/transactions?': (data: unknown[]) => data.length,
  '/transactions?limit=10&': (data: unknown[]) => data.length,
  '/wallets/statement?currency=KES&': ({ lines }: { lines: unknown[] }) => lines.length,
  '/money-flow?currency=KES&': ({ in: into, out }: { in: { count: number }[]; out: { count: number }[] }) =>
    [...into, ...out].reduce((sum, { count }) => sum + count, 0),
}

test('lists, statement, flow and exports have the payments of the local day that Home counts', async (t) => {
  const { malipo, merchant, person, read } = await setUp(t)
  const zoned = `zone=${encodeURIComponent(zone)}`
  const { today } = await read<{ today: { day: string; paidOut: { count: number } } }>(`/summary?currency=KES&${zoned}`)
  const textOf = async (path: string) => {
    const { headers } = person
    return (await fetch(malipo.url + pathIn(merchant.id, 'sandbox', path), { headers })).text()
  }

  assert.deepEqual([today.day, today.paidOut.count], [zoneDay, 2])
  for (const [path, count] of Object.entries(counted)) {
    const ofLocalDay = count((await read(`${path}${daysOf(zoneDay)}&${zoned}`)) as never)
    assert.ok(ofLocalDay >= 4, `${path} has ${ofLocalDay}`)
    assert.equal(count((await read(`${path}${daysOf(utcDay)}`)) as never), ofLocalDay, path)
    assert.equal(count((await read(`${path}${daysOf(utcDay)}&${zoned}`)) as never), 0, path)
    assert.equal(count((await read(`${path}${daysOf(zoneDay)}`)) as never), 0, path)
  }
  const found = await read<unknown[]>('/search/transactions', { startDate: zoneDay, endDate: zoneDay, zone })
  assert.equal(found.length, 4)
  for (const path of ['/exports/transactions?', '/exports/statement?currency=KES&']) {
    const [local, other] = await Promise.all([zoneDay, utcDay].map((day) => textOf(`${path}${daysOf(day)}&${zoned}`)))
    assert.match(local ?? '', /T\d\d:\d\d:\d\d\.\d{3}Z/)
    assert.ok((local ?? '').trim().split('\n').length >= 5, path)
    assert.equal((other ?? '').trim().split('\n').length, 1, path)
  }
})

test('an unknown zone and an offset are refused, and the merchant API takes no zone', async (t) => {
  const { merchant, call } = await setUp(t)

  for (const path of Object.keys(counted)) {
    const refused = ['Africa/Nowhere', '%2B03:00', ''].map((wrong) => call(`${path}${daysOf(utcDay)}&zone=${wrong}`))
    for (const { status } of await Promise.all(refused)) assert.equal(status, 400, path)
    if (path.startsWith('/money-flow')) continue
    const { status } = await merchant.call('GET', `/api/b2b${path}${daysOf(utcDay)}&zone=UTC`)
    assert.equal(status, 400, path)
  }
})

interface Flow {
  readonly kind: string
  readonly amount: number
}

interface Hour {
  readonly in: Readonly<Record<string, number>>
  readonly out: Readonly<Record<string, number>>
  readonly refunded: number
}

test('what the tile and the chart call paid out and refunded is what left the wallet for it', async (t) => {
  const { read } = await setUp(t)
  const { today, hours } = await read<{
    readonly today: Readonly<Record<'collected' | 'paidOut' | 'refunded', { readonly amount: number }>>
    readonly hours: readonly Hour[]
  }>('/summary?currency=KES&zone=UTC')
  const { in: into, out } = await read<{ in: Flow[]; out: Flow[] }>(`/money-flow?currency=KES&${daysOf(utcDay)}`)

  const moved = (flows: readonly Flow[], kind: string) => flows.find((flow) => flow.kind === kind)?.amount
  const sum = (amounts: readonly number[]) => amounts.reduce((total, amount) => total + amount, 0)
  const ofChart = (side: 'in' | 'out') => sum(hours.flatMap((hour) => Object.values(hour[side])))
  assert.deepEqual([today.paidOut.amount, ofChart('out'), moved(out, 'payout')], [115, 115, 115])
  assert.deepEqual(
    [today.refunded.amount, sum(hours.map(({ refunded }) => refunded)), moved(out, 'refund')],
    [120, 120, 120],
  )
  assert.deepEqual([today.collected.amount, ofChart('in'), moved(into, 'charge')], [500, 500, 500])
})
