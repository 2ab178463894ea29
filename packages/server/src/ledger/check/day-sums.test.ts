import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { movement, testLedger } from '../../testing/ledger.ts'
import { sumDays } from '../../wallets/sum-days.ts'
import { sealHeads } from '../seals.ts'
import { checkLedger } from './check.ts'

/** A wallet with a line each on three days, of which two are added up and compared. */
async function setUp(t: TestContext) {
  const ledger = await testLedger(t)
  const { db, ask, poster } = ledger
  t.after(() => ask(`update clock_offset set ahead = '0'`))
  await ask(`update clock_offset set ahead = date_trunc('day', now(), 'UTC') + interval '36 hours' - now()`)
  const [wallet = ''] = await ledger.wallets(1, 100n)
  const treasury = await ledger.account('treasury')
  const nextDay = async () => {
    await ask(`update clock_offset set ahead = ahead + interval '1 day'`)
    const line = movement({ kind: 'transfer', debit_account: treasury, credit_account: wallet, amount: 7n })
    assert.equal(await poster.submit({ wallets: [wallet], movements: [line] }), undefined)
    await sumDays(db.write, { signal: new AbortController().signal })
  }
  const check = (isFull: boolean) => checkLedger(db.write, { isFull, sealLines: [] })
  await nextDay()
  await nextDay()
  await sealHeads(db.write)
  await check(false)
  const add = (amount: number, which: 'min' | 'max') =>
    ask(
      `update wallet_day_sums set amount = amount + $2
       where wallet_id = $1 and day = (select ${which}(day) from wallet_day_sums where wallet_id = $1)`,
      [wallet, amount],
    )
  return { ...ledger, wallet, nextDay, check, add }
}

const found = /the sums of the days of wallet .* add up to/

test('an ordinary check finds a wrong sum of a day that is new to it', async (t) => {
  const { nextDay, check, add } = await setUp(t)
  await nextDay()
  await add(1, 'max')

  await assert.rejects(check(false), found)
  await assert.rejects(check(false), found) // What was wrong does not count as compared.
  await add(-1, 'max')

  await check(false)
})

test('a sum that changes after it was compared is found by a full check only', async (t) => {
  const { nextDay, check, add } = await setUp(t)
  await add(1, 'min')

  await nextDay()
  await check(false)
  await assert.rejects(check(true), found)

  await add(-1, 'min')
  await check(true)
})

test('days that were removed from the end are compared from the first one again', async (t) => {
  const { nextDay, check, add, ask, wallet } = await setUp(t)
  await ask(
    'delete from wallet_day_sums where wallet_id = $1 and day = (select max(day) from wallet_day_sums where wallet_id = $1)',
    [wallet],
  )
  await check(false)
  await add(1, 'min')
  await check(false)
  await ask('update checked_accounts set day = day + 9 where account_id = $1', [wallet])

  await assert.rejects(check(false), found)

  await add(-1, 'min')
  await nextDay()
  await check(false)
})
