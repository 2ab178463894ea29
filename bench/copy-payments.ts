import type { Cell } from '../test/support/cluster/cell.ts'

/** Payments that belong together, such as a charge and its refund, as the engine made them. Copies keep their rows and distances. */
export interface Story {
  readonly ids: readonly string[]
  /** How many of a hundred copies are of this story. */
  readonly share: number
}

/** One copy of a story. */
export interface Copy {
  readonly n: number
  readonly story: number
  readonly atMs: number
  /** Every amount of the story is multiplied by this, so that its entries balance like those of the story. */
  readonly times: number
  /** Sealed counterparties of its payments, in the order of the story. */
  readonly sealed: readonly string[]
  readonly name: string
}

/** Tables of a payment, and the column that leads to it. */
const tables = {
  transactions: 'id',
  attempts: 'transaction_id',
  events: 'transaction_id',
  external_references: 'transaction_id',
  receipts: 'transaction_id',
  refund_totals: 'charge_id',
  refunds_of_charges: 'transaction_id',
  transfers: 'transaction_id',
  webhook_records: 'transaction_id',
  request_log: 'transaction_id',
} as const
type Table = keyof typeof tables

/** Batches of the engine get numbers above this, and those of copies are below. */
export const batchesBelow = 10_000_000
export const copiesInBatch = 10
/** A story has fewer events than this. */
const eventsMax = 16

type Row = Readonly<Record<string, unknown>>

/** A story as it is in the database. */
export interface Sample {
  readonly ids: readonly string[]
  readonly startMs: number
  /** The wallet's balance before it. */
  readonly opening: bigint
  /** What it adds to the wallet. */
  readonly net: bigint
  readonly rows: readonly { readonly table: Table; readonly row: Row }[]
  /** All ids that its rows have, each with its own place in a copy. */
  readonly places: readonly string[]
}

const timeOf = (id: string) => Number.parseInt(id.replaceAll('-', '').slice(0, 12), 16)

/** The id at a place of a copy. The last byte is 0, as in every id of a transaction. */
export function copiedId({ n, atMs }: Pick<Copy, 'n' | 'atMs'>, sample: Sample, id: string): string {
  const hex = (atMs + timeOf(id) - sample.startMs).toString(16).padStart(12, '0')
  const place = (0x8000 + sample.places.indexOf(id)).toString(16)
  return `${hex.slice(0, 8)}-${hex.slice(8)}-7000-${place}-${n.toString(16).padStart(10, '0')}00`
}

export async function readSample(ask: Cell['ask'], { ids }: Story): Promise<Sample> {
  const rows: { table: Table; row: Row }[] = []
  for (const [table, column] of Object.entries(tables) as [Table, string][])
    for (const { row } of await ask<{ row: Row }>(
      `select to_jsonb(t) as row from ${table} t where ${column} = any($1::uuid[])`,
      [ids],
    ))
      rows.push({ table, row })
  const lines = rows
    .filter(({ row }) => row['entry_at'] != null)
    .map(({ row }) => ({
      at: Number(row['entry_at']),
      balance: BigInt(String(row['balance'])),
      change: BigInt(String(row['amount'])) * (row['credit_account'] === row['wallet_id'] ? 1n : -1n),
    }))
    .sort((left, right) => left.at - right.at)
  const first = lines[0]
  const others = rows.flatMap(({ row }) => (typeof row['id'] === 'string' ? [row['id']] : []))
  return {
    ids,
    startMs: timeOf(ids[0] ?? ''),
    opening: first ? first.balance - first.change : 0n,
    net: lines.reduce((sum, { change }) => sum + change, 0n),
    rows,
    places: [...new Set([...ids, ...others])],
  }
}

/** Columns of a table of copies, which the statements below read. */
export async function createCopies(ask: Cell['ask']): Promise<void> {
  await ask(`create unlogged table copies (n bigint, story smallint, at_ms bigint, times integer, opening bigint,
    sealed_1 text, sealed_2 text, name text)`)
  await ask(`
    create function copied_id(at_ms bigint, place integer, n bigint) returns uuid language sql immutable
    return (substr(lpad(to_hex(at_ms), 12, '0'), 1, 8) || '-' || substr(lpad(to_hex(at_ms), 12, '0'), 9) || '-7000-'
      || to_hex(32768 + place) || '-' || lpad(to_hex(n), 10, '0') || '00')::uuid`)
}

/** Replaces what the table of copies has. */
export async function insertCopies(
  ask: Cell['ask'],
  copies: readonly Copy[],
  openings: readonly bigint[],
): Promise<void> {
  await ask('truncate copies')
  await ask(
    `insert into copies select * from unnest($1::bigint[], $2::smallint[], $3::bigint[], $4::integer[], $5::bigint[],
       $6::text[], $7::text[], $8::text[])`,
    [
      ...[copies.map(({ n }) => n), copies.map(({ story }) => story), copies.map(({ atMs }) => atMs)],
      ...[copies.map(({ times }) => times), openings, copies.map(({ sealed }) => sealed[0] ?? '')],
      ...[copies.map(({ sealed }) => sealed[1] ?? ''), copies.map(({ name }) => name)],
    ],
  )
}

