import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { testDatabase } from '../dev-stack/servers.ts'
import { openBooks } from '../ledger/books.ts'
import { createWriter } from '../ledger/chain.ts'
import { type Db, type Owner, sql } from '../platform/db.ts'
import { newId } from '../platform/ids.ts'
import { movement, openTestDatabase, testLedger } from '../testing/ledger.ts'
import { readWalletFlow, sumOf, type WalletFlow } from './flow.ts'
import { dayUs, sumDays } from './sum-days.ts'

const { signal } = new AbortController()
const linesMax = 3
const funds = 100_00n

type WalletRow = Owner & { readonly currency: string; readonly country: string }

/** A wallet with funds on its first day, and what is in its sums and in the ledger. */
async function setUp(t: TestContext) {
  const ledger = await testLedger(t)
  const { db, ask, poster } = ledger
  t.after(() => ask(`update clock_offset set ahead = '0'`))
  // From noon, so that no day ends by itself.
  await ask(`update clock_offset set ahead = date_trunc('day', now(), 'UTC') + interval '36 hours' - now()`)
  const [wallet = ''] = await ledger.wallets(1, funds)
  const other = await ledger.account('treasury')
  const [row = assert.fail()] = await ask<Record<keyof WalletRow, string>>(
    'select merchant_id, env, currency, country from wallets where id = $1',
    [wallet],
  )
  const { currency, country, ...owner } = row as WalletRow
  const line = (amount: bigint) =>
    amount > 0n
      ? movement({ kind: 'transfer', debit_account: other, credit_account: wallet, amount })
      : movement({ kind: 'transfer', debit_account: wallet, credit_account: other, amount: -amount })
  const today = (BigInt(Date.now()) * 1000n) / dayUs
  const period = { currency, country, from: (today - 1n) * dayUs, to: (today + 30n) * dayUs }
  const grouped = `event, number, is_credit, sum(amount)::text as amount, sum(count)::int as count`
  return {
    ...{ db, ask, owner, wallet, line },
    post: async (amount: bigint) =>
      assert.equal(await poster.submit({ wallets: [wallet], movements: [line(amount)] }), undefined),
    nextDay: () => ask(`update clock_offset set ahead = ahead + interval '1 day'`),
    flow: (days: Partial<typeof period> = {}) => readWalletFlow(db.read, owner, { ...period, ...days }),
    today,
    summed: () =>
      ask(
        `select day, ${grouped} from wallet_day_sums where wallet_id = $1 group by day, event, number, is_credit order by 1, 2, 3, 4`,
        [wallet],
      ),
    /** The same of the ledger's lines, of every day before that of the newest. */
    pastLines: () =>
      ask(
        `select (entry_at / ${dayUs})::int as day, ${grouped}
         from (select *, credit_account = wallet_id as is_credit, 1 as count from transfers) t
         where wallet_id = $1 and entry_at < (select entry_at / ${dayUs} * ${dayUs} from wallets where id = $1)
         group by 1, 2, 3, 4 order by 1, 2, 3, 4`,
        [wallet],
      ),
  }
}

function assertExact({ opening, into, out, closing }: WalletFlow): void {
  assert.equal(opening + sumOf(into), sumOf(out) + closing)
  // A part of archived lines would hide a wrong sum.
  assert.deepEqual(
    [...into, ...out].filter(({ kind }) => kind === 'archived'),
    [],
  )
}

test('every flow is exact while two processes sum past days and money moves', async (t) => {
  const { db, post, nextDay, flow, summed, pastLines } = await setUp(t)
  const other = openTestDatabase((await testDatabase()).loginUrl)
  t.after(() => other.close())
  let isMoving = true
  const move = async () => {
    for (let day = 0; day < 6; day += 1) {
      await Promise.all(Array.from({ length: 10 }, (_, n) => post(n % 3 === 0 ? -BigInt(n + 1) : BigInt(n + 1))))
      await nextDay()
    }
    await post(1n)
    isMoving = false
  }
  const sum = async (of: Db) => {
    while (isMoving) await sumDays(of, { signal, linesMax })
    await sumDays(of, { signal, linesMax })
  }
  const flows: WalletFlow[] = []
  const read = async () => {
    while (isMoving) flows.push(await flow())
  }

  await Promise.all([move(), sum(db.write), sum(other.write), read(), read()])

  assert.ok(flows.length > 5)
  for (const each of flows) assertExact(each)
  const last = await flow()
  assertExact(last)
  const lines = [...last.into, ...last.out].reduce((count, each) => count + each.count, 0)
  assert.equal(lines, 62)
  assert.deepEqual(await summed(), await pastLines())
})

