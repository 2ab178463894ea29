/** Checks imports between modules. Run by `npm run check`; the rules are in .dependency-cruiser.cjs. */
import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'

const root = join(import.meta.dirname, '../..')
const places = ['packages', 'scripts', 'tools', 'bench', 'test']

export interface Cruise {
  readonly modules: number
  /** `rule: from → to` of every import that breaks a rule. */
  readonly violations: readonly string[]
}

interface Report {
  readonly summary: {
    readonly totalCruised: number
    readonly violations: readonly {
      readonly rule: { readonly name: string }
      readonly from: string
      readonly to: string
    }[]
  }
}

/** Follows every import of the tree. A run without any module is an error, not a clean result. */
export function cruise(tree: string): Cruise {
  const program = join(root, 'node_modules/dependency-cruiser/bin/dependency-cruiser.mjs')
  const config = join(root, '.dependency-cruiser.cjs')
  const present = places.filter((place) => existsSync(join(tree, place)))
  const args = [program, '--config', config, '--output-type', 'json', ...present]
  const { stdout, stderr } = spawnSync(process.execPath, args, { cwd: tree, encoding: 'utf8', maxBuffer: 2 ** 28 })
  if (!stdout.startsWith('{')) throw new Error(`dependency-cruiser could not run: ${stderr}${stdout}`)
  return judge(JSON.parse(stdout) as Report)
}

export function judge({ summary }: Report): Cruise {
  if (summary.totalCruised === 0) throw new Error('dependency-cruiser saw no modules, so it checked nothing')
  return {
    modules: summary.totalCruised,
    violations: summary.violations.map(({ rule, from, to }) => `${rule.name}: ${from} → ${to}`),
  }
}

if (import.meta.main) {
  const { modules, violations } = cruise(root)
  for (const violation of violations) console.error(violation)
  console.log(`${modules} modules, ${violations.length} violations`)
  process.exitCode = violations.length === 0 ? 0 : 1
}
