/** npm run test:servers: keeps a PostgreSQL and a NATS running for `npm test -- FILE` and `node --test FILE`, until Ctrl-C. */
import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { findKeptServers, keepServers } from '../packages/server/src/dev-stack/kept-servers.ts'
import { startTestServers } from '../packages/server/src/dev-stack/servers.ts'

const stopped = new Promise<void>((resolve) => {
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => resolve())
})
if (await findKeptServers()) {
  console.error('Test servers are running already. Stop them with Ctrl-C in their window.')
  process.exitCode = 1
} else {
  const running = await startTestServers(mkdtempSync(join(tmpdir(), 'malipo-test-servers-')))
  const kept = keepServers(running.servers)
  console.log('PostgreSQL and NATS are running for tests. Stop them with Ctrl-C.')
  const awake = setInterval(() => undefined, 60_000) // A signal handler alone does not keep the process running.
  await stopped
  clearInterval(awake)
  kept.forget()
  await running.stop()
}
