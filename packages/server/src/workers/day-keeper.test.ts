import assert from 'node:assert/strict'
import { test } from 'node:test'
import { until } from '../dev-stack/until.ts'
import { readId } from '../platform/ids.ts'
import { testMalipo } from '../testing/malipo.ts'
import { startDayKeeper } from './day-keeper.ts'

test('a worker sums the past days of wallets when it starts, and ends when it is stopped', async (t) => {
  const malipo = await testMalipo(t)
  t.after(() => malipo.ask(`update clock_offset set ahead = '0'`))
  const { id } = await malipo.merchant()
  await malipo.ask(`update clock_offset set ahead = '1 day'`)
  await malipo.operator.wallets.fund(id, {
    ...{ env: 'sandbox', currency: 'KES', country: 'KE', amount: '700', evidence: 'bank line 88-1', reason: 'a test' },
  })

  const watch = startDayKeeper(malipo.ctx)
  t.after(() => watch.stop())
  const sums = await until('the sums', async () => {
    const rows = await malipo.ask<{ event: string; count: string }>(
      `select event, count from wallet_day_sums
       where wallet_id in (select id from wallets where merchant_id = $1 and currency = 'KES')`,
      [readId('merchant', id)],
    )
    return rows.length > 0 && rows
  })
  await watch.stop()

  assert.deepEqual(sums, [{ event: 'wallet_funded', count: '1' }])
})
