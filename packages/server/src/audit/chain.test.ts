import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { until } from '../dev-stack/until.ts'
import type { Tx } from '../platform/db.ts'
import { auditEntry, places, testTrail } from '../testing/auditing.ts'
import { recordAudit } from './record.ts'
import { verifyAudit } from './verify.ts'

const full = { isFull: true, sealLines: [] }

test('the database and TypeScript compute the same hash, whatever an entry contains', async (t) => {
  const { db } = await testTrail(t)
  const awkward = ['', '-', '3:a-', 'a|b', '“Duka” 🧾', 'line\r\nline', '\\x00', `'; drop table`, ' ', 'é', 'e\u0301']
  const detail = {
    n: [0.1, 1e21, -0, 12345678901, null, true],
    '': { a: {}, b: [] },
    é: '\u2028',
    long: 'x'.repeat(70_000),
  }

  await db.transaction(async (tx) => {
    for (const text of awkward) {
      const actor = { kind: 'system' as const, id: text, name: text }
      const origin = { requestId: text, address: text, userAgent: text, role: text, strength: text }
      await recordAudit(tx, 0, {
        actor,
        action: text,
        subject: text,
        reason: text,
        origin,
        detail: { ...detail, text },
      })
      await recordAudit(tx, 0, auditEntry({ subject: text }))
    }
  })

  const { faults, entries } = await verifyAudit(db, full)
  assert.deepEqual([faults, entries], [[], 2 * awkward.length])
})

test("a session's settings do not change the hash of an entry", async (t) => {
  const { db, connect } = await testTrail(t)
  const settings = [
    'timezone=Asia/Kathmandu',
    'datestyle=SQL,DMY',
    'extra_float_digits=-15',
    'bytea_output=escape',
    'intervalstyle=iso_8601',
  ]
  const client = await connect(...settings)

  await client.query(`insert into audit_entries (id, actor, action, subject, detail)
    values (id_at(record_time()), 'a', 'a', 'a', '{"n": 1.10, "at": "12:00"}')`)

  assert.deepEqual((await verifyAudit(db, full)).faults, [])
})

test('the entries of one transaction are in one chain, in their order, whatever others append', async (t) => {
  const { db } = await testTrail(t)

  await Promise.all(
    Array.from({ length: 12 }, (_, which) =>
      db.transaction(async (tx) => {
        for (let count = 0; count < 5; count += 1) await recordAudit(tx, 0, auditEntry({ subject: `one-${which}` }))
      }),
    ),
  )

  const ours = (await places(db)).filter(({ subject }) => subject.startsWith('one-'))
  for (const [subject, entries] of Map.groupBy(ours, (entry) => entry.subject)) {
    const [first] = entries
    const expected = entries.map((_, index) => ({
      subject,
      chain: first?.chain,
      number: (first?.number ?? 0n) + BigInt(index),
    }))
    assert.deepEqual(entries, expected)
  }
  assert.equal(ours.length, 60)
  assert.deepEqual((await verifyAudit(db, full)).faults, [])
})

test('a transaction that rolls back leaves no gap', async (t) => {
  const { db } = await testTrail(t)
  const append = (subject: string, end: () => void) =>
    db.transaction(async (tx) => {
      await recordAudit(tx, 0, auditEntry({ subject }))
      end()
    })

  await append('kept-1', () => undefined)
  const failing = append('lost', () => {
    throw new Error('stop')
  })
  await assert.rejects(failing, /stop/)
  await append('kept-2', () => undefined)

  assert.ok(!(await places(db)).some(({ subject }) => subject === 'lost'))
  assert.deepEqual((await verifyAudit(db, full)).faults, [])
})

test('with every chain busy a transaction waits, and one that has a chain takes no second', {
  timeout: 30_000,
}, async (t) => {
  const { db, ask } = await testTrail(t)
  const release = Promise.withResolvers<void>()
  const holding = Promise.withResolvers<void>()
  let held = 0
  const hold = async (tx: Tx) => {
    await recordAudit(tx, 0, auditEntry({ subject: 'held' }))
    held += 1
    if (held === 8) holding.resolve()
    await release.promise
    await recordAudit(tx, 0, auditEntry({ subject: 'held' }))
  }
  const holders = Array.from({ length: 8 }, () => db.transaction(hold))
  await holding.promise

  let isDone = false
  const late = db
    .transaction((tx) => recordAudit(tx, 0, auditEntry({ subject: 'late' })))
    .then(() => {
      isDone = true
    })
  await until('the ninth to wait', async () => {
    const waiting = await ask(`select from pg_locks where not granted and pid <> pg_backend_pid()`)
    return waiting.length > 0
  })
  assert.equal(isDone, false)
  release.resolve()
  await Promise.all([...holders, late])

  const chains = Map.groupBy(
    (await places(db)).filter(({ subject }) => subject === 'held'),
    ({ chain }) => chain,
  )
  assert.deepEqual(
    [...chains.values()].map(({ length }) => length),
    Array.from({ length: 8 }, () => 2),
  )
  assert.deepEqual((await verifyAudit(db, full)).faults, [])
})

test('two processes that append at once keep the chains whole', { timeout: 60_000 }, async (t) => {
  const { db, loginUrl } = await testTrail(t)
  const program = fileURLToPath(import.meta.resolve('../testing/auditing-process.ts'))
  const append = async (name: string) => {
    const child = spawn(process.execPath, [program, loginUrl, name, '200'], { stdio: ['ignore', 'inherit', 'inherit'] })
    const [code] = await once(child, 'exit')
    assert.equal(code, 0)
  }

  await Promise.all([append('process-1'), append('process-2')])

  const appended = (await places(db)).filter(({ subject }) => subject.startsWith('process-'))
  assert.equal(appended.length, 400)
  assert.deepEqual((await verifyAudit(db, full)).faults, [])
})

test('a writer cannot choose an entry’s place, time or hash, nor change, delete or unchain one', async (t) => {
  const { connect, db } = await testTrail(t)
  await db.transaction((tx) => recordAudit(tx, 0, auditEntry()))
  const writer = await connect()
  const insert = (column: string, value: string) =>
    `insert into audit_entries (id, actor, action, subject, ${column}) values (id_at(record_time()), 'a', 'a', 'a', ${value})`

  for (const statement of [
    insert('at', 'now()'),
    insert('chain', '1'),
    insert('number', '1'),
    insert('previous_hash', `'\\x'`),
    insert('hash', `'\\x'`),
    `update audit_entries set reason = 'x'`,
    'delete from audit_entries',
    'truncate audit_entries',
    'update audit_chains set chain = 9',
    'delete from audit_links',
    'update audit_links set number = 0',
    `insert into audit_links values (1, 99, '\\x', 0)`,
    'alter table audit_entries disable trigger chain_entry',
    'set session_replication_role = replica',
    'create or replace function audit_field(value text) returns text language sql return value',
  ])
    await assert.rejects(writer.query(statement), { code: '42501' }, statement)
})

test('an entry of version 0.2, which names fewer columns, is chained too', async (t) => {
  const { db, ask } = await testTrail(t)

  await db.query({
    name: '',
    text: `insert into audit_entries (id, actor, action, merchant_id, env, subject, detail, reason)
      values (id_at(record_time()), 'cred_17', 'profile.update', null, null, 'mer_1', '{}', null)`,
    values: [],
  })

  const [entry] = await ask(`select actor_kind, actor_name, result from audit_entries where actor = 'cred_17'`)
  assert.deepEqual(entry, { actor_kind: 'credential', actor_name: 'cred_17', result: 'done' })
  assert.deepEqual((await verifyAudit(db, full)).faults, [])
})
