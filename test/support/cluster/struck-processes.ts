import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { compiled, freePort } from '../../../packages/server/src/dev-stack/processes.ts'
import { until } from '../../../packages/server/src/dev-stack/until.ts'
import { filesOf, type Strike } from '../faults/armed-failpoints.ts'
import type { Cell, Role } from './cell.ts'

const failing = import.meta.resolve('../faults/failing.ts')
const cli = fileURLToPath(import.meta.resolve('../../../packages/cli/src/main.ts'))

/** Environment that lets a test strike a process. */
const settingsOf = (path: string) => ({ NODE_OPTIONS: `--import=${failing}`, FAILPOINT_PATH: path })

/** Processes that listen at the same place, one after another: when one is killed the next takes over. */
export interface Post {
  readonly url: string
  /** Strikes the process when it reaches the failpoint, and returns when it works again. */
  strike(strike: Strike, nudge: () => Promise<void>): Promise<void>
}

/** Enough time to reach rare failpoints on a busy machine. */
const reachMs = 120_000

export async function openPost(cell: Cell, role: 'api' | 'worker', name: string): Promise<Post> {
  const port = String(await freePort())
  let starts = 0
  const start = (): Promise<Role> => {
    starts += 1
    const unique = `${name}-${starts}`
    return cell.start(role, unique, { ...settingsOf(join(cell.folder, name)), MALIPO_PORT: port })
  }
  let current = await start()
  const files = filesOf(join(cell.folder, name))
  return {
    url: current.url,
    strike: async (strike, nudge) => {
      arm(files, strike)
      const isStruck = async () => {
        await nudge()
        return existsSync(files.struck)
      }
      await until(`${name} to reach ${strike.place}`, isStruck, { timeoutMs: reachMs })
      if (strike.kind === 'kill') {
        await current.stop('SIGKILL')
        current = await start()
      } else await until(`${name} to continue`, () => existsSync(files.over))
      for (const path of [files.struck, files.over]) rmSync(path, { force: true })
    },
  }
}

/** Atomic, so that no process reads half of it. */
function arm({ armed }: ReturnType<typeof filesOf>, strike: Strike): void {
  writeFileSync(`${armed}.new`, JSON.stringify(strike))
  renameSync(`${armed}.new`, armed)
}

/** Whether the command was struck, and its output if it survived. */
export interface CommandResult {
  readonly isStruck: boolean
  readonly code: number | null
  readonly text: string
}

/** Runs an operator's command, and strikes it if wanted. */
export async function runCommand(
  folder: string,
  env: Readonly<Record<string, string>>,
  args: readonly string[],
  strike?: Strike,
): Promise<CommandResult> {
  const path = join(folder, 'operator')
  const files = filesOf(path)
  if (strike) arm(files, strike)
  const child = spawn(process.execPath, [cli, ...args], {
    env: { ...compiled, ...env, ...settingsOf(path) },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const parts: string[] = []
  for (const stream of [child.stdout, child.stderr]) stream.setEncoding('utf8').on('data', (part) => parts.push(part))
  const [code] = (await once(child, 'close')) as [number | null]
  const isStruck = existsSync(files.struck)
  for (const left of Object.values(files)) rmSync(left, { force: true })
  return { isStruck, code, text: parts.join('') }
}