test('a day is not summed while an open transaction may add a line to it', async (t) => {
  const { db, wallet, line, post, nextDay, flow, summed, pastLines } = await setUp(t)
  const written = Promise.withResolvers<void>()
  const released = Promise.withResolvers<void>()
  const open = db.write.batch(1000, async (tx) => {
    const books = await openBooks(tx, createWriter(), [], [wallet])
    books.apply([line(7n)])
    await books.write()
    written.resolve()
    await released.promise
  })
  await written.promise
  await nextDay()

  await sumDays(db.write, { signal })
  const whileOpen = await summed()
  released.resolve()
  await open
  await sumDays(db.write, { signal })
  const afterIt = await summed()
  await post(1n)
  await sumDays(db.write, { signal })

  assert.deepEqual([whileOpen, afterIt], [[], []])
  const sums = await summed()
  assert.deepEqual(
    sums.map(({ amount, count }) => [amount, count]),
    [[String(funds + 7n), 2]],
  )
  assert.deepEqual(sums, await pastLines())
  assertExact(await flow())
})

test('a batch that began on a summed day adds its line to a later day', async (t) => {
  const { db, wallet, line, post, nextDay, flow, summed, pastLines } = await setUp(t)
  const begun = Promise.withResolvers<void>()
  const released = Promise.withResolvers<void>()
  const late = db.write.batch(1000, async (tx) => {
    begun.resolve()
    await released.promise
    const books = await openBooks(tx, createWriter(), [], [wallet])
    books.apply([line(7n)])
    await books.write()
  })
  await begun.promise
  await nextDay()
  await post(1n)
  await sumDays(db.write, { signal })
  const before = await summed()

  released.resolve()
  await late

  assert.equal(before.length, 1)
  assert.deepEqual(await pastLines(), before)
  assertExact(await flow())
})

test('a process killed between any two statements leaves whole days, and the next one sums the rest', async (t) => {
  const { db, post, nextDay, flow, summed, pastLines } = await setUp(t)
  for (let day = 0; day < 2; day += 1) {
    for (let n = 0; n < 7; n += 1) await post(5n)
    await nextDay()
  }
  await post(1n)
  const past = await pastLines()
  const killedAfter = (statements: number): Db => {
    let left = statements
    return { query: (query) => (left-- > 0 ? db.write.query(query) : Promise.reject(new Error('killed'))) }
  }

  const days: number[] = []
  let kills = 0
  while (
    await sumDays(killedAfter(kills), { signal, linesMax }).then(
      () => false,
      () => true,
    )
  ) {
    const sums = await summed()
    assert.deepEqual(sums, past.slice(0, sums.length))
    days.push(sums.length)
    assertExact(await flow())
    kills += 1
  }
  await sumDays(db.write, { signal, linesMax })

  assert.deepEqual([...new Set(days)], [0, 1, 2])
  assert.deepEqual(await summed(), past)
})

test('a stop ends the work between two statements', async (t) => {
  const { db, post, nextDay, summed } = await setUp(t)
  await nextDay()
  await post(1n)
  const stopping = new AbortController()
  let statements = 0
  const stopped: Db = {
    query: (query) => {
      statements += 1
      stopping.abort()
      return db.write.query(query)
    },
  }

  await sumDays(stopped, { signal: stopping.signal })

  assert.equal(statements, 1)
  assert.deepEqual(await summed(), [])
})

test('a merchant reads sums of its own wallets only', async (t) => {
  const { db, owner, wallet, post, nextDay } = await setUp(t)
  await nextDay()
  await post(1n)
  await sumDays(db.write, { signal })
  const read = (of: Owner) => db.read.query<{ wallet_id: string }>(of, sql`select wallet_id from wallet_day_sums`)

  const own = await read(owner)
  const others = await read({ ...owner, merchant_id: newId(Date.now(), 0) })
  const live = await read({ ...owner, env: 'live' })

  assert.deepEqual(own, [{ wallet_id: wallet }])
  assert.deepEqual([others, live], [[], []])
})

