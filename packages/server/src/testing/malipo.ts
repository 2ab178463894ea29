import type { TestContext } from 'node:test'
import pg from 'pg'
import { loadConfig } from '../config.ts'
import { type Context, openContext } from '../context.ts'
import { testDatabase } from '../dev-stack/servers.ts'
import { createApiServer } from '../http/server.ts'
import { makeSecrets, type Operator, openOperator } from '../operate/operator.ts'
import { type Environment, openDatabase } from '../platform/db.ts'
import { createLog } from '../platform/log.ts'
import { openSharedDatabase, query } from './shared-database.ts'

/** A running api process inside the test, on the test file's database, called over real HTTP. */
export interface Malipo {
  readonly ctx: Context
  readonly operator: Operator
  readonly url: string
  /** Every line it logged. */
  readonly log: readonly string[]
  /** The secrets it was started with. */
  readonly secrets: Readonly<Record<string, string>>
  /** Creates a merchant with a key pair, and a caller for it. */
  merchant(options?: MerchantOptions): Promise<TestMerchant>
  /** A caller for a key pair. */
  as(pair: KeyPair): Promise<Caller>
  call(method: string, path: string, headers?: Record<string, string>, body?: unknown): Promise<ApiResponse>
  /** Queries the database as the superuser. */
  ask<Row extends pg.QueryResultRow>(text: string, values?: unknown[]): Promise<Row[]>
}

interface MerchantOptions {
  readonly env?: Environment
  readonly scopes?: readonly string[]
  readonly addresses?: readonly string[]
}

export interface KeyPair {
  readonly publicKey: string
  readonly apiKey: string
}

interface Caller extends KeyPair {
  token(): Promise<string>
  call(method: string, path: string, body?: unknown): Promise<ApiResponse>
}

interface TestMerchant extends Caller {
  readonly id: string
}

export interface ApiResponse {
  readonly status: number
  readonly headers: Headers
  readonly body: Record<string, unknown>
}

/** Every process of a test file has the same secrets, like every process of a cell. */
const secrets = makeSecrets(new Date())

/** All requests of a test come from one address. */
const unlimited = { MALIPO_RATE_LIMIT_ADDRESS: '1000000' }

export async function testMalipo(t: TestContext, settings: Record<string, string> = {}): Promise<Malipo> {
  const { superuserUrl, loginUrl, natsUrl } = await testDatabase()
  const variables = {
    ...secrets,
    DATABASE_URL: loginUrl,
    NATS_URL: natsUrl,
    MALIPO_PORT: '0',
    ...unlimited,
    ...settings,
  }
  const log: string[] = []
  const write = (line: string) => void log.push(line)
  const open = variables.DATABASE_URL === loginUrl ? openSharedDatabase : openDatabase
  const ctx = openContext(loadConfig(variables), { log: createLog({ level: 'debug', write }), open })
  const operator = openOperator(variables, 'test', open)
  const watches = [ctx.revocations.watch(), ctx.health.watch()]
  const { app } = createApiServer(ctx)
  const url = await app.listen({ host: '127.0.0.1', port: 0 })
  t.after(async () => {
    await app.close()
    await Promise.all(watches.map((watch) => watch.stop()))
    await operator.close()
    await ctx.close()
  })
  return {
    ctx,
    operator,
    url,
    log,
    secrets,
    merchant: (options) => createMerchant(operator, url, options),
    as: async (pair) => callerOf(url, pair),
    call: (method, path, headers, body) => call(url, method, path, headers, body),
    ask: (text, values) => query(superuserUrl, text, values),
  }
}

async function createMerchant(operator: Operator, url: string, options: MerchantOptions = {}): Promise<TestMerchant> {
  const order = { name: 'Duka', email: 'amina@example.com', firstName: 'Amina', lastName: 'Otieno', country: 'KE' }
  const { id } = await operator.merchants.create(order)
  return { id, ...callerOf(url, await operator.keys.create(id, { env: 'sandbox', ...options })) }
}

function callerOf(url: string, { publicKey, apiKey }: KeyPair): Caller {
  const token = async () => {
    const { status, body } = await exchange(url, { publicKey, apiKey })
    // Otherwise the next call would be refused without a word about the cause.
    if (status === 429 || status >= 500) throw new Error(`no token: ${status} ${JSON.stringify(body)}`)
    return String(body['token'])
  }
  return {
    publicKey,
    apiKey,
    token,
    call: async (method, path, body) => call(url, method, path, { authorization: `Bearer ${await token()}` }, body),
  }
}

/** Exchanges a key pair for a token, and returns any response. */
export function exchange(url: string, pair: KeyPair): Promise<ApiResponse> {
  const { publicKey, apiKey } = pair
  return call(url, 'POST', '/api/b2b/auth/generate-bearer-token', { 'api-key': apiKey }, { publicKey })
}

export async function call(
  url: string,
  method: string,
  path: string,
  headers: Record<string, string> = {},
  body?: unknown,
): Promise<ApiResponse> {
  const sent = body === undefined ? {} : { body: JSON.stringify(body) }
  const type = body === undefined ? {} : { 'content-type': 'application/json' }
  const response = await fetch(url + path, { method, headers: { ...type, ...headers }, ...sent })
  const text = await response.text()
  const isJson = response.headers.get('content-type')?.startsWith('application/json') ?? true
  return { status: response.status, headers: response.headers, body: text === '' || !isJson ? {} : JSON.parse(text) }
}

/** Queries the database at a URL. */
export async function ask<Row extends pg.QueryResultRow>(
  url: string,
  text: string,
  values: unknown[] = [],
): Promise<Row[]> {
  const client = new pg.Client({ connectionString: url })
  client.on('error', () => undefined) // The failing query reports a killed server.
  await client.connect()
  try {
    const { rows } = await client.query<Row>(text, values)
    return rows
  } finally {
    await client.end()
  }
}
