import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { after, before, beforeEach, type TestContext, test } from 'node:test'
import type { Postgres } from '../packages/server/src/dev-stack/postgres.ts'
import { machineTime, until } from '../packages/server/src/dev-stack/until.ts'
import { createBatcher } from '../packages/server/src/platform/batch.ts'
import { isReadOnly } from '../packages/server/src/platform/connections.ts'
import { type Database, openDatabase, sql } from '../packages/server/src/platform/db.ts'
import { newId } from '../packages/server/src/platform/ids.ts'
import { Secret } from '../packages/server/src/platform/secret.ts'
import { sendHouseCallback } from '../packages/server/src/testing/house-callbacks.ts'
import { type ApiResponse, ask, call, type Malipo, testMalipo } from '../packages/server/src/testing/malipo.ts'
import { payingMalipo, payOut } from '../packages/server/src/testing/paying.ts'
import { reload } from '../packages/server/src/testing/server-settings.ts'
import { startFaultProxy } from './chaos/fault-proxy.ts'
import { type OwnServers, startOwnServers } from './support/cluster/own-servers.ts'
import { startStandby } from './support/cluster/standby.ts'

/** One server for the file. The last test kills it. */
let servers: OwnServers
const ends: (() => unknown)[] = []
before(async () => {
  servers = await startOwnServers(
    { after: (end: () => unknown) => void ends.push(end) },
    { settings: { shared_buffers: '32MB' } },
  )
})
after(async () => {
  for (const end of ends.toReversed()) await end()
})

/** A test that failed may have left it read-only, or waiting for a standby. */
beforeEach(async () => {
  await waitForStandby('')
  await readOnly('off')
})

/** A cell whose database is one server, and later another, as behind a load balancer. */
async function openSite(t: TestContext) {
  let port = portOf(servers.loginUrl)
  const proxy = await startFaultProxy(() => port, 0)
  t.after(() => proxy.close())
  const url = new URL(servers.loginUrl)
  url.port = String(proxy.port)
  return {
    url: url.href,
    /** Open connections carry nothing any more, and neither side notices. */
    forget: () => {
      proxy.change('forgotten')
      proxy.change('clear')
    },
    /** From now on new connections reach this server; open ones break, or stay. */
    leadTo: (target: string, { isCut }: { isCut: boolean }) => {
      port = portOf(target)
      if (!isCut) return
      proxy.change('cut')
      proxy.change('clear')
    },
  }
}

const portOf = (url: string) => Number(new URL(url).port)

const readOnly = (value: 'on' | 'off') => reload(servers.superuserUrl, { default_transaction_read_only: value })

function openOne(t: TestContext, url: string): Database {
  const limits = { connectionsMax: 1, statementTimeoutMs: 5000 }
  const db = openDatabase({ url: new Secret(url), ...limits, onError: () => undefined })
  t.after(() => db.close())
  return db
}

const writes: readonly [string, (db: Database) => Promise<unknown>][] = [
  ['statement', ({ write }) => write.query(sql`insert into batch_commits default values`)],
  ['transaction', ({ write }) => write.transaction((tx) => tx.query(sql`insert into batch_commits default values`))],
  ['batch', ({ write }) => write.batch(200, (tx) => tx.query(sql`select 1`))],
]

const isRefusedAsReadOnly = (work: Promise<unknown>) => assert.rejects(work, (error: Error) => isReadOnly(error))

test('a connection to a server turned read-only is dropped, so the next one reaches the primary', async (t) => {
  const db = openOne(t, servers.loginUrl)
  const pid = async () => (await db.write.query<{ pid: number }>(sql`select pg_backend_pid() as pid`))[0]?.pid
  for (const [name, write] of writes) {
    const before = await pid()

    await readOnly('on')
    await until(`${name} to be refused`, () => write(db).then(() => false, isReadOnly))
    await isRefusedAsReadOnly(write(db))
    await readOnly('off')
    await until(`${name} to be accepted`, () =>
      write(db).then(
        () => true,
        () => false,
      ),
    )

    assert.notEqual(await pid(), before, `a ${name} uses the connection again`)
  }
})

test('a standby gets no writes and no reads until it is promoted, and then both', async (t) => {
  const standby = await startStandby(t, servers.postgres)
  const db = openOne(t, standby.urlOf('story', { name: 'malipo', password: servers.password }))
  const read = () => db.read.query({ merchant_id: newId(0, 0), env: 'sandbox' }, sql`select 1 as one`)
  for (const [, write] of writes) await isRefusedAsReadOnly(write(db))
  await isRefusedAsReadOnly(read())

  await standby.run('postgres', 'select pg_promote()')

  for (const [, write] of writes) await write(db)
  assert.deepEqual(await read(), [{ one: 1 }])
})

