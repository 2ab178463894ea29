import { type ConnectionOptions, TLSSocket } from 'node:tls'
import pg from 'pg'
import type { Secret } from './secret.ts'
import { platformTiming } from './timing.ts'

/** What a PostgreSQL server reports to the login of the processes. */
export interface ServerFacts {
  readonly version: string
  readonly version_number: number
  readonly is_in_recovery: boolean
  readonly is_read_only: boolean
  readonly fsync: string
  readonly full_page_writes: string
  readonly data_checksums: string
  readonly synchronous_commit: string
  readonly synchronous_standby_names: string
  /** Connected standbys that may be the synchronous one. A login without rights sees every standby, and not its state. */
  readonly standbys: number
  readonly values_logged: boolean
  /** Connections that are not reserved for superusers. */
  readonly connections: number
  readonly is_superuser: boolean
  readonly may_create_roles: boolean
  readonly is_owner: boolean
  readonly inherits: boolean
  readonly is_encrypted: boolean
  /** The server's end of the connection is on its own machine: a proxy or a client there. */
  readonly is_local: boolean
}

export interface ServerReading {
  readonly facts: ServerFacts
  /** A pooler in between changes the session from one transaction to the next. */
  readonly isPooled: boolean
  /** The driver would have refused a server whose certificate it cannot verify. */
  readonly isVerified: boolean
}

/** Reads as the login itself, without a role and on any server, so that it works where processes cannot start. */
export async function readServerFacts(url: Secret): Promise<ServerReading> {
  const clients = [newClient(url), newClient(url)] as const
  try {
    const [first, second] = clients
    await first.connect()
    const { rows } = await first.query<ServerFacts>(statement)
    const [facts] = rows
    if (!facts) throw new Error('the server returned no row')
    await second.connect()
    return { facts, isPooled: await changesSessions(first, second), isVerified: isVerified(first) }
  } finally {
    await Promise.all(clients.map((client) => client.end().catch(() => undefined)))
  }
}

function newClient(url: Secret): pg.Client {
  const client = new pg.Client({
    connectionString: url.reveal(),
    connectionTimeoutMillis: platformTiming.statementTimeoutMs,
    query_timeout: platformTiming.statementTimeoutMs,
  })
  client.on('error', () => undefined) // The statement reports it.
  return client
}

/** The URL and the variables of libpq turn verification off in several ways, so the connection itself decides. */
function isVerified(client: pg.Client): boolean {
  const { connection, ssl } = client as unknown as { connection: pg.Connection; ssl: boolean | ConnectionOptions }
  const isRequired = typeof ssl !== 'object' || ssl.rejectUnauthorized !== false
  return isRequired && connection.stream instanceof TLSSocket && connection.stream.authorized
}

/**
 * A pooler that gives a session back after each transaction gives the first client's to the second, and the first gets another one
 * while the second keeps it. With no other one the first gets none: any error inside the second's transaction means that.
 */
async function changesSessions(first: pg.Client, second: pg.Client): Promise<boolean> {
  const before = await sessionOf(first)
  await second.query('begin')
  try {
    const others = await sessionOf(second)
    const after = await sessionOf(first)
    return before !== after || before === others
  } catch {
    return true
  } finally {
    await second.query('rollback')
  }
}

async function sessionOf(client: pg.Client): Promise<number | undefined> {
  const { rows } = await client.query<{ pid: number }>('select pg_backend_pid() as pid')
  return rows[0]?.pid
}

const statement = `
  select current_setting('server_version') as version,
    current_setting('server_version_num')::int as version_number,
    pg_is_in_recovery() as is_in_recovery,
    current_setting('transaction_read_only') = 'on' as is_read_only,
    current_setting('fsync') as fsync,
    current_setting('full_page_writes') as full_page_writes,
    current_setting('data_checksums') as data_checksums,
    current_setting('synchronous_commit') as synchronous_commit,
    current_setting('synchronous_standby_names') as synchronous_standby_names,
    (
      select count(*)::int from pg_stat_replication where sync_state is null or sync_state in ('sync', 'quorum')
    ) as standbys,
    current_setting('log_parameter_max_length') <> '0' or current_setting('log_parameter_max_length_on_error') <> '0' as values_logged,
    current_setting('max_connections')::int - current_setting('superuser_reserved_connections')::int as connections,
    rolsuper as is_superuser,
    rolcreaterole as may_create_roles,
    exists (select from pg_roles as owner where rolname = 'malipo_owner' and pg_has_role(login.oid, owner.oid, 'member')) as is_owner,
    rolinherit as inherits,
    coalesce((select ssl from pg_stat_ssl where pid = pg_backend_pid()), false) as is_encrypted,
    inet_server_addr() is null or inet_server_addr() <<= '127.0.0.0/8' or inet_server_addr() = '::1' as is_local
  from pg_roles as login
  where rolname = current_user`
