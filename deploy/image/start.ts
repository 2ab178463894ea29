/** The entry point of the image: `api`, `worker`, `all` or `simulator` run a process; every other word is a command of malipo. */
const [role] = process.argv.slice(2)

if (role === 'api' || role === 'worker' || role === 'all') await import('./packages/server/src/main.ts')
else if (role === 'simulator') await import('./packages/simulator/src/main.ts')
else if (role === 'is-ready') await reportHealth()
else await import('./packages/cli/src/main.ts')

/** For the health check of a container, which has no shell and no curl. */
async function reportHealth(): Promise<void> {
  const port = process.env['MALIPO_PORT'] ?? '8080'
  const { ok, status } = await fetch(`http://127.0.0.1:${port}/health/ready`, { signal: AbortSignal.timeout(3000) })
  process.stdout.write(`${status}\n`)
  process.exitCode = ok ? 0 : 1
}
