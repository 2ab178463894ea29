import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { until } from '../dev-stack/until.ts'
import { readId } from '../platform/ids.ts'
import { type PayingMalipo, payingMalipo, payOut } from '../testing/paying.ts'

type Merchant = Awaited<ReturnType<PayingMalipo['merchant']>>

let orders = 0
const reference = () => {
  orders += 1
  return `fair-${process.pid}-${orders}`
}

/** The simulator leaves numbers that end in 129 pending. */
async function payBulk({ call }: Merchant, count: number, ending = '678'): Promise<void> {
  for (let left = count; left > 0; left -= 1000) {
    const payouts = Array.from({ length: Math.min(left, 1000) }, (_, place) => ({
      amount: 10,
      currency: 'KES',
      country: 'KE',
      destination: 'MoMo',
      externalReference: reference(),
      payoutMethod: { accountName: 'Amina', accountNumber: `+25471${String(place).padStart(4, '0')}${ending}` },
    }))
    const { body } = await call('POST', '/api/b2b/fiat/payouts/bulk', { payouts })
    const data = body['data'] as { success: boolean }[]
    assert.ok(
      data.every(({ success }) => success),
      JSON.stringify(data.find(({ success }) => !success)),
    )
  }
}

async function charge({ call }: Merchant): Promise<string> {
  const order = { amount: 100, currency: 'KES', phoneNumber: '+254703456789', externalReference: reference() }
  const { status, body } = await call('POST', '/api/b2b/fiat/deposit/momo', order)
  assert.equal(status, 200, JSON.stringify(body))
  return String(body['transactionId'])
}

interface Wait {
  /** From acceptance to the claim that sent it, by the database clock: a claim leaves ten seconds to send. */
  readonly seconds: number
  /** Requests that were made for other merchants meanwhile. */
  readonly ahead: number
}

async function waitOf({ ask }: PayingMalipo, id: string): Promise<Wait> {
  const find = () =>
    ask<Wait & Record<string, unknown>>(
      `select extract(epoch from a.send_deadline - t.created_at)::float8 - 10 as seconds, (
         select count(*)::int
         from attempts b join transactions o on o.id = b.transaction_id
         where o.merchant_id <> t.merchant_id and b.sends > 0
           and b.send_deadline - interval '10 s' between t.created_at and a.send_deadline - interval '10 s'
       ) as ahead
       from transactions t join attempts a on a.transaction_id = t.id
       where t.id = $1 and a.sends > 0`,
      [readId('transaction', id)],
    )
  await until(`${id} to be sent`, async () => (await find()).length > 0)
  return (await find())[0] ?? { seconds: Number.NaN, ahead: Number.NaN }
}

interface Sent {
  readonly merchant_id: string
  readonly type: string
  readonly at: Date
}

/** What was sent, in the order of the claims. */
function sentFor({ ask }: PayingMalipo, ...merchants: Merchant[]): Promise<Sent[]> {
  return ask<Sent & Record<string, unknown>>(
    `select t.merchant_id, t.type, a.send_deadline as at
     from transactions t join attempts a on a.transaction_id = t.id
     where a.sends > 0 and t.merchant_id = any($1)
     order by a.send_deadline, t.id`,
    [merchants.map(({ id }) => readId('merchant', id))],
  )
}

/** Empty lanes: payments from earlier tests are no longer woken. */
async function emptyLanes(t: TestContext, rate: string): Promise<PayingMalipo> {
  const malipo = await payingMalipo(t, { MALIPO_SANDBOX_REQUESTS_PER_SECOND: rate })
  await malipo.ask('update transactions set wake_at = null')
  await malipo.ask('delete from timers')
  await malipo.ask('delete from lanes')
  return malipo
}

/** At 45,000 the others waited 0.38 s, measured once: the number of requests ahead of them does not depend on it. */
const bulkSize = 2000

for (const workers of [1, 2])
  test(`a bulk of one merchant delays no prompt or payout of another, with ${workers} workers`, async (t) => {
    const malipo = await emptyLanes(t, '50')
    const [big, small] = [await malipo.merchant(), await malipo.merchant()]
    for (let started = 0; started < workers; started += 1) malipo.work()
    await payBulk(big, bulkSize)

    const [prompt, payout] = [await charge(small), (await payOut(small)).id]
    const waits = [await waitOf(malipo, prompt), await waitOf(malipo, payout)]

    for (const { seconds, ahead } of waits)
      t.diagnostic(`waited ${seconds.toFixed(2)} s, ${ahead} requests ahead of it`)
    // Seconds depend on the machine; the number of requests that the provider takes in two seconds does not.
    assert.ok(
      waits.every(({ ahead }) => ahead <= 2 * 50),
      JSON.stringify(waits),
    )
    const sent = await sentFor(malipo, big, small)
    assert.ok(sent.length < 0.75 * bulkSize, 'the bulk was sent before: nothing was proved')
  })

