import { setTimeout as pause } from 'node:timers/promises'
import type pg from 'pg'

/** The first line of a migration that creates indexes while the table is written to. */
const mark = '-- concurrently\n'

export const isConcurrent = (text: string): boolean => text.startsWith(mark)

interface Index {
  readonly name: string
  readonly table: string
  readonly isUnique: boolean
  /** Columns, condition and settings. */
  readonly rest: string
}

/** A marked migration has only statements of this form: each can be repeated from any point. */
const statementForm = /^create (unique )?index (\w+) on (\w+) ([^;]+)$/

export function readIndexes(text: string): Index[] {
  const statements = text
    .replaceAll(/^--.*$/gm, '')
    .split(';')
    .map((statement) => statement.replaceAll(/\s+/g, ' ').trim())
    .filter((statement) => statement !== '')
  return statements.map((statement) => {
    const [, unique, name, table, rest] = statementForm.exec(statement) ?? []
    if (name === undefined || table === undefined || rest === undefined)
      throw new Error(`"${statement}" is not of the form: create [unique] index NAME on TABLE (COLUMNS)`)
    return { name, table, rest, isUnique: unique !== undefined }
  })
}

/**
 * Creates an index outside a transaction, of a partitioned table partition by partition: writes continue. Killed at any point, it is
 * run again: what is whole stays, and an invalid index that was left behind is dropped and created again.
 */
export async function createConcurrently(client: pg.Client, index: Index): Promise<void> {
  const { name, table } = index
  const [found] = await ask<{ is_partitioned: boolean; as_owner: string }>(
    client,
    `select relkind = 'p' as is_partitioned, format('set role %s', relowner::regrole) as as_owner
     from pg_class
     where oid = $1::regclass`,
    [table],
  )
  await client.query(found?.as_owner ?? '')
  if (!found?.is_partitioned) return createOne(client, index, { name, table })
  // First the index of the parent, which is empty: a partition that is attached meanwhile gets its own.
  await createOfParent(client, `${createOf(index)} if not exists ${name} on only ${table} ${index.rest}`)
  for (const part of await partitionsWithout(client, index)) {
    const own = nameFor(index, part)
    await createOne(client, index, { name: own, table: part })
    await client.query(`alter index ${name} attach partition ${own}`)
  }
  if (!(await isValid(client, name))) throw new Error(`the index ${name} lacks a partition: run the migration again`)
}

const lockTriesMax = 60

/** It reads no row, but waits for every transaction that writes to the table, and others wait behind it: for 200 ms at most. */
async function createOfParent(client: pg.Client, statement: string): Promise<void> {
  for (let tries = 1; ; tries += 1) {
    try {
      await client.query(`set lock_timeout = '200ms'`)
      await client.query(statement)
      await client.query(`set lock_timeout = '5s'`)
      return
    } catch (error) {
      if ((error as { code?: string }).code !== '55P03' || tries === lockTriesMax) throw error
      await pause(1000)
    }
  }
}

const createOf = ({ isUnique }: Index, concurrently = '') => `create ${isUnique ? 'unique ' : ''}index${concurrently}`

async function createOne(client: pg.Client, index: Index, own: { readonly name: string; readonly table: string }) {
  const valid = await isValid(client, own.name)
  if (valid) return
  if (valid === false) await client.query(`drop index concurrently ${own.name}`)
  // It waits until open transactions end, and blocks only other changes of the schema meanwhile.
  await client.query('set lock_timeout = 0')
  try {
    await client.query(`${createOf(index, ' concurrently')} ${own.name} on ${own.table} ${index.rest}`)
  } finally {
    await client.query(`set lock_timeout = '5s'`)
  }
}

/** Undefined if there is none. */
async function isValid(client: pg.Client, name: string): Promise<boolean | undefined> {
  const [found] = await ask<{ indisvalid: boolean }>(
    client,
    'select indisvalid from pg_index where indexrelid = to_regclass($1)',
    [name],
  )
  return found?.indisvalid
}

async function partitionsWithout(client: pg.Client, { name, table }: Index): Promise<string[]> {
  const parts = await ask<{ part: string }>(
    client,
    `select i.inhrelid::regclass::text as part
     from pg_inherits i
     where i.inhparent = $1::regclass
       and not exists (
         select
         from pg_inherits a
         join pg_index x on x.indexrelid = a.inhrelid
         where a.inhparent = $2::regclass
           and x.indrelid = i.inhrelid
       )
     order by 1`,
    [table, name],
  )
  return parts.map(({ part }) => part)
}

const nameMax = 63

/** `transactions_of_day_202501` is the part of `transactions_of_day` for `transactions_202501`. */
function nameFor({ name, table }: Index, part: string): string {
  const own = `${name}${part.startsWith(table) ? part.slice(table.length) : `_${part}`}`
  if (own.length > nameMax) throw new Error(`the name ${own} is too long: PostgreSQL would cut it off`)
  return own
}

async function ask<Row extends pg.QueryResultRow>(client: pg.Client, text: string, values: unknown[]): Promise<Row[]> {
  return (await client.query<Row>(text, values)).rows
}
