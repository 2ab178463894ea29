import { spawnSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { existsSync, mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { publishedKeysOf } from '../../packages/server/src/dev-stack/cells.ts'
import { startRouter } from '../../packages/server/src/dev-stack/haproxy.ts'
import { startNats } from '../../packages/server/src/dev-stack/nats.ts'
import { startPostgres } from '../../packages/server/src/dev-stack/postgres.ts'
import { freePort, guardFolder, isListening, makeFolder } from '../../packages/server/src/dev-stack/processes.ts'
import { withClient } from '../../packages/server/src/dev-stack/statements.ts'
import { makeSecrets, openOperator } from '../../packages/server/src/operate/operator.ts'
import { cellOf } from '../../packages/server/src/platform/ids.ts'
import { type Image, openImage, type Variables } from './container.ts'

const acceptance = join(import.meta.dirname, '../../../shared/acceptance/contract.mjs')
const megabytesMax = 200

/** The check expects JSON of every response, and its own group `export` expects CSV of these; it names the one that came last. */
const isContradiction =
  /^FAIL errors\.every-answer\.(is-json|says-success): .* GET \/api\/b2b\/exports\/(statement|transactions),/

/**
 * Runs every role of the image in two cells behind HAProxy, then the acceptance check with a merchant of each. Prints what it found;
 * false when anything failed.
 */
export async function proveImage(name: string): Promise<boolean> {
  const folder = makeFolder(mkdtempSync(join(tmpdir(), 'malipo-image-')))
  const guard = guardFolder(folder, { isKept: false })
  const endings: Endings = [() => guard.dismiss()]
  try {
    await proveCells(name, folder, endings)
    return true
  } catch (error) {
    console.error((error as Error).message)
    return false
  } finally {
    for (const end of endings.reverse()) await end()
  }
}

type Endings = (() => unknown)[]

async function proveCells(name: string, folder: string, endings: Endings): Promise<void> {
  const port = await freePort()
  const router = urlOf(port)
  const start = (number: number, settings: Variables = {}) =>
    startCell(name, join(folder, `cell-${number}`), { number, router, settings }, endings)
  const seven = await start(7)
  const zero = await start(0, { MALIPO_OTHER_TOKEN_KEYS: await publishedKeysOf(seven.url) })
  const cells = [zero, seven]
  const tables = cells.map(({ number, url }) => `[cells.${number}]\nservers = ["${new URL(url).host}"]\n`)
  const haproxy = await startRouter(folder, port, tables.join(''))
  endings.push(() => haproxy.stop())
  if (!existsSync(acceptance)) return console.log('skipped: ../shared/acceptance is not beside this clone')
  for (const [first, second] of [
    [zero, seven],
    [seven, zero],
  ] as const) {
    const merchants = [await createMerchant(first), await createMerchant(second)] as const
    await timed(`acceptance, a merchant of cell ${first.number}`, () => accept(router, ...merchants))
  }
  for (const cell of cells) await checkCallbacks(cell)
}

interface Cell {
  readonly number: number
  readonly url: string
  readonly databaseUrl: string
  /** Settings of the operator's commands. */
  readonly ofOperator: Variables
}

interface Place {
  readonly number: number
  readonly router: string
  readonly settings: Variables
}

async function startCell(
  name: string,
  folder: string,
  { number, router, settings }: Place,
  endings: Endings,
): Promise<Cell> {
  makeFolder(folder)
  const postgres = await startPostgres(folder)
  endings.push(() => postgres.stop())
  const nats = await startNats(folder)
  endings.push(() => nats.stop())
  const ports = { api: await freePort(), worker: await freePort(), simulator: await freePort() }
  const password = randomBytes(12).toString('hex')
  const keys = makeSecrets(new Date())
  const databaseUrl = postgres.urlOf('malipo')
  const image = openImage(name, folder, {
    'database-url': postgres.urlOf('malipo', { name: 'malipo', password }),
    'database-owner-url': databaseUrl,
    'token-keys': keys.MALIPO_TOKEN_KEYS,
    'secret-keys': keys.MALIPO_SECRET_KEYS,
    'simulator-token': randomBytes(32).toString('hex'),
  })
  endings.push(() => image.close())
  checkHardening(image)
  const variables = { ...settingsOf(ports, nats.url, router), ...settings, MALIPO_CELL: String(number) }

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
  const url = urlOf(ports.api)
  if (!(await isOk(`${url}/dashboard`))) throw new Error('the image has no dashboard')
  const health = image.run(['is-ready'], { MALIPO_PORT: String(ports.api) })
  if (health !== '200\n') throw new Error(`is-ready printed ${health}`)
  const ofOperator = { ...keys, DATABASE_URL: databaseUrl, NATS_URL: nats.url, MALIPO_CELL: String(number) }
  return { number, url, databaseUrl, ofOperator }
}

const urlOf = (port: number) => `http://127.0.0.1:${port}`

const isOk = (url: string) =>
  fetch(url).then(
    ({ ok }) => ok,
    () => false,
  )

function settingsOf(
  ports: { readonly api: number; readonly simulator: number },
  natsUrl: string,
  router: string,
): Variables {
  return {
    DATABASE_URL_FILE: '/run/secrets/database-url',
    MALIPO_TOKEN_KEYS_FILE: '/run/secrets/token-keys',
    MALIPO_SECRET_KEYS_FILE: '/run/secrets/secret-keys',
    MALIPO_SIMULATOR_TOKEN_FILE: '/run/secrets/simulator-token',
    MALIPO_SIMULATOR_URL: urlOf(ports.simulator),
    NATS_URL: natsUrl,
    MALIPO_PUBLIC_URL: router,
    MALIPO_TRUSTED_PROXIES: '127.0.0.1',
    MALIPO_WEBHOOK_RANGES: '127.0.0.0/8',
    MALIPO_RATE_LIMIT_SANDBOX: '100000',
    MALIPO_RATE_LIMIT_LIVE: '100000',
    MALIPO_RATE_LIMIT_ADDRESS: '100000',
    MALIPO_CARD_TRIES_SANDBOX: '1000000',
    MALIPO_DRAIN_SECONDS: '0',
    SIMULATOR_TOKEN_FILE: '/run/secrets/simulator-token',
    SIMULATOR_CALLBACK_BASE: `${router}/callbacks/sandbox`,
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

interface Merchant {
  readonly sandbox: KeyPair
  readonly live: KeyPair
}

interface KeyPair {
  readonly publicKey: string
  readonly apiKey: string
}

async function createMerchant({ ofOperator }: Cell): Promise<Merchant> {
  const operator = openOperator(ofOperator, 'image')
  try {
    const order = {
      name: 'Duka Moja',
      firstName: 'Amina',
      lastName: 'Otieno',
      country: 'KE',
      email: `${randomBytes(4).toString('hex')}@example.com`,
    }
    const { id } = await operator.merchants.create(order)
    const [sandbox, live] = [
      await operator.keys.create(id, { env: 'sandbox' }),
      await operator.keys.create(id, { env: 'live' }),
    ]
    return { sandbox, live }
  } finally {
    await operator.close()
  }
}

function accept(url: string, first: Merchant, second: Merchant): void {
  const env = {
    ...process.env,
    MALIPO_URL: url,
    MALIPO_PUBLIC_KEY: first.sandbox.publicKey,
    MALIPO_API_KEY: first.sandbox.apiKey,
    MALIPO_PUBLIC_KEY_2: second.sandbox.publicKey,
    MALIPO_API_KEY_2: second.sandbox.apiKey,
    MALIPO_PUBLIC_KEY_LIVE: first.live.publicKey,
    MALIPO_API_KEY_LIVE: first.live.apiKey,
  }
  const { status, stdout } = spawnSync(process.execPath, [acceptance], { env, encoding: 'utf8' })
  const lines = stdout.trim().split('\n')
  const failures = lines.filter((each) => each.startsWith('FAIL') && !isContradiction.test(each))
  for (const line of [...failures, lines.at(-1)]) console.log(line)
  if (status === 2 || failures.length > 0) throw new Error('the acceptance check failed')
}

/** Every provider called the cell about its payments, and no callback came that names a payment of another cell. */
async function checkCallbacks({ number, databaseUrl }: Cell): Promise<void> {
  const rows = await withClient(databaseUrl, async (client) => {
    const { rows } = await client.query<{ provider: string; transaction_id: string; outcome: string }>(
      'select provider, transaction_id, outcome from callbacks where transaction_id is not null',
    )
    return rows
  })
  const foreign = rows.filter(({ transaction_id }) => cellOf(transaction_id) !== number)
  if (foreign.length > 0) throw new Error(`${foreign.length} callbacks of another cell reached cell ${number}`)
  const applied = rows.filter(({ outcome }) => outcome === 'applied' || outcome === 'hint')
  for (const provider of ['pawapay', 'flutterwave', 'house']) {
    const count = applied.filter((row) => row.provider === provider).length
    console.log(`cell ${number}: ${count} callbacks of ${provider} reached it`)
    if (count === 0) throw new Error(`no callback of ${provider} reached cell ${number}`)
  }
}

async function timed<Result>(what: string, work: () => Result | Promise<Result>): Promise<Result> {
  const startedAt = performance.now()
  const result = await work()
  console.log(`${what}: ${((performance.now() - startedAt) / 1000).toFixed(1)} s`)
  return result
}