test('queries about hanging payments do not delay a payout, and are still made', async (t) => {
  const malipo = await emptyLanes(t, '20')
  const [hanging, other] = [await malipo.merchant(), await malipo.merchant()]
  malipo.work()
  await payBulk(hanging, 100, '129')
  await until('all to be sent', async () => (await sentFor(malipo, hanging)).length === 100)
  const asked = () => malipo.ask(`select from attempts where polls > 1`).then(({ length }) => length)
  await malipo.later(120)

  const { ahead } = await waitOf(malipo, (await payOut(other)).id)

  assert.ok(ahead <= 2 * 20, `${ahead} requests ahead of it`)
  await until('questions to be asked', async () => (await asked()) > 0)
})

test('payouts keep their share of a lane while prompts fill it', async (t) => {
  const malipo = await emptyLanes(t, '20')
  const [selling, paying] = [await malipo.merchant(), await malipo.merchant()]
  await Promise.all(Array.from({ length: 80 }, () => charge(selling)))
  await payBulk(paying, 40)

  malipo.work()

  await until('60 to be sent', async () => (await sentFor(malipo, selling, paying)).length >= 60)
  const first = (await sentFor(malipo, selling, paying)).slice(0, 60)
  const payouts = first.filter(({ type }) => type === 'withdrew').length
  assert.ok(payouts >= 6 && payouts <= 18, `${payouts} of the first 60; a fifth is their share`)
})

test("two workers together stay within the provider's rate limit", async (t) => {
  const malipo = await emptyLanes(t, '20')
  const merchant = await malipo.merchant()
  await payBulk(merchant, 120)

  malipo.work()
  malipo.work()

  const sent = () => sentFor(malipo, merchant)
  await until('all to be sent', async () => (await sent()).length === 120)
  const times = (await sent()).map(({ at }) => at.getTime())
  const seconds = (Math.max(...times) - Math.min(...times)) / 1000
  assert.ok(120 <= 20 + 20 * seconds + 1, `120 in ${seconds} s`)
})

test('an operation with its own limit keeps to it, and the others do not wait for it', async (t) => {
  const malipo = await emptyLanes(t, '40 payout=5')
  const merchant = await malipo.merchant()
  await payBulk(merchant, 30)
  malipo.work()

  await waitOf(malipo, await charge(merchant))
  await until('half to be sent', async () => (await sentFor(malipo, merchant)).length > 15)

  const charged = (await sentFor(malipo, merchant)).findIndex(({ type }) => type === 'deposit')
  assert.ok(charged !== -1 && charged <= 2 * 5, `${charged} payouts ahead of it`)
  const payouts = (await sentFor(malipo, merchant)).filter(({ type }) => type === 'withdrew')
  const times = payouts.map(({ at }) => at.getTime())
  const seconds = (Math.max(...times) - Math.min(...times)) / 1000
  assert.ok(payouts.length <= 5 + 5 * seconds + 1, `${payouts.length} in ${seconds} s`)
})

test('a merchant with more payouts than a worker keeps in memory is worked off to the last one', async (t) => {
  const malipo = await emptyLanes(t, '1000')
  const [merchant, count] = [await malipo.merchant(), 2200]
  await payBulk(merchant, count)

  malipo.work()

  await until('all to be sent', async () => (await sentFor(malipo, merchant)).length === count)
})

test('a lane reads the timers of a backlog a few times, not at every poll', async (t) => {
  const malipo = await emptyLanes(t, '4')
  const merchant = await malipo.merchant()
  const [backlog, polls] = [1000, 40]
  await payBulk(merchant, backlog)
  const read = async () => {
    const [row] = await malipo.ask<{ rows: number }>(
      `select sum(idx_tup_read)::int as rows from pg_stat_user_indexes where relname ~ '^timers_[0-9]+$'`,
    )
    return row?.rows ?? 0
  }
  const before = await read()
  malipo.work()

  // At four a second, 40 claims take ten seconds and at least as many polls.
  await until('40 to be sent', async () => (await sentFor(malipo, merchant)).length >= polls)

  const rows = (await read()) - before
  t.diagnostic(`${rows} timers read in at least ${polls} looks at a backlog of ${backlog}`)
  assert.ok(rows < (backlog * polls) / 2, `${rows} timers read`)
})
