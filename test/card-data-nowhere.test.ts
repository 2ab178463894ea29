import assert from 'node:assert/strict'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { createProgram } from '../packages/cli/src/program.ts'
import { until } from '../packages/server/src/dev-stack/until.ts'
import { showId } from '../packages/server/src/platform/ids.ts'
import { type Cell, openCell, type Role } from './support/cluster/cell.ts'
import { type OwnServers, startOwnServers } from './support/cluster/own-servers.ts'
import { type SimulatorControl, startControlledSimulator } from './support/cluster/simulator-control.ts'
import { type Call, cardStories, forgottenForms, secretForms, secretValue } from './support/load/card-stories.ts'
import { openReceiver, type Receiver } from './support/load/webhook-receiver.ts'
import { createSearch, findInFiles } from './support/oracles/search.ts'

const metricsToken = 'metrics-of-a-story'
const atOnce = 12
const search = createSearch(secretForms)
const inMemory = createSearch(forgottenForms)

interface Bench {
  readonly servers: OwnServers
  readonly simulator: SimulatorControl
  readonly cell: Cell
  readonly roles: Readonly<Record<'api' | 'worker', Role>>
  readonly receiver: Receiver
  readonly call: Call
  /** All responses of the API. */
  readonly responses: readonly string[]
}

async function openBench(t: TestContext): Promise<Bench> {
  const [servers, simulator] = [await startOwnServers(t), await startControlledSimulator(t)]
  const cell = openCell(t, servers, {
    ...simulator.settings,
    MALIPO_LOG_LEVEL: 'trace',
    MALIPO_METRICS_TOKEN: metricsToken,
    MALIPO_WEBHOOK_RANGES: '127.0.0.0/8',
  })
  const start = (role: 'api' | 'worker') =>
    cell.start(role, role, { NODE_OPTIONS: `--import=${heapWriter(cell, role)}` })
  const [api, worker] = await Promise.all([start('api'), start('worker')])
  const roles = { api, worker }
  await simulator.tune({ callbackBase: `${roles.api.url}/callbacks/sandbox` })
  const receiver = await openReceiver(t, () => ({ status: 200 }))
  const merchant = await cell.merchant()
  await merchant.call(roles.api.url, 'PUT', '/users', { sandboxWebhookUrl: receiver.url })
  const responses: string[] = []
  const call: Call = async (method, path, body, headers) => {
    const authorization = await merchant.authorization(roles.api.url)
    const response = await fetch(`${roles.api.url}/api/sandbox/b2b${path}`, {
      method,
      headers: { authorization, ...(body !== undefined && { 'content-type': 'application/json' }), ...headers },
      ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    })
    const text = await response.text()
    responses.push(`${path} ${JSON.stringify([...response.headers])} ${text}`)
    return { status: response.status, text }
  }
  return { servers, simulator, cell, roles, receiver, call, responses }
}

const heapPath = ({ folder }: Cell, role: string) => join(folder, `${role}.heapsnapshot`)

function heapWriter(cell: Cell, role: string): string {
  const url = new URL('./support/cluster/heap-on-signal.ts', import.meta.url)
  url.searchParams.set('to', heapPath(cell, role))
  return url.href
}

/** Every string in the memory of a process, after it released what it could. */
async function memoryOf({ cell, roles }: Bench, role: 'api' | 'worker'): Promise<Buffer> {
  process.kill(roles[role].pid, 'SIGUSR2')
  await until(`the heap of the ${role}`, () => existsSync(heapPath(cell, role)), { timeoutMs: 60_000 })
  const heap = readFileSync(heapPath(cell, role))
  return heap.subarray(heap.indexOf('"strings":['))
}

/** Runs them all, this many side by side, in order. */
async function runAll(stories: readonly (() => Promise<unknown>)[]): Promise<void> {
  const waiting = [...stories].reverse()
  const run = async () => {
    for (let story = waiting.pop(); story; story = waiting.pop()) await story()
  }
  await Promise.all(Array.from({ length: atOnce }, run))
}

async function isIdle({ cell }: Bench): Promise<boolean> {
  const busy = await cell.ask(`select from transactions where state = 'sending'
    union all select from webhook_records where status = 'CREATED'`)
  return busy.length === 0
}