test('a sum of a day is never changed or deleted', async (t) => {
  const { db } = await setUp(t)

  await assert.rejects(db.write.query(sql`update wallet_day_sums set amount = amount + 1`), { code: '42501' })
  await assert.rejects(db.write.query(sql`delete from wallet_day_sums`), { code: '42501' })
})

test('a flow of a zone whose days start within summed days is that of its lines, to the minor unit', async (t) => {
  const { db, ask, wallet, post, flow, today } = await setUp(t)
  for (let hours = 0; hours < 80; hours += 5) {
    await post(hours % 3 === 0 ? -BigInt(hours + 1) : BigInt(hours + 1))
    await ask(`update clock_offset set ahead = ahead + interval '5 hours'`)
  }
  const hourUs = dayUs / 24n
  const cuts = [-21n, 3n, 10n, 21n, 24n, 27n, 45n, 69n, 72n, 93n, 117n].map((hours) => today * dayUs + hours * hourUs)
  const periods = cuts.flatMap((from, index) => cuts.slice(index).map((to) => ({ from, to })))
  const linesIn = async ({ from, to }: (typeof periods)[number]) => {
    const [sums = assert.fail()] = await ask<Record<'before' | 'into' | 'out' | 'lines', string>>(
      `select coalesce(sum(change) filter (where entry_at < ${from}), 0) as before,
         coalesce(sum(change) filter (where change > 0 and entry_at >= ${from}), 0) as into,
         coalesce(-sum(change) filter (where change < 0 and entry_at >= ${from}), 0) as out,
         count(*) filter (where entry_at >= ${from}) as lines
       from (
         select entry_at, case when credit_account = wallet_id then amount else -amount end as change
         from transfers
         where wallet_id = $1 and entry_at < ${to}
       ) as moved`,
      [wallet],
    )
    const [opening, into, out] = [BigInt(sums.before), BigInt(sums.into), BigInt(sums.out)]
    return { opening, into, out, closing: opening + into - out, lines: Number(sums.lines) }
  }
  const expected = await Promise.all(periods.map(linesIn))
  const read = async () =>
    (await Promise.all(periods.map((period) => flow(period)))).map(({ opening, into, out, closing }) => {
      const lines = [...into, ...out].reduce((count, each) => count + each.count, 0)
      return { opening, into: sumOf(into), out: sumOf(out), closing, lines }
    })
  const fromLedger = await read()

  await sumDays(db.write, { signal })

  assert.deepEqual(fromLedger, expected)
  assert.deepEqual(await read(), expected)
  assert.ok(expected.filter(({ lines }) => lines > 0).length > periods.length / 2)
})

test('a flow of summed days stays the same when their lines are archived', async (t) => {
  const { db, ask, wallet, post, nextDay, flow, today } = await setUp(t)
  await post(5_00n)
  for (const amount of [7_00n, -3_00n, 9_00n]) {
    await nextDay()
    await post(amount)
    await post(1_00n)
  }
  await sumDays(db.write, { signal })
  const startOf = (day: bigint) => (today + day) * dayUs
  const periods = [
    {},
    { from: startOf(0n), to: startOf(2n) },
    { from: startOf(1n), to: startOf(3n) },
    { from: startOf(2n), to: startOf(3n) },
    { from: startOf(3n) },
    { from: startOf(4n) },
  ]
  const read = () => Promise.all(periods.map((days) => flow(days)))
  const before = await read()
  for (const each of before) assertExact(each)
  assert.ok(before.slice(0, 5).every(({ into }) => sumOf(into) > 0n))
  // A line is archived with the month of its payment, so a day may keep a part of its lines.
  const archive = (lines: string) =>
    ask(`delete from transfers where wallet_id = $1 and entry_at < ${startOf(3n)} and ${lines}`, [wallet])

  await archive(`entry_at in (select min(entry_at) from transfers where wallet_id = $1 group by entry_at / ${dayUs})`)
  assert.deepEqual(await read(), before)
  await archive('true')
  assert.deepEqual(await read(), before)
})
