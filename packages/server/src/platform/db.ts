import assert from 'node:assert/strict'
import type pg from 'pg'
import { arrayLiteral } from './array-literal.ts'
import { connectWriter, createConnections, type DatabaseOptions, faultOf, isReadOnly } from './connections.ts'
import { reach } from './failpoints.ts'
import { createFairSemaphore } from './fair-semaphore.ts'
import type { IdRange } from './months.ts'
import { queryAs, type ReadKind } from './owned-query.ts'
import { binder, composed, SqlPart } from './statement-text.ts'
import { openWriteProbe, type WriteProbe } from './write-probe.ts'

/** A statement with separate values. Only {@link sql} creates one, so no value from outside can become part of the text. */
export interface Query {
  readonly name: string
  readonly text: string
  readonly values: readonly unknown[]
}

export interface Db {
  query<Row>(query: Query): Promise<Row[]>
}

/**
 * A {@link Db} inside a transaction. Functions that must be atomic with their caller require this. Send independent statements
 * without waiting: they run in order, in one round trip.
 */
export interface Tx extends Db {
  readonly inTransaction: true
}

/** Identifies a batch in the database, by the row of `batch_commits` written with it. */
export interface BatchMark {
  /** The batch's number, which orders and identifies batches everywhere. */
  readonly batch: bigint
  /** Random: after a crash PostgreSQL may reuse the number for another transaction. */
  readonly token: string
  /** The database's clock at the start, in microseconds: the time of record of everything in the batch. */
  readonly atUs: bigint
}

/** A batch's transaction: its outcome can be found out when the response to its COMMIT is lost. */
export interface BatchTx extends Tx, BatchMark {}

/** COMMIT was sent and no reliable response came: the outcome is unknown. Carries the result the work would have returned. */
export class CommitUnknown<Result> extends Error {
  readonly mark: BatchMark
  readonly result: Result

  constructor({ batch, token, atUs }: BatchMark, result: Result, cause: unknown) {
    super('the outcome of a commit is not known', { cause })
    this.mark = { batch, token, atUs }
    this.result = result
  }
}

export interface SnapshotDb extends Db {
  /** A transaction that sees everything as of its first statement. */
  snapshot<Result>(work: (tx: Tx) => Promise<Result>): Promise<Result>
}

/** Runs as `malipo_write`: sees every merchant, may insert, and may update only granted columns. */
export interface WriteDb extends SnapshotDb {
  transaction<Result>(work: (tx: Tx) => Promise<Result>): Promise<Result>
  /** A transaction with a limit on each lock wait. Throws {@link CommitUnknown} when the response to its COMMIT is lost. */
  batch<Result>(lockTimeoutMs: number, work: (tx: BatchTx) => Promise<Result>): Promise<Result>
  /** Reads, then commits its own write: by then the data it read is on the synchronous standby. */
  confirmed<Result>(work: (tx: Tx) => Promise<Result>): Promise<Result>
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
  /** For rows named by their full key, which need one plan only: planning once saves half of the time. */
  find<Row>(owner: Owner, query: Query): Promise<Row[]>
  /** For the next rows in the order of an index: reads as many entries as its limit, however many match. */
  walk<Row>(owner: Owner, query: Query): Promise<Row[]>
  /**
   * For rows of a range of ids, by their keys or in the order of an index. The query has the bounds of the range. It locks the months
   * of the range only, or, where the plan of a long range is kept, reads these only.
   */
  within<Row>(owner: Owner, range: IdRange, query: Query): Promise<Row[]>
}

/** Works outside the pools, on one connection, and times out within 2 s. */
export interface Probe extends Db {
  /** Returns once a write is also on the synchronous standby. */
  write(): Promise<void>
  close(): Promise<void>
}

/**
 * One connection of its own, as `malipo_write`, for long work and temporary tables. It is never replaced: once it breaks, all
 * further work on it fails. One caller at a time.
 */
export interface Session extends SnapshotDb {
  transaction<Result>(work: (tx: Tx) => Promise<Result>): Promise<Result>
  close(): Promise<void>
}

export interface Database {
  readonly write: WriteDb
  readonly read: ReadDb
  /** The caller closes it. */
  openSession(): Promise<Session>
  /** Opens a probe that checks whether writes are possible. The caller closes it. */
  openProbe(): Probe
  /** Requests that wait for a connection, for the metrics. */
  waiting(): number
  /** Connections of the process by pool, for the metrics. */
  connections(): readonly {
    readonly pool: string
    readonly used: number
    readonly idle: number
    readonly max: number
  }[]
  close(): Promise<void>
}

