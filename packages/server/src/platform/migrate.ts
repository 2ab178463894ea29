import { createHash } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import { setTimeout as pause } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import pg from 'pg'
import { createConcurrently, isConcurrent, readIndexes } from './concurrent-indexes.ts'
import { DatabaseOfAnotherCell } from './connections.ts'
import { type Db, sql } from './db.ts'
import { cellOf } from './ids.ts'
import type { Secret } from './secret.ts'

interface Migration {
  readonly name: string
  readonly checksum: string
  readonly text: string
}

export interface MigrationState {
  readonly name: string
  readonly applied_at: Date | undefined
}

const folder = fileURLToPath(new URL('../../migrations/', import.meta.url))

export interface Migrated {
  /** Names of the files that were applied. */
  readonly applied: readonly string[]
  /** The epoch that was started because the database was restored from another cluster. */
  readonly epoch: number | undefined
}

/**
 * Applies pending migrations in file-name order. Forward only: each file runs once, in its own transaction unless it creates indexes
 * concurrently, and a file that changed after it was applied stops the migration. Several processes may call this at once; one works and the others find
 * nothing left. Waits at most 5 s for any lock, so that a migration never queues traffic behind it: it fails instead, and can be
 * run again. Afterwards the database can be written to in its current cluster, and belongs to this cell. One that belongs to
 * another cell, or whose newest key pairs name another one, is left as it is.
 */
export async function migrate(ownerUrl: Secret, cell: number, from: string = folder): Promise<Migrated> {
  const migrations = await readMigrations(from)
  return withClient(ownerUrl, async (client) => {
    await takeTurn(client)
    await client.query(`set lock_timeout = '5s'`)
    await createTable(client)
    const applied = await readApplied(client)
    refuseChanged(migrations, applied)
    await refuseOtherCell(client, cell)
    const pending = migrations.filter(({ name }) => !applied.has(name))
    for (const migration of pending) await apply(client, migration)
    await recordCell(client, cell)
    return { applied: pending.map(({ name }) => name), epoch: await startEpoch(client) }
  })
}

const turnPauseMs = 100

/** Asks again and again: one that waits in a statement has a snapshot, and an index that is created concurrently waits for all. */
async function takeTurn(client: pg.Client): Promise<void> {
  for (;;) {
    const { rows } = await client.query<{ is_ours: boolean }>('select pg_try_advisory_lock(hashtext($1)) as is_ours', [
      'malipo migrations',
    ])
    if (rows[0]?.is_ours) return
    await pause(turnPauseMs)
  }
}

/** Every migration of this version, and when it was applied. */
export async function migrationStates(ownerUrl: Secret, from: string = folder): Promise<MigrationState[]> {
  const migrations = await readMigrations(from)
  const applied = await withClient(ownerUrl, readApplied)
  return migrations.map(({ name }) => ({ name, applied_at: applied.get(name)?.applied_at }))
}

/** Migrations that a running process misses: it started before its database was migrated. */
export async function pendingMigrations(db: Db): Promise<string[]> {
  const names = await migrationNames(folder)
  const applied = await db.query<{ name: string }>(sql`select name from schema_migrations`)
  return names.filter((name) => !applied.some((other) => other.name === name))
}

async function migrationNames(from: string): Promise<string[]> {
  return (await readdir(from)).filter((name) => name.endsWith('.sql')).sort()
}

async function readMigrations(from: string): Promise<Migration[]> {
  const names = await migrationNames(from)
  return Promise.all(
    names.map(async (name) => {
      const text = await readFile(`${from}/${name}`, 'utf8')
      return { name, text, checksum: createHash('sha256').update(text).digest('hex') }
    }),
  )
}

async function createTable(client: pg.Client): Promise<void> {
  await client.query(`
    create table if not exists schema_migrations (
      name text primary key,
      checksum text not null,
      applied_at timestamptz not null default now()
    )`)
}

interface Applied {
  readonly checksum: string
  readonly applied_at: Date
}

async function readApplied(client: pg.Client): Promise<Map<string, Applied>> {
  const { rows: found } = await client.query(`select where to_regclass('schema_migrations') is not null`)
  if (found.length === 0) return new Map()
  const { rows } = await client.query<Applied & { name: string }>(
    'select name, checksum, applied_at from schema_migrations',
  )
  return new Map(rows.map(({ name, ...applied }) => [name, applied]))
}

function refuseChanged(migrations: readonly Migration[], applied: ReadonlyMap<string, Applied>): void {
  const changed = migrations.filter(({ name, checksum }) => (applied.get(name)?.checksum ?? checksum) !== checksum)
  if (changed.length === 0) return
  const names = changed.map(({ name }) => name).join(', ')
  throw new Error(`${names} changed after being applied; restore the file and put the change in a new migration`)
}

