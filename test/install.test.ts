import assert from 'node:assert/strict'
import { execFile, spawn } from 'node:child_process'
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { promisify } from 'node:util'
import { type Postgres, programFolders, startPostgres } from '../packages/server/src/dev-stack/postgres.ts'
import { freePort, guardFolder, makeFolder } from '../packages/server/src/dev-stack/processes.ts'
import { until } from '../packages/server/src/dev-stack/until.ts'
import { fencesOf } from '../tools/docs/markdown.ts'
import { startNatsAt } from './support/cluster/own-servers.ts'

const root = join(import.meta.dirname, '..')
const page = readFileSync(join(root, 'docs/operating', 'install.md'), 'utf8')
const passwords = { malipo_admin: 'of-the-owner', malipo: 'of-the-processes' }
const token = 'of-the-simulator'

test('an operator who follows the installation page gets a Malipo that takes a payment', {
  timeout: 300_000,
}, async (t) => {
  const site = await openSite(t)

  await site.sql('database', site.postgres.urlOf('postgres'))
  await site.sh('keys')
  await site.sql('login', site.postgres.urlOf('malipo', { name: 'malipo_admin', password: passwords.malipo_admin }))
  await site.sh('settings')
  assert.equal(site.inherits('DATABASE_OWNER_URL'), false, 'the processes do not get the owner')
  assert.equal(site.inherits('DATABASE_URL'), true)
  site.start('simulator')
  site.start('processes')
  for (const port of [site.ports.api, site.ports.worker])
    await until(`the process on ${port} to be ready`, () => isReady(port), { timeoutMs: 60_000 })
  assert.match(await site.sh('admins'), /http:\/\/127\.0\.0\.1:\d+\/invitation#[\w-]{43}\n/)
  await site.sh('staff')
  const keys = await site.sh('merchant')

  assert.equal(await paid(`http://127.0.0.1:${site.ports.api}`, keys), 'SUCCESSFUL')
})

interface Site {
  readonly postgres: Postgres
  readonly ports: { readonly api: number; readonly worker: number }
  sql(name: string, url: string): Promise<void>
  /** Runs a block and returns its output. */
  sh(name: string): Promise<string>
  /** Whether the processes get this variable. */
  inherits(variable: string): boolean
  /** Runs a block in the background until the test ends. */
  start(name: string): void
}

/** A fresh machine with PostgreSQL and NATS. */
async function openSite(t: TestContext): Promise<Site> {
  const folder = makeFolder(mkdtempSync(join(tmpdir(), 'malipo-install-')))
  const guard = guardFolder(folder, { isKept: false })
  const postgres = await startPostgres(folder)
  const [natsPort, api, worker, simulator] = [await freePort(), await freePort(), await freePort(), await freePort()]
  const nats = await startNatsAt(folder, natsPort)
  t.after(async () => {
    await nats.stop()
    await postgres.stop()
    await guard.dismiss()
  })
  const host = new URL(postgres.urlOf('malipo')).host
  const filledIn = (name: string) =>
    blockOf(name)
      .replaceAll(/malipo_admin:…@db/g, `malipo_admin:${passwords.malipo_admin}@${host}`)
      .replaceAll(/malipo:…@db/g, `malipo:${passwords.malipo}@${host}`)
      .replace('MALIPO_SIMULATOR_TOKEN=…', `MALIPO_SIMULATOR_TOKEN=${token}`)
      .replace('nats://nats:4222', `nats://127.0.0.1:${natsPort}`)
      .replace('https://pay.example.com', `http://127.0.0.1:${api}`)
      .replaceAll('4010', String(simulator))
      .replaceAll('8080', String(api))
      .replaceAll('8081', String(worker))
      .replaceAll('/var/lib/malipo', folder)
      .replaceAll(/> secrets\.env|cat secrets\.env/g, (found) =>
        found.replace('secrets.env', join(folder, 'secrets.env')),
      )
      // A person would approve the login in a browser; here a machine of the operator logs in.
      .replace(/^malipo login --operator.*$/m, () => machineLogin(api))
      // The output of one command is the input of the next.
      .replace(
        /^(npm run malipo -- merchants create[\s\S]*?)\n(npm run malipo -- keys create )mer_…/m,
        'id=$($1 | grep -o "mer_[0-9a-f]*" | head -1)\n$2"$id"',
      )
  const settings = {
    MALIPO_PORT: String(api),
    PATH: [...programFolders(), process.env['PATH']].join(':'),
    HOME: folder,
  }
  // Exports of a block are visible to later ones, as in one shell.
  const remembered = join(folder, 'exported')
  writeFileSync(remembered, '')
  const script = (name: string) =>
    `set -euo pipefail; . '${remembered}'; ${filledIn(name)}\nexport -p > '${remembered}'`
  const shell = { cwd: root, env: settings }
  return {
    postgres,
    ports: { api, worker },
    sql: async (name, url) => {
      const owner = name === 'database' ? passwords.malipo_admin : passwords.malipo
      const text = blockOf(name).replace("'…'", `'${owner}'`)
      await promisify(execFile)(
        'psql',
        ['--set=ON_ERROR_STOP=1', `--command=${text.split(';')[0]}`, `--command=${text.split(';')[1]}`, url],
        shell,
      )
    },
    sh: async (name) => (await promisify(execFile)('bash', ['-c', script(name)], shell)).stdout,
    inherits: (variable) => readFileSync(remembered, 'utf8').includes(` ${variable}=`),
    start: (name) => {
      const child = spawn('bash', ['-c', `${script(name)}\nwait`], { ...shell, detached: true, stdio: 'ignore' })
      t.after(() => process.kill(-(child.pid ?? 0), 'SIGKILL'))
    },
  }
}

/** Makes a machine that may do what the page does as staff, and exports its key pair. */
const machineLogin = (
  port: number,
) => `made=$(npm run --silent malipo -- machines create --break-glass --json --name installation \\
  --permission merchants:read merchants:write keys:create --reason 'the installation is tested')
export MALIPO_URL=http://127.0.0.1:${port}
export MALIPO_OPERATOR_PUBLIC_KEY=$(printf %s "$made" | grep -o 'opk_[A-Za-z0-9_]*')
export MALIPO_OPERATOR_API_KEY=$(printf %s "$made" | grep -o 'osk_[A-Za-z0-9_]*')`

function blockOf(name: string): string {
  const fence = fencesOf(page).find(({ words }) => words.includes(name))
  assert.ok(fence, `install.md has no block ${name}`)
  return fence.text
}

const isReady = (port: number) =>
  fetch(`http://127.0.0.1:${port}/health/ready`).then(
    ({ ok }) => ok,
    () => false,
  )

/** Charges a customer with the printed key pair, and returns the outcome. */
async function paid(url: string, printed: string): Promise<string> {
  const [publicKey] = /pk_test_\w+/.exec(printed) ?? []
  const [apiKey = ''] = /sk_test_\w+/.exec(printed) ?? []
  const call = async (path: string, headers: Record<string, string>, body?: object) => {
    const response = await fetch(`${url}/api/b2b${path}`, {
      method: body ? 'POST' : 'GET',
      headers: { ...headers, ...(body && { 'content-type': 'application/json' }) },
      ...(body && { body: JSON.stringify(body) }),
    })
    return (await response.json()) as { token: string; data: { status: string } }
  }
  const { token: bearer } = await call('/auth/generate-bearer-token', { 'api-key': apiKey }, { publicKey })
  const headers = { authorization: `Bearer ${bearer}` }
  const order = { amount: 100, currency: 'KES', phoneNumber: '+254703456789', externalReference: 'order-1' }
  await call('/fiat/deposit/momo', headers, order)
  return until('the charge to end', async () => {
    const { data } = await call('/transactions/order-1', headers)
    return data.status !== 'PENDING' && data.status
  })
}
