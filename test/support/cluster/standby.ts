import { execFile } from 'node:child_process'
import { chownSync, copyFileSync, mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { promisify } from 'node:util'
import {
  type Postgres,
  programFolders,
  serverUser,
  startPostgres,
} from '../../../packages/server/src/dev-stack/postgres.ts'
import { findProgram, guardFolder, makeFolder } from '../../../packages/server/src/dev-stack/processes.ts'

/** Starts a hot standby that streams from the primary. It ends with the test. */
export async function startStandby(t: Pick<TestContext, 'after'>, primary: Postgres): Promise<Postgres> {
  const folder = makeFolder(mkdtempSync(join(tmpdir(), 'malipo-standby-')))
  const guard = guardFolder(folder, { isKept: false })
  const user = serverUser()
  if (user) chownSync(folder, user.uid, user.gid)
  const command = findProgram('pg_basebackup', programFolders(), 'postgresql')
  const args = ['-d', primary.urlOf('postgres'), '-D', join(folder, 'postgres'), '-R', '-X', 'stream', '-c', 'fast']
  await promisify(execFile)(command, args, { ...user })
  const passwordFile = join(folder, 'postgres.password')
  copyFileSync(primary.passwordFile, passwordFile)
  if (user) chownSync(passwordFile, user.uid, user.gid)
  const standby = await startPostgres(folder, { shared_buffers: '32MB' })
  t.after(async () => {
    await standby.stop()
    await guard.dismiss()
  })
  return standby
}
