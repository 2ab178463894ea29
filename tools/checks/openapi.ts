/** Checks the API's description: it is valid, and compatible with the first version of its series. */
import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { firstOfSeries, gitIn } from './releases.ts'

const root = join(import.meta.dirname, '../..')
const path = 'docs/reference/openapi.json'
const otherPaths = ['docs/reference/operator-openapi.json', 'docs/reference/dashboard-openapi.json']
const program = join(root, 'node_modules/@redocly/cli/bin/cli.js')
const config = join(root, 'redocly.yaml')

export interface CheckResult {
  readonly isFine: boolean
  readonly report: string
}

function redocly(...args: string[]): CheckResult {
  const env = { ...process.env, REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' }
  const { status, stdout, stderr } = spawnSync(process.execPath, [program, ...args, '--config', config], {
    cwd: root,
    env,
    encoding: 'utf8',
  })
  return { isFine: status === 0, report: `${stdout}${stderr}` }
}

export function lint(document: string): CheckResult {
  return redocly('lint', document)
}

/** Fails when a caller written for `before` could be broken by `after`. Clients expect new values of an extensible list. */
export function compare(before: string, after: string): CheckResult {
  const folder = mkdtempSync(join(tmpdir(), 'malipo-openapi-'))
  const grown = join(folder, 'before.json')
  writeFileSync(grown, withNewValues(readFileSync(before, 'utf8'), readFileSync(after, 'utf8')))
  const compared = redocly('diff', grown, after, '--fail-on=major')
  rmSync(folder, { recursive: true })
  return compared
}

interface Lists {
  components: { schemas: Record<string, { 'x-extensible'?: true; enum?: string[] }> }
}

/** The earlier document with the values that its extensible lists gained later. */
function withNewValues(before: string, after: string): string {
  const [earlier, later] = [JSON.parse(before) as Lists, JSON.parse(after) as Lists]
  for (const [name, schema] of Object.entries(earlier.components.schemas)) {
    const values = later.components.schemas[name]?.enum
    if (schema['x-extensible'] && values) schema.enum = [...new Set([...(schema.enum ?? []), ...values])]
  }
  return JSON.stringify(earlier)
}

/** The document of the first version in the current series, which every later one must stay compatible with. */
function promisedDocument(): string | undefined {
  const first = firstOfSeries(root)
  return first && gitIn(root)('show', `${first}:${path}`)
}

function check(): CheckResult {
  const faulty = otherPaths.map((each) => lint(join(root, each))).find(({ isFine }) => !isFine)
  if (faulty) return faulty
  const linted = lint(join(root, path))
  const before = promisedDocument()
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
