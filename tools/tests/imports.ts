/** Which of our own modules a file loads when it runs, found by reading its imports. */
import { existsSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

/** Imports and exports from a relative path. A type-only one is erased, and loads nothing. */
const imported = /^(?:import|export)\s+(?!type\b)[^'";]*?(?:from\s+)?'(\.[^']+\.ts)'|import\('(\.[^']+\.ts)'\)/gm

/** The file and everything that it loads, directly or not. Paths are relative to the root. */
export function loadedBy(root: string, file: string): ReadonlySet<string> {
  const loaded = new Set<string>()
  const open = [file]
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    if (loaded.has(next) || !existsSync(join(root, next))) continue
    loaded.add(next)
    open.push(...importsOf(root, next))
  }
  return loaded
}

function importsOf(root: string, file: string): string[] {
  const text = readFileSync(join(root, file), 'utf8')
  return [...text.matchAll(imported)].map(([, plain, dynamic]) => join(dirname(file), plain ?? dynamic ?? ''))
}

/** Modules that start a process: a database, NATS, a provider simulator, or Malipo itself. */
const starters = /^packages\/server\/src\/dev-stack\/(servers|postgres|nats|processes|simulator|stack)\.ts$/

/** Whether a test file loads nothing that starts a server. */
export function needsNoServer(root: string, file: string): boolean {
  return ![...loadedBy(root, file)].some((path) => starters.test(path))
}
