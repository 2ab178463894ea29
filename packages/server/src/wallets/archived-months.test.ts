import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { until } from '../dev-stack/until.ts'
import { createPlatformAccounts } from '../ledger/accounts.ts'
import { newTransactionId, readId } from '../platform/ids.ts'
import { movement } from '../testing/ledger.ts'
import { testMalipo } from '../testing/malipo.ts'
import { createPoster } from '../testing/poster.ts'

interface Statement {
  opening: number
  closing: number
  lines: { transactionId: string; type: string; kind: string; amount: number; balance: number }[]
}

const monthMs = 31 * 24 * 3600 * 1000

/**
 * A merchant with 1,000,000 KES, whose wallet has lines in this month and in an archived one, which is the next month here: a
 * line belongs to the month of its transaction, not to the time it was booked.
 */
async function archiving(t: TestContext) {
  const malipo = await testMalipo(t)
  const merchant = await malipo.merchant()
  const [wallet] = await malipo.ask<{ id: string }>(
    `select id from wallets where merchant_id = $1 and currency = 'KES'`,
    [readId('merchant', merchant.id)],
  )
  const credit_account = wallet?.id ?? ''
  const debit_account = await createPlatformAccounts(malipo.ctx.db.write, 0).idOf({
    ...{ env: 'sandbox', kind: 'fees', currency: 'KES' },
  })
  const poster = createPoster(malipo.ctx.db.write)
  const receive = async (amount: bigint, at = Date.now()) => {
    const transaction_id = newTransactionId(at, 0)
    const line = movement({ kind: 'transfer', transaction_id, debit_account, credit_account, amount })
    assert.equal(await poster.submit({ wallets: [credit_account], movements: [line] }), undefined)
  }
  const [{ part } = assert.fail()] = await malipo.ask<{ part: string }>(
    `select month_of('transfers', (now() at time zone 'UTC' + interval '1 month')::date) as part`,
  )
  return {
    malipo,
    wallet: credit_account,
    receive,
    receiveInArchivedMonth: (amount: bigint) => receive(amount, nextMonth()),
    check: () => malipo.operator.ledger.check({ isFull: false }),
    /** Removes the transfers of the month, as `malipo archive` does with those of ended payments. */
    archive: async () => {
      // Lines newer than any open transaction in the cluster are not checked yet.
      await until('the month to be checked', async () => {
        await malipo.operator.ledger.check({ isFull: false })
        const unchecked = await malipo.ask(
          `select from ${part} where batch >= (select checked_below from ledger_checkpoints)`,
        )
        return unchecked.length === 0
      })
      await malipo.ask(`create table removed as select * from ${part}`)
      await malipo.ask(`delete from ${part}`)
      t.after(async () => {
        await malipo.ask(`insert into ${part} select * from removed`)
        await malipo.ask('drop table removed')
      })
    },
    statement: async (query = '') => {
      const { status, body } = await merchant.call('GET', `/api/b2b/wallets/statement?currency=KES${query}`)
      assert.equal(status, 200, JSON.stringify(body))
      return body['data'] as Statement
    },
  }
}

/** The first day of a month after this one. */
function start(monthsAhead: number): string {
  const now = new Date()
  return `${new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + monthsAhead)).toISOString().slice(0, 10)}Z`
}

const nextMonth = () => Date.parse(start(1).replace('Z', 'T00:00:00Z')) + monthMs / 2

/** How many transfers were checked. Those newer than any open transaction in the cluster come in a later check. */
async function checkedBy(check: () => Promise<{ readonly transfers: number }>, atLeast: number): Promise<number> {
  let checked = 0
  await until('all to be checked', async () => {
    checked += (await check()).transfers
    return checked >= atLeast
  })
  return checked
}

