import { execFileSync } from 'node:child_process'
import { existsSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import type { createDatabase } from '../../../packages/server/src/dev-stack/database.ts'
import type { makeSecrets, openOperator } from '../../../packages/server/src/operate/operator.ts'
import { firstOfSeries, gitIn } from '../../../tools/checks/releases.ts'

/** The service at an earlier commit: its program, its operator's commands and its schema. */
export interface EarlierCode {
  readonly commit: string
  readonly main: string
  readonly openOperator: typeof openOperator
  /** Keys in the format it reads. */
  readonly makeSecrets: typeof makeSecrets
  readonly createDatabase: typeof createDatabase
}

const root = join(import.meta.dirname, '../../..')

/** The last commit with another schema, but none before the first version that upgrades are promised from. */
export function beforeTheSchema(): string {
  const first = firstOfSeries(root)
  if (first === undefined) return 'HEAD'
  const changed = gitIn(root)('log', '-1', '--format=%H', `${first}..`, '--', 'packages/server/migrations').trim()
  return changed ? `${changed}~1` : first
}

/** Fails where the history does not have the commit. Removed with the test. */
export async function earlierCode(t: Pick<TestContext, 'after'>, reference: string): Promise<EarlierCode> {
  const commit = gitIn(root)('rev-parse', '--verify', `${reference}^{commit}`).trim()
  const folder = mkdtempSync(join(tmpdir(), 'malipo-earlier-'))
  t.after(() => rmSync(folder, { recursive: true, force: true }))
  const archive = execFileSync('git', ['archive', commit, 'package.json', 'packages'], {
    cwd: root,
    maxBuffer: 2 ** 28,
  })
  execFileSync('tar', ['-x', '-C', folder], { input: archive })
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'))
  const source = join(folder, 'packages/server/src')
  const operate = (await import(join(source, 'operate/operator.ts'))) as Pick<
    EarlierCode,
    'openOperator' | 'makeSecrets'
  >
  const { openOperator, makeSecrets } = operate
  const homes = ['dev-stack/database.ts', 'testing/database.ts'].map((path) => join(source, path))
  const home = homes.find((path) => existsSync(path)) ?? ''
  const { createDatabase } = (await import(home)) as Pick<EarlierCode, 'createDatabase'>
  return { commit, main: join(source, 'main.ts'), openOperator, makeSecrets, createDatabase }
}
