/** Runs programs at the same time and prints the output of each when it ends, so that their lines do not mix. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'

export interface Step {
  readonly name: string
  readonly program: string
  readonly args: readonly string[]
}

/** The names of the steps that failed. All run to their end, so that one run shows every problem. */
export async function runSideBySide(steps: readonly Step[], print: (text: string) => void): Promise<string[]> {
  const results = await Promise.all(steps.map(async (step) => ({ step, isPassed: await runStep(step, print) })))
  return results.filter(({ isPassed }) => !isPassed).map(({ step }) => step.name)
}

async function runStep({ name, program, args }: Step, print: (text: string) => void): Promise<boolean> {
  const startedAt = performance.now()
  const child = spawn(program, args, { stdio: ['ignore', 'pipe', 'pipe'] })
  const output: string[] = []
  for (const stream of [child.stdout, child.stderr]) stream.setEncoding('utf8').on('data', (part) => output.push(part))
  const problem = once(child, 'error').then(([error]) => (error as Error).message)
  const code = await Promise.race([once(child, 'close').then(([ended]) => ended as number | null), problem])
  if (typeof code === 'string') output.push(code)
  const seconds = ((performance.now() - startedAt) / 1000).toFixed(1)
  print(`\n── ${name}: ${code === 0 ? 'ok' : 'FAILED'}, ${seconds} s\n${output.join('').trim()}`)
  return code === 0
}
