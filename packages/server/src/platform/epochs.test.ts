import assert from 'node:assert/strict'
import { test } from 'node:test'
import { testDatabase } from '../dev-stack/servers.ts'
import { until } from '../dev-stack/until.ts'
import { checkLedger } from '../ledger/check/check.ts'
import { foldDeltas } from '../ledger/deltas.ts'
import { sealHeads } from '../ledger/seals.ts'
import { movement, openTestDatabase, testLedger } from '../testing/ledger.ts'
import { testMalipo } from '../testing/malipo.ts'
import { DatabaseMoved } from './connections.ts'
import { sql } from './db.ts'
import { migrate } from './migrate.ts'
import { Secret } from './secret.ts'

const migrateAll = async () => migrate(new Secret((await testDatabase()).superuserUrl), 0)

/** Leaves the database as a dump from a cluster this many transactions ahead would. */
const comesFromAhead = (ask: (text: string) => Promise<unknown>, ahead: number) =>
  ask(`insert into batch_commits (batch) values (next_batch() + ${ahead})`)

test('a database on its own cluster starts no epoch, however often it is migrated', async (t) => {
  const { ask } = await testLedger(t)

  for (let times = 0; times < 2; times += 1) assert.deepEqual(await migrateAll(), { applied: [], epoch: undefined })

  assert.deepEqual(await ask('select number, batch_offset from batch_epochs'), [{ number: 0, batch_offset: '0' }])
})

test('a database ahead of its cluster refuses new writers until an epoch starts', async (t) => {
  const malipo = await testMalipo(t)
  const { loginUrl } = await testDatabase()
  await comesFromAhead(malipo.ask, 1_000_000)
  const [moved, again] = [openTestDatabase(loginUrl), openTestDatabase(loginUrl)]
  t.after(() => Promise.all([moved.close(), again.close()]))

  await assert.rejects(moved.write.query(sql`select 1`), DatabaseMoved)
  await assert.rejects(
    moved.write.batch(200, async () => undefined),
    DatabaseMoved,
  )
  const { body } = await until('the process not to be ready', async () => {
    const ready = await malipo.call('GET', '/health/ready')
    return ready.status === 503 && ready
  })
  assert.match(JSON.stringify(body['checks']), /restored from another cluster\. Run malipo migrate/)
  assert.equal((await migrateAll()).epoch, 1)

  assert.equal(await again.write.batch(200, async () => 'written'), 'written')
  assert.equal((await migrateAll()).epoch, undefined)
})

test('after an epoch starts numbers exceed all earlier ones, deltas fold once, and books agree', async (t) => {
  const { db, poster, wallets, account, ask } = await testLedger(t)
  const [wallet = ''] = await wallets(1, 1000n)
  const clearing = await account('clearing')
  const hold = () =>
    poster.submit({
      wallets: [wallet],
      movements: [movement({ kind: 'hold', debit_account: wallet, credit_account: clearing, amount: 1n })],
    })
  const check = async () => {
    for (const isFull of [false, true]) await checkLedger(db.write, { isFull, sealLines: [] })
  }
  await hold()
  await foldDeltas(db.write)
  await check()

  for (const epoch of [2, 3]) {
    await comesFromAhead(ask, 5000)
    const [before] = await ask<{ highest: string }>('select highest_batch()::text as highest')
    assert.equal((await migrateAll()).epoch, epoch)
    await hold()
    const [{ lowest } = { lowest: '0' }] = await ask<{ lowest: string }>(
      'select max(batch)::text as lowest from ledger_batches',
    )
    assert.ok(BigInt(lowest) > BigInt(before?.highest ?? 0))
    assert.ok(await sealHeads(db.write))
    await foldDeltas(db.write)
    await check()
  }
})