/** Every row of every table as JSON, so that values that PostgreSQL compresses are searched too. */
async function rowsOf({ cell }: Bench): Promise<string[]> {
  const tables = await cell.ask<{ name: string }>(`
    select oid::regclass::text as name from pg_class where relkind = 'r' and relnamespace = 'public'::regnamespace`)
  const rows = await Promise.all(
    tables.map(({ name }) => cell.ask<{ row: string }>(`select to_jsonb(t)::text as row from ${name} t`)),
  )
  return rows.flat().map(({ row }) => row)
}

/** The operator's view of every payment, as text and as JSON. */
async function screensOf({ cell, roles }: Bench): Promise<string[]> {
  const screens: string[] = []
  const write = (text: string) => void screens.push(text)
  const permissions = ['payments:read', 'personal-data:read']
  const { publicKey, apiKey } = await cell.operator.machines.create({ name: 'screens', permissions })
  const keys = { MALIPO_OPERATOR_PUBLIC_KEY: publicKey, MALIPO_OPERATOR_API_KEY: apiKey }
  const variables = { MALIPO_URL: roles.api.url, ...keys }
  const run = createProgram({ variables, actor: 'wanjiru', write, writeError: write })
  const payments = await cell.ask<{ id: string }>(`select id from transactions`)
  for (const { id } of payments)
    for (const form of [[], ['--json']])
      assert.equal(await run([...form, 'payments', 'show', showId('transaction', id)]), 0, screens.at(-1))
  return screens
}

async function metricsOf({ roles }: Bench): Promise<string[]> {
  const headers = { authorization: `Bearer ${metricsToken}` }
  const replies = Object.values(roles).map(async ({ url }) => (await fetch(`${url}/metrics`, { headers })).text())
  return Promise.all(replies)
}

/** Card data found in texts that delimit every value. */
function findInTexts(texts: readonly string[]): string[] {
  return texts.flatMap((text) => [
    ...search.find(Buffer.from(text)).map((name) => `${name}: ${text.slice(0, 300)}`),
    ...(secretValue.test(text) ? [`a value: ${secretValue.exec(text)?.[0]} in ${text.slice(0, 300)}`] : []),
  ])
}

test('after every card scenario, card data is found nowhere but at the provider', {
  timeout: 300_000,
}, async (t) => {
  const bench = await openBench(t)
  const { servers, simulator, cell, roles, receiver, call, responses } = bench
  const startedAt = performance.now()
  const stories = cardStories(call, simulator)
  await runAll(stories)
  await until('the last call to a provider to end, and the last webhook to be delivered', () => isIdle(bench))
  const reportedMs = performance.now() - startedAt
  const places: Record<string, number> = {}
  const searchIn = (place: string, texts: readonly string[]) =>
    t.test(`no ${place} contains card data`, () => {
      places[place] = texts.length
      assert.ok(texts.length > 0, `there is no ${place}`)
      assert.deepEqual(findInTexts(texts), [])
    })

  const memories = { api: await memoryOf(bench, 'api'), worker: await memoryOf(bench, 'worker') }
  for (const [role, texts] of Object.entries(memories))
    await t.test(`the memory of the ${role} contains no card data`, () => {
      assert.ok(texts.length > 1_000_000, 'the heap has too few strings')
      assert.deepEqual(inMemory.find(texts), [])
    })
  await searchIn('response', responses)
  await searchIn(
    'webhook',
    receiver.got.map(({ body }) => body),
  )
  await searchIn(
    'line of a log',
    Object.values(roles).flatMap((role) => role.log().split('\n')),
  )
  await searchIn('page of metrics', await metricsOf(bench))
  await searchIn('screen of the operator', await screensOf(bench))
  await searchIn('row of the database', await rowsOf(bench))
  await cell.ask('checkpoint')
  for (const [whose, folder] of [
    ['the servers', servers.folder],
    ['the simulator', simulator.folder],
  ] as const)
    await t.test(`no file of ${whose} contains card data`, () => {
      const { found, files, bytes } = findInFiles(folder, search)
      t.diagnostic(`${whose}: ${files} files of ${Math.round(bytes / 1e6)} MB`)
      assert.deepEqual(found, [])
    })
  t.diagnostic(`${stories.length} scenarios in ${(reportedMs / 1000).toFixed(1)} s; ${JSON.stringify(places)}`)
})

test('the search finds each secret in every form, whatever the surrounding bytes', () => {
  const noise = Buffer.from('0123456789'.repeat(20))
  for (const { bytes, name } of secretForms)
    for (const before of [0, 1, 2, 3]) {
      const text = Buffer.concat([noise.subarray(before), bytes, noise])
      assert.ok(search.find(text).includes(name), name)
    }
  assert.deepEqual(search.find(noise), [])
})
