import type { Cell } from '../test/support/cluster/cell.ts'

/** Tables that keep an ended payment, and how to find its rows. */
const whole = {
  external_references: 'transaction_id',
  transactions: 'id',
  attempts: 'transaction_id',
  transfers: 'transaction_id',
  events: 'transaction_id',
  webhook_records: 'transaction_id',
} as const
type Table = keyof typeof whole

export const wholeTables = Object.keys(whole) as Table[]
/** The two that grow the most. */
export const largestTables: readonly Table[] = ['transactions', 'transfers']

export interface GrowOrder {
  /** Payments from this number up to, and without, that one. */
  readonly from: number
  readonly to: number
  readonly tables: readonly Table[]
  /** Maximum rows of each payment in a table. */
  readonly rowsMax: number
}

const chunk = 250_000
const atOnce = 2

type Row = Readonly<Record<string, unknown>>

/**
 * Fills a database with copies of one ended payment, with ids spread over this month up to now and over its merchants. Secondary
 * indexes are created after the load, as after a COPY.
 */
export async function grow(cell: Cell, sampleId: string, { from, to, tables, rowsMax }: GrowOrder): Promise<void> {
  await prepare(cell)
  const samples = new Map<Table, Row[]>()
  for (const table of tables) {
    const rows = await cell.ask<{ row: Row }>(
      `select to_jsonb(t) as row from ${table} t where ${whole[table]} = '${sampleId}'`,
    )
    samples.set(
      table,
      rows.slice(0, rowsMax).map(({ row }) => row),
    )
  }
  const indexes = await dropIndexes(cell, tables)
  const starts = Array.from({ length: Math.ceil((to - from) / chunk) }, (_, index) => from + index * chunk)
  const copies = starts.flatMap((start) =>
    [...samples].flatMap(([table, rows]) =>
      rows.map((row, place) => copyOf(table, row, { sampleId, place, start, end: Math.min(start + chunk, to) })),
    ),
  )
  const next = copies.values()
  const work = async () => {
    for (const copy of next) await cell.ask(copy)
  }
  await Promise.all(Array.from({ length: atOnce }, work))
  for (const index of indexes) await cell.ask(index)
  for (const table of tables) await cell.ask(`vacuum analyze ${table}`)
}

async function prepare({ ask }: Cell): Promise<void> {
  await ask(`
    create table if not exists grown_merchants as
    select row_number() over (order by merchant_id) - 1 as n, merchant_id, id as wallet_id
    from wallets
    where env = 'sandbox' and currency = 'KES' and country = 'KE'`)
  await ask(`
    create or replace function grown_id(n bigint, place integer) returns uuid language sql stable
    return (substr(id_at(date_trunc('month', now()) + (now() - date_trunc('month', now())) * (n / 1e8)::float8)::text, 1, 14)
      || '7' || lpad(to_hex(place), 3, '0') || '-8000-' || lpad(to_hex(n), 12, '0'))::uuid`)
}

/** Drops indexes that are neither keys nor unique; returns the statements that create them again. */
async function dropIndexes({ ask }: Cell, tables: readonly Table[]): Promise<string[]> {
  const found = await ask<{ name: string; made: string }>(
    `select i.indexrelid::regclass::text as name, pg_get_indexdef(i.indexrelid) as made
     from pg_index i
     where i.indrelid = any($1::regclass[]) and not i.indisunique`,
    [tables],
  )
  for (const { name } of found) await ask(`drop index ${name}`)
  return found.map(({ made }) => made.replace(' ONLY ', ' '))
}

interface Copies {
  readonly sampleId: string
  readonly place: number
  readonly start: number
  readonly end: number
}

function copyOf(table: Table, row: Row, { sampleId, place, start, end }: Copies): string {
  const expressionOf = (column: string, value: unknown): string => {
    if (value === null) return 'null'
    if (value === sampleId) return 'grown_id(g.n, 0)'
    if (column === 'id') return `grown_id(g.n, ${place + 1})`
    return copied[column] ?? literal(value)
  }
  const columns = Object.keys(row)
  return `
    insert into ${table} (${columns.join(', ')})
    select ${columns.map((column) => expressionOf(column, row[column])).join(', ')}
    from generate_series(${start}::bigint, ${end - 1}) as g(n)
    join grown_merchants m on m.n = g.n % (select count(*) from grown_merchants)`
}

/** Columns that differ from copy to copy. */
const copied: Readonly<Record<string, string>> = {
  merchant_id: 'm.merchant_id',
  wallet_id: 'm.wallet_id',
  reference: `'grown-' || g.n`,
  external_reference: `'grown-' || g.n`,
  feed_number: 'g.n',
  entry_at: '1700000000000000 + g.n',
  batch: '1 + g.n / 500',
}

function literal(value: unknown): string {
  if (typeof value === 'number' || typeof value === 'boolean') return String(value)
  const text = typeof value === 'string' ? value : JSON.stringify(value)
  return `'${text.replaceAll("'", "''")}'`
}
