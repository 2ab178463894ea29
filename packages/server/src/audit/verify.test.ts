import assert from 'node:assert/strict'
import { cpSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { sealHeads, sealLine } from '../ledger/seals.ts'
import type { WriteDb } from '../platform/db.ts'
import { migrate } from '../platform/migrate.ts'
import { Secret } from '../platform/secret.ts'
import { auditEntry, testTrail } from '../testing/auditing.ts'
import { openTestDatabase } from '../testing/ledger.ts'
import { ask } from '../testing/malipo.ts'
import { recordAudit, recordPersonalDataRead, recordRefusal } from './record.ts'
import { verifyAudit } from './verify.ts'

const full = { isFull: true, sealLines: [] }
const sinceLast = { isFull: false, sealLines: [] }

const append = (db: WriteDb, subject: string) => db.transaction((tx) => recordAudit(tx, 0, auditEntry({ subject })))

test('verifying continues where the last run ended, and a full run starts over', async (t) => {
  const { db } = await testTrail(t)
  for (let count = 0; count < 5; count += 1) await append(db, 'first')
  await verifyAudit(db, sinceLast)

  await append(db, 'second')
  const [next, again, all] = [
    await verifyAudit(db, sinceLast),
    await verifyAudit(db, sinceLast),
    await verifyAudit(db, full),
  ]

  assert.deepEqual([next.entries, again.entries, next.faults, again.faults, all.faults], [1, 0, [], [], []])
  assert.ok(all.entries >= 6)
})

test('a change before the checkpoint is found by a full run', async (t) => {
  const { db, tamper } = await testTrail(t)
  await append(db, 'edited')
  await append(db, 'edited')
  await verifyAudit(db, sinceLast)
  t.after(() => tamper(`update audit_entries set reason = null where subject = 'edited' and reason = 'x'`))

  await tamper(`update audit_entries set reason = 'x' where subject = 'edited'`)

  assert.deepEqual((await verifyAudit(db, sinceLast)).faults, [])
  assert.deepEqual(
    (await verifyAudit(db, full)).faults.map(({ kind }) => kind),
    ['edited', 'edited'],
  )
})

test('a run with faults names each entry, and keeps no checkpoint', async (t) => {
  const { db, tamper, ask: query } = await testTrail(t)
  await verifyAudit(db, sinceLast)
  for (const subject of ['a', 'b', 'c']) await append(db, `named-${subject}`)
  const [gone] = await query<{ id: string; chain: number; number: bigint }>(
    `select id, chain, number from audit_entries where subject = 'named-b'`,
  )
  await tamper(`create table kept as select * from audit_entries where subject = 'named-b'`)
  t.after(() => tamper('insert into audit_entries select * from kept; drop table kept'))

  await tamper(`delete from audit_entries where subject = 'named-b'`)
  const runs = [await verifyAudit(db, sinceLast), await verifyAudit(db, sinceLast)]

  for (const { faults, faultCount } of runs) {
    assert.equal(faultCount, 1)
    assert.deepEqual(faults, [
      { kind: 'missing', chain: gone?.chain, number: BigInt(gone?.number ?? 0), problem: 'it is missing' },
    ])
  }
})

test('a seal is made when only the audit trail moved, and its heads are verified', async (t) => {
  const { db } = await testTrail(t)

  await append(db, 'sealed')
  const seal = await sealHeads(db)

  assert.ok(seal && seal.heads.length > 0)
  assert.ok(seal.heads.every(({ writer }) => /^audit\/[1-8]$/.test(writer)))
  const lines = [sealLine(seal)]
  assert.deepEqual((await verifyAudit(db, { isFull: true, sealLines: lines })).faults, [])
  const [fault] = (await verifyAudit(db, { isFull: true, sealLines: [...lines, `${seal.number + 1n} x y`] })).faults
  assert.equal(fault?.kind, 'seal')
})

test('a refused attempt and a read of personal data have entries of their own', async (t) => {
  const { db, ask: query } = await testTrail(t)
  const { action: _, ...read } = auditEntry({ subject: 'txn_read', reason: 'ticket 12' })

  await recordRefusal(db, 0, auditEntry({ subject: 'txn_refused', origin: { role: 'support', strength: 'passkey' } }))
  const shown = { route: 'payments.show', fields: ['account'], payments: ['txn_read'], merchants: ['mer_1'] }
  await recordPersonalDataRead(db, 0, { ...read, ...shown })

  const rows = await query(
    `select action, result, role, detail from audit_entries where subject like 'txn\\_re%' order by subject`,
  )
  assert.deepEqual(rows, [
    { action: 'personal-data.read', result: 'done', role: null, detail: shown },
    { action: 'merchant.freeze', result: 'refused', role: 'support', detail: {} },
  ])
})

test('a secret typed into a reason or a detail is hidden', async (t) => {
  const { db, ask: query } = await testTrail(t)
  const secret = `sk_live_${'a'.repeat(49)}`

  await db.transaction((tx) =>
    recordAudit(
      tx,
      0,
      auditEntry({ subject: 'hidden', reason: `key ${secret}`, detail: { url: 'https://a:pass@b', list: [secret] } }),
    ),
  )

  const [row] = await query(`select reason, detail from audit_entries where subject = 'hidden'`)
  assert.deepEqual(row, { reason: 'key [hidden]', detail: { url: 'https://a:[hidden]@b', list: ['[hidden]'] } })
})

test('the migration chains the entries of version 0.2, and their trail verifies', async (t) => {
  const { superuserUrl, loginUrl } = await testTrail(t)
  const name = `earlier_${Math.random().toString(36).slice(2)}`
  const urlOf = (url: string) => Object.assign(new URL(url), { pathname: name }).href
  const migrations = join(import.meta.dirname, '../../migrations')
  const folder = mkdtempSync(join(tmpdir(), 'malipo-earlier-'))
  t.after(() => rmSync(folder, { recursive: true }))
  await ask(superuserUrl, `create database ${name}`)
  for (const file of readdirSync(migrations).filter((each) => each < '0011'))
    cpSync(join(migrations, file), join(folder, file))
  await migrate(new Secret(urlOf(superuserUrl)), 0, folder)
  await ask(
    urlOf(superuserUrl),
    `insert into audit_entries (id, actor, action, subject, detail)
     select (left(id_at(record_time() + number * interval '1 hour')::text, 24) || lpad(number::text, 12, '0'))::uuid,
       case when number % 2 = 0 then 'cred_1' else 'wanjiru' end, 'a', number::text, '{"a": 1}'
     from generate_series(1, 500) as number`,
  )

  const { applied } = await migrate(new Secret(urlOf(superuserUrl)), 0)

  assert.ok(applied.includes('0011_audit.sql'))
  const db = openTestDatabase(urlOf(loginUrl))
  t.after(() => db.close())
  const { faults, entries } = await verifyAudit(db.write, full)
  assert.deepEqual([faults, entries], [[], 500])
  const kinds = await ask(urlOf(superuserUrl), 'select distinct actor, actor_kind from audit_entries order by 1')
  assert.deepEqual(kinds, [
    { actor: 'cred_1', actor_kind: 'credential' },
    { actor: 'wanjiru', actor_kind: 'break_glass' },
  ])
})