/** Creates a part for {@link sql}: for conditions whose number is known only when the statement is sent. */
export const part = (parts: TemplateStringsArray, ...values: unknown[]): SqlPart => new SqlPart(parts, values)

/**
 * Binds every `${}` as a value, except a {@link MonthStart}, which becomes part of the text. Each text of a call site is one prepared
 * statement, named by its hash. With a {@link part} the statement has no name, so PostgreSQL plans it with its values each time.
 */
export function sql(parts: TemplateStringsArray, ...values: unknown[]): Query {
  return values.some((value) => value instanceof SqlPart) ? composed(parts, values) : bind(parts, values)
}

const bind = binder((part) => part)

/**
 * A tag for the same statements on other tables of the same columns, or with another condition. It replaces names in the text that
 * the code wrote, so no value can become part of the text here either.
 */
export function sqlOn(replaced: Readonly<Record<string, string>>): typeof sql {
  const names = new RegExp(`\\b(?:${Object.keys(replaced).join('|')})\\b`, 'g')
  const bindOn = binder((part) => part.replace(names, (name) => replaced[name] ?? name))
  return (parts, ...values) => bindOn(parts, values)
}

/** How long a read waits for its turn. */
const readWaitMs = 5000

/** Two pools on one login: each connection sets its role when it starts, and the login itself has no rights. */
export function openDatabase(options: DatabaseOptions): Database {
  const { onCommit } = options
  const writers = createConnections(options, 'malipo_write')
  const readers = createConnections(options, 'malipo_read')
  const turns = createFairSemaphore(options.connectionsMax, readWaitMs)
  const sandboxTurns = createFairSemaphore(Math.max(1, Math.floor(options.connectionsMax / 2)), readWaitMs)
  /**
   * Merchants read in turn, and the sandbox gets at most half of the connections: slow reads of one merchant do not block others.
   */
  const inTurn = <Result>({ env, merchant_id: merchant }: Owner, read: () => Promise<Result>) => {
    const own = () => turns.run(merchant, read)
    return env === 'sandbox' ? sandboxTurns.run(merchant, own) : own()
  }
  return {
    write: {
      query: (query) => retried(async () => rows(await writers.query(asConfig(query)))),
      transaction: (work) => inTransaction(writers, 'begin', work),
      snapshot: (work) => inTransaction(writers, 'begin isolation level repeatable read', work),
      batch: (lockTimeoutMs, work) => inBatch(writers, { lockTimeoutMs, onCommit }, work),
      confirmed: (work) => inBatch(writers, { lockTimeoutMs: 1000 }, work),
    },
    read: {
      query: (owner, query) => inTurn(owner, () => retried(() => readAs(readers, 'query', owner, query))),
      find: (owner, query) => inTurn(owner, () => retried(() => readAs(readers, 'find', owner, query))),
      walk: (owner, query) => inTurn(owner, () => retried(() => readAs(readers, 'walk', owner, query))),
      within: (owner, { plan }, query) => {
        const kind = plan === 'kept' ? 'follow' : 'walk'
        return inTurn(owner, () => retried(() => readAs(readers, kind, owner, query)))
      },
    },
    openSession: () => openSession(options),
    openProbe: () =>
      asProbe(openWriteProbe(options, (server) => [writers, readers].forEach((pool) => void pool.keepOnly(server)))),
    waiting: () => writers.waitingCount + readers.waitingCount + turns.waiting() + sandboxTurns.waiting(),
    connections: () =>
      Object.entries({ writers, readers }).map(([pool, { totalCount, idleCount: idle }]) => {
        return { pool, used: totalCount - idle, idle, max: options.connectionsMax }
      }),
    close: async () => {
      await Promise.all([writers.end(), readers.end()])
    },
  }
}

/** Adding up years takes longer than a request may. */
const sessionTimeoutMs = 3_600_000

async function openSession(options: DatabaseOptions): Promise<Session> {
  const { client } = await connectWriter({ ...options, statementTimeoutMs: sessionTimeoutMs, idleMs: sessionTimeoutMs })
  const within = async <Result>(begin: string, work: (tx: Tx) => Promise<Result>) => {
    const { query, end } = openTransaction(client)
    try {
      await client.query(begin)
      const result = await work({ inTransaction: true, query })
      end()
      await client.query('commit')
      return result
    } catch (error) {
      end()
      await client.query('rollback').catch(() => undefined)
      throw error
    }
  }
  return {
    query: async (query) => rows(await client.query(asConfig(query))),
    transaction: (work) => within('begin', work),
    snapshot: (work) => within('begin isolation level repeatable read', work),
    close: () => client.end(),
  }
}

