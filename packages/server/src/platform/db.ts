import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import pg from 'pg'
import { arrayLiteral } from './array-literal.ts'
import { reach } from './failpoints.ts'
import { ownerStatements, queryAs, type ReadKind } from './owned-query.ts'
import type { Secret } from './secret.ts'

/** A statement with its values apart. Only {@link sql} makes one, so no value can become part of the text. */
export interface Query {
  readonly name: string
  readonly text: string
  readonly values: readonly unknown[]
}

export interface Db {
  query<Row>(query: Query): Promise<Row[]>
}

/**
 * A {@link Db} known to be inside a transaction. Functions that must be atomic with their caller ask for this. Statements that
 * need no answer of each other are given without waiting: they run in the order given, and take one turn there and back.
 */
export interface Tx extends Db {
  readonly inTransaction: true
}

/** How a batch is recognised in the database, by the row of `batch_commits` that is written with it. */
export interface BatchMark {
  /** The batch's own number, which orders batches and names them everywhere. */
  readonly batch: bigint
  /** Random: after a crash PostgreSQL may give the number to another transaction. */
  readonly token: string
  /** The database's clock at the start, in microseconds: the time of record of everything in the batch. */
  readonly atUs: bigint
}

/** The transaction of a batch: one whose fate can be found out if the response to its COMMIT gets lost. */
export interface BatchTx extends Tx, BatchMark {}

/** COMMIT was sent and no trustworthy response came: the work may be done or not. Carries what it would have returned. */
export class CommitUnknown<Result> extends Error {
  readonly mark: BatchMark
  readonly result: Result

  constructor({ batch, token, atUs }: BatchMark, result: Result, cause: unknown) {
    super('the outcome of a commit is not known', { cause })
    this.mark = { batch, token, atUs }
    this.result = result
  }
}

/** The database holds batch numbers that its cluster has not reached: written to now, it would use numbers twice. */
export class DatabaseMoved extends Error {
  override readonly name = 'DatabaseMoved'
  /** That of a server which takes no connections yet: what waits for it may try again later. */
  readonly code = '57P03'

  constructor() {
    super('The database was restored from another cluster. Run malipo migrate, which starts a new epoch.')
  }
}

/** Runs as `malipo_write`: sees every merchant, and may insert, and update named columns only. */
export interface WriteDb extends Db {
  transaction<Result>(work: (tx: Tx) => Promise<Result>): Promise<Result>
  /** A transaction in which everything is seen as it was at its first statement. */
  snapshot<Result>(work: (tx: Tx) => Promise<Result>): Promise<Result>
  /** A transaction that waits at most so long for any lock. Throws {@link CommitUnknown} when its COMMIT got lost. */
  batch<Result>(lockTimeoutMs: number, work: (tx: BatchTx) => Promise<Result>): Promise<Result>
}

export type Environment = 'live' | 'sandbox'

/** Whose rows a read may see. */
export interface Owner {
  readonly merchant_id: string
  readonly env: Environment
}

/** Runs as `malipo_read`: row-level security lets a read see its owner's rows and nothing else. */
export interface ReadDb {
  query<Row>(owner: Owner, query: Query): Promise<Row[]>
  /** For rows named by their whole key, of which one plan is the best: it is made once, which else takes half of the time. */
  find<Row>(owner: Owner, query: Query): Promise<Row[]>
}

export interface Database {
  readonly write: WriteDb
  readonly read: ReadDb
  /** Requests that wait for a connection, for the metrics. */
  waiting(): number
  close(): Promise<void>
}

const statements = new WeakMap<TemplateStringsArray, { name: string; text: string }>()

/** Binds every `${}` as a value. Each place in the code is one prepared statement, known by a hash of its text. */
export function sql(parts: TemplateStringsArray, ...values: unknown[]): Query {
  const known = statements.get(parts) ?? prepare(parts)
  statements.set(parts, known)
  return { ...known, values }
}

function prepare(parts: TemplateStringsArray): { name: string; text: string } {
  const text = parts.reduce((before, part, index) => `${before}$${index}${part}`)
  return { name: createHash('sha256').update(text).digest('base64url').slice(0, 22), text }
}

export interface DatabaseOptions {
  readonly url: Secret
  readonly connectionsMax: number
  readonly statementTimeoutMs: number
  /** How long past its own timeout a statement may stay unanswered before the connection counts as dead. */
  readonly silenceMs?: number
  /** How long a connection stays open unused. */
  readonly idleMs?: number
  readonly onError: (error: Error) => void
}

