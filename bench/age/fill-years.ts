/** Past months of a database, as if its cell had run for years. */
import { monthly } from '../../packages/server/src/platform/partitions.ts'
import type { Cell } from '../../test/support/cluster/cell.ts'
import { olderMonths } from '../../test/support/load/older-months.ts'
import { readSample, type Sample } from '../copy-payments.ts'

export interface Years {
  /** Whole months before this one. */
  readonly months: number
  readonly paymentsPerMonth: number
  /** In this month. */
  readonly paymentsNow: number
}

/** Numbers of copies in this month start here. */
const newest = 10_000_000

/** Creates other merchants like this one. Every third payment of the filling is of the first. */
export async function createMerchants({ ask }: Pick<Cell, 'ask'>, like: string, count: number): Promise<void> {
  await ask(`
    create table aged_merchants as
    select 0 as n, m.id as merchant_id, w.id as wallet_id
    from merchants m join wallets w on w.merchant_id = m.id
    where m.id = '${like}' and w.env = 'sandbox' and w.currency = 'KES' and w.country = 'KE'
    union all
    select n, gen_random_uuid(), gen_random_uuid() from generate_series(1, ${count - 1}) n`)
  await ask('alter table aged_merchants add primary key (n)')
  const copy = (table: string, key: string, over: string) => `
    insert into ${table} select r.* from ${table} like_this, aged_merchants a
    cross join lateral jsonb_populate_record(null::${table}, to_jsonb(like_this) || jsonb_build_object(${over})) r
    where like_this.${key} = '${like}' and a.n > 0`
  await ask(copy('merchants', 'id', `'id', a.merchant_id`))
  const isOfWallet = `and like_this.env = 'sandbox' and like_this.currency = 'KES' and like_this.country = 'KE'`
  await ask(`${copy('wallets', 'merchant_id', `'merchant_id', a.merchant_id, 'id', a.wallet_id`)} ${isOfWallet}`)
  await ask(copy('webhook_endpoints', 'merchant_id', `'merchant_id', a.merchant_id, 'next_due', null`))
  await ask(copy('feed_counters', 'merchant_id', `'merchant_id', a.merchant_id`))
}

/** Partitions of past months of every table that has them. */
export async function createMonths({ ask }: Pick<Cell, 'ask'>, months: number): Promise<void> {
  for (const parent of monthly) await ask(`set role malipo_owner; ${olderMonths(parent, months)}`)
}

/** Copies ended payments over the past months, and over this one up to now. Their books do not balance: the checks stop there. */
export async function fillYears(
  { ask }: Pick<Cell, 'ask'>,
  ids: readonly string[],
  { months, paymentsPerMonth, paymentsNow }: Years,
): Promise<void> {
  await ask(createIds(months))
  const samples: Sample[] = []
  for (const id of ids) samples.push(await readSample(ask, { ids: [id], share: 1 }))
  const past = months * paymentsPerMonth
  const parts = [
    { from: 0, to: past, at: `aged_at(n, ${past})` },
    { from: newest, to: newest + paymentsNow, at: `aged_at_now(n - ${newest}, ${paymentsNow})` },
  ].filter(({ from, to }) => to > from)
  for (const part of parts)
    for (const [place, sample] of samples.entries())
      await copySample(ask, sample, { ...part, place, every: samples.length })
  await ask(`
    insert into idempotency_keys (merchant_id, env, key, fingerprint, transaction_id, created_at)
    select merchant_id, env, external_reference, 'aged', id, created_at from transactions
    where external_reference like 'aged-%' on conflict do nothing`)
}