/** One request of each kind that needs the database. */
async function requests(malipo: Malipo) {
  const { call, token, publicKey, apiKey } = await malipo.merchant()
  const held = { authorization: `Bearer ${await token()}` }
  const { key } = await payOut({ call }, { by: 'house' })
  const till = { destination: 'Till', payoutMethod: { accountName: 'Duka', accountNumber: '5432100' } }
  let turn = 0
  const sandbox = '/api/sandbox/b2b'
  return {
    payout: () => {
      turn += 1
      const body = { amount: 20, currency: 'KES', country: 'KE', externalReference: `out-${turn}`, ...till }
      return malipo.call('POST', `${sandbox}/fiat/payout`, held, body)
    },
    profile: () => malipo.call('PUT', `${sandbox}/users`, held, { firstName: 'Achieng' }),
    read: () => malipo.call('GET', `${sandbox}/users`, held),
    exchange: () => malipo.call('POST', '/api/b2b/auth/generate-bearer-token', { 'api-key': apiKey }, { publicKey }),
    callback: async () => {
      const reply = await sendHouseCallback(malipo.url, { key, operation: 'payout' })
      return { status: reply.status, headers: reply.headers, body: (await reply.json()) as Record<string, unknown> }
    },
  }
}

type RequestKind = Awaited<ReturnType<typeof requests>>

const shown = ({ status, headers, body }: ApiResponse) => `${status} ${body['errorCode']} ${headers.get('retry-after')}`

/** Every write is refused as retryable; a read may still succeed. No response is a 500. */
async function areRefused(asked: RequestKind): Promise<void> {
  const refused = (['payout', 'profile', 'callback'] as const).map(async (name) =>
    assert.equal(shown(await asked[name]()), '503 OVERLOADED 1', name),
  )
  const others = (['read', 'exchange'] as const).map(async (name) =>
    assert.match(shown(await asked[name]()), /^200|^503 OVERLOADED 1/, name),
  )
  await Promise.all([...refused, ...others])
}

/** Freezes a server with all its sessions, or resumes it. */
function signalAll({ pid }: Postgres, signal: 'SIGSTOP' | 'SIGCONT'): void {
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8')
  for (const each of [pid, ...children.split(' ').filter(Boolean).map(Number)]) process.kill(each, signal)
}

const isTaken = async (asked: RequestKind) => (await asked.payout()).status === 200

/** Commits wait for a standby of this name, which does not exist; without a name they do not wait. */
const waitForStandby = (name: 'nowhere' | '') =>
  servers.postgres.run(
    'postgres',
    'set synchronous_commit = local',
    `alter system set synchronous_standby_names = '${name}'`,
    'select pg_reload_conf()',
  )

const waitingForStandby = () =>
  ask<{ pid: number; xid: string }>(
    servers.superuserUrl,
    `select pid, backend_xid as xid from pg_stat_activity where wait_event = 'SyncRep'`,
  )

test('a commit that the standby may lack gets its response only once the standby has it', async (t) => {
  const db = openOne(t, servers.loginUrl)
  const batcher = createBatcher({
    db: db.write,
    keyOf: String,
    decide: async (tx, items: readonly number[]) => {
      await tx.query(sql`select 1`)
      return { results: items }
    },
  })
  const waiting = waitingForStandby
  await waitForStandby('nowhere')

  let isDone = false
  const submitted = batcher.submit(7).finally(() => {
    isDone = true
  })
  const [first] = await until('the commit to wait', async () => (await waiting()).length > 0 && waiting())
  assert(first)
  await ask(servers.superuserUrl, `set synchronous_commit = local; select pg_cancel_backend(${first.pid})`)
  await until('another commit to wait', async () => (await waiting()).some(({ xid }) => xid !== first.xid) || isDone)
  assert.ok(!isDone, 'the response came before the standby had the commit')
  await waitForStandby('')

  assert.equal(await submitted, 7)
})

/** The readiness that a process reports, and how soon. */
async function readiness({ url }: Malipo) {
  const startedAt = machineTime()
  const { status, body } = await call(url, 'GET', '/health/ready')
  const { database = '' } = body['checks'] as Record<string, string>
  return { status, database, tookMs: machineTime() - startedAt }
}

