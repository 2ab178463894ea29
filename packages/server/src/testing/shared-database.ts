import pg from 'pg'
import type { DatabaseOptions } from '../platform/connections.ts'
import { type Database, openDatabase } from '../platform/db.ts'

/**
 * Connections that the tests of one file share. A new one costs a quarter of a second of processor time before its first
 * statement on a partitioned table returns. They do not keep the process running.
 */
const databases = new Map<string, Database>()
const pools = new Map<string, pg.Pool>()

/** As `openDatabase`, with the connections of earlier tests. `close` waits until all work started here has ended. */
export function openSharedDatabase(options: DatabaseOptions): Database {
  const shared = databaseFor(options)
  const pending = new Set<Promise<unknown>>()
  const { write, read } = shared
  return {
    ...shared,
    write: tracked(write, pending),
    read: tracked(read, pending),
    close: async () => {
      while (pending.size > 0) await Promise.allSettled(pending)
    },
  }
}

function databaseFor({ url, connectionsMax, statementTimeoutMs }: DatabaseOptions): Database {
  const key = `${url.reveal()} ${connectionsMax} ${statementTimeoutMs}`
  const onError = () => undefined // A statement on a lost connection fails by itself.
  const options = { url, connectionsMax, statementTimeoutMs, connectMs: 10_000, keepsProcess: false, onError }
  const database = databases.get(key) ?? openDatabase(options)
  databases.set(key, database)
  return database
}

type Call = (...args: never[]) => Promise<unknown>

/** The same functions; their running calls are in `pending`. */
function tracked<Functions extends object>(functions: Functions, pending: Set<Promise<unknown>>): Functions {
  const track =
    (call: Call): Call =>
    (...args) => {
      const begun = call(...args)
      pending.add(begun)
      const forget = () => void pending.delete(begun)
      begun.then(forget, forget)
      return begun
    }
  const entries = Object.entries(functions).map(([name, call]) => [name, track(call as Call)])
  return Object.fromEntries(entries) as Functions
}

/** Queries the database at a URL, over a connection of earlier queries. */
export async function query<Row extends pg.QueryResultRow>(
  url: string,
  text: string,
  values: unknown[] = [],
): Promise<Row[]> {
  const pool = pools.get(url) ?? new pg.Pool({ connectionString: url, max: 8, allowExitOnIdle: true })
  pools.set(url, pool)
  const { rows } = await pool.query<Row>(text, values)
  return rows
}
