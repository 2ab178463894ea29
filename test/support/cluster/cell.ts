import { mkdtempSync, readFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { fileURLToPath } from 'node:url'
import {
  freePort,
  guardFolder,
  makeFolder,
  type Service,
  startService,
} from '../../../packages/server/src/dev-stack/processes.ts'
import { makeSecrets, type Operator, openOperator } from '../../../packages/server/src/operate/operator.ts'
import type { Environment } from '../../../packages/server/src/platform/db.ts'
import { readId } from '../../../packages/server/src/platform/ids.ts'
import { type ApiResponse, ask, call, exchange, type KeyPair } from '../../../packages/server/src/testing/malipo.ts'

const main = fileURLToPath(new URL('../../../packages/server/src/main.ts', import.meta.url))

/** A process of the service, with its log. */
export interface Role extends Service {
  readonly url: string
  log(): string
}

/** The cell's database and NATS. */
export interface Ground {
  readonly superuserUrl: string
  readonly loginUrl: string
  readonly natsUrl: string
}

/** Processes of the service on a database and a NATS, with access from outside. */
export interface Cell {
  readonly folder: string
  /** Environment of its processes. */
  readonly variables: Readonly<Record<string, string>>
  /** Its encryption and signing keys. */
  readonly secrets: Readonly<Record<string, string>>
  readonly operator: Operator
  /** Environment of the operator's commands. */
  readonly operatorSettings: Readonly<Record<string, string>>
  /** The operator's commands, of this tree or of other code. They close with the test. */
  operate(open?: typeof openOperator): Operator
  /** Starts one; `over` replaces settings, including the database's URL and the port, and `program` the code of this tree. */
  start(role: 'api' | 'worker', name: string, over?: Readonly<Record<string, string>>, program?: string): Promise<Role>
  /** A new merchant with money in the sandbox, and a way to call as it, there unless in live. */
  merchant(env?: Environment): Promise<CellMerchant>
  ask<Row extends Record<string, unknown>>(text: string, values?: unknown[]): Promise<Row[]>
  /** Moves the database's clock. */
  forward(ms: number): Promise<void>
}

export interface CellMerchant {
  readonly id: string
  /** Its id as staff and the API see it. */
  readonly shownId: string
  readonly pair: KeyPair
  /** Its Authorization header. */
  authorization(url: string): Promise<string>
  call(
    url: string,
    method: string,
    path: string,
    body?: unknown,
    headers?: Record<string, string>,
  ): Promise<ApiResponse>
}

/** Starts nothing yet. Everything started later ends with the test, or with this process. */
export function openCell(
  t: Pick<TestContext, 'after'>,
  ground: Ground,
  settings: Readonly<Record<string, string>>,
  open: typeof openOperator = openOperator,
  secrets: Readonly<Record<string, string>> = makeSecrets(new Date()),
): Cell {
  const folder = makeFolder(mkdtempSync(join(tmpdir(), 'malipo-cell-')))
  const guard = guardFolder(folder, { isKept: false })
  const env = {
    ...secrets,
    DATABASE_URL: ground.loginUrl,
    NATS_URL: ground.natsUrl,
    MALIPO_PUBLIC_URL: 'http://127.0.0.1:8080',
    MALIPO_RATE_LIMIT_SANDBOX: '1000000',
    MALIPO_RATE_LIMIT_ADDRESS: '1000000',
    MALIPO_RATE_LIMIT_PEOPLE: '1000000',
    MALIPO_CARD_TRIES_SANDBOX: '1000000',
    MALIPO_DRAIN_SECONDS: '0',
    NODE_COMPILE_CACHE: join(tmpdir(), 'malipo-compiled'), // Processes start in a third of the time.
    ...settings,
  }
  const operatorSettings = { ...env, DATABASE_URL: ground.superuserUrl }
  const operators: Operator[] = []
  const operate: Cell['operate'] = (make = openOperator) => {
    const made = make(operatorSettings, 'story')
    operators.push(made)
    return made
  }
  const operator = operate(open)
  const running: Service[] = []
  t.after(async () => {
    for (const service of running) await service.stop('SIGKILL')
    for (const each of operators) await each.close()
    await guard.dismiss()
  })
  const query: Cell['ask'] = (text, values) => ask(ground.superuserUrl, text, values)
  return {
    folder,
    variables: env,
    secrets,
    operator,
    operatorSettings,
    operate,
    ask: query,
    start: async (role, name, over = {}, program = main) => {
      const port = over['MALIPO_PORT'] ?? String(await freePort())
      const url = `http://127.0.0.1:${port}`
      const [args, settled] = [[program, role], { ...env, ...over, MALIPO_PORT: port }]
      const isReady = () => isAlive(url)
      const service = await startService({ name, command: process.execPath, args, env: settled, folder, isReady })
      running.push(service)
      return { ...service, url, log: () => readFileSync(join(folder, `${name}.log`), 'utf8') }
    },
    merchant: (env) => createMerchant(operator, env),
    forward: (ms) => forward(query, ms),
  }
}

async function forward(query: Cell['ask'], ms: number): Promise<void> {
  await query(`update clock_offset set ahead = ahead + make_interval(secs => $1)`, [ms / 1000])
  await query(`select attach_timer_hours(24, 6)`)
}

const isAlive = (url: string) =>
  fetch(`${url}/health/live`).then(
    ({ ok }) => ok,
    () => false,
  )

async function createMerchant(operator: Operator, env: Environment = 'sandbox'): Promise<CellMerchant> {
  const order = { name: 'Duka', email: 'amina@example.com', firstName: 'Amina', lastName: 'Otieno', country: 'KE' }
  const { id: shown } = await operator.merchants.create(order)
  const pair = await operator.keys.create(shown, { env })
  let token: Promise<ApiResponse> | undefined
  const authorization = async (url: string) => {
    token ??= exchange(url, pair)
    return `Bearer ${String((await token).body['token'])}`
  }
  return {
    id: readId('merchant', shown) ?? '',
    shownId: shown,
    pair,
    authorization,
    call: async (url, method, path, body, headers = {}) =>
      call(
        url,
        method,
        `/api/${env === 'live' ? '' : 'sandbox/'}b2b${path}`,
        { authorization: await authorization(url), ...headers },
        body,
      ),
  }
}
