import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { testDatabase } from '../packages/server/src/dev-stack/servers.ts'
import { until } from '../packages/server/src/dev-stack/until.ts'
import { type Database, type Owner, openDatabase, sql } from '../packages/server/src/platform/db.ts'
import { newId } from '../packages/server/src/platform/ids.ts'
import { Secret } from '../packages/server/src/platform/secret.ts'
import { ask } from '../packages/server/src/testing/malipo.ts'
import { startFaultProxy } from './chaos/fault-proxy.ts'

interface Line {
  readonly db: Database
  /** Sessions of this process that the server still has. */
  sessions(): Promise<string[]>
  /** Open connections carry nothing any more, and neither side notices. */
  silence(): void
}

/** A database behind a network that can lose connections without closing them, as a stateful firewall does. */
async function openLine(t: TestContext, { idleMs }: { idleMs: number }): Promise<Line> {
  const { loginUrl, superuserUrl } = await testDatabase()
  const url = new URL(loginUrl)
  const { port } = url
  const proxy = await startFaultProxy(() => Number(port), 0)
  url.port = String(proxy.port)
  const db = openDatabase({
    url: new Secret(url.href),
    connectionsMax: 1,
    statementTimeoutMs: 300,
    silenceMs: 200,
    idleMs,
    onError: () => undefined,
  })
  t.after(async () => {
    await db.close()
    await proxy.close()
  })
  return {
    db,
    sessions: async () => {
      const found = await ask<{ state: string }>(
        superuserUrl,
        `select state from pg_stat_activity where datname = current_database() and application_name like 'malipo%'`,
      )
      return found.map(({ state }) => state)
    },
    silence: () => {
      proxy.change('forgotten')
      proxy.change('clear')
    },
  }
}

const owner: Owner = { merchant_id: newId(0, 0), env: 'sandbox' }
const one = sql`select 1 as one`
const uses: readonly [string, (db: Database) => Promise<unknown>][] = [
  ['read', ({ read }) => read.query(owner, one)],
  ['read by key', ({ read }) => read.find(owner, one)],
  ['statement', ({ write }) => write.query(one)],
  ['transaction', ({ write }) => write.transaction((tx) => tx.query(one))],
  ['batch', ({ write }) => write.batch(200, (tx) => tx.query(one))],
]

for (const [name, use] of uses)
  test(`a connection that goes silent fails one ${name} and is replaced`, async (t) => {
    const { db, silence } = await openLine(t, { idleMs: 60_000 })
    assert.deepEqual(await use(db), [{ one: 1 }])

    silence()

    await assert.rejects(use(db), /timeout/)
    assert.deepEqual(await use(db), [{ one: 1 }])
  })

test('a process gone mid-transaction holds its locks no longer than an idle connection lasts', async (t) => {
  const { db, sessions, silence } = await openLine(t, { idleMs: 3000 })
  const lane = sql`insert into lanes (lane, budget) values ('held', 1) on conflict (lane) do update set budget = 2`
  await db.write.query(lane)

  const vanished = db.write.transaction(async (tx) => {
    await tx.query(lane)
    silence()
    await tx.query(one)
  })

  await assert.rejects(vanished, /timeout/)
  assert.deepEqual(await sessions(), ['idle in transaction'])
  const isFree = () =>
    db.write.query(lane).then(
      () => true,
      () => false,
    )
  await until('the lock to be free', isFree)
})

test('the server ends the session of a process that vanishes', async (t) => {
  const { db, sessions, silence } = await openLine(t, { idleMs: 200 })
  const own = sql`select pg_backend_pid() as pid`
  const [[reader], [writer]] = await Promise.all([
    db.read.query<{ pid: number }>(owner, own),
    db.write.query<{ pid: number }>(own),
  ])
  assert.notEqual(reader?.pid, writer?.pid)

  silence()

  await until('both sessions to end', async () => (await sessions()).length === 0, { timeoutMs: 5000 })
})
