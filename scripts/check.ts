/**
 * npm run check: everything that must hold before a commit. CI runs it, and then npm run docs and newcomer. Stops at the first
 * failure.
 */
import { spawnSync } from 'node:child_process'

const steps: readonly (readonly [string, string, ...string[]])[] = [
  ['format and lint', 'biome', 'ci', '--error-on-warnings', '.'],
  ['types', 'tsc'],
  ['nothing unused', 'knip', '--no-config-hints'],
  ['who imports whom', 'node', 'tools/checks/layers.ts'],
  ['API description', 'node', 'tools/checks/openapi.ts'],
  ['tests', 'node', 'scripts/test.ts'],
]

for (const [name, program, ...args] of steps) {
  console.log(`\n── ${name}`)
  const startedAt = performance.now()
  const path = program === 'node' ? process.execPath : `node_modules/.bin/${program}`
  const { status, error } = spawnSync(path, args, { stdio: 'inherit' })
  console.log(`── ${name}: ${status === 0 ? 'ok' : 'FAILED'}, ${((performance.now() - startedAt) / 1000).toFixed(1)} s`)
  if (status !== 0) {
    if (error) console.error(error.message)
    process.exit(1)
  }
}
