import pg from 'pg'
import { ownerStatements } from './owned-query.ts'
import type { Secret } from './secret.ts'

/** The database holds batch numbers that its cluster has not reached: written to now, it would use numbers twice. */
export class DatabaseMoved extends Error {
  override readonly name = 'DatabaseMoved'
  /** That of a server which takes no connections yet: what waits for it may try again later. */
  readonly code = '57P03'

  constructor() {
    super('The database was restored from another cluster. Run malipo migrate, which starts a new epoch.')
  }
}

/** The connection leads to a standby, or to a primary that was set read-only. The next one may lead to the primary. */
class DatabaseReadOnly extends Error {
  override readonly name = 'DatabaseReadOnly'
  readonly code = readOnlyCode

  constructor() {
    super('The database is read-only: it is a standby, or in recovery.')
  }
}

/** What PostgreSQL says to a write where it takes none. */
const readOnlyCode = '25006'

/** After this a new connection is needed, which may reach the primary. */
export const isReadOnly = (error: Error & { code?: string | undefined }) => error.code === readOnlyCode

export interface DatabaseOptions {
  readonly url: Secret
  readonly connectionsMax: number
  readonly statementTimeoutMs: number
  /** How long past its own timeout a statement may stay unanswered before the connection counts as dead. */
  readonly silenceMs?: number
  /** How long a connection stays open unused. */
  readonly idleMs?: number
  /** How long a connection may take until it can be used, its login and first questions included. */
  readonly connectMs?: number
  /** Whether unused connections keep the process running, as they do unless it is said. */
  readonly keepsProcess?: boolean
  readonly onError: (error: Error) => void
}

const connectMsOf = ({ connectMs = 2000 }: DatabaseOptions) => connectMs
/** How much longer work waits for a connection that others must give back first. */
const poolWaitMs = 3000

export interface Connections extends pg.Pool {
  /**
   * The database is this server now. Every connection to another one is dropped, in use or not: the server may have gone
   * without closing it, and what runs on it would wait for its whole timeout.
   */
  keepOnly(server: string): void
}

/** Connections that take on the role as they start. */
export function createConnections(options: DatabaseOptions, role: 'malipo_write' | 'malipo_read'): Connections {
  const servers = new Map<pg.ClientBase, string>()
  const onConnect = async (client: pg.ClientBase) => {
    const prepare = role === 'malipo_write' ? refuseUnwritable : prepareOwner
    servers.set(client, await prepare(client, connectMsOf(options)))
  }
  const pool = new pg.Pool({
    ...clientConfig(options, role),
    Client: quickClient(connectMsOf(options)) as unknown as new () => pg.ClientBase,
    max: options.connectionsMax,
    connectionTimeoutMillis: connectMsOf(options) + poolWaitMs,
    idleTimeoutMillis: idleMsOf(options),
    allowExitOnIdle: options.keepsProcess === false,
    pipeline: role === 'malipo_write',
    onConnect,
  })
  pool.on('error', options.onError) // An idle connection broke: the pool has dropped it already.
  pool.on('connect', (client) => client.on('error', options.onError)) // One in use broke: its query fails and tells.
  pool.on('remove', (client) => servers.delete(client))
  const keepOnly = (server: string) => {
    for (const [client, its] of servers) if (its !== server) breakOff(client)
  }
  return Object.assign(pool, { keepOnly })
}

/** Gives up on a connection sooner than the pool gives up waiting for one that is in use. */
const quickClient = (connectMs: number) =>
  class extends pg.Client {
    constructor(config: pg.ClientConfig) {
      super({ ...config, connectionTimeoutMillis: connectMs })
    }
  }

/** One connection for writing that belongs to no pool, and the server it leads to. */
export async function connectWriter(options: DatabaseOptions): Promise<{ client: pg.Client; server: string }> {
  const client = new (quickClient(connectMsOf(options)))({ ...clientConfig(options, 'malipo_write'), pipeline: true })
  client.on('error', () => undefined) // What runs on it fails, and tells.
  try {
    await client.connect()
    return { client, server: await refuseUnwritable(client, connectMsOf(options)) }
  } catch (error) {
    breakOff(client)
    throw error
  }
}