const asProbe = ({ use, write, close }: WriteProbe): Probe => ({
  query: (query) => use(async (client) => rows(await client.query(asConfig(query)))),
  write,
  close,
})

/** Part of every statement's name. */
let edition = 0

/** A statement without a name is prepared for one use only. */
const asConfig = ({ name, text, values }: Query) => ({
  name: name === '' || edition === 0 ? name : `${name}${edition}`,
  text,
  values: values.map((value) => (Array.isArray(value) ? arrayLiteral(value) : value)),
})

/**
 * A migration may change a statement's result type. A connection then refuses its prepared statement for as long as it lasts;
 * under another name the statement is prepared again.
 */
function isOutdated(error: Error & { code?: string }): boolean {
  const isSo = error.code === '0A000' && /cached plan/.test(error.message)
  if (isSo) edition += 1
  return isSo
}

async function retried<Result>(read: () => Promise<Result>): Promise<Result> {
  try {
    return await read()
  } catch (error) {
    if (!isOutdated(error as Error)) throw error
    return read()
  }
}

/** The same within a transaction, which must start again: reported as retryable. */
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
      () => client.release(isReadOnly(error as Error)),
      (broken) => client.release(broken),
    )
    throw retryable(error)
  }
}

/**
 * Statements until the end of a transaction. When one of several concurrent statements fails, the others may send more: after the
 * rollback those would be written on their own, so they are refused. Statements sent behind the failed one only learn that the
 * transaction failed; they fail with its original error, which shows whether to retry.
 */
function openTransaction(client: pg.ClientBase): Pick<Tx, 'query'> & { end(): void } {
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

interface BatchLimits {
  readonly lockTimeoutMs: number
  readonly onCommit?: ((seconds: number) => void) | undefined
}

async function inBatch<Result>(
  pool: pg.Pool,
  { lockTimeoutMs, onCommit }: BatchLimits,
  work: (tx: BatchTx) => Promise<Result>,
): Promise<Result> {
  const client = await pool.connect()
  const { query, end } = openTransaction(client)
  let fault: Error | undefined
  try {
    const mark = await beginBatch(client, lockTimeoutMs)
    const result = await work({ inTransaction: true, ...mark, query })
    end()
    const startedAt = performance.now()
    await commit(client).catch((error: Error) => {
      throw isRefusal(error) ? error : new CommitUnknown(mark, result, error)
    })
    onCommit?.((performance.now() - startedAt) / 1000)
    return result
  } catch (error) {
    end()
    if (isReadOnly(error as Error)) fault = error as Error
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
  const results = (await client.query(`
    begin;
    set local lock_timeout = ${lockTimeoutMs};
    insert into batch_commits default values
    returning batch, token, (extract(epoch from at) * 1000000)::bigint as at_us
  `)) as unknown as pg.QueryResult<{ batch: bigint; token: string; at_us: bigint }>[]
  const begun = results.at(-1)?.rows[0]
  assert(begun)
  return { batch: begun.batch, token: begun.token, atUs: begun.at_us }
}

/** COMMIT without a timeout: a cancelled COMMIT would leave the outcome unknown. A warning leaves it unknown too. */
async function commit(client: pg.PoolClient): Promise<void> {
  const warnings: string[] = []
  const note = ({ severity, message }: { severity?: string | undefined; message?: string | undefined }) => {
    if (severity === 'WARNING') warnings.push(message ?? 'a warning without a message')
  }
  client.on('notice', note)
  try {
    const committing = client.query('set local statement_timeout = 0; commit')
    reach('batch.commit_sent')
    const results = (await committing) as unknown as pg.QueryResult[]
    if (warnings[0] !== undefined) throw new Error(warnings[0])
    assert.equal(results.at(-1)?.command, 'COMMIT', 'the transaction had failed before it was committed')
  } finally {
    client.off('notice', note)
  }
}

/** The server refused, so nothing was done. Any other error, above all a lost connection, leaves the outcome open. */
function isRefusal(error: Error & { severity?: string; code?: string }): boolean {
  return error instanceof assert.AssertionError || (error.severity === 'ERROR' && error.code !== undefined)
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