const isReady = async (malipo: Malipo) => (await readiness(malipo)).status === 200

test('a process is not ready while its database is read-only or a standby, and recovers at once', async (t) => {
  const { url, leadTo } = await openSite(t)
  const malipo = await testMalipo(t, { DATABASE_URL: url, NATS_URL: '' })
  const standby = await startStandby(t, servers.postgres)
  const soon = { timeoutMs: 5000 } // Long before a hanging commit would count.
  const isReadOnlyNow = async () => (await readiness(malipo)).database === 'is read-only: a standby, or in recovery'
  await until('readiness', () => isReady(malipo))

  await readOnly('on')
  await until('the read-only server to be noticed', isReadOnlyNow, soon)
  await readOnly('off')
  await until('readiness', () => isReady(malipo), soon)
  leadTo(standby.urlOf('story'), { isCut: true })
  await until('the standby to be noticed', isReadOnlyNow, soon)
  await standby.run('postgres', 'select pg_promote()')

  await until('readiness', () => isReady(malipo), soon)
})

test('a process whose commits hang for 10 s is not ready, and its probes leave no sessions', async (t) => {
  const malipo = await testMalipo(t, { DATABASE_URL: servers.loginUrl, NATS_URL: '' })
  await until('readiness', () => isReady(malipo))

  const hungAt = performance.now()
  await waitForStandby('nowhere')
  const [sessions, took]: [number[], number[]] = [[], []]
  const last = await until(
    'the process not to be ready',
    async () => {
      const found = await readiness(malipo)
      took.push(found.tookMs)
      sessions.push((await waitingForStandby()).length)
      return found.status === 503 && found.database !== 'does not respond' && found
    },
    { timeoutMs: 30_000 },
  )
  const hungMs = performance.now() - hungAt
  await waitForStandby('')

  assert.equal(last.database, 'commits hang: check the synchronous standby')
  assert.ok(hungMs > 8000, `not ready after ${hungMs} ms`)
  assert.ok(Math.max(...took) < 1000, `a response took ${Math.max(...took)} ms`)
  assert.ok(Math.max(...sessions) <= 2, `${Math.max(...sessions)} sessions wait for the standby`)
  await until('readiness', () => isReady(malipo), { timeoutMs: 5000 })
})

test('a server that vanishes with open connections is left as soon as another takes writes', async (t) => {
  const { url, leadTo, forget } = await openSite(t)
  const malipo = await payingMalipo(t, { DATABASE_URL: url, NATS_URL: '' })
  const asked = await requests(malipo)
  const standby = await startStandby(t, servers.postgres)
  await Promise.all([asked.payout(), asked.read(), asked.profile()])

  forget()
  const lost = asked.payout()
  await standby.run('postgres', 'select pg_promote()')
  leadTo(standby.urlOf('story'), { isCut: false })
  const startedAt = machineTime()
  const response = await lost
  const tookMs = machineTime() - startedAt

  assert.ok(tookMs < 6000, `a payment on a dead connection took ${tookMs} ms, as long as without another server`)
  assert.match(shown(response), /^200|^503 OVERLOADED 1/)
  await until('a payout to be accepted', () => isTaken(asked), { timeoutMs: 3000 })
})

test('a read-only database, a standby, a dead server and a frozen server give 503, never 500', async (t) => {
  const { url, leadTo } = await openSite(t)
  const malipo = await payingMalipo(t, { DATABASE_URL: url, NATS_URL: '' })
  const asked = await requests(malipo)
  assert.ok(await isTaken(asked))

  await readOnly('on')
  await until('a payout to be refused', async () => !(await isTaken(asked)))
  await areRefused(asked)
  await readOnly('off')
  await until('a payout to be accepted', () => isTaken(asked))

  const standby = await startStandby(t, servers.postgres)
  leadTo(standby.urlOf('story'), { isCut: true })
  await areRefused(asked)
  leadTo(servers.loginUrl, { isCut: true })
  await until('a payout to be accepted', () => isTaken(asked))

  signalAll(servers.postgres, 'SIGSTOP')
  await areRefused(asked)
  signalAll(servers.postgres, 'SIGCONT')
  await until('a payout to be accepted', () => isTaken(asked))

  await servers.postgres.stop('SIGKILL')
  await areRefused(asked)
  await standby.run('postgres', 'select pg_promote()')
  leadTo(standby.urlOf('story'), { isCut: true })
  await until('a payout to be accepted', () => isTaken(asked))
  assert.ok(!malipo.log.some((line) => line.includes('internal error')))
})