const idleMsOf = ({ idleMs = 10_000 }: DatabaseOptions) => idleMs

function clientConfig(options: DatabaseOptions, role: 'malipo_write' | 'malipo_read'): pg.ClientConfig {
  const idleMs = idleMsOf(options)
  const settings = {
    role,
    statement_timeout: options.statementTimeoutMs,
    lock_timeout: 2000,
    // A process that vanished without closing holds its locks no longer than this, and its place on the server three times
    // as long: one that lives has closed an idle connection by then. client_connection_check_interval stays off: a commit
    // that waits for the standby would become visible without it when its client has gone.
    idle_in_transaction_session_timeout: idleMs,
    idle_session_timeout: 3 * idleMs,
    // A plan is kept for as long as its connection lasts, and every month begins with empty tables: what is right for these
    // would read them from end to end when they are full. So it goes by keys from the beginning. What looks dear
    // by that is not worth compiling.
    seq_page_cost: 100,
    jit: 'off',
  }
  return {
    connectionString: options.url.reveal(),
    options: Object.entries(settings)
      .map(([name, value]) => `-c ${name}=${value}`)
      .join(' '),
    application_name: role,
    query_timeout: options.statementTimeoutMs + (options.silenceMs ?? 5000), // For a server that falls silent without closing.
    types: { getTypeParser: parserOf },
  }
}

/** Whole numbers of 64 bits are bigint, because amounts are; everything else as the driver does it. */
function parserOf(oid: number, format?: 'text' | 'binary') {
  return oid === pg.types.builtins.INT8 ? BigInt : pg.types.getTypeParser(oid, format)
}

/** Ends a connection without waiting for its server. Whatever runs on it fails as it does when a connection is lost. */
export function breakOff(client: pg.ClientBase): void {
  const { stream } = (client as unknown as { connection: pg.Connection }).connection
  stream.destroy(new Error('Connection terminated: the server does not respond, or is no longer the primary'))
}

const serverIsWritable = `
  select extract(epoch from pg_postmaster_start_time())::text as server, current_setting('transaction_read_only') = 'on' as is_read_only`
const serverIsPrimary = `
  select extract(epoch from pg_postmaster_start_time())::text as server, pg_is_in_recovery() as is_read_only`

/** Which server a new connection leads to. A connection stays with its server, so what is found here is true for as long as it lasts. */
async function findServer(client: pg.ClientBase, text: string, connectMs: number): Promise<string> {
  const { rows } = await client.query<{ server: string; is_read_only: boolean }>(quickly(text, connectMs))
  const [found] = rows
  if (!found || found.is_read_only) throw new DatabaseReadOnly()
  return found.server
}

/** A statement of a new connection, which must be quick: work waits for it. */
const quickly = (text: string, connectMs: number) => ({ text, query_timeout: connectMs })

/**
 * Runs once on a new writing connection. A database that was never migrated so far cannot be asked whether it was moved, and
 * cannot be written to by this code.
 */
async function refuseUnwritable(client: pg.ClientBase, connectMs: number): Promise<string> {
  const server = await findServer(client, serverIsWritable, connectMs)
  const found = await client
    .query<{ is_moved: boolean }>(quickly('select is_moved()', connectMs))
    .catch((error: Error) => {
      if ((error as { code?: string }).code === '42883') return undefined
      throw error
    })
  if (found?.rows[0]?.is_moved) throw new DatabaseMoved()
  return server
}

/**
 * Runs once on a new reading connection; outside a transaction the settings they make end at once. A standby is not read
 * from: it may not have what was just accepted.
 */
async function prepareOwner(client: pg.ClientBase, connectMs: number): Promise<string> {
  const server = await findServer(client, serverIsPrimary, connectMs)
  for (const statement of Object.values(ownerStatements)) await client.query({ ...statement, values: ['', ''] })
  return server
}

/**
 * Why a connection must not be used again after a failed statement, if so. What the server refused it answered; after anything
 * else the connection may be dead without a sign of it, and every statement on it would wait for its whole timeout. One that
 * became read-only is dropped too: a new one may reach the primary.
 */
export function faultOf(error: Error): Error | undefined {
  return error instanceof pg.DatabaseError && !isReadOnly(error) ? undefined : error
}
