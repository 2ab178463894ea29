import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { constants } from 'node:os'
import type { Stack } from '../../packages/server/src/dev-stack/stack.ts'

/** Runs a command beside what it needs and returns its exit code. Leaves nothing behind, however it ends. */
export async function runBeside(args: readonly string[], name: string, start: () => Promise<Stack>): Promise<number> {
  const [program, ...programArgs] = args
  if (program === undefined) {
    process.stderr.write(`usage: npm run ${name} -- COMMAND [ARGUMENT…]\n`)
    return 2
  }
  const stopped = new Promise<NodeJS.Signals>((resolve) => {
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => resolve(signal))
  })
  const stack = await start()
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
