/**
 * npm run check: everything that must hold before a commit: the static checks side by side, then the tests. CI runs it in parts,
 * with npm run docs and newcomer. `--static` runs no tests; `--fast` (npm run check:fast) runs the checks that find most mistakes
 * and the tests without servers, in about a minute.
 */
import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { runSideBySide, type Step } from '../tools/checks/side-by-side.ts'

const { values } = parseArgs({
  options: { static: { type: 'boolean', default: false }, fast: { type: 'boolean', default: false } },
})

const installed = (program: string) => join('node_modules/.bin', program)
const script = (name: string, ...args: string[]): Step => ({ name, program: process.execPath, args })

const always: readonly Step[] = [
  { name: 'format and lint', program: installed('biome'), args: ['ci', '--error-on-warnings', '.'] },
  { name: 'types', program: installed('tsc'), args: [] },
  { name: 'types of the dashboard', program: installed('tsc'), args: ['-p', 'packages/dashboard'] },
  script('imports between modules', 'tools/checks/layers.ts'),
]
const others: readonly Step[] = [
  { name: 'unused code', program: installed('knip'), args: ['--no-config-hints'] },
  script('API description', 'tools/checks/openapi.ts'),
]
const pureTests = script('tests without servers', 'scripts/test.ts', '--stage=pure')

const startedAt = performance.now()
const failed = await runSideBySide([...always, ...(values.fast ? [pureTests] : others)], (text) => console.log(text))
if (failed.length === 0 && !values.fast && !values.static) runAllTests()
console.log(`\n${failed.length === 0 ? 'ok' : `FAILED: ${failed.join(', ')}`}, ${seconds()} s`)
process.exitCode = failed.length === 0 ? 0 : 1

/** Their output is printed as it comes: they take minutes. */
function runAllTests(): void {
  const { status } = spawnSync(process.execPath, ['scripts/test.ts'], { stdio: 'inherit' })
  if (status !== 0) failed.push('tests')
}

function seconds(): string {
  return ((performance.now() - startedAt) / 1000).toFixed(0)
}
