/** Checks the API's description: that it is sound, and that it breaks no promise an earlier version made. */
import { execFileSync, spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const root = join(import.meta.dirname, '..')
const path = 'docs/reference/openapi.json'
const program = join(root, 'node_modules/@redocly/cli/bin/cli.js')
const config = join(root, 'redocly.yaml')

export interface Verdict {
  readonly isFine: boolean
  readonly report: string
}

function redocly(...args: string[]): Verdict {
  const env = { ...process.env, REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' }
  const { status, stdout, stderr } = spawnSync(process.execPath, [program, ...args, '--config', config], {
    cwd: root,
    env,
    encoding: 'utf8',
  })
  return { isFine: status === 0, report: `${stdout}${stderr}` }
}

export function lint(document: string): Verdict {
  return redocly('lint', document)
}

/** Fails when a caller written for `before` could be broken by `after`. */
export function compare(before: string, after: string): Verdict {
  return redocly('diff', before, after, '--fail-on=major')
}

/** The document as it was before its last change: the one merged, when there are changes not yet merged, else the one before that. */
function documentBefore(): string | undefined {
  const git = (...args: string[]) => execFileSync('git', args, { cwd: root, encoding: 'utf8' })
  const commits = git('log', '-2', '--format=%H', '--', path).trim().split('\n')
  const isChanged = git('status', '--porcelain', '--', path) !== ''
  const commit = isChanged ? commits[0] : commits[1]
  return commit ? git('show', `${commit}:${path}`) : undefined
}

function check(): Verdict {
  const linted = lint(join(root, path))
  const before = documentBefore()
  if (!linted.isFine || before === undefined) return linted
  const folder = mkdtempSync(join(tmpdir(), 'malipo-openapi-'))
  writeFileSync(join(folder, 'before.json'), before)
  const compared = compare(join(folder, 'before.json'), join(root, path))
  rmSync(folder, { recursive: true })
  return compared
}

if (import.meta.main) {
  const { isFine, report } = check()
  console.log(report.trim())
  process.exitCode = isFine ? 0 : 1
}
