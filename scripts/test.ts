/** npm test [-- FILE…]: runs the tests beside one PostgreSQL and one NATS, which it starts and takes away again. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startTestServers } from '../packages/server/src/testing/servers.ts'

const asked = process.argv.slice(2)
const everything = ['packages/*/src/**/*.test.ts', 'scripts/**/*.test.ts', 'test/**/*.test.ts']

const servers = await startTestServers(mkdtempSync(join(tmpdir(), 'malipo-test-')))
const args = ['--test', '--test-reporter=spec', '--test-timeout=90000', ...(asked.length > 0 ? asked : everything)]
const runner = spawn(process.execPath, args, { stdio: 'inherit', env: { ...process.env, ...servers.exports } })
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => runner.kill(signal))
/** A file that never ends is named and fails; only a proof that is asked for by name may take longer. */
const watchdog = setTimeout(() => runner.kill('SIGTERM'), (asked.length > 0 ? 600 : 40) * 60_000)
const [code] = (await once(runner, 'exit')) as [number | null]
clearTimeout(watchdog)
await servers.stop()
process.exitCode = code ?? 1