async function apply(client: pg.Client, migration: Migration): Promise<void> {
  const { name, checksum, text } = migration
  if (isConcurrent(text)) return applyConcurrently(client, migration)
  try {
    await client.query('begin')
    await client.query(text)
    await client.query('reset role')
    await client.query('insert into schema_migrations (name, checksum) values ($1, $2)', [name, checksum])
    await client.query('commit')
  } catch (error) {
    await client.query('rollback')
    throw new Error(`migration ${name} failed; nothing of it was applied`, { cause: error })
  }
}

async function applyConcurrently(client: pg.Client, { name, checksum, text }: Migration): Promise<void> {
  try {
    for (const index of readIndexes(text)) await createConcurrently(client, index)
    await client.query('reset role')
    await client.query('insert into schema_migrations (name, checksum) values ($1, $2)', [name, checksum])
  } catch (error) {
    throw new Error(`migration ${name} failed; run it again, and it continues with what is missing`, { cause: error })
  }
}

async function refuseOtherCell(client: pg.Client, cell: number): Promise<void> {
  const recorded = await readCell(client)
  if (recorded === undefined) return refuseIdsOfOtherCell(client, cell)
  if (recorded !== cell) throw new DatabaseOfAnotherCell(recorded, cell)
}

async function readCell(client: pg.Client): Promise<number | undefined> {
  if (!(await hasFunction(client, 'cell_of_database()'))) return undefined
  const { rows } = await asOwner<{ recorded: number | null }>(client, 'select cell_of_database() as recorded')
  return rows[0]?.recorded ?? undefined
}

/** Before the cell is recorded, which happens once: a job without MALIPO_CELL would record cell 0 in the database of any cell. */
async function refuseIdsOfOtherCell(client: pg.Client, cell: number): Promise<void> {
  const found = mostFrequent((await newestPairs(client)).map(cellOf)) ?? cell
  if (found === cell) return
  throw new Error(
    `The newest key pairs of this database name cell ${found}, and MALIPO_CELL is ${cell}. Set MALIPO_CELL to ${found} for this command` +
      ` and for every process, or point DATABASE_URL and DATABASE_OWNER_URL to the database of cell ${cell}. Nothing was migrated.`,
  )
}

/**
 * Ids of key pairs, newest first. A cell makes every pair that it stores, also for a merchant that came from another cell. Merchants
 * are not read, because such a merchant may keep its id. A few pairs of another number prove nothing: a command without MALIPO_CELL
 * made them. The owner may not read pairs, so their row security is not forced until the rollback.
 */
async function newestPairs(client: pg.Client): Promise<string[]> {
  const { rows: found } = await client.query(`select where to_regclass('credentials') is not null`)
  if (found.length === 0) return []
  await client.query('begin; set local role malipo_owner')
  try {
    await client.query('alter table credentials no force row level security')
    const { rows } = await client.query<{ id: string }>('select id from credentials order by id desc limit 100')
    return rows.map(({ id }) => id)
  } finally {
    await client.query('rollback')
  }
}

/** Of two that are equally frequent, the first. */
function mostFrequent(numbers: readonly number[]): number | undefined {
  const counts = new Map<number, number>()
  for (const number of numbers) counts.set(number, (counts.get(number) ?? 0) + 1)
  return [...counts].toSorted(([, left], [, right]) => right - left)[0]?.[0]
}

async function recordCell(client: pg.Client, cell: number): Promise<void> {
  if (await hasFunction(client, 'record_cell(integer)')) await asOwner(client, `select record_cell(${Number(cell)})`)
}

/** Batch numbers must keep growing in a cluster whose own count is lower. Does nothing anywhere else. */
async function startEpoch(client: pg.Client): Promise<number | undefined> {
  if (!(await hasFunction(client, 'start_epoch()'))) return undefined
  const { rows } = await asOwner<{ epoch: number | null }>(client, 'select start_epoch() as epoch')
  return rows[0]?.epoch ?? undefined
}

/** Tests migrate only as far as they need, so a function may be missing. */
async function hasFunction(client: pg.Client, signature: string): Promise<boolean> {
  const { rows } = await client.query('select where to_regprocedure($1) is not null', [signature])
  return rows.length > 0
}

async function asOwner<Row extends pg.QueryResultRow>(client: pg.Client, text: string): Promise<pg.QueryResult<Row>> {
  await client.query('begin; set local role malipo_owner')
  try {
    return await client.query<Row>(text)
  } finally {
    await client.query('commit')
  }
}

async function withClient<Result>(url: Secret, work: (client: pg.Client) => Promise<Result>): Promise<Result> {
  const client = new pg.Client({ connectionString: url.reveal() })
  client.on('error', () => undefined) // The statement that runs fails and reports it.
  await client.connect()
  try {
    return await work(client)
  } finally {
    await client.end() // Ends the session and with it the advisory lock.
  }
}
