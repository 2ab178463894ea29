import { execFileSync, spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import type { createDatabase } from '../../../packages/server/src/dev-stack/database.ts'
import type { makeSecrets, openOperator } from '../../../packages/server/src/operate/operator.ts'

/** What the service was at an earlier commit: its program, its operator's commands and its schema. */
export interface EarlierCode {
  readonly commit: string
  readonly main: string
  readonly openOperator: typeof openOperator
  /** Keys as it can read them. */
  readonly makeSecrets: typeof makeSecrets
  readonly createDatabase: typeof createDatabase
}

const root = join(import.meta.dirname, '../../..')

/** The last commit that had another schema; the one before this, where the history does not reach that far back. */
export function beforeTheSchema(): string {
  const found = spawnSync('git', ['log', '-1', '--format=%H', '--', 'packages/server/migrations'], { cwd: root })
  return `${String(found.stdout).trim() || 'HEAD'}~1`
}

/** Nothing where the history does not reach that far back, as in a clone of depth 1. It is gone with the test. */
export async function earlierCode(t: TestContext, reference: string): Promise<EarlierCode | undefined> {
  const found = spawnSync('git', ['rev-parse', '--verify', '--quiet', `${reference}^{commit}`], { cwd: root })
  if (found.status !== 0) return undefined
  const commit = String(found.stdout).trim()
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
