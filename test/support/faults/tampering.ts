import { newTransactionId } from '../../../packages/server/src/platform/ids.ts'
import type { Random } from '../cluster/random.ts'

/** A change that a superuser made to the ledger. */
export interface Tampering {
  /** Kind of change, for the count. */
  readonly kind: string
  readonly statements: readonly string[]
}

export type Row = Readonly<Record<string, string | null>>

/** The ledger's original rows as text. */
export type Rows = Readonly<Record<Table, readonly Row[]>>

export const keys = {
  transfers: ['transaction_id', 'number', 'phase'],
  wallets: ['id'],
  platform_accounts: ['id'],
  account_deltas: ['batch', 'account_id'],
  ledger_batches: ['writer', 'number'],
  ledger_seals: ['number'],
} as const

export type Table = keyof typeof keys

const counters = ['debits_pending', 'debits_posted', 'credits_pending', 'credits_posted'] as const

/** What can be changed in a row, each column with the ways to change it. Of accounts, only what the ledger determines. */
const changes = {
  transfers: {
    transaction_id: [(_, now) => `'${newTransactionId(now, 0)}'`],
    number: [more],
    phase: [(column) => `1 - ${column}`],
    kind: ['hold', 'post', 'void', 'transfer'].map((kind) => () => `'${kind}'`),
    event: [(column) => `${column} || '!'`, () => `''`],
    debit_account: [anotherAccount],
    credit_account: [anotherAccount],
    amount: [more, less],
    currency: [() => `'UGX'`],
    wallet_id: [anotherAccount, () => 'null'],
    entry_at: [more, less, () => 'null'],
    balance: [more, less, () => 'null'],
    batch: [more, less, () => '-1', () => `'1000000000000000'`],
    position: [more, less],
  },
  wallets: Object.fromEntries(counters.map((name) => [name, [more, less]])),
  platform_accounts: Object.fromEntries(counters.map((name) => [name, [more, less]])),
  account_deltas: {
    batch: [more, less, () => '-1', () => `'1000000000000000'`],
    account_id: [anotherAccount],
    ...Object.fromEntries(counters.map((name) => [name, [more, less]])),
  },
  ledger_batches: {
    writer: [() => 'gen_random_uuid()'],
    number: [more],
    batch: [more, less, () => '-1', () => `'1000000000000000'`],
    at: [more, less],
    transfers: [more, less],
    previous_hash: [anotherByte],
    content_hash: [anotherByte],
    hash: [anotherByte],
  },
  ledger_seals: {
    number: [more],
    at: [more, less],
    settled_below: [more, less],
    heads: [
      (column) => `${column} - 0`,
      (column) => `${column} || ${column}`,
      (column) => `jsonb_set(${column}, '{0,hash}', to_jsonb(repeat('0', 64)))`,
      (column) => `jsonb_set(${column}, '{0,number}', '"1000"')`,
      (column) => `jsonb_set(${column}, '{0,writer}', to_jsonb(gen_random_uuid()::text))`,
    ],
    previous_hash: [anotherByte],
    hash: [anotherByte],
  },
} satisfies Record<Table, Record<string, readonly Change[]>>

/** SQL expression for the column's new value. */
type Change = (column: string, now: number) => string

function more(column: string): string {
  return `coalesce(${column}, 0) + 1`
}
function less(column: string): string {
  return `coalesce(${column}, 0) - 1`
}
function anotherByte(column: string): string {
  return `set_byte(${column}, 7, (get_byte(${column}, 7) + 1) % 256)`
}
function anotherAccount(column: string): string {
  return `(select id from saved.wallets where id is distinct from ${column} order by random() limit 1)`
}

/** Repetition is the weight of a table, so that small tables are not missed. */
const tables: readonly Table[] = [
  ...Array.from({ length: 8 }, () => 'transfers' as const),
  ...Array.from({ length: 4 }, () => 'ledger_batches' as const),
  'wallets',
  'platform_accounts',
  'account_deltas',
  'account_deltas',
  'ledger_seals',
  'ledger_seals',
]

export function edit(random: Random, rows: Rows): Tampering {
  const table = random.pick(tables)
  const columns: Record<string, readonly Change[]> = changes[table]
  const column = random.pick(Object.keys(columns))
  const value = random.pick(columns[column] ?? [])(column, Date.now())
  const statement = `update ${table} set ${column} = ${value} where ${isRow(table, random.pick(rows[table]))}`
  return { kind: `edit of ${table}.${column}`, statements: [statement] }
}