/** Inserts the rows of the stories in the table of copies. Amounts of the wallet start from the opening of each copy. */
export async function copyStories(ask: Cell['ask'], samples: readonly Sample[]): Promise<void> {
  const types = await ask<{ table: string; column: string; type: string }>(
    `select table_name as table, column_name as column, data_type as type
     from information_schema.columns where table_name = any($1)`,
    [Object.keys(tables)],
  )
  const typeOf = new Map(types.map(({ table, column, type }) => [`${table} ${column}`, type]))
  for (const [story, sample] of samples.entries())
    for (const { table, row } of sample.rows) {
      const columns = Object.keys(row)
      const values = columns.map((column) =>
        copiedValue(sample, { table, column, row, type: typeOf.get(`${table} ${column}`) ?? '' }),
      )
      const recent = table === 'request_log' ? `and c.at_ms > extract(epoch from now() - interval '7 days') * 1000` : ''
      await ask(`insert into ${table} (${columns.join(', ')}) select ${values.join(', ')}
        from copies c where c.story = ${story} ${recent}`)
    }
}

interface Cellular {
  readonly table: Table
  readonly column: string
  readonly row: Row
  readonly type: string
}

/** A value of a copy as SQL. */
function copiedValue(sample: Sample, { table, column, row, type }: Cellular): string {
  const value = row[column]
  if (value === null || value === undefined) return 'null'
  if (typeof value === 'string' && sample.places.includes(value)) return idOf(sample, value)
  if (type === 'timestamp with time zone')
    return `'${String(value)}'::timestamptz + make_interval(secs => (c.at_ms - ${sample.startMs}) / 1000.0)`
  const owner = String(row['transaction_id'] ?? row['id'] ?? row['charge_id'])
  return (
    changed[`${table} ${column}`]?.(sample, value, owner) ?? changed[column]?.(sample, value, owner) ?? literal(value)
  )
}

const idOf = (sample: Sample, id: string) =>
  `copied_id(c.at_ms + ${timeOf(id) - sample.startMs}, ${sample.places.indexOf(id)}, c.n)`

type Change = (sample: Sample, value: unknown, owner: string) => string

const scaled: Change = (_, value) => `${String(value)} * c.times`
const referenceOf: Change = ({ ids }, _, owner) => `'order-' || c.n${ids.indexOf(owner) > 0 ? ` || '-refund'` : ''}`

/** Columns that differ from copy to copy. */
const changed: Readonly<Record<string, Change>> = {
  amount: scaled,
  wallet_amount: scaled,
  fee: scaled,
  received: scaled,
  moved: scaled,
  successful: scaled,
  balance: ({ opening }, value) => `c.opening + (${BigInt(String(value)) - opening}) * c.times`,
  entry_at: ({ startMs }, value) => `${String(value)} + (c.at_ms - ${startMs}) * 1000`,
  counterparty: ({ ids }, _, owner) => `c.sealed_${ids.indexOf(owner) + 1}`,
  account_name: (_, value) => (value === '' ? `''` : 'c.name'),
  external_reference: referenceOf,
  reference: referenceOf,
  receipt: ({ ids }, value, owner) => (value === '' ? `''` : `'MP' || upper(to_hex(c.n)) || ${ids.indexOf(owner)}`),
  receipt_id: () => `'MP' || upper(to_hex(c.n))`,
  request_id: () => `'req-' || c.n`,
  feed_number: (sample, value) => `c.n * ${eventsMax} + ${feedPlace(sample, value)}`,
  batch: () => `1 + c.n / ${copiesInBatch}`,
  position: (_, value) => `(c.n % ${copiesInBatch}) * ${eventsMax} + ${String(value)}`,
  body: (sample, value) => {
    const shown = (id: string) => `txn_${id.replaceAll('-', '')}`
    return sample.ids.reduce(
      (text, id) => `replace(${text}, '${shown(id)}', 'txn_' || replace(${idOf(sample, id)}::text, '-', ''))`,
      literal(value),
    )
  },
}

function feedPlace({ rows }: Sample, value: unknown): number {
  const numbers = rows.flatMap(({ table, row }) =>
    table === 'events' && row['feed_number'] ? [row['feed_number']] : [],
  )
  return numbers
    .map(Number)
    .sort((left, right) => left - right)
    .indexOf(Number(value))
}

function literal(value: unknown): string {
  if (typeof value === 'number' || typeof value === 'boolean') return String(value)
  if (Array.isArray(value) && value.length === 0) return `'{}'`
  const text = typeof value === 'string' ? value : JSON.stringify(value)
  return `'${text.replaceAll("'", "''")}'`
}