/** Two pools on one login: each connection takes on its role as it starts, and the login itself may do nothing. */
export function openDatabase(options: DatabaseOptions): Database {
  const writers = createPool(options, 'malipo_write', { pipeline: true, onConnect: refuseMoved })
  const readers = createPool(options, 'malipo_read', { onConnect: prepareOwner })
  return {
    write: {
      query: (query) => anew(async () => rows(await writers.query(asConfig(query)))),
      transaction: (work) => inTransaction(writers, 'begin', work),
      snapshot: (work) => inTransaction(writers, 'begin isolation level repeatable read', work),
      batch: (lockTimeoutMs, work) => inBatch(writers, lockTimeoutMs, work),
    },
    read: {
      query: (owner, query) => anew(() => readAs(readers, 'query', owner, query)),
      find: (owner, query) => anew(() => readAs(readers, 'find', owner, query)),
    },
    waiting: () => writers.waitingCount + readers.waitingCount,
    close: async () => {
      await Promise.all([writers.end(), readers.end()])
    },
  }
}

function createPool(options: DatabaseOptions, role: string, more: pg.PoolConfig): pg.Pool {
  const { silenceMs = 5000, idleMs = 10_000 } = options
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
  const pool = new pg.Pool({
    connectionString: options.url.reveal(),
    options: Object.entries(settings)
      .map(([name, value]) => `-c ${name}=${value}`)
      .join(' '),
    application_name: role,
    max: options.connectionsMax,
    connectionTimeoutMillis: 5000,
    idleTimeoutMillis: idleMs,
    query_timeout: options.statementTimeoutMs + silenceMs, // For a server that falls silent without closing.
    types: { getTypeParser: parserOf },
    ...more,
  })
  pool.on('error', options.onError) // An idle connection broke: the pool has dropped it already.
  pool.on('connect', (client) => client.on('error', options.onError)) // One in use broke: its query fails and tells.
  return pool
}

/** Whole numbers of 64 bits are bigint, because amounts are; everything else as the driver does it. */
function parserOf(oid: number, format?: 'text' | 'binary') {
  return oid === pg.types.builtins.INT8 ? BigInt : pg.types.getTypeParser(oid, format)
}

/** Part of every statement's name. */
let edition = 0

/** A statement without a name is prepared for one time only. */
const asConfig = ({ name, text, values }: Query) => ({
  name: name === '' || edition === 0 ? name : `${name}${edition}`,
  text,
  values: values.map((value) => (Array.isArray(value) ? arrayLiteral(value) : value)),
})

/**
 * A migration may change what a statement gives back. What a connection has prepared of it is then refused for as long as
 * the connection lasts; under another name it is prepared anew.
 */
function isOutdated(error: Error & { code?: string }): boolean {
  const isSo = error.code === '0A000' && /cached plan/.test(error.message)
  if (isSo) edition += 1
  return isSo
}

async function anew<Result>(ask: () => Promise<Result>): Promise<Result> {
  try {
    return await ask()
  } catch (error) {
    if (!isOutdated(error as Error)) throw error
    return ask()
  }
}

/** The same within a transaction, which must begin anew: told as what may be tried again. */
function retryable(error: unknown): unknown {
  return isOutdated(error as Error) ? Object.assign(error as Error, { code: '40001' }) : error
}

const rows = <Row>(result: pg.QueryResult): Row[] => result.rows as Row[]

async function inTransaction<Result>(pool: pg.Pool, begin: string, work: (tx: Tx) => Promise<Result>): Promise<Result> {
  const client = await pool.connect()
  const { query, end } = openTransaction(client)
  try {
    await client.query(begin)
    const result = await work({ inTransaction: true, query })
    end()
    await client.query('commit')
    client.release()
    return result
  } catch (error) {
    end()
    await client.query('rollback').then(
      () => client.release(),
      (broken) => client.release(broken),
    )
    throw retryable(error)
  }
}

/**
 * Statements until the end of a transaction. One that was given beside another that failed may go on to give more: after the
 * rollback they would be written for themselves, so they are refused. Those that were sent behind it are told only that it has
 * failed; they fail with its reason, which says whether to try again.
 */
