import pg from 'pg'
import { ownerStatements } from './owned-query.ts'
import type { Secret } from './secret.ts'
import { platformTiming } from './timing.ts'

/** The database holds batch numbers that its cluster has not reached: a write would reuse numbers. */
export class DatabaseMoved extends Error {
  override readonly name = 'DatabaseMoved'
  /** The code of a server that does not accept connections yet: callers may retry later. */
  readonly code = '57P03'

  constructor() {
    super('The database was restored from another cluster. Run malipo migrate, which starts a new epoch.')
  }
}

/** The database belongs to another cell: a payment written there would have an id that leads elsewhere. */
export class DatabaseOfAnotherCell extends Error {
  override readonly name = 'DatabaseOfAnotherCell'
  readonly code = '57P03'

  constructor(its: number, ours: number) {
    super(
      `The database belongs to cell ${its}, and this process to cell ${ours}. Point DATABASE_URL to the database of cell ${ours}, or set` +
        ` MALIPO_CELL to ${its}.`,
    )
  }
}

/** The connection leads to a standby, or to a primary that is read-only. The next one may lead to the primary. */
class DatabaseReadOnly extends Error {
  override readonly name = 'DatabaseReadOnly'
  readonly code = readOnlyCode

  constructor() {
    super('The database is read-only: it is a standby, or in recovery.')
  }
}

/** PostgreSQL's error code for a write on a read-only server. */
const readOnlyCode = '25006'

/** After this error a new connection is needed, which may reach the primary. */
export const isReadOnly = (error: Error & { code?: string | undefined }) => error.code === readOnlyCode

export interface DatabaseOptions {
  readonly url: Secret
  /** The cell of this process: a database that belongs to another one is not used. Any database, if not given. */
  readonly cell?: number
  readonly connectionsMax: number
  readonly statementTimeoutMs: number
  /** How long past its timeout a statement may go without a response before the connection counts as dead. */
  readonly silenceMs?: number
  /** How long an unused connection stays open. */
  readonly idleMs?: number
  /** How long a connection may take to become usable, including its login and first queries. */
  readonly connectMs?: number
  /** Whether unused connections keep the process running; true by default. */
  readonly keepsProcess?: boolean
  readonly onError: (error: Error) => void
  /** How long the COMMIT of a batch took, in seconds. */
  readonly onCommit?: (seconds: number) => void
}

const connectMsOf = ({ connectMs = platformTiming.databaseConnectTimeoutMs }: DatabaseOptions) => connectMs

export interface Connections extends pg.Pool {
  /**
   * Declares this server the database. Drops every connection to another server, in use or not: that server may have gone without
   * closing it, and work on it would wait for its whole timeout.
   */
  keepOnly(server: string): void
}

/** Connections that set their role when they start. */
export function createConnections(options: DatabaseOptions, role: 'malipo_write' | 'malipo_read'): Connections {
  const servers = new Map<pg.ClientBase, string>()
  const onConnect = async (client: pg.ClientBase) => {
    const prepare = role === 'malipo_write' ? refuseUnwritable : prepareOwner
    servers.set(client, await prepare(client, options))
  }
  const pool = new pg.Pool({
    ...clientConfig(options, role),
    Client: quickClient(connectMsOf(options)) as unknown as new () => pg.ClientBase,
    max: options.connectionsMax,
    connectionTimeoutMillis: connectMsOf(options) + platformTiming.databasePoolWaitMs,
    idleTimeoutMillis: idleMsOf(options),
    allowExitOnIdle: options.keepsProcess === false,
    pipeline: role === 'malipo_write',
    onConnect,
  })
  pool.on('error', options.onError) // An idle connection broke: the pool has already dropped it.
  pool.on('connect', (client) => client.on('error', options.onError)) // One in use broke: its query fails.
  pool.on('remove', (client) => servers.delete(client))
  const keepOnly = (server: string) => {
    for (const [client, its] of servers) if (its !== server) breakOff(client)
  }
  return Object.assign(pool, { keepOnly })
}

/** Times out a connection attempt sooner than the pool's wait for a busy connection. */
const quickClient = (connectMs: number) =>
  class extends pg.Client {
    constructor(config: pg.ClientConfig) {
      super({ ...config, connectionTimeoutMillis: connectMs })
    }
  }

/** One writing connection outside the pools, and the server it leads to. */
export async function connectWriter(options: DatabaseOptions): Promise<{ client: pg.Client; server: string }> {
  const client = new (quickClient(connectMsOf(options)))({ ...clientConfig(options, 'malipo_write'), pipeline: true })
  client.on('error', () => undefined) // Work on the connection fails and reports it.
  try {
    await client.connect()
    return { client, server: await refuseUnwritable(client, options) }
  } catch (error) {
    breakOff(client)
    throw error
  }
}

