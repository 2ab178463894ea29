import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readId } from '../../server/src/platform/ids.ts'
import { testMalipo } from '../../server/src/testing/malipo.ts'
import { exitCodes } from './exit-codes.ts'
import { commandLine } from './testing/command-line.ts'
import { installationOf, openStaff } from './testing/staff.ts'

async function open(t: Parameters<typeof testMalipo>[0]) {
  const malipo = await testMalipo(t)
  const { variables } = await openStaff(t, malipo, { operator: ['auditor'] })
  const run = commandLine({ ...variables, ...(await installationOf(malipo)) })
  return { malipo, run }
}

test('a reason that a spreadsheet would take for a formula is exported as text', async (t) => {
  const { malipo, run } = await open(t)
  const { id } = await malipo.merchant()
  await malipo.operator.merchants.freeze(id, '=HYPERLINK("http://evil","x")')

  const csv = await run('audit', 'export', '--subject', id, '--format', 'csv')
  const lines = (await run('audit', 'export', '--subject', id)).out.trimEnd().split('\n')

  assert.equal(csv.code, exitCodes.done)
  assert.match(csv.out, /^at,id,actorKind,/)
  assert.match(csv.out, /"'=HYPERLINK\(""http:\/\/evil"",""x""\)"/)
  assert.deepEqual(
    lines.map((line) => (JSON.parse(line) as { action: string }).action),
    ['merchant.create', 'merchant.freeze'],
  )
})

test('verify exits with 0 for an unchanged trail, and with 5 and the entry for a changed one', async (t) => {
  const { malipo, run } = await open(t)
  const { id } = await malipo.merchant()
  const [entry] = await malipo.operator.audit.list({ subject: id, limit: 1 })
  const unchanged = await run('audit', 'verify', '--full')
  const edit = (action: string) =>
    malipo.ask('update audit_entries set action = $1 where id = $2', [action, readId('audit entry', entry?.id ?? '')])
  t.after(() => edit(entry?.action ?? ''))

  await edit('nothing.happened')
  const changed = await run('audit', 'verify', '--full')
  const asJson = await run('audit', 'verify', '--full', '--json')
  const ledger = await run('ledger', 'check', '--full')

  assert.match(unchanged.out, /^The audit trail is unchanged: \d+ entries in 8 chains/)
  assert.deepEqual(
    [unchanged.code, changed.code, ledger.code],
    [exitCodes.done, exitCodes.checkFailed, exitCodes.checkFailed],
  )
  assert.ok(changed.out.includes(`${entry?.id}: its content does not match its hash`), changed.out)
  assert.equal((JSON.parse(asJson.out) as { faultCount: number }).faultCount, 1)
})

test('filters take a day or a time and refuse anything else', async (t) => {
  const { malipo, run } = await open(t)
  const { id } = await malipo.merchant()
  const count = async (...args: string[]) =>
    (JSON.parse((await run('audit', 'list', '--merchant', id, '--json', ...args)).out) as object[]).length

  assert.equal(await count('--from', '2026-01-01'), 2)
  assert.equal(await count('--to', '2026-01-01T00:00+03:00'), 0)
  for (const time of ['yesterday', '2026-02-31', '2026-1-1', '2026-01-01T10:00'])
    assert.equal((await run('audit', 'list', '--from', time)).code, exitCodes.usage, time)
})