function openTransaction(client: pg.PoolClient): Pick<Tx, 'query'> & { end(): void } {
  let isOpen = true
  let reason: unknown
  return {
    query: async (query) => {
      assert(isOpen, 'the transaction has ended')
      try {
        return rows(await client.query(asConfig(query)))
      } catch (error) {
        reason ??= error
        throw reason
      }
    },
    end: () => {
      isOpen = false
    },
  }
}

async function inBatch<Result>(
  pool: pg.Pool,
  lockTimeoutMs: number,
  work: (tx: BatchTx) => Promise<Result>,
): Promise<Result> {
  const client = await pool.connect()
  const { query, end } = openTransaction(client)
  let fault: Error | undefined
  try {
    const mark = await beginBatch(client, lockTimeoutMs)
    const result = await work({ inTransaction: true, ...mark, query })
    end()
    await commit(client).catch((error: Error) => {
      throw isRefusal(error) ? error : new CommitUnknown(mark, result, error)
    })
    return result
  } catch (error) {
    end()
    await client.query('rollback').catch((broken: Error) => {
      fault = broken
    })
    throw retryable(error)
  } finally {
    client.release(fault)
  }
}

async function beginBatch(client: pg.PoolClient, lockTimeoutMs: number): Promise<BatchMark> {
  assert(Number.isInteger(lockTimeoutMs))
  const answers = (await client.query(`
    begin;
    set local lock_timeout = ${lockTimeoutMs};
    insert into batch_commits default values
    returning batch, token, (extract(epoch from at) * 1000000)::bigint as at_us
  `)) as unknown as pg.QueryResult<{ batch: bigint; token: string; at_us: bigint }>[]
  const begun = answers.at(-1)?.rows[0]
  assert(begun)
  return { batch: begun.batch, token: begun.token, atUs: begun.at_us }
}

/** COMMIT without a time limit: cancelled, it would say nothing about what happened. A warning with it is no answer either. */
async function commit(client: pg.PoolClient): Promise<void> {
  const warnings: string[] = []
  const note = ({ severity, message }: { severity?: string | undefined; message?: string | undefined }) => {
    if (severity === 'WARNING') warnings.push(message ?? 'a warning without words')
  }
  client.on('notice', note)
  try {
    const answering = client.query('set local statement_timeout = 0; commit')
    reach('batch.commit_sent')
    const answers = (await answering) as unknown as pg.QueryResult[]
    if (warnings[0] !== undefined) throw new Error(warnings[0])
    assert.equal(answers.at(-1)?.command, 'COMMIT', 'the transaction had failed before it was committed')
  } finally {
    client.off('notice', note)
  }
}

/** The server said no, and so did nothing. Anything else, a lost connection above all, leaves the question open. */
function isRefusal(error: Error & { severity?: string; code?: string }): boolean {
  return error instanceof assert.AssertionError || (error.severity === 'ERROR' && error.code !== undefined)
}

/**
 * Runs once on a new writing connection. A connection stays with its cluster, so what is found here is true for as long as it
 * lasts. A database that was never migrated so far cannot be asked, and cannot be written to by this code.
 */
async function refuseMoved(client: pg.ClientBase): Promise<void> {
  const found = await client.query<{ is_moved: boolean }>('select is_moved()').catch((error: Error) => {
    if ((error as { code?: string }).code === '42883') return undefined
    throw error
  })
  if (found?.rows[0]?.is_moved) throw new DatabaseMoved()
}

/** Runs once on a new reading connection; outside a transaction the settings they make end at once. */
async function prepareOwner(client: pg.ClientBase): Promise<void> {
  for (const statement of Object.values(ownerStatements)) await client.query({ ...statement, values: ['', ''] })
}

async function readAs<Row>(pool: pg.Pool, kind: ReadKind, owner: Owner, query: Query): Promise<Row[]> {
  const client = await pool.connect()
  let fault: Error | undefined
  try {
    return rows(await queryAs(client, kind, [owner.merchant_id, owner.env], asConfig(query)))
  } catch (error) {
    fault = faultOf(error as Error)
    throw error
  } finally {
    client.release(fault)
  }
}

/**
 * Why a connection must not be used again after a failed statement, if so. What the server refused it answered; after anything
 * else the connection may be dead without a sign of it, and every statement on it would wait for its whole timeout.
 */
const faultOf = (error: Error) => (error instanceof pg.DatabaseError ? undefined : error)
