import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { promisify } from 'node:util'
import { programFolders } from '../dev-stack/postgres.ts'
import { findProgram } from '../dev-stack/processes.ts'
import { testDatabase } from '../dev-stack/servers.ts'
import { runStatements } from '../dev-stack/statements.ts'
import { archivingScene } from '../testing/archiving.ts'
import { openOperator } from './operator.ts'

/** Waits without blocking: a pool must close its idle connections in time. */
const run = promisify(execFile)

/** Backs up the test's database and restores it under another name. Returns its URL as the superuser. */
async function backUp(t: TestContext, folder: string): Promise<string> {
  const { superuserUrl } = await testDatabase()
  const restored = new URL(superuserUrl)
  restored.pathname += '_backup'
  const name = restored.pathname.slice(1)
  const dump = join(folder, 'backup.sql')
  const program = (each: string) => findProgram(each, programFolders(), 'postgresql')
  await run(program('pg_dump'), ['--file', dump, superuserUrl])
  await runStatements(superuserUrl, [`create database ${name}`])
  t.after(() => runStatements(superuserUrl, [`drop database ${name} with (force)`]))
  await run(program('psql'), ['--quiet', '--set', 'ON_ERROR_STOP=1', '--file', dump, restored.href])
  return restored.href
}

test('a backup reads its archived month from the folder after the month was restored and archived again', async (t) => {
  const scene = await archivingScene(t)
  const { malipo, months, folder, charge } = scene
  const { archive, ledger, payments } = malipo.operator
  await scene.archive()
  const drawing = await archive.show(charge, folder)
  const url = await backUp(t, folder)
  const { natsUrl } = await testDatabase()
  const settings = { ...malipo.secrets, DATABASE_URL: url, DATABASE_OWNER_URL: url, NATS_URL: natsUrl }
  const backup = openOperator(settings, 'test')
  t.after(() => backup.close())
  const [before] = await archive.list({ folder })

  await archive.restore(months[0], folder)
  await payments.resolve(scene.doubt, { outcome: 'failed', reason: 'a test', evidence: 'line 1' })
  await scene.settle()
  await archive.create({ before: months[1], folder, keptMonths: 0 })

  const [now] = await archive.list({ folder })
  const [then] = await backup.archive.list({ folder })
  assert.notEqual(now?.file, before?.file)
  assert.deepEqual([now?.status, then?.status, then?.file], ['verified', 'verified', before?.file])
  await ledger.check({ isFull: true, archive: folder })
  await backup.ledger.check({ isFull: true, archive: folder })
  assert.equal(await backup.archive.show(charge, folder), drawing)
  await backup.archive.restore(months[0], folder)
  assert.equal(await backup.ledger.show(charge), drawing)
  await backup.ledger.check({ isFull: true, archive: folder })
})
