import assert from 'node:assert/strict'
import { chmodSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { messagesOf } from '../packages/server/src/dev-stack/nats.ts'
import { type Postgres, startPostgres } from '../packages/server/src/dev-stack/postgres.ts'
import { guardFolder, makeFolder } from '../packages/server/src/dev-stack/processes.ts'
import { until } from '../packages/server/src/dev-stack/until.ts'
import { sealHeads } from '../packages/server/src/ledger/seals.ts'
import { showId } from '../packages/server/src/platform/ids.ts'
import { openTestDatabase } from '../packages/server/src/testing/ledger.ts'
import { ask } from '../packages/server/src/testing/malipo.ts'
import { type Cell, type CellMerchant, type Ground, openCell } from './support/cluster/cell.ts'
import { startOwnServers } from './support/cluster/own-servers.ts'
import { openRunbook } from './support/cluster/runbook.ts'
import { startControlledSimulator } from './support/cluster/simulator-control.ts'

const moved = 'The database was restored from another cluster. Run malipo migrate, which starts a new epoch.'
const password = 'of-the-processes'

test('a dump restored at a lower or higher transaction id keeps its books and skips no event', {
  timeout: 600_000,
}, async (t) => {
  const backups = makeFolder(mkdtempSync(join(tmpdir(), 'malipo-moved-')))
  t.after(() => rmSync(backups, { recursive: true, force: true }))
  chmodSync(backups, 0o755)
  const runbook = openRunbook('move.md', backups)
  const first = await startOwnServers(t)
  await burn(first.superuserUrl, 30_000)
  const simulator = await startControlledSimulator(t)
  const { natsUrl } = first
  const cell = openCell(t, first, simulator.settings)
  const merchant = await cell.merchant()
  await payAndStop(cell, merchant, 'first', natsUrl)

  let from: Ground = first
  const moves = [
    { name: 'lower', burned: 0, epoch: 1 },
    { name: 'lower-again', burned: 0, epoch: 2 },
    { name: 'higher', burned: 60_000, epoch: undefined },
  ]
  for (const { name, burned, epoch } of moves) {
    const to = await startCluster(t, runbook.block('sql roles'))
    await burn(to.urlOf('postgres'), burned)
    const [superuserUrl, loginUrl] = [to.urlOf('malipo'), to.urlOf('malipo', { name: 'malipo', password })]
    await runbook.run('move', { OLD_URL: from.superuserUrl, NEW_URL: superuserUrl }, { isPostgres: false })
    from = { superuserUrl, loginUrl, natsUrl }
    const there = openCell(t, from, simulator.settings, undefined, cell.secrets)
    if (epoch !== undefined) await assertRefused(there, merchant)
    const settings = { ...there.operatorSettings, DATABASE_OWNER_URL: superuserUrl }
    const output = await runbook.run('migrate', settings, { isPostgres: false })
    assert.equal(/Started epoch (\d+)/.exec(output)?.[1], epoch?.toString(), output)
    await payAndStop(there, merchant, name, natsUrl)
    await assertWhole(there, loginUrl)
  }
  assert.deepEqual(await ask(from.superuserUrl, 'select number from batch_epochs order by number'), [
    { number: 0 },
    { number: 1 },
    { number: 2 },
  ])
})

/** Uses up this many transaction ids of a cluster. */
const burn = (url: string, count: number) =>
  ask(url, `do $$ begin for i in 1..${count} loop perform pg_current_xact_id(); commit; end loop; end $$`)

async function startCluster(t: TestContext, roles: string): Promise<Postgres> {
  const folder = makeFolder(mkdtempSync(join(tmpdir(), 'malipo-cluster-')))
  const guard = guardFolder(folder, { isKept: false })
  const postgres = await startPostgres(folder)
  t.after(async () => {
    await postgres.stop()
    await guard.dismiss()
  })
  const statements = roles.replace('…', password).split(';')
  await postgres.run('postgres', ...statements.filter((statement) => statement.trim() !== ''))
  return postgres
}

const payout = (externalReference: string) => ({
  amount: 100,
  currency: 'KES',
  country: 'KE',
  destination: 'MoMo',
  externalReference,
  payoutMethod: { accountName: 'Amina', accountNumber: '+254710000678' },
})

/** Pays out, waits until all payouts are paid and all events delivered, and leaves new payouts in progress. */
async function payAndStop(cell: Cell, merchant: CellMerchant, name: string, natsUrl: string): Promise<void> {
  const [api, worker] = [await cell.start('api', 'api'), await cell.start('worker', 'worker')]
  const ready = async () => (await fetch(`${api.url}/health/ready`)).status
  await until('the api to be ready', async () => (await ready()) === 200)
  const pay = async (count: number, part: string) => {
    for (let index = 0; index < count; index += 1) {
      const { status, body } = await merchant.call(api.url, 'POST', '/fiat/payout', payout(`${name}-${part}-${index}`))
      assert.equal(status, 200, JSON.stringify(body))
    }
  }
  await pay(8, 'paid')
  await until('every payout to be paid', async () => {
    const open = await cell.ask(`select from transactions where state <> 'successful'`)
    return open.length === 0
  })
  await until('every event to be relayed', async () => (await unreported(cell, natsUrl)).length === 0)
  await until('every delta to be folded', async () => {
    const left = await cell.ask('select from account_deltas where batch >= (select folded_below from delta_folds)')
    return left.length === 0
  })
  await worker.stop()
  await pay(3, 'left')
  await api.stop()
}

interface NotifiedEvent {
  readonly transactionId: string
  readonly sequence: number
}

/** Events that subscribers lack. An event that they have twice is an error. */
async function unreported(cell: Cell, natsUrl: string): Promise<string[]> {
  const rows = await cell.ask<{ transaction_id: string; number: number }>(
    'select transaction_id, number from events where name is not null',
  )
  const found = await messagesOf<NotifiedEvent>(natsUrl, 'EVENTS', 'malipo.0.events.')
  const reported = found.map(({ transactionId, sequence }) => `${transactionId} ${sequence}`)
  assert.equal(new Set(reported).size, reported.length, 'an event is in the stream twice')
  const known = new Set(reported)
  const all = rows.map(({ transaction_id, number }) => `${showId('transaction', transaction_id)} ${number}`)
  return all.filter((event) => !known.has(event))
}

/** The books agree from the last checkpoint and from the start, seals included, and batch numbers are unique. */
async function assertWhole(cell: Cell, loginUrl: string): Promise<void> {
  const db = openTestDatabase(loginUrl)
  const seal = await sealHeads(db.write).finally(() => db.close())
  assert.ok(seal, 'there was something to seal')
  const [batches] = await cell.ask<{ count: number }>('select count(*)::int from ledger_batches')
  await cell.operator.ledger.check({ isFull: false })
  const { batches: checked } = await cell.operator.ledger.check({ isFull: true })
  assert.equal(checked, batches?.count)
  assert.equal((await cell.operator.ledger.check({ isFull: false })).batches, 0)
}

/** Before the epoch starts a process reports why it is not ready, and neither it nor a command writes anything. */
async function assertRefused(cell: Cell, merchant: CellMerchant): Promise<void> {
  const state = () =>
    cell.ask(`
      select (select count(*) from batch_commits) as batches, (select count(*) from transactions) as payments,
        (select folded_below from delta_folds) as folded, (select relayed_below from relays) as relayed, (select held_by from relays)`)
  const before = await state()
  const [api, worker] = [await cell.start('api', 'early'), await cell.start('worker', 'early-worker')]

  for (const { url } of [api, worker]) {
    const response = await fetch(`${url}/health/ready`)
    const { checks } = (await response.json()) as { checks: Record<string, string> }
    assert.deepEqual([response.status, checks], [503, { database: moved }])
  }
  const refused = await merchant.call(api.url, 'POST', '/fiat/payout', payout('too-early'))
  assert.equal(refused.status, 503)
  await assert.rejects(cell.operator.ledger.check({ isFull: false }), { name: 'DatabaseMoved', message: moved })
  await until('the worker to complain', () => worker.log().includes(moved))

  for (const role of [api, worker]) await role.stop()
  assert.deepEqual(await state(), before)
}
