import assert from 'node:assert/strict'
import { test } from 'node:test'
import { testDatabase } from '../packages/server/src/dev-stack/servers.ts'
import { until } from '../packages/server/src/dev-stack/until.ts'
import { readId } from '../packages/server/src/platform/ids.ts'
import { openCell } from './support/cluster/cell.ts'
import { startControlledSimulator } from './support/cluster/simulator-control.ts'
import { chargeBody, payoutBody } from './support/load/payments.ts'

/** Every payment has rows in these. */
const tables = 'transactions|attempts|events|transfers|ledger_batches|webhook_records|timers|external_references'

const rounds = 10
const atOnce = 10
/** Rows read from an index for each payment: few by key, and ever more by a full scan. This test itself reads transactions. */
const rowsMax = 20

test('plans made while a month’s tables are empty use their keys, and stay right when full', async (t) => {
  const simulator = await startControlledSimulator(t)
  const cell = openCell(t, await testDatabase(), simulator.settings)
  const [api, merchant] = [await cell.start('api', 'api'), await cell.merchant()]
  const worker = await cell.start('worker', 'worker')
  await simulator.tune({ callbackBase: `${api.url}/callbacks/sandbox` })
  const readFromEndToEnd = () =>
    cell.ask<{ name: string; times: number }>(
      `select relname as name, seq_scan::int as times from pg_stat_user_tables where relname ~ $1 and seq_tup_read > 0`,
      [`^(${tables})_?[0-9]*$`],
    )
  const readByIndexMoreThan = (most: number) =>
    cell.ask<{ name: string; rows: number }>(
      `select indexrelname as name, idx_tup_read::int as rows
       from pg_stat_user_indexes
       where relname ~ $1 and relname !~ '^transactions' and idx_tup_read > $2`,
      [`^(${tables})_?[0-9]*$`, most],
    )
  const before = await readFromEndToEnd()
  const paid = async (path: string, body: object) => {
    const { body: response } = await merchant.call(api.url, 'POST', path, body)
    const id = readId('transaction', String(response['transactionId']))
    assert.ok(id, JSON.stringify(response))
    await until(`${id} to succeed`, async () => {
      const [row] = await cell.ask<{ state: string }>('select state from transactions where id = $1', [id])
      return row?.state === 'successful'
    })
  }

  for (let times = 0; times < rounds; times += 1)
    await Promise.all(
      Array.from({ length: atOnce / 2 }, () => [
        paid('/fiat/payout', payoutBody()),
        paid('/fiat/deposit/momo', chargeBody()),
      ]).flat(),
    )
  for (const path of ['/fiat/transactions', '/events', '/wallets/statement', '/webhook'])
    await merchant.call(api.url, 'GET', path)
  await Promise.all([api.stop(), worker.stop()]) // A connection reports its statistics when it ends.

  assert.deepEqual(await readFromEndToEnd(), before)
  assert.deepEqual(await readByIndexMoreThan(rowsMax * rounds * atOnce), [])
})
