import { parse, TomlError } from 'smol-toml'
import { isKey } from '../auth/keys.ts'
import { cellMax } from '../platform/ids.ts'

/** Where each cell is, and which key pairs are in another cell than they name. */
interface CellRoutes {
  /** The address on which HAProxy listens, with its options. */
  readonly bind: string
  /** For requests that name no cell. */
  readonly fallback: number
  readonly cells: ReadonlyMap<number, Cell>
  readonly moved: ReadonlyMap<string, number>
}

interface Cell {
  /** Host and port of each api process. */
  readonly servers: readonly string[]
  /** The host name of its pages for people. */
  readonly host: string | undefined
}

const address = /^([\w.-]+|\[[0-9a-f:]+\]):\d{1,5}$/i
const hostName = /^[a-z0-9.-]+$/i

/** Reads a file of cells. Throws an error that names every problem. */
export function readCellRoutes(text: string): CellRoutes {
  const problems: string[] = []
  const file = parseFile(text)
  for (const name of Object.keys(file))
    if (!['bind', 'default', 'cells', 'moved'].includes(name))
      problems.push(`${name} is not known. Use bind, default, cells and moved`)
  const cells = readCells(tableOf(file['cells'], 'cells', problems), problems)
  const known = (value: unknown, what: string): number => {
    const cell = typeof value === 'number' ? value : Number.NaN
    if (!cells.has(cell)) problems.push(`${what} names cell ${String(value)}, which is not in [cells]`)
    return cell
  }
  const fallback = known(file['default'] ?? 0, 'default')
  const moved = new Map<string, number>()
  for (const [key, cell] of Object.entries(tableOf(file['moved'] ?? {}, 'moved', problems))) {
    if (!isKey('pk', key)) problems.push(`moved has ${key}, which is not a public key`)
    moved.set(key, known(cell, `moved.${key}`))
  }
  const { bind = '127.0.0.1:8000' } = file
  if (typeof bind !== 'string' || !/^[^\r\n#]+$/.test(bind)) problems.push('bind must be an address on one line')
  if (problems.length > 0) throw new Error(problems.join('; '))
  return { bind: String(bind), fallback, cells, moved }
}

function parseFile(text: string): Readonly<Record<string, unknown>> {
  try {
    return parse(text)
  } catch (error) {
    if (error instanceof TomlError) throw new Error(`line ${error.line} is not TOML`)
    throw error
  }
}

function readCells(table: Readonly<Record<string, unknown>>, problems: string[]): Map<number, Cell> {
  const cells = new Map(
    Object.entries(table).map(([name, value]) => [
      Number(name),
      readCell(name, tableOf(value, `cells.${name}`, problems), problems),
    ]),
  )
  const hosts = [...cells.values()].flatMap(({ host }) => host ?? [])
  if (new Set(hosts).size < hosts.length) problems.push('two cells have the same host')
  if (cells.size === 0) problems.push('cells is empty. Add a table such as [cells.0]')
  return cells
}

function readCell(name: string, table: Readonly<Record<string, unknown>>, problems: string[]): Cell {
  const { servers, host, ...rest } = table
  const rules: readonly (readonly [isKept: boolean, problem: string])[] = [
    [/^(0|[1-9]\d{0,3})$/.test(name) && Number(name) <= cellMax, `must be a number from 0 to ${cellMax}`],
    [isList(servers), 'needs servers, a list such as ["10.0.0.1:8080"]'],
    [host === undefined || (typeof host === 'string' && hostName.test(host)), 'has a host that is not a host name'],
    [Object.keys(rest).length === 0, `has ${Object.keys(rest).join(', ')}, which is not known. Use servers and host`],
  ]
  for (const [isKept, problem] of rules) if (!isKept) problems.push(`cells.${name} ${problem}`)
  return {
    servers: isList(servers) ? servers : [],
    host: typeof host === 'string' ? host.toLowerCase() : undefined,
  }
}

const isList = (value: unknown): value is string[] =>
  Array.isArray(value) && value.length > 0 && value.every((each) => typeof each === 'string' && address.test(each))

function tableOf(value: unknown, what: string, problems: string[]): Readonly<Record<string, unknown>> {
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Record<string, unknown>
  problems.push(`${what} must be a table`)
  return {}
}

/** The names of the rendered files. */
const files = { configuration: 'cells.cfg', numbers: 'numbers.map', hosts: 'hosts.map', moved: 'moved.map' } as const

/** A cell as keys and ids have it. */
const digitsOf = (cell: number) => cell.toString(16).padStart(3, '0')

/** HAProxy's configuration and the maps that it reads from this folder, by file name. */
export function renderCellRoutes(routes: CellRoutes, folder: string): Readonly<Record<string, string>> {
  if (!/^[\w./@+-]+$/.test(folder))
    throw new Error('the path of the folder has a character that HAProxy reads as its own')
  const { cells, moved } = routes
  const lines = (entries: Iterable<readonly [string | number, string]>) =>
    [...entries].map(([name, value]) => `${name} ${value}\n`).join('')
  return {
    [files.configuration]: configurationOf(routes, folder),
    [files.numbers]: lines([...cells.keys()].map((cell) => [cell, digitsOf(cell)])),
    [files.hosts]: lines(
      [...cells].flatMap(([cell, { host }]) => (host === undefined ? [] : [[host, digitsOf(cell)]])),
    ),
    [files.moved]: lines([...moved].map(([key, cell]) => [key, digitsOf(cell)])),
  }
}

/** Where the fields of a callback name the payment, for every provider. */
const callbackFields = ['depositId', 'payoutId', 'refundId', 'key', 'data.tx_ref', 'data.reference']

/** HAProxy's own refusals, as the API words them: no process is ready, or the response of one was lost. */
const refusals = [503, 502, 504].map((status) => {
  const message =
    status === 503
      ? 'The service cannot process this request now.'
      : 'The outcome is not known. Read the transaction by its external reference, or send the same request again.'
  const body = JSON.stringify({ success: false, message, errorCode: 'OVERLOADED', retryable: true })
  return `  http-error status ${status} content-type application/json string '${body}'`
})

const providerKey = '^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}$'

/** The first of the fields that has the form of a provider key decides. */
const callbackRules = (unknown: string) =>
  callbackFields.flatMap((field) => [
    `  http-request set-var(txn.payment) req.body,json_query('$.${field}') if is_callback ${unknown}`,
    `  http-request set-var(txn.cell) var(txn.payment),bytes(15,3) if is_callback ${unknown} { var(txn.payment) -m reg ${providerKey} }`,
  ])

function configurationOf({ bind, fallback, cells }: CellRoutes, folder: string): string {
  const map = (name: keyof typeof files) => `${folder}/${files[name]}`
  const unknown = '!{ var(txn.cell) -m found }'
  return `# Rendered by \`malipo cells render\`. Edit the file of cells, and render again.
defaults malipo-cells
  mode http
  timeout connect 1s
  timeout client 30s
  timeout server 30s
  timeout http-request 15s
  timeout check 2s
  # A connection that fails goes to another process. A request that was sent is never sent again.
  option redispatch 1
  log global
  option httplog
${refusals.join('\n')}

frontend malipo-cells from malipo-cells
  bind ${bind}
  option forwardfor
  http-request del-header x-forwarded-host
  http-request del-header x-forwarded-proto
  # Callbacks and token exchanges name their cell in the body.
  option http-buffer-request

  # A token. The cell verifies it.
  http-request set-var(txn.claim) http_auth_bearer,jwt_payload_query('$.cell')
  http-request set-var(txn.cell) var(txn.claim),map_int(${map('numbers')}) if { var(txn.claim) -m found }

  # A token exchange: the map of moved key pairs, else the digits in the key.
  acl is_exchange path_end /auth/generate-bearer-token
  http-request set-var(txn.key) req.body,json_query('$.publicKey') if is_exchange
  http-request set-var(txn.cell) var(txn.key),map_str(${map('moved')}) if is_exchange
  http-request set-var(txn.cell) var(txn.key),bytes(8,3) if is_exchange ${unknown} { var(txn.key) -m reg ^pk_(live|test)_[0-9a-f]{3}[0-9A-Za-z]{49}$ }

  # A callback: the provider key of the payment.
  acl is_callback path_beg /callbacks/
${callbackRules(unknown).join('\n')}

  # The pages for people: the host name, else the first id in the path.
  http-request set-var(txn.cell) req.hdr(host),field(1,:),lower,map_str(${map('hosts')}) if ${unknown}
  http-request set-var(txn.id) path,word(2,_) if ${unknown}
  http-request set-var(txn.cell) var(txn.id),bytes(13,3) if ${unknown} { var(txn.id) -m reg ^[0-9a-f]{12}7[0-9a-f]{19}(/|$) }

  use_backend cell-%[var(txn.cell)] if { var(txn.cell) -m found }
  default_backend cell-${digitsOf(fallback)}
${[...cells].map(([cell, { servers }]) => backendOf(cell, servers)).join('')}`
}

const backendOf = (cell: number, servers: readonly string[]) => `
# Cell ${cell}
backend cell-${digitsOf(cell)} from malipo-cells
  option httpchk GET /health/ready
  http-check expect status 200
  default-server inter 500ms fall 3 rise 1
${servers.map((server, index) => `  server api-${index + 1} ${server} check`).join('\n')}
`
