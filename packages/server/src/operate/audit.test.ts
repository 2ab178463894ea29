import assert from 'node:assert/strict'
import { test } from 'node:test'
import { recordAudit } from '../audit/record.ts'
import { readId } from '../platform/ids.ts'
import { auditEntry } from '../testing/auditing.ts'
import { testMalipo } from '../testing/malipo.ts'
import { testPerson } from '../testing/people.ts'

test('the trail is listed newest first, and each filter narrows it', async (t) => {
  const malipo = await testMalipo(t)
  const { list, show } = malipo.operator.audit
  const [merchant, other] = [await malipo.merchant(), await malipo.merchant()]
  await malipo.operator.merchants.freeze(merchant.id, 'case 4711')
  await malipo.operator.merchants.freeze(other.id, 'case 4712')
  await merchant.token()

  const all = await list({ limit: 1000 })
  const frozen = await list({ merchant: merchant.id, action: 'merchant.freeze', limit: 10 })
  const byPair = await list({ merchant: merchant.id, action: 'token.issue', limit: 10 })

  assert.deepEqual(
    all.map(({ id }) => id),
    all.map(({ id }) => id).toSorted((left, right) => (left < right ? 1 : -1)),
  )
  assert.deepEqual(
    frozen.map(({ actor, subject, reason, result }) => ({ actor, subject, reason, result })),
    [
      {
        actor: { kind: 'break_glass', id: 'test', name: 'test' },
        subject: merchant.id,
        reason: 'case 4711',
        result: 'done',
      },
    ],
  )
  assert.deepEqual(await show(frozen[0]?.id ?? ''), frozen[0])
  assert.equal(byPair[0]?.actor.name, merchant.publicKey)
  assert.deepEqual(await list({ actor: byPair[0]?.actor.id ?? '', env: 'sandbox', limit: 10 }), byPair)
  assert.deepEqual(await list({ actor: byPair[0]?.actor.id ?? '', env: 'live', limit: 10 }), [])
  assert.deepEqual(await list({ subject: merchant.id, result: 'refused', limit: 10 }), [])
  assert.equal((await list({ subject: merchant.id, limit: 1 })).length, 1)
})

test('an entry has the names of the people and merchants whose ids are in it', async (t) => {
  const malipo = await testMalipo(t)
  const merchant = await malipo.merchant()
  const { id: actor } = await testPerson(malipo, { name: 'Faith Njeri' })
  const { id: subject } = await testPerson(malipo, { name: 'Daniel Mutiso' })
  const unknown = `person_${'0'.repeat(32)}`
  const entry = auditEntry({
    ...{ action: 'people.test', subject, merchant_id: readId('merchant', merchant.id) },
    ...{ actor: { kind: 'person', id: actor, name: 'Faith' }, detail: { by: [unknown] } },
  })
  await malipo.ctx.db.write.transaction((tx) => recordAudit(tx, 0, entry))

  const [shown] = await malipo.operator.audit.list({ action: 'people.test', limit: 1 })

  assert.deepEqual(shown?.names, { [actor]: 'Faith Njeri', [subject]: 'Daniel Mutiso', [merchant.id]: 'Duka' })
  assert.deepEqual(await malipo.operator.audit.show(shown?.id ?? ''), shown)
})

test('a page continues after the last entry of the page before', async (t) => {
  const malipo = await testMalipo(t)
  const { id } = await malipo.merchant()
  for (const reason of ['1', '2', '3']) {
    await malipo.operator.merchants.freeze(id, reason)
    await malipo.operator.merchants.unfreeze(id, reason)
  }
  const all = await malipo.operator.audit.list({ subject: id, limit: 100 })

  const first = await malipo.operator.audit.list({ subject: id, limit: 4 })
  const rest = await malipo.operator.audit.list({ subject: id, limit: 100, after: first.at(-1)?.id ?? '' })

  assert.deepEqual([...first, ...rest], all)
})

test('an export has every entry of its time once, oldest first, over many pages', async (t) => {
  const malipo = await testMalipo(t)
  const from = new Date(Date.now() - 1000)
  await malipo.ctx.db.write.transaction(async (tx) => {
    for (let count = 0; count < 2100; count += 1) await recordAudit(tx, 0, auditEntry({ subject: `exported-${count}` }))
  })

  const pages: string[][] = []
  for await (const page of malipo.operator.audit.export({ action: 'merchant.freeze', from }))
    pages.push(page.map(({ subject }) => subject).filter((subject) => subject.startsWith('exported-')))
  const before = await Array.fromAsync(malipo.operator.audit.export({ to: new Date(from.getTime() - 86_400_000) }))

  assert.ok(pages.length >= 3)
  assert.equal(new Set(pages.flat()).size, 2100)
  assert.deepEqual(before, [])
})

test('an unknown or malformed entry or merchant is refused with a reason', async (t) => {
  const { operator } = await testMalipo(t)

  await assert.rejects(operator.audit.show(`aud_${'0'.repeat(32)}`), /no audit entry has the id aud_0/)
  await assert.rejects(operator.audit.show('17'), /17 is not an audit entry/)
  await assert.rejects(operator.audit.list({ merchant: 'Duka', limit: 1 }), /Duka is not a merchant id/)
})

test('a changed entry is named by verify, and fails the ledger check', async (t) => {
  const malipo = await testMalipo(t)
  const { id } = await malipo.merchant()
  await malipo.operator.ledger.check({ isFull: true })
  const [entry] = await malipo.operator.audit.list({ subject: id, limit: 1 })
  const edit = (actor: string) =>
    malipo.ask('update audit_entries set actor = $1 where id = $2', [actor, readId('audit entry', entry?.id ?? '')])
  t.after(() => edit('test'))

  await edit('the auditor')

  const { faults, faultCount } = await malipo.operator.audit.verify({ isFull: true })
  assert.deepEqual([faultCount, faults.map(({ kind, id: of }) => [kind, of])], [1, [['edited', entry?.id]]])
  await assert.rejects(malipo.operator.ledger.check({ isFull: true }), {
    name: 'AuditDisagreement',
    message: /the audit trail was changed, 1 fault: entry \d+ of chain \d: its content does not match its hash/,
  })
})