const idleMsOf = ({ idleMs = platformTiming.idleTransactionMs }: DatabaseOptions) => idleMs

function clientConfig(options: DatabaseOptions, role: 'malipo_write' | 'malipo_read'): pg.ClientConfig {
  const idleMs = idleMsOf(options)
  const settings = {
    role,
    statement_timeout: options.statementTimeoutMs,
    lock_timeout: platformTiming.lockTimeoutMs,
    // A process that vanished without closing holds its locks no longer than this, and its connection slot three times as long: a
    // running process has closed an idle connection by then. client_connection_check_interval stays off: with it, a commit that
    // waits for the standby would become visible without the standby once its client is gone.
    idle_in_transaction_session_timeout: idleMs,
    idle_session_timeout: 3 * idleMs,
    // A plan lives as long as its connection, and every month starts with empty tables: a plan for empty tables would scan them
    // whole when they are full. So plans use indexes from the start. With this setting costs look high, but compiling (JIT) is
    // not worth it.
    seq_page_cost: 100,
    jit: 'off',
  }
  return {
    connectionString: options.url.reveal(),
    options: Object.entries(settings)
      .map(([name, value]) => `-c ${name}=${value}`)
      .join(' '),
    application_name: role,
    // For a server that hangs without closing.
    query_timeout: options.statementTimeoutMs + (options.silenceMs ?? platformTiming.statementGraceMs),
    types: { getTypeParser: parserOf },
  }
}

/** 64-bit integers are bigint, because amounts are; all other types use the driver's parsers. */
function parserOf(oid: number, format?: 'text' | 'binary') {
  return oid === pg.types.builtins.INT8 ? BigInt : pg.types.getTypeParser(oid, format)
}

/** Ends a connection without waiting for its server. Work on it fails as on a lost connection. */
export function breakOff(client: pg.ClientBase): void {
  const { stream } = (client as unknown as { connection: pg.Connection }).connection
  stream.destroy(new Error('Connection terminated: the server does not respond, or is not the primary any more'))
}

const serverIsWritable = `
  select extract(epoch from pg_postmaster_start_time())::text as server, current_setting('transaction_read_only') = 'on' as is_read_only`
const serverIsPrimary = `
  select extract(epoch from pg_postmaster_start_time())::text as server, pg_is_in_recovery() as is_read_only`

/** Returns the server of a new connection. A connection stays with its server, so the result is valid as long as it lasts. */
async function findServer(client: pg.ClientBase, text: string, connectMs: number): Promise<string> {
  const { rows } = await client.query<{ server: string; is_read_only: boolean }>(quickly(text, connectMs))
  const [found] = rows
  if (!found || found.is_read_only) throw new DatabaseReadOnly()
  return found.server
}

/** A statement of a new connection, with a short timeout because work waits for it. */
const quickly = (text: string, connectMs: number) => ({ text, query_timeout: connectMs })

/** Runs once on a new writing connection. */
async function refuseUnwritable(client: pg.ClientBase, options: DatabaseOptions): Promise<string> {
  const server = await findServer(client, serverIsWritable, connectMsOf(options))
  const ask = <Value>(call: 'is_moved()' | 'cell_of_database()') =>
    askFunction<Value>(client, call, connectMsOf(options))
  const [isMoved, cell] = await Promise.all([ask<boolean>('is_moved()'), ask<number | null>('cell_of_database()')])
  if (isMoved) throw new DatabaseMoved()
  if (typeof cell === 'number' && options.cell !== undefined && cell !== options.cell)
    throw new DatabaseOfAnotherCell(cell, options.cell)
  return server
}

/** Undefined in a database that lacks the function's migration: this code cannot write to it. */
async function askFunction<Value>(client: pg.ClientBase, call: string, connectMs: number): Promise<Value | undefined> {
  try {
    const { rows } = await client.query<{ value: Value }>(quickly(`select ${call} as value`, connectMs))
    return rows[0]?.value
  } catch (error) {
    if ((error as { code?: string }).code === '42883') return undefined
    throw error
  }
}

/**
 * Runs once on a new reading connection; outside a transaction the settings end at once. A standby is not read: it may lack what
 * was just accepted.
 */
async function prepareOwner(client: pg.ClientBase, options: DatabaseOptions): Promise<string> {
  const server = await findServer(client, serverIsPrimary, connectMsOf(options))
  for (const statement of Object.values(ownerStatements)) await client.query({ ...statement, values: ['', ''] })
  return server
}

/**
 * Returns why a connection must not be reused after a failed statement, if so. After a server error the connection is fine. After
 * any other error it may be dead, and every statement on it would wait for its whole timeout. A connection that became read-only
 * is dropped too: a new one may reach the primary.
 */
export function faultOf(error: Error): Error | undefined {
  return error instanceof pg.DatabaseError && !isReadOnly(error) ? undefined : error
}