export function remove(random: Random, rows: Rows): Tampering {
  const table = random.pick(tables)
  const statement = `delete from ${table} where ${isRow(table, random.pick(rows[table]))}`
  return { kind: `deletion from ${table}`, statements: [statement] }
}

/** Two rows of a table swap the values of one column. A unique column takes a temporary value in between. */
function swap(table: Table, column: string, left: Row, right: Row, aside: string): string[] {
  const set = (value: string, row: Row) => `update ${table} set ${column} = ${value} where ${isRow(table, row)}`
  const moved = (row: Row) => ({ ...row, [column]: aside })
  const isKey = (keys[table] as readonly string[]).includes(column)
  return [
    set(literal(aside), left),
    set(literal(left[column]), right),
    set(literal(right[column]), isKey ? moved(left) : left),
  ]
}

export function reorder(random: Random, rows: Rows): Tampering {
  const inBatch = Map.groupBy(rows.transfers, ({ batch }) => batch ?? '')
  const several = random.pick([...inBatch.values()].filter((batch) => batch.length > 1))
  const two = (some: readonly Row[]): [Row, Row] => [random.pick(some), random.pick(some)]
  const ofOneWriter = () => {
    const [left, right] = two(rows.ledger_batches)
    return left['writer'] === right['writer'] ? [left, right] : [left, left]
  }
  const swaps: (() => [string, Table, string, Row, Row, string])[] = [
    () => ['swap of positions in a batch', 'transfers', 'position', ...two(several), '0'],
    () => ['swap of amounts', 'transfers', 'amount', ...two(rows.transfers), '1'],
    () => ['swap of transfers between batches', 'transfers', 'batch', ...two(rows.transfers), '0'],
    () => ['swap of batches in the order of all', 'ledger_batches', 'batch', ...two(rows.ledger_batches), '0'],
    () => ['swap of batches in a chain', 'ledger_batches', 'number', ...(ofOneWriter() as [Row, Row]), '100000'],
    () => ['swap of deltas', 'account_deltas', 'batch', ...two(rows.account_deltas), '0'],
    () => ['swap of credits', 'wallets', 'credits_posted', ...two(rows.wallets), '0'],
    () => ['swap of seals', 'ledger_seals', 'number', ...two(rows.ledger_seals), '100000'],
  ]
  const [kind, ...swapped] = random.pick(swaps)()
  return { kind, statements: swap(...swapped) }
}

/** A forged transfer: bare, or with counters and delta as if a batch had written it. */
export function forge(random: Random, rows: Rows): Tampering {
  const numbers = rows.ledger_batches.map(({ batch }) => Number(batch))
  const places = {
    'an old batch': random.pick(numbers),
    'a number no batch has': Math.min(...numbers) - 1 - random.below(10),
    'a number below all': -1 - random.below(10),
    'a number above all': 10 ** 15 + random.below(10),
  }
  const place = random.pick(Object.keys(places) as (keyof typeof places)[])
  const batch = places[place]
  const wallet = random.pick(rows.wallets)['id']
  const treasury = `(select id from platform_accounts where kind = 'treasury' order by id limit 1)`
  const statements = [
    `insert into transfers select '${newTransactionId(Date.now(), 0)}', 0, 0, 'transfer', 'wallet_funded', ${treasury}, id,
       1000, 'KES', id, entry_at + 1, credits_posted - debits_posted + 1000, ${batch}, 1000 from wallets where id = '${wallet}'`,
    `update wallets set credits_posted = credits_posted + 1000, entry_at = entry_at + 1 where id = '${wallet}'`,
    `insert into account_deltas as d values (${batch}, ${treasury}, 0, 1000, 0, 0)
       on conflict (batch, account_id) do update set debits_posted = d.debits_posted + 1000`,
    `update platform_accounts set debits_posted = debits_posted + 1000
       where id = ${treasury} and ${batch} < (select folded_below from delta_folds)`,
  ]
  const isBare = random() < 0.5
  return {
    kind: `forgery in ${place}${isBare ? ', bare' : ''}`,
    statements: isBare ? statements.slice(0, 1) : statements,
  }
}

const literal = (value: string | null | undefined) => (value == null ? 'null' : `'${value}'`)

function isRow(table: Table, row: Row): string {
  return keys[table].map((column) => `${column} = ${literal(row[column])}`).join(' and ')
}