test('a statement opens with the right balance, although earlier months are archived', async (t) => {
  const { receiveInArchivedMonth, archive, receive, check, statement } = await archiving(t)
  await receiveInArchivedMonth(70_00n)
  const later = `&startDate=${new Date(Date.now() + monthMs).toISOString().slice(0, 10)}`
  assert.equal((await statement(later)).opening, 1_000_070)
  await check()

  await archive()
  assert.equal((await statement(later)).opening, 1_000_070)
  await receive(5_00n)

  const { opening, lines, closing } = await statement()
  assert.deepEqual([opening, closing], [0, 1_000_075])
  assert.equal(lines.at(-1)?.balance, 1_000_075)
})

test('archived lines between others are summed in one line, so the lines add up to the closing', async (t) => {
  const { receiveInArchivedMonth, archive, receive, check, statement } = await archiving(t)
  await receive(1_00n)
  await receiveInArchivedMonth(30_00n)
  await receiveInArchivedMonth(40_00n)
  await receive(2_00n)
  await check()

  await archive()

  const { opening, lines, closing } = await statement()
  assert.deepEqual(
    lines.map(({ type, kind, transactionId, amount, balance }) => [type, kind, transactionId !== '', amount, balance]),
    [
      ['wallet_funded', 'funding', true, 1_000_000, 1_000_000],
      ['test', 'payment', true, 1, 1_000_001],
      ['archived', 'archived', false, 70, 1_000_071],
      ['test', 'payment', true, 2, 1_000_073],
    ],
  )
  assert.deepEqual([opening, closing], [0, 1_000_073])
})

test('archived lines after the last one are summed too', async (t) => {
  const { receiveInArchivedMonth, archive, check, statement } = await archiving(t)
  await receiveInArchivedMonth(70_00n)
  await check()

  await archive()

  const { lines, closing } = await statement()
  assert.deepEqual(
    lines.map(({ type, amount, balance }) => [type, amount, balance]),
    [
      ['wallet_funded', 1_000_000, 1_000_000],
      ['archived', 70, 1_000_070],
    ],
  )
  assert.equal(closing, 1_000_070)
})

test('a ledger check continues at the next line of a wallet whose checked month is archived', async (t) => {
  const { receiveInArchivedMonth, archive, receive, check } = await archiving(t)
  await receiveInArchivedMonth(70_00n)
  await check()

  await archive()
  await receive(5_00n)
  await receive(6_00n)

  assert.equal(await checkedBy(check, 2), 2)
})

test('money that moves late in an archived month is booked, and the ledger check passes', async (t) => {
  const { receiveInArchivedMonth, archive, check, statement } = await archiving(t)
  await receiveInArchivedMonth(70_00n)
  await check()
  await archive()

  await receiveInArchivedMonth(3_00n)

  assert.equal(await checkedBy(check, 1), 1)
  assert.equal((await statement()).closing, 1_000_073)
})

test('a full check is refused while a month is not attached, and names it', async (t) => {
  const { malipo } = await archiving(t)
  const [{ part, bounds } = assert.fail()] = await malipo.ask<{ part: string; bounds: string }>(
    `select relname as part, pg_get_expr(relpartbound, oid) as bounds
     from pg_class where relname = month_of('transfers', (now() at time zone 'UTC')::date)`,
  )
  await malipo.operator.ledger.check({ isFull: true })

  await malipo.ask(`alter table transfers detach partition ${part}`)
  await assert.rejects(malipo.operator.ledger.check({ isFull: true }), new RegExp(`${part} is not attached`))
  await malipo.ask(`alter table transfers attach partition ${part} ${bounds}`)

  await malipo.operator.ledger.check({ isFull: true })
})

test('a ledger check finds a wrong running balance after an archived month', async (t) => {
  const { malipo, wallet, receiveInArchivedMonth, archive, receive, check } = await archiving(t)
  await receiveInArchivedMonth(70_00n)
  await check()
  await archive()

  const credit = (amount: number) =>
    malipo.ask('update wallets set credits_posted = credits_posted + $2 where id = $1', [wallet, amount])
  await credit(1)
  await receive(5_00n) // Its line is written with the wrong balance.
  await credit(-1) // Otherwise a check that does not reach the line yet finds the wrong wallet first.

  await assert.rejects(checkedBy(check, 1), /the running balance of a wallet does not add up/)
})
