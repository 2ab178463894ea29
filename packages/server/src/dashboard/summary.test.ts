import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { until } from '../dev-stack/until.ts'
import { readId } from '../platform/ids.ts'
import { member, pathIn } from '../testing/members.ts'
import { type PayingMalipo, payingMalipo } from '../testing/paying.ts'
import { charge, newPhone, payOut } from '../testing/searching.ts'

interface Total {
  readonly amount: number
  readonly count: number
}

interface Day {
  readonly day: string
  readonly collected: Total
  readonly paidOut: Total
  readonly refunded: Total
  readonly charges: { readonly successful: number; readonly ended: number }
}

interface MethodDay {
  readonly day: string
  readonly successful: number
  readonly ended: number
}

interface Summary {
  readonly currency: string
  readonly currencies: readonly string[]
  readonly today: Day
  readonly lastWeek: Day
  readonly inProgress: Total & { readonly inDoubt: Total; readonly awaitingCustomer: Total }
  readonly hours: readonly {
    readonly in: Record<string, number>
    readonly out: Record<string, number>
    readonly lastWeekIn: number
    readonly lastWeekOut: number
  }[]
  readonly methods: readonly { readonly method: string; readonly ended: number; readonly days: readonly MethodDay[] }[]
  readonly attention: Readonly<Record<string, unknown>>
}

type Merchant = Awaited<ReturnType<PayingMalipo['merchant']>>

/** The zone in which it is noon now, so that an hour more or less is the same day. */
function zoneOfNoon(): string {
  const ahead = 12 - new Date().getUTCHours()
  return ahead === 0 ? 'UTC' : `Etc/GMT${ahead > 0 ? '-' : '+'}${Math.abs(ahead)}`
}

async function setUp(t: TestContext) {
  const malipo = await payingMalipo(t)
  const merchant = await malipo.merchant()
  const end = async (id: string, state: string) => {
    await malipo.ask('update transactions set state = $2 where id = $1', [readId('transaction', id), state])
  }
  const charged = async (amount: number, state = 'successful') =>
    end(await charge(merchant, { phone: newPhone(), amount }), state)
  const paidOut = async () => end(await payOut(merchant), 'successful')
  return { malipo, merchant, charged, paidOut }
}

/** Roles and sessions end with the clock, so each reader is new. */
async function read(malipo: PayingMalipo, { id }: Merchant, zone: string): Promise<Summary> {
  const viewer = await member(malipo, id, ['viewer'])
  const path = pathIn(id, 'sandbox', `/summary?currency=KES&zone=${encodeURIComponent(zone)}`)
  const { status, body } = await viewer.call('GET', path)
  assert.equal(status, 200, JSON.stringify(body))
  return body['data'] as Summary
}

const none = { amount: 0, count: 0 }
const added = (amounts: readonly number[]) => amounts.reduce((sum, amount) => sum + amount, 0)

test('today is compared with the same weekday a week ago, up to the same time', async (t) => {
  const { malipo, merchant, charged, paidOut } = await setUp(t)
  t.after(() => malipo.ask(`update clock_offset set ahead = '0'`))
  const zone = zoneOfNoon()
  await charged(250)
  await charged(80, 'failed')
  await paidOut()

  await malipo.later(7 * 86_400 - 3600)
  const earlier = await read(malipo, merchant, zone)
  await malipo.later(7200)
  const later = await until('a new count', async () => {
    const summary = await read(malipo, merchant, zone)
    return summary.lastWeek.collected.count > 0 && summary
  })

  assert.deepEqual([earlier.lastWeek.collected, earlier.lastWeek.paidOut], [none, none])
  for (const { hours, today } of [earlier, later]) {
    assert.deepEqual([today.collected, today.paidOut, today.charges.ended], [none, none, 0])
    assert.equal(added(hours.map(({ lastWeekIn }) => lastWeekIn)), 250)
    assert.equal(added(hours.map(({ lastWeekOut }) => lastWeekOut)), 100)
  }
  assert.deepEqual(later.lastWeek.collected, { amount: 250, count: 1 })
  assert.deepEqual(later.lastWeek.paidOut, { amount: 100, count: 1 })
  assert.deepEqual(later.lastWeek.charges, { successful: 1, ended: 2 })
  assert.deepEqual(later.methods, [])
})