/** Times of copies, and the ids that follow from them. The digits after the version distinguish the rows of a copy. */
const createIds = (months: number) => `
  create or replace function aged_at(n bigint, total bigint) returns bigint language sql stable
  return (extract(epoch from date_trunc('month', now()) - interval '${months} months') * 1000)::bigint
    + n * (extract(epoch from interval '${months} months') * 1000)::bigint / total;
  create or replace function aged_at_now(n bigint, total bigint) returns bigint language sql stable
  return (extract(epoch from date_trunc('month', now())) * 1000)::bigint
    + n * (extract(epoch from now() - date_trunc('month', now())) * 990)::bigint / total;
  create or replace function aged_id(at_ms bigint, place integer, n bigint) returns uuid language sql immutable
  return (lpad(to_hex(at_ms), 12, '0') || '7' || lpad(to_hex(place), 3, '0') || '8000' || lpad(to_hex(n), 10, '0') || '00')::uuid`

interface Part {
  readonly from: number
  readonly to: number
  /** The time of copy n, as SQL. */
  readonly at: string
  /** This sample is the copy of every n-th number. */
  readonly place: number
  readonly every: number
}

type Ask = Cell['ask']

async function copySample(ask: Ask, sample: Sample, { from, to, at, place, every }: Part): Promise<void> {
  const types = await ask<{ table: string; column: string; type: string }>(
    `select table_name as table, column_name as column, data_type as type from information_schema.columns
     where table_schema = 'public'`,
  )
  const typeOf = new Map(types.map(({ table, column, type }) => [`${table}.${column}`, type]))
  const payment = sample.rows.find(({ table }) => table === 'transactions')?.row ?? {}
  const known: Record<string, string> = {
    [String(payment['merchant_id'])]: 'm.merchant_id',
    [String(payment['wallet_id'])]: 'm.wallet_id',
  }
  const source = `
    from generate_series(${from + place}::bigint, ${to - 1}, ${every}) as g(n)
    cross join lateral (select ${at} as at_ms) c
    join aged_merchants m on m.n = case when g.n % 3 = 0 then 0 else g.n % (select count(*) from aged_merchants) end`
  const rows = sample.rows.filter(({ table }) => table !== 'request_log')
  for (const [index, { table, row }] of rows.entries()) {
    const copied = (column: string) => {
      const value = row[column]
      if (value === null || value === undefined) return 'null'
      const text = textOf(value, typeOf.get(`${table}.${column}`))
      if (sample.places.includes(text)) return `aged_id(c.at_ms, ${sample.places.indexOf(text)}, g.n)`
      const isTime = typeOf.get(`${table}.${column}`) === 'timestamp with time zone'
      if (isTime) return `'${text}'::timestamptz + make_interval(secs => (c.at_ms - ${sample.startMs}) / 1000.0)`
      return known[text] ?? changed(sample, index)[column]?.(text) ?? `'${text.replaceAll("'", "''")}'`
    }
    const columns = Object.keys(row)
    await ask(`insert into ${table} (${columns.join(', ')}) select ${columns.map(copied).join(', ')} ${source}`)
  }
  const hash = (column: string) => `hashtextextended(${column}, 0)`
  const id = 'aged_id(c.at_ms, 0, g.n)'
  await ask(`insert into payment_lookups (hash, transaction_id) select ${hash(`'aged-' || g.n`)}, ${id} ${source}`)
  await ask(`insert into merchant_lookups (merchant_id, env, hash, transaction_id)
    select m.merchant_id, 'sandbox', ${hash(`'aged-' || g.n`)}, ${id} ${source}`)
}

/** Columns that differ from copy to copy, as SQL of the sample's value. */
function changed({ startMs }: Sample, index: number): Readonly<Record<string, (text: string) => string>> {
  return {
    external_reference: () => `'aged-' || g.n`,
    reference: () => `'aged-' || g.n`,
    entry_at: (text) => `${text} + (c.at_ms - ${startMs}) * 1000`,
    feed_number: () => `1000 + g.n * 16 + ${index}`,
    batch: () => '1 + g.n / 20',
    position: () => `(g.n % 20) * 16 + ${index}`,
  }
}

function textOf(value: unknown, type: string | undefined): string {
  if (type === 'ARRAY') return `{${(value as unknown[]).join(',')}}`
  return typeof value === 'string' ? value : JSON.stringify(value)
}
