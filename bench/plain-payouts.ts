import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createDatabase } from '../packages/server/src/dev-stack/database.ts'
import { readId } from '../packages/server/src/platform/ids.ts'
import { ask } from '../packages/server/src/testing/malipo.ts'
import { pgbench } from './pgbench.ts'
import type { Site } from './site.ts'

const clients = 16
const database = 'plain'

/** Payouts accepted without group commit: each in its own transaction, by pgbench, with nothing else. */
export interface PlainPayouts {
  /** Payouts a second, from this many merchants. */
  accept(merchants: number, seconds: number, how: 'pipelined' | 'one by one'): Promise<number>
}

interface Sample {
  readonly table: string
  readonly rows: readonly Readonly<Record<string, unknown>>[]
}

/** Tables that an accepted payout is written to, and how to find its rows. */
const written = {
  external_references: 'transaction_id',
  transfers: 'transaction_id',
  transactions: 'id',
  attempts: 'transaction_id',
  timers: 'transaction_id',
  events: 'transaction_id',
  webhook_records: 'transaction_id',
} as const

/** Tables that a payout refers to. */
const referredTo = ['merchants', 'wallets', 'webhook_endpoints', 'platform_accounts'] as const

/**
 * Writes the same rows that the service wrote for one accepted and unsent payout, repeatedly with other ids: same tables, same
 * indexes, platform accounts by deltas, in a separate database on the same server. The row that chains the batch is left out,
 * since only group commit needs it.
 */
export async function plainPayouts({ servers, cell }: Site, shownSample: string): Promise<PlainPayouts> {
  const id = readId('transaction', shownSample) ?? ''
  const samples: Sample[] = []
  for (const [table, column] of Object.entries(written))
    samples.push({ table, rows: await rowsOf(cell, table, `${column} = '${id}'`) })
  await createDatabase(servers.postgres, database, servers.password)
  const url = servers.postgres.urlOf(database)
  for (const table of referredTo)
    await ask(url, `insert into ${table} select * from jsonb_populate_recordset(null::${table}, $1)`, [
      JSON.stringify(await rowsOf(cell, table, 'true')),
    ])
  await servers.postgres.run(
    database,
    `create table plain_merchants as
      select row_number() over (order by merchant_id) as n, merchant_id, id as wallet_id
      from wallets
      where env = 'sandbox' and currency = 'KES' and country = 'KE'`,
    'create unique index on plain_merchants (n)',
    `insert into feed_counters select merchant_id, 'sandbox', 0 from plain_merchants`,
    `update wallets set credits_posted = credits_posted + 10 ^ 15`,
    `create function plain_id(ms bigint, run bigint, client bigint) returns uuid language sql immutable
      return (lpad(to_hex(ms), 12, '0') || '7' || lpad(to_hex(run), 3, '0') || '8000' || lpad(to_hex(client), 12, '0'))::uuid`,
    'analyze',
  )
  const script = scriptFor(samples, id)
  let run = 0
  return {
    accept: (merchants, seconds, how) => {
      run += 1
      const path = join(servers.folder, `plain-${run}.sql`)
      writeFileSync(path, textOf(script, merchants, how))
      const constants = Object.fromEntries([...script.constants].map(([value, name]) => [name, value]))
      const variables = { run: String(run), ms: String(Date.now()), ...constants }
      return pgbench({ url, script: path, clients, seconds, variables })
    },
  }
}

async function rowsOf({ ask: query }: Site['cell'], table: string, which: string): Promise<Sample['rows']> {
  const found = await query<{ row: Record<string, unknown> }>(
    `select to_jsonb(t) as row from ${table} t where ${which}`,
  )
  return found.map(({ row }) => row)
}

interface Script {
  readonly statements: readonly string[]
  /** Texts of the sample, by the name of their variable: pgbench would interpret literals. */
  readonly constants: ReadonlyMap<string, string>
}

function scriptFor(samples: readonly Sample[], id: string): Script {
  const sampled = (name: keyof typeof written) => samples.find(({ table }) => table === name)?.rows ?? []
  const [transaction] = sampled('transactions')
  const [record] = sampled('webhook_records')
  const constants = new Map<string, string>()
  const own = new Map<unknown, string>([
    [null, 'null'],
    ['', `''`], // pgbench takes no empty variable.
    [id, ':id'],
    [transaction?.['merchant_id'], ':merchant'],
    [transaction?.['wallet_id'], ':wallet'],
    [transaction?.['external_reference'], ':id::uuid::text'],
    [record?.['id'], ':event'],
  ])
  const constant = (value: unknown) => {
    if (typeof value === 'number' || typeof value === 'boolean') return String(value)
    const text = typeof value === 'string' ? value : literalOf(value)
    const name = constants.get(text) ?? `c${constants.size}`
    constants.set(text, name)
    return `:${name}`
  }
  const write = (column: string, value: unknown) => computed[column] ?? own.get(value) ?? constant(value)
  const insertOf = ({ table, rows }: Sample) => {
    const columns = Object.keys(rows[0] ?? {})
    const values = rows.map((row) => `(${columns.map((name) => write(name, row[name])).join(', ')})`)
    return `insert into ${table} (${columns.join(', ')}) values ${values.join(', ')};`
  }
  const sumOf = (rows: Sample['rows']) => rows.reduce((sum, row) => sum + Number(row['amount']), 0)
  const held = sumOf(sampled('transfers'))
  const deltas = [...Map.groupBy(sampled('transfers'), (row) => row['credit_account'])].map(
    ([account, rows]) => `(${computed['batch']}, ${constant(account)}, 0, 0, ${sumOf(rows)}, 0)`,
  )
  const statements = [
    `update wallets set debits_pending = debits_pending + ${held} where id = :wallet and credits_posted - debits_posted - debits_pending >= ${held};`,
    `insert into account_deltas values ${deltas.join(', ')};`,
    `update feed_counters set last = last + 1 where merchant_id = :merchant and env = 'sandbox';`,
    ...samples.map(insertOf),
    `update webhook_endpoints set next_due = least(coalesce(next_due, 'infinity'), now()) where merchant_id = :merchant and env = 'sandbox';`,
  ]
  return { statements, constants }
}

/** Lists are PostgreSQL arrays, and other objects are JSON. */
const literalOf = (value: unknown) =>
  Array.isArray(value) ? `{${value.map((each) => JSON.stringify(each)).join()}}` : JSON.stringify(value)

/** Columns that are not constant. */
const computed: Readonly<Record<string, string>> = {
  batch: 'pg_current_xact_id()::text::bigint',
  feed_number: `(select last from feed_counters where merchant_id = :merchant and env = 'sandbox')`,
}

function textOf({ statements }: Script, merchants: number, how: 'pipelined' | 'one by one'): string {
  const isPipelined = how === 'pipelined'
  return [
    `\\set n random(1, ${merchants})`,
    '\\set ms :ms + 1',
    'select merchant_id as merchant, wallet_id as wallet, plain_id(:ms, :run, :client_id) as id, plain_id(:ms, :run, :client_id + 4096) as event from plain_merchants where n = :n \\gset',
    ...(isPipelined ? ['\\startpipeline'] : []),
    'begin;',
    ...statements,
    'commit;',
    ...(isPipelined ? ['\\endpipeline'] : []),
    '',
  ].join('\n')
}
