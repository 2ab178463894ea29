import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'

/** Lives in one world. */
export const livesPerWorld = 40

export interface WorldsResult {
  readonly lives: number
  readonly steps: number
  readonly seconds: number
  readonly givenUp: number
  readonly digest: string
  readonly failure: WorldFailure | undefined
}

interface WorldFailure {
  readonly seed: number
  readonly violations: readonly string[]
  readonly trace: readonly string[]
}

export const root = join(import.meta.dirname, '..', '..')

/** Runs worlds in a separate process on their own database, beside the servers of this run, until one has a violation. */
export async function runWorlds(
  folder: string,
  order: { readonly first: number; readonly worlds: number; readonly env?: NodeJS.ProcessEnv },
): Promise<WorldsResult> {
  const { NODE_TEST_CONTEXT: _, ...env } = { ...process.env, ...order.env }
  const args = ['test/simulation/main.ts', order.first, order.worlds, livesPerWorld].map(String)
  const child = spawn(process.execPath, args, { cwd: folder, env, stdio: ['ignore', 'pipe', 'pipe'] })
  const output = { stdout: '', stderr: '' }
  for (const name of ['stdout', 'stderr'] as const)
    child[name].setEncoding('utf8').on('data', (part: string) => {
      output[name] += part
    })
  await once(child, 'close')
  const lines = output.stdout.split('\n').filter((line) => line.startsWith('{'))
  const last = lines.at(-1)
  if (last === undefined || !last.includes('"lives"'))
    throw new Error(`the simulation exited early: ${output.stderr}${output.stdout}`)
  const failure = lines.length > 1 ? (JSON.parse(lines[0] ?? '') as WorldFailure) : undefined
  return { ...(JSON.parse(last) as Omit<WorldsResult, 'failure'>), failure }
}
