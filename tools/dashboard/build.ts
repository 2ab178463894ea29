/** Builds packages/dashboard into its folder dist, from which the api role serves it. */
import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync, renameSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'

const root = join(import.meta.dirname, '../..')
const dashboard = join(root, 'packages/dashboard')
const installed = (program: string) => join(root, 'node_modules', program)

export const isDashboardBuilt = () => existsSync(join(dashboard, 'dist/index.html'))

/** Whether a source is newer than the built page, or there is none. */
export function isDashboardStale(folder = dashboard): boolean {
  const built = statSync(join(folder, 'dist/index.html'), { throwIfNoEntry: false })
  if (!built) return true
  const sources = ['src', 'public'].flatMap((name) => filesIn(join(folder, name)))
  const others = readdirSync(folder).filter((name) => /\.(json|html|ts)$/.test(name))
  return [...sources, ...others.map((name) => join(folder, name))].some(
    (path) => statSync(path).mtimeMs > built.mtimeMs,
  )
}

function filesIn(folder: string): string[] {
  if (!existsSync(folder)) return []
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
}

/** Undefined when the types are right, otherwise what the compiler says. */
export function checkDashboardTypes(): string | undefined {
  return run(installed('typescript/bin/tsc'), '--noEmit', '-p', dashboard)
}

/**
 * Undefined when it was built, otherwise what the bundler says. The new files replace the old ones at once: an api process that starts
 * meanwhile, or a second build, never sees half of them.
 */
export function buildDashboard(): string | undefined {
  const places = join(dashboard, 'node_modules')
  const [made, old] = [join(places, `.dist-${process.pid}`), join(places, `.old-${process.pid}`)]
  mkdirSync(places, { recursive: true })
  const problem = run(installed('vite/bin/vite.js'), 'build', '--logLevel', 'warn', '--outDir', made, '--emptyOutDir')
  if (problem === undefined) replace(join(dashboard, 'dist'), made, old)
  for (const folder of [made, old]) rmSync(folder, { recursive: true, force: true })
  return problem
}

function replace(folder: string, made: string, old: string): void {
  try {
    if (existsSync(folder)) renameSync(folder, old)
    renameSync(made, folder)
  } catch (error) {
    if (!existsSync(folder)) throw error // Otherwise another build was faster, from the same sources.
  }
}

function run(program: string, ...args: readonly string[]): string | undefined {
  if (!existsSync(program)) return `${program} is not installed; run npm ci`
  const env = { ...process.env, NODE_ENV: 'production' }
  const { status, stdout, stderr } = spawnSync(process.execPath, [program, ...args], {
    ...{ cwd: dashboard, encoding: 'utf8', env },
  })
  return status === 0 ? undefined : `${stdout}${stderr}`.trim()
}
