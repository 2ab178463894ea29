/**
 * npm run stack -- CMD…: runs CMD beside a separate whole Malipo and passes on its exit code. Leaves nothing behind, however it
 * ends.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync } from 'node:fs'
import { constants, tmpdir } from 'node:os'
import { join } from 'node:path'
import { startStack } from '../packages/server/src/dev-stack/stack.ts'

const [command, ...args] = process.argv.slice(2)
if (command === undefined) {
  process.stderr.write('usage: npm run stack -- COMMAND [ARGUMENT…]\n')
  process.exitCode = 2
} else process.exitCode = await runBesideStack(command, args)

async function runBesideStack(program: string, programArgs: readonly string[]): Promise<number> {
  const stopped = new Promise<NodeJS.Signals>((resolve) => {
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => resolve(signal))
  })
  const stack = await startStack(mkdtempSync(join(tmpdir(), 'malipo-stack-')), { isKept: false })
  for (const note of stack.notes) process.stderr.write(`${note}\n`)
  try {
    const child = spawn(program, programArgs, { stdio: 'inherit', env: { ...process.env, ...stack.exports } })
    void stopped.then((signal) => child.kill(signal))
    const [code, signal] = (await once(child, 'exit')) as [number | null, NodeJS.Signals | null]
    return code ?? 128 + constants.signals[signal ?? 'SIGKILL']
  } catch (error) {
    process.stderr.write(`${program} could not be started: ${(error as Error).message}\n`)
    return 127
  } finally {
    await stack.stop()
  }
}
