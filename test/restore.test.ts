import assert from 'node:assert/strict'
import { chmodSync, chownSync, copyFileSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { exitCodes } from '../packages/cli/src/exit-codes.ts'
import { login } from '../packages/server/src/dev-stack/database.ts'
import { serverUser, startPostgres } from '../packages/server/src/dev-stack/postgres.ts'
import { guardFolder, makeFolder } from '../packages/server/src/dev-stack/processes.ts'
import { until } from '../packages/server/src/dev-stack/until.ts'
import { providerKeyOf } from '../packages/server/src/platform/ids.ts'
import { cardBody, cards, codes } from '../packages/server/src/testing/charging.ts'
import { ask } from '../packages/server/src/testing/malipo.ts'
import { startBalancer } from './support/cluster/balancer.ts'
import { type Cell, type CellMerchant, type Ground, openCell } from './support/cluster/cell.ts'
import { type OwnServers, startOwnServers } from './support/cluster/own-servers.ts'
import { proofSize } from './support/cluster/proof.ts'
import { createRandom } from './support/cluster/random.ts'
import { openRunbook } from './support/cluster/runbook.ts'
import { startControlledSimulator } from './support/cluster/simulator-control.ts'
import { openShop, type Shop } from './support/load/shop.ts'
import { complaintsIn, letTimePass, type Row, readAll } from './support/oracles/payment-books.ts'

const seed = proofSize('SEED', 1)
/** Before the backup, between it and the target second, around that second, and after it. */
const requests = proofSize('REQUESTS', 60)

test('a backup under load restores any second with right books, pays once, reports later money', {
  timeout: 600_000,
}, async (t) => {
  const random = createRandom(seed)
  const backups = makeBackupFolder(t)
  const runbook = openRunbook('backup.md', backups)
  const servers = await startOwnServers(t, { settings: runbook.settings() })
  const simulator = await startControlledSimulator(t, { SIMULATOR_SEED: String(seed) })
  const cell = openCell(t, servers, simulator.settings)
  const [api, worker] = [await cell.start('api', 'api'), await cell.start('worker', 'worker')]
  const balancer = await startBalancer(t)
  balancer.add(api.url)
  await simulator.tune({ callbackBase: `${balancer.url}/callbacks/sandbox` })
  const merchant = await cell.merchant()
  const shop = openShop(t, { url: api.url, merchants: [merchant], random, customers: 8, perSecond: 4 })

  await served(shop)
  const password = 'of-the-backup'
  await servers.postgres.run('postgres', runbook.block('sql').replace('…', password))
  const BACKUP_URL = servers.postgres.urlOf('', { name: 'malipo_backup', password })
  await runbook.run('backup', { BACKUP_URL }, { isPostgres: true })
  const card = await chargeCard(merchant, api.url)
  const earliest = await timeOf(servers)
  await served(shop)
  const latest = await timeOf(servers)
  await served(shop)
  await shop.stop()
  await archiveAll(servers)
  for (const role of [api, worker]) await role.stop('SIGKILL')
  const before = await readAll(cell)
  await servers.postgres.stop('SIGKILL')

  const second = inWords(new Date(earliest + random() * (latest - earliest)))
  const restored = await restore(t, servers, runbook, { backups, second })
  const again = openCell(t, restored, simulator.settings, undefined, cell.secrets)
  const freezing = { DATABASE_URL: restored.superuserUrl, NATS_URL: servers.natsUrl, SECOND: second, ...cell.secrets }
  t.diagnostic((await runbook.run('freeze', freezing, { isPostgres: false })).trim().split('\n').slice(-3).join(' | '))
  const rows = await readAll(again)
  const lost = assertPast(before, rows, second)
  const { epoch } = await again.operator.database.migrate()
  assert.equal(epoch, undefined, 'the cluster is the same, and its numbers continue')
  assert.deepEqual(await again.ask('select from card_continuations'), [])
  const [apiAgain] = [await again.start('api', 'api'), await again.start('worker', 'worker')]
  balancer.remove(api.url)
  balancer.add(apiAgain.url)
  await until('the api to be ready', () => balancer.isReady(apiAgain.url))

  await assertUnknownIsReported(again, lost, simulator)
  const staff = await again.operator.machines.create({ name: 'runbook', permissions: ['providers:pause'] })
  const keys = { MALIPO_OPERATOR_PUBLIC_KEY: staff.publicKey, MALIPO_OPERATOR_API_KEY: staff.apiKey }
  const resumed = runbook.run('resume', { MALIPO_URL: apiAgain.url, ...keys }, { isPostgres: false })
  await assert.rejects(resumed, { code: exitCodes.proposed }, 'another person must approve it')
  for (const provider of ['pawapay', 'flutterwave', 'house'])
    await again.operator.providers.resume(provider, { env: 'sandbox', reason: 'reconciled' })
  const refused = await merchant.call(apiAgain.url, 'POST', `/fiat/deposit/${card}/authorise`, pin)
  assert.equal(refused.body['errorCode'], 'AUTHORISATION_FAILED')
  const { body } = await merchant.call(apiAgain.url, 'GET', `/transactions/${card}`)
  assert.equal(
    (body['data'] as { failureReason: { failureCode: string } }).failureReason.failureCode,
    'AUTHORISATION_LOST',
  )
  await letTimePass(t, again, simulator, Array<number>(40).fill(60_000))

  const moved = await simulator.moved()
  const paid = Map.groupBy(moved, ({ key }) => key)
  assert.deepEqual(
    [...paid].filter(([, all]) => all.length > 1),
    [],
  )
  const wrong = (await readAll(again)).filter(
    (row) => (row.state === 'successful') !== paid.has(providerKeyOf(row.id, 1)),
  )
  assert.deepEqual(wrong, [])
  const isKnown = (line: string) => line.includes('money of an unknown payment put into suspense')
  assert.deepEqual(complaintsIn(again, isKnown), [])
  const checked = await again.operator.ledger.check({ isFull: true })
  const unknown = lost.filter(({ id }) => paid.has(providerKeyOf(id, 1)))
  t.diagnostic(
    `restored to ${second}: ${rows.length} of ${before.length} payments; ${unknown.length} of the others moved money; check clean: ${checked.transfers} transfers`,
  )
})

/** In the format of PostgreSQL's settings. */
const inWords = (at: Date) => at.toISOString().replace('T', ' ').replace('Z', '+00')

const pin = { type: 'pin', value: codes.pin }

function makeBackupFolder(t: TestContext): string {
  const folder = makeFolder(mkdtempSync(join(tmpdir(), 'malipo-backup-')))
  t.after(() => rmSync(folder, { recursive: true, force: true }))
  const user = serverUser()
  for (const name of ['wal', 'base', 'data']) {
    mkdirSync(join(folder, name))
    if (user) chownSync(join(folder, name), user.uid, user.gid)
  }
  chmodSync(folder, 0o755)
  return folder
}

async function served(shop: Shop): Promise<void> {
  const enough = shop.requests() + requests
  await until(`${requests} more requests`, () => shop.requests() >= enough, { timeoutMs: 120_000 })
}

async function timeOf({ superuserUrl }: OwnServers): Promise<number> {
  const [row] = await ask<{ at: Date }>(superuserUrl, 'select clock_timestamp() as at')
  return row?.at.getTime() ?? 0
}

/** A card charge that waits for the customer's PIN. */
async function chargeCard(merchant: CellMerchant, url: string): Promise<string> {
  const { body } = await merchant.call(url, 'POST', '/fiat/deposit/card', cardBody(cards.asksPin))
  return (body['data'] as { transactionId: string }).transactionId
}

async function archiveAll({ superuserUrl }: OwnServers): Promise<void> {
  const [row] = await ask<{ name: string }>(superuserUrl, 'select pg_walfile_name(pg_current_wal_lsn()) as name')
  await ask(superuserUrl, 'select pg_switch_wal()')
  const isThere = async () => {
    const [reported] = await ask<{ last: string }>(
      superuserUrl,
      'select last_archived_wal as last from pg_stat_archiver',
    )
    return row && reported && reported.last >= row.name
  }
  await until('the archive to have everything', isThere)
}

async function restore(
  t: TestContext,
  servers: OwnServers,
  runbook: ReturnType<typeof openRunbook>,
  { backups, second }: { readonly backups: string; readonly second: string },
): Promise<Ground> {
  const folder = makeFolder(mkdtempSync(join(tmpdir(), 'malipo-restored-')))
  const guard = guardFolder(folder, { isKept: false })
  const user = serverUser()
  if (user) chownSync(folder, user.uid, user.gid)
  copyFileSync(servers.postgres.passwordFile, join(folder, 'postgres.password'))
  const [base = ''] = readdirSync(join(backups, 'base'))
  const names = { BASE: join(backups, 'base', base), DATA: join(folder, 'postgres'), SECOND: second }
  await runbook.run('restore', names, { isPostgres: true })
  const starting = startPostgres(folder)
  t.after(async () => {
    await starting.then((started) => started.stop()).catch(() => undefined)
    await guard.dismiss()
  })
  const postgres = await starting
  await runbook.run('wait', { DATABASE_URL: postgres.urlOf('story') }, { isPostgres: false })
  const loginUrl = postgres.urlOf('story', { name: login, password: servers.password })
  return { superuserUrl: postgres.urlOf('story'), loginUrl, natsUrl: servers.natsUrl }
}

/** Everything up to the second is there and nothing else is; returns what is missing. */
function assertPast(before: readonly Row[], after: readonly Row[], second: string): readonly Row[] {
  const known = new Set(after.map(({ id }) => id))
  const lost = before.filter(({ id }) => !known.has(id))
  assert.deepEqual(
    after.filter(({ id }) => !before.some((row) => row.id === id)),
    [],
  )
  assert.ok(lost.length > 0 && after.length > 0, 'no payment before or after the target second')
  const last = after.at(-1)?.id ?? ''
  assert.deepEqual(lost.filter(({ id }) => madeAt(id) < Date.parse(second) - 5000 || id < last).slice(0, 1), [])
  return lost
}

const madeAt = (id: string) => Number.parseInt(id.replaceAll('-', '').slice(0, 12), 16)

/** The provider's report on a payment that is not in the books is logged; if it confirms money, that gets a case. */
async function assertUnknownIsReported(
  cell: Cell,
  lost: readonly Row[],
  simulator: {
    repeat(key: string, times: number): Promise<void>
    callbacks(key: string): Promise<{ status: string }[]>
  },
): Promise<void> {
  const keys = lost.map(({ id }) => providerKeyOf(id, 1))
  for (const key of keys) {
    if ((await simulator.callbacks(key)).every(({ status }) => status !== 'delivered')) continue
    await simulator.repeat(key, 1)
    const log = readFileSync(join(cell.folder, 'api.log'), 'utf8').split('\n')
    assert.ok(log.some((line) => line.includes('callback names an unknown payment') && line.includes(key)))
    return
  }
  assert.fail('no callback was sent for a lost payment')
}