test('today has its sums, hours by method, open payments and rates, of one merchant only', async (t) => {
  const { malipo, merchant, charged, paidOut } = await setUp(t)
  const other = await malipo.merchant()
  await charge(other, { phone: newPhone(), amount: 999 })
  await Promise.all([charged(250), charged(100), charged(80, 'failed'), paidOut()])
  await charge(merchant, { phone: newPhone(), amount: 40 })

  const { today, hours, inProgress, methods, currency, currencies } = await read(malipo, merchant, zoneOfNoon())

  assert.equal(currency, 'KES')
  assert.equal(currencies[0], 'KES')
  assert.deepEqual(today.collected, { amount: 350, count: 2 })
  assert.deepEqual([today.paidOut, today.refunded], [{ amount: 100, count: 1 }, none])
  assert.deepEqual(today.charges, { successful: 2, ended: 3 })
  assert.equal(hours.length, 24)
  assert.equal(added(hours.map((hour) => hour.in['momo'] ?? 0)), 350)
  assert.equal(added(hours.map((hour) => hour.out['momo'] ?? 0)), 100)
  assert.deepEqual([inProgress.amount, inProgress.count, inProgress.inDoubt], [40, 1, none])
  assert.deepEqual(
    methods.map(({ method, ended, days }) => [method, ended, days.length, days.at(-1)]),
    [['momo', 3, 7, { day: today.day, successful: 2, ended: 3 }]],
  )
})

test('a charge of a past day that ends late counts on its day, of one merchant only', async (t) => {
  const { malipo, merchant, charged } = await setUp(t)
  t.after(() => malipo.ask(`update clock_offset set ahead = '0'`))
  const zone = zoneOfNoon()
  await charged(250)
  await charged(80, 'failed')
  const open = await charge(merchant, { phone: newPhone(), amount: 40 })
  await malipo.later(3 * 86_400)
  const countOf = async (of: Merchant) =>
    (await read(malipo, of, zone)).methods.map(({ method, ended, days }) => [
      ...[method, ended],
      days.map((day) => [day.successful, day.ended]),
    ])
  const daysWith = (counts: readonly number[]) => [[0, 0], [0, 0], [0, 0], counts, [0, 0], [0, 0], [0, 0]]
  const before = await countOf(merchant)
  await malipo.ask(`update transactions set state = 'successful' where id = $1`, [readId('transaction', open)])
  const after = await until('a new count', async () => {
    const found = await countOf(merchant)
    return found[0]?.[1] === 3 && found
  })

  assert.deepEqual(before, [['momo', 2, daysWith([1, 2])]])
  assert.deepEqual(after, [['momo', 3, daysWith([2, 3])]])
  assert.deepEqual(await countOf(await malipo.merchant()), [])
})

test('what needs attention is counted: doubts, short transfers, debts and endpoints', async (t) => {
  const { malipo, merchant } = await setUp(t)
  t.after(() => malipo.ask(`update clock_offset set ahead = '0'`))
  const calm = await read(malipo, merchant, 'UTC')
  const doubtful = await payOut(merchant)
  const short = await charge(merchant, { phone: newPhone() })
  await malipo.ask(`update transactions set state = 'unknown', doubt = 'no_response' where id = $1`, [
    readId('transaction', doubtful),
  ])
  await malipo.ask(`update transactions set received = 1 where id = $1`, [readId('transaction', short)])
  await malipo.ask(`update wallets set owed = 550 where merchant_id = $1 and currency = 'KES'`, [
    readId('merchant', merchant.id),
  ])
  const url = 'http://127.0.0.1:9/hooks'
  assert.equal((await merchant.call('POST', '/api/b2b/webhook-endpoints', { url })).status, 200)
  await malipo.ask(`update added_webhook_endpoints set failures = 3, failing_since = now() where merchant_id = $1`, [
    readId('merchant', merchant.id),
  ])
  await malipo.later(16 * 60)

  const { attention } = await read(malipo, merchant, 'Africa/Nairobi')

  const nothing = { count: 0, transactionIds: [] }
  assert.deepEqual(calm.attention, {
    payoutsToApprove: 0,
    webhookEndpoints: { failing: 0, disabled: 0 },
    inDoubt: nothing,
    underpaid: nothing,
    walletsBelowZero: [],
  })
  assert.deepEqual(attention, {
    payoutsToApprove: 0,
    webhookEndpoints: { failing: 1, disabled: 0 },
    inDoubt: { count: 1, transactionIds: [doubtful] },
    underpaid: { count: 1, transactionIds: [short] },
    walletsBelowZero: [{ currency: 'KES', country: 'KE', owed: 5.5 }],
  })
})

test('an unknown zone, an offset and an unknown currency are refused', async (t) => {
  const { malipo, merchant } = await setUp(t)
  const viewer = await member(malipo, merchant.id, ['viewer'])

  for (const [query, code] of [
    ['currency=KES&zone=Africa/Nowhere', 'VALIDATION_ERROR'],
    ['currency=KES&zone=%2B03:00', 'VALIDATION_ERROR'],
    ['currency=KES&zone=', 'VALIDATION_ERROR'],
    [`currency=KES&zone=${encodeURIComponent("UTC'; select 1")}`, 'VALIDATION_ERROR'],
    ['zone=UTC', 'VALIDATION_ERROR'],
    ['currency=ABC', 'UNSUPPORTED_CURRENCY'],
  ]) {
    const { body } = await viewer.call('GET', pathIn(merchant.id, 'sandbox', `/summary?${query}`))
    assert.equal(body['errorCode'], code, query)
  }
})
