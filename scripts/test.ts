/** npm test [-- FILE…]: runs the tests beside one PostgreSQL and one NATS, which it starts and removes. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readdirSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startTestServers } from '../packages/server/src/dev-stack/servers.ts'
import { machineTime } from '../packages/server/src/dev-stack/until.ts'

const asked = process.argv.slice(2)

interface Round {
  readonly args: readonly string[]
  readonly minutesMax: number
}

/** Tests that measure time while processors are scarce. They have the machine to themselves. */
const timed = ['overload', 'under-attack', 'payments-lanes', 'webhooks-slow', 'webhooks-claims'].map(fileOf)
const stories = readdirSync('test').map((name) => join('test', name))

/** Files that mostly wait run three at a time, whole systems two at a time. */
const everything: readonly Round[] = [
  {
    args: ['--test-concurrency=3', 'packages/*/src/**/*.test.ts', 'scripts/**/*.test.ts', 'tools/**/*.test.ts'],
    minutesMax: 40,
  },
  { args: ['--test-concurrency=2', ...stories.filter(isUntimed)], minutesMax: 40 },
  { args: ['--test-concurrency=1', ...timed], minutesMax: 20 },
]

function fileOf(name: string): string {
  return join('test', `${name}.test.ts`)
}

function isUntimed(path: string): boolean {
  return path.endsWith('.test.ts') && !timed.includes(path)
}

/** Only a proof requested by name may take long. */
const rounds = asked.length > 0 ? [{ args: asked, minutesMax: 600 }] : everything

const folder = mkdtempSync(join(tmpdir(), 'malipo-test-'))
const servers = await startTestServers(folder)
/** A shared compile cache: hundreds of processes start, most of them with the whole server. */
const compiled = { NODE_COMPILE_CACHE: join(folder, 'compiled') }
process.exitCode = 0
const [startedAt, startedAtMachine] = [performance.now(), machineTime()]
for (const round of rounds) process.exitCode = (await run(round)) || process.exitCode
const share = (machineTime() - startedAtMachine) / (performance.now() - startedAt)
if (share < 0.9) console.log(`The processors were given to this machine for ${Math.round(share * 100)} % of the time.`)
await servers.stop()

/** A file that never ends is named and fails. */
async function run({ args, minutesMax }: Round): Promise<number> {
  const all = ['--test', '--test-reporter=spec', '--test-timeout=300000', ...args]
  const runner = spawn(process.execPath, all, {
    stdio: 'inherit',
    env: { ...process.env, ...servers.exports, ...compiled },
  })
  const stop = (signal: NodeJS.Signals) => runner.kill(signal)
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, stop)
  const watchdog = setTimeout(stop, minutesMax * 60_000, 'SIGTERM')
  const [code] = (await once(runner, 'exit')) as [number | null]
  clearTimeout(watchdog)
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.off(signal, stop)
  return code ?? 1
}
