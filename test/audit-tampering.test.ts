import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { type AuditEntry, actorKinds, recordAudit } from '../packages/server/src/audit/record.ts'
import { type Verified, verifyAudit } from '../packages/server/src/audit/verify.ts'
import { testDatabase } from '../packages/server/src/dev-stack/servers.ts'
import { sealHeads, sealLine } from '../packages/server/src/ledger/seals.ts'
import { newId } from '../packages/server/src/platform/ids.ts'
import { openTestDatabase } from '../packages/server/src/testing/ledger.ts'
import { ask } from '../packages/server/src/testing/malipo.ts'
import { proofSize } from './support/cluster/proof.ts'
import { createRandom, type Random } from './support/cluster/random.ts'
import { createSuperuser } from './support/cluster/superuser.ts'
import {
  auditKeys,
  editColumn,
  editEntry,
  editedColumns,
  editLink,
  insertEntry,
  rehashEntries,
  removeEntries,
  reorderEntries,
} from './support/faults/audit-tampering.ts'

const editsMax = proofSize('EDITS', 200)
const seed = proofSize('SEED', 1)

/** First an edit of every column, then all kinds at random, repeatable by seed: four times as many edits of entries as of links. */
const kinds = [
  ...[editEntry, editEntry, editEntry, editEntry],
  ...[removeEntries, removeEntries, insertEntry, insertEntry, reorderEntries, reorderEntries],
  ...[rehashEntries, rehashEntries, rehashEntries, editLink],
]

function someEntry(random: Random): AuditEntry {
  const some = <Value>(value: Value) => (random() < 0.5 ? value : undefined)
  const word = () =>
    random.pick(['merchant.freeze', 'Amina “Moja” Otieno', 'ligne\nsuivante', '7:a-', '🧾', 'case 4711'])
  return {
    actor: { kind: random.pick(actorKinds), id: word(), name: word() },
    action: word(),
    subject: word(),
    merchant_id: some(newId(Date.now(), 0)),
    env: some(random.pick(['live', 'sandbox'])),
    detail: some({ count: random.below(1000), of: { name: word(), amount: '12.50' }, list: [1.5, null, word()] }),
    reason: some(word()),
    result: random.pick(['done', 'refused']),
    origin: some({
      requestId: word(),
      address: '2001:db8::1',
      userAgent: some(word()),
      role: some('finance'),
      strength: 'passkey',
    }),
  }
}

/** A trail over three months and all chains, sealed now and then and at its end, with the seal lines stored separately. */
async function buildTrail(t: TestContext, random: Random) {
  const { loginUrl, superuserUrl } = await testDatabase()
  const db = openTestDatabase(loginUrl)
  t.after(() => db.close())
  const sealLines: string[] = []
  for (const days of [0, 0, 31, 31, 62, 0]) {
    await ask(superuserUrl, `update clock_offset set ahead = '${days} days'`)
    const transactions = Array.from({ length: 30 }, () =>
      Array.from({ length: 1 + random.below(3) }, () => someEntry(random)),
    )
    await Promise.all(
      transactions.map((entries) =>
        db.write.transaction(async (tx) => {
          for (const entry of entries) await recordAudit(tx, 0, entry)
        }),
      ),
    )
    const seal = await sealHeads(db.write)
    assert.ok(seal, 'a seal is made although the ledger did not move')
    sealLines.push(sealLine(seal))
  }
  const superuser = openTestDatabase(superuserUrl)
  t.after(() => superuser.close())
  const verify = () => verifyAudit(db.write, { isFull: true, sealLines })
  return { verify, superuser: await createSuperuser(superuser, auditKeys) }
}

const kindsOf = ({ faults }: Verified) => [...new Set(faults.map(({ kind }) => kind))].sort().join(', ')

/** Count of each, most frequent first. */
function tally(found: readonly string[]): [string, number][] {
  const counts = [...Map.groupBy(found, String)].map(([text, all]): [string, number] => [text, all.length])
  return counts.sort(([, left], [, right]) => right - left)
}

test('verifying finds what a superuser changes in the audit trail', {
  timeout: 120_000 + editsMax * 500,
}, async (t) => {
  const random = createRandom(seed)
  const { verify, superuser } = await buildTrail(t, random)
  const untouched = await verify()
  const months = new Set(superuser.rows.audit_entries.map((row) => row['id']?.slice(0, 5)))
  t.diagnostic(
    `seed ${seed}; ${untouched.entries} entries in ${untouched.chains} chains, ${months.size} months, ${untouched.seals} seals`,
  )
  assert.deepEqual([untouched.faultCount, untouched.faults], [0, []])
  assert.ok(new Set(superuser.rows.audit_links.map((row) => row['chain'])).size > 1, 'several chains have entries')

  const made: string[] = []
  const found: string[] = []
  const missed: unknown[] = []
  while (made.length < editsMax) {
    const column = editedColumns[made.length]
    const tampering = column ? editColumn(random, superuser.rows, [column]) : random.pick(kinds)(random, superuser.rows)
    if (await superuser.tamper(tampering)) {
      made.push(tampering.kind)
      const verified = await verify()
      if (verified.faultCount > 0) found.push(kindsOf(verified))
      else missed.push(tampering)
    }
    await superuser.undo()
  }

  for (const [kind, times] of tally(made)) t.diagnostic(`done ${times} times: ${kind}`)
  for (const [faults, times] of tally(found)) t.diagnostic(`found ${times} times as: ${faults}`)
  assert.deepEqual(missed, [])
  assert.equal(found.length, editsMax)
  assert.deepEqual(await verify(), untouched, 'everything is restored and verifies')
})
