import { spawnSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { existsSync, mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startNats } from '../../packages/server/src/dev-stack/nats.ts'
import { startPostgres } from '../../packages/server/src/dev-stack/postgres.ts'
import { freePort, guardFolder, isListening, makeFolder } from '../../packages/server/src/dev-stack/processes.ts'
import { makeSecrets, openOperator } from '../../packages/server/src/operate/operator.ts'
import { type Image, openImage, type Variables } from './container.ts'

const acceptance = join(import.meta.dirname, '../../../shared/acceptance/contract.mjs')
const megabytesMax = 200

/** The check expects JSON of every response, and its own group `export` expects CSV of this one. */
const isContradiction = /^FAIL errors\.every-answer\.(is-json|says-success): .* GET \/api\/b2b\/exports\/statement,/

/** Runs every role of the image on a new database, then the acceptance check. Prints what it found; false when anything failed. */
export async function proveImage(name: string): Promise<boolean> {
  const folder = makeFolder(mkdtempSync(join(tmpdir(), 'malipo-image-')))
  const guard = guardFolder(folder, { isKept: false })
  const endings: (() => unknown)[] = [() => guard.dismiss()]
  try {
    await runRoles(name, folder, endings)
    return true
  } catch (error) {
    console.error((error as Error).message)
    return false
  } finally {
    for (const end of endings.reverse()) await end()
  }
}

async function runRoles(name: string, folder: string, endings: (() => unknown)[]): Promise<void> {
  const postgres = await startPostgres(folder)
  endings.push(() => postgres.stop())
  const nats = await startNats(folder)
  endings.push(() => nats.stop())
  const ports = { api: await freePort(), worker: await freePort(), simulator: await freePort() }
  const password = randomBytes(12).toString('hex')
  const keys = makeSecrets(new Date())
  const ownerUrl = postgres.urlOf('malipo')
  const image = openImage(name, folder, {
    'database-url': postgres.urlOf('malipo', { name: 'malipo', password }),
    'database-owner-url': ownerUrl,
    'token-keys': keys.MALIPO_TOKEN_KEYS,
    'secret-keys': keys.MALIPO_SECRET_KEYS,
    'simulator-token': randomBytes(32).toString('hex'),
  })
  endings.push(() => image.close())
  checkHardening(image)
  const variables = settingsOf(ports, nats.url)

  await postgres.run('postgres', 'create database malipo')
  const migrated = await timed('migrate', () =>
    image.run(['migrate'], { ...variables, DATABASE_OWNER_URL_FILE: '/run/secrets/database-owner-url' }),
  )
  console.log(migrated.trim().slice(0, 60))
  await postgres.run(
    'malipo',
    `create role malipo login noinherit password '${password}'`,
    'grant malipo_write, malipo_read to malipo',
  )
  for (const role of ['simulator', 'worker', 'api'] as const) {
    const port = String(ports[role])
    const own = { ...variables, MALIPO_PORT: port, SIMULATOR_PORT: port }
    const isReady = () =>
      role === 'simulator' ? isListening(ports.simulator) : isOk(`${urlOf(ports[role])}/health/ready`)
    const service = await timed(role, () => image.start(role, [role], own, isReady))
    endings.push(() => service.stop())
  }
  if (!(await isOk(`${urlOf(ports.api)}/dashboard`))) throw new Error('the image has no dashboard')
  const health = image.run(['is-ready'], { MALIPO_PORT: String(ports.api) })
  if (health !== '200\n') throw new Error(`is-ready printed ${health}`)
  await timed('acceptance', () => accept(urlOf(ports.api), { ...keys, DATABASE_URL: ownerUrl, NATS_URL: nats.url }))
}

const urlOf = (port: number) => `http://127.0.0.1:${port}`

const isOk = (url: string) =>
  fetch(url).then(
    ({ ok }) => ok,
    () => false,
  )

function settingsOf(ports: { readonly api: number; readonly simulator: number }, natsUrl: string): Variables {
  return {
    DATABASE_URL_FILE: '/run/secrets/database-url',
    MALIPO_TOKEN_KEYS_FILE: '/run/secrets/token-keys',
    MALIPO_SECRET_KEYS_FILE: '/run/secrets/secret-keys',
    MALIPO_SIMULATOR_TOKEN_FILE: '/run/secrets/simulator-token',
    MALIPO_SIMULATOR_URL: urlOf(ports.simulator),
    NATS_URL: natsUrl,
    MALIPO_PUBLIC_URL: urlOf(ports.api),
    MALIPO_WEBHOOK_RANGES: '127.0.0.0/8',
    MALIPO_RATE_LIMIT_SANDBOX: '100000',
    MALIPO_RATE_LIMIT_LIVE: '100000',
    MALIPO_RATE_LIMIT_ADDRESS: '100000',
    MALIPO_CARD_TRIES_SANDBOX: '1000000',
    MALIPO_DRAIN_SECONDS: '0',
    SIMULATOR_TOKEN_FILE: '/run/secrets/simulator-token',
    SIMULATOR_CALLBACK_BASE: `${urlOf(ports.api)}/callbacks/sandbox`,
    SIMULATOR_JOURNAL: '/tmp/simulator.journal',
  }
}

/** What the Dockerfile promises, as the image's own Node sees it. */
function checkHardening(image: Image): void {
  console.log(`size: ${image.megabytes} MB`)
  if (image.megabytes > megabytesMax) throw new Error(`the image is larger than ${megabytesMax} MB`)
  const script = `const fs = require('fs')
    const attempt = (path) => { try { fs.writeFileSync(path, ''); return 'written' } catch (error) { return error.code } }
    const tools = ['/bin/sh', '/usr/bin/npm', '/usr/local/bin/npm'].filter((path) => fs.existsSync(path))
    const packages = ['typescript', 'vite', 'fast-check'].filter((name) => fs.existsSync('/app/node_modules/' + name))
    console.log([process.getuid(), process.getgid(), attempt('/app/x'), attempt('/var/lib/malipo/x'), ...tools, ...packages].join())`
  const found = image.evaluate(script).trim()
  if (found !== '65532,65532,EROFS,EROFS') throw new Error(`the image is not hardened: ${found}`)
}

async function accept(url: string, settings: Variables): Promise<void> {
  if (!existsSync(acceptance)) return console.log('skipped: ../shared/acceptance is not beside this clone')
  const operator = openOperator(settings, 'image')
  try {
    const [first, second] = [
      await operator.merchants.create({ ...amina, email: 'amina@example.com' }),
      await operator.merchants.create({ ...amina, email: 'baraka@example.com' }),
    ]
    const [one, two, live] = [
      await operator.keys.create(first.id, { env: 'sandbox' }),
      await operator.keys.create(second.id, { env: 'sandbox' }),
      await operator.keys.create(first.id, { env: 'live' }),
    ]
    const env = {
      ...process.env,
      MALIPO_URL: url,
      MALIPO_PUBLIC_KEY: one.publicKey,
      MALIPO_API_KEY: one.apiKey,
      MALIPO_PUBLIC_KEY_2: two.publicKey,
      MALIPO_API_KEY_2: two.apiKey,
      MALIPO_PUBLIC_KEY_LIVE: live.publicKey,
      MALIPO_API_KEY_LIVE: live.apiKey,
    }
    const { status, stdout } = spawnSync(process.execPath, [acceptance], { env, encoding: 'utf8' })
    const lines = stdout.trim().split('\n')
    const failures = lines.filter((each) => each.startsWith('FAIL') && !isContradiction.test(each))
    for (const line of [...failures, lines.at(-1)]) console.log(line)
    if (status === 2 || failures.length > 0) throw new Error('the acceptance check failed')
  } finally {
    await operator.close()
  }
}

const amina = { name: 'Duka Moja', firstName: 'Amina', lastName: 'Otieno', country: 'KE' }

async function timed<Result>(what: string, work: () => Result | Promise<Result>): Promise<Result> {
  const startedAt = performance.now()
  const result = await work()
  console.log(`${what}: ${((performance.now() - startedAt) / 1000).toFixed(1)} s`)
  return result
}
