import { createSecretKey } from 'node:crypto'
import pg from 'pg'
import { type Counterparty, sealCounterparty } from '../packages/server/src/payments/model/counterparty.ts'
import { counterpartyLookups, plainHash } from '../packages/server/src/payments/model/lookups.ts'
import { monthly } from '../packages/server/src/platform/partitions.ts'
import { createVault, type Vault } from '../packages/server/src/platform/seal.ts'
import type { Cell } from '../test/support/cluster/cell.ts'
import { olderMonths } from '../test/support/load/older-months.ts'
import { type Bench, type Measured, rounded } from './bench.ts'
import { dropIndexes } from './filling.ts'
import { onSite, percentile } from './site.ts'

/** A small database by default; the guarantee is measured with BENCH_PAYMENTS=5000000. */
const payments = Number(process.env['BENCH_PAYMENTS'] ?? 50_000)
const rounds = Number(process.env['BENCH_ROUNDS'] ?? 200)
const months = 12
const merchants = 2000
const half = Math.floor(payments / 2)
/** Different numbers; each fifth is a bank account. */
const numbers = Math.floor(payments / 5)
/** Every fiftieth payment has this one. */
const hotNumber = 0
const chunk = 250_000
const millisecondsMax = 50
/** The newest payment is of this time, and the oldest eleven months before. */
const endMs = Date.now()
const spanMs = (months - 1) * 30 * 86_400_000

/**
 * Staff find a payment among many, by everything that `malipo payments find` takes. The payments are of a year, of 2,000 merchants,
 * one of which has a third of them. Each reference is used by two merchants, each number by five payments, and one number by a
 * fiftieth of all. Fails when the 95th percentile of any kind is above 50 ms.
 */
export const find: Bench = async (print) =>
  onSite({}, async ({ cell, servers: { postgres } }) => {
    await postgres.run(
      'postgres',
      `alter system set max_wal_size = '4GB'`,
      `alter system set maintenance_work_mem = '1GB'`,
      'select pg_reload_conf()',
    )
    const vault = vaultOf(cell)
    await fill(cell, vault)
    print(`${payments} payments in ${Math.round((Date.now() - endMs) / 1000)} s`)
    const samples = Array.from({ length: rounds }, (_, index) => Math.floor((index * payments) / rounds) + (index % 5))
    await sealSamples(cell, vault, samples)
    const kinds = await queriesOf(cell, samples)
    const figures: Record<string, number> = {}
    for (const [name, queries] of Object.entries(kinds))
      Object.assign(figures, await measure(cell, name, queries, print))
    for (const line of await planOf(cell, samples)) print(line)
    const slow = Object.entries(figures).filter(([name, value]) => name.endsWith('P95Ms') && value > millisecondsMax)
    if (slow.length > 0) throw new Error(`slower than ${millisecondsMax} ms: ${JSON.stringify(slow)}`)
    return { figures, ratios: {} } satisfies Measured
  })

/** The cell's own keys, so that its commands recognise the hashes. */
function vaultOf({ secrets }: Cell): Vault {
  const [id = '', , key = ''] = String(secrets['MALIPO_SECRET_KEYS']).split(':')
  return createVault([{ id, version: 2, key: createSecretKey(Buffer.from(key, 'base64url')) }])
}

const isAccount = (number: number) => number % 5 === 4
const textOf = (number: number) =>
  isAccount(number) ? `01${String(number).padStart(8, '0')}` : `+2547${String(10_000_000 + number).slice(0, 8)}`

function counterpartyOf(number: number): Counterparty {
  const [text, accountName] = [textOf(number), 'Amina Otieno']
  if (!isAccount(number))
    return { role: 'payee', to: { kind: 'momo', operator: 'MPESA_KE', phone: text, name: accountName } }
  return { role: 'payee', to: { kind: 'bank', bankCode: '044', branchCode: '', accountNumber: text, accountName } }
}

async function fill({ ask }: Cell, vault: Vault): Promise<void> {
  await ask(`
    create table bench_merchants as
    select place, gen_random_uuid() as id from generate_series(0, ${merchants - 1}) as place`)
  await ask(`
    insert into merchants (id, name, email, first_name, last_name, home_country)
    select id, 'Duka ' || place, 'amina@example.com', 'Amina', 'Otieno', 'KE' from bench_merchants`)
  await ask(functions)
  await ask('create table bench_numbers (number bigint primary key, hash bigint not null)')
  for (let start = 0; start < numbers; start += chunk) {
    const some = Array.from({ length: Math.min(chunk, numbers - start) }, (_, index) => start + index)
    const hashes = some.map((number) => String(counterpartyLookups(vault, '', counterpartyOf(number))[0]?.hash))
    await ask('insert into bench_numbers select * from unnest($1::bigint[], $2::bigint[])', [some, hashes])
  }
  for (const parent of monthly) await ask(olderMonths(parent, months))
  await ask(`
    create unlogged table bench_payments (n bigint primary key, id uuid not null, merchant_id uuid not null,
      number_hash bigint not null, reference_hash bigint not null, receipt_hash bigint not null)`)
  const indexes = await dropIndexes(ask, ['transactions', 'attempts'], {
    table: 'payment_lookups',
    key: 'hash, transaction_id',
  })
  for (let start = 0; start < payments; start += chunk)
    for (const copy of copies(start, Math.min(start + chunk, payments))) await ask(copy)
  for (const index of indexes) await ask(index)
  for (const table of ['transactions', 'attempts', 'external_references', 'payment_lookups', 'merchants'])
    await ask(`vacuum (freeze, analyze) ${table}`)
}

/** What payment n has. The same rules are in {@link numberOf} and {@link referenceOf}. */
const functions = `
  create function bench_id(n bigint) returns uuid language sql immutable
  return (overlay(lpad(to_hex(${endMs} - ${spanMs} * (${payments} - n) / ${payments}), 12, '0') placing '-' from 9 for 0)
    || '-7000-8000-' || lpad(to_hex(n), 10, '0') || '00')::uuid;
  create function bench_merchant(n bigint) returns bigint language sql immutable
  return case when n % 3 = 0 then 0 else 1 + ((n % ${half}) * 31 + n / ${half} * 7) % ${merchants - 1} end;
  create function bench_number(n bigint) returns bigint language sql immutable
  return case when n % 50 = 1 then ${hotNumber} else n % ${numbers} end;
  create function bench_hash(kind text, value text) returns bigint language sql stable
  return ('x' || substr(encode(sha256(convert_to('payment ' || kind || ' ' || value, 'UTF8')), 'hex'), 1, 16))::bit(64)::bigint`

const numberOf = (n: number) => (n % 50 === 1 ? hotNumber : n % numbers)
const referenceOf = (n: number) => `order-${n % half}`
const receiptOf = (n: number) => `MP${n.toString(16).toUpperCase()}`

/** Everything that differs between payments is computed once, into one row of bench_payments each. */
function copies(start: number, end: number): string[] {
  const each = `from bench_payments where n >= ${start} and n < ${end}`
  return [
    `insert into bench_payments
     select g.n, bench_id(g.n), m.id, b.hash, bench_hash('reference', 'order-' || g.n % ${half}),
       bench_hash('receipt', 'MP' || upper(to_hex(g.n)))
     from generate_series(${start}::bigint, ${end - 1}) as g(n)
     join bench_merchants m on m.place = bench_merchant(g.n)
     join bench_numbers b on b.number = bench_number(g.n)`,
    `insert into transactions (id, merchant_id, env, type, method, destination, country, external_reference, amount, currency,
       wallet_id, wallet_country, wallet_currency, wallet_amount, account_name, code, counterparty, created_at, sent_via, state,
       attempt, provider, receipt, fee, events, notified, updated_at)
     select id, merchant_id, 'live', 'withdrew', 'momo', 'MoMo', 'KE', 'order-' || n % ${half}, 10000, 'KES', merchant_id, 'KE',
       'KES', 10000, 'Amina Otieno', 'MPESA_KE', repeat('x', 180), now(), 'lane',
       case when n % 20 = 0 then 'failed' when n > ${payments} - 1000 then 'submitted' else 'successful' end, 1, 'pawapay',
       'MP' || upper(to_hex(n)), 100, 3, 2, now()
     ${each} order by id`,
    `insert into attempts (transaction_id, number, provider, sends) select id, 1, 'pawapay', 1 ${each} order by id`,
    `insert into external_references (merchant_id, env, reference, transaction_id)
     select merchant_id, 'live', 'order-' || n % ${half}, id ${each}
     on conflict do nothing`,
    `insert into payment_lookups (hash, transaction_id)
     select unnest(array[number_hash, reference_hash, receipt_hash]), id ${each}`,
  ]
}

/** Only payments that are found are read, so only their counterparties are really sealed. */
async function sealSamples({ ask }: Cell, vault: Vault, samples: readonly number[]): Promise<void> {
  const sameNumber = samples.flatMap((n) => Array.from({ length: 6 }, (_, index) => (n % numbers) + index * numbers))
  const sameReference = samples.flatMap((n) => [n % half, (n % half) + half])
  const hot = Array.from({ length: 600 }, (_, index) => payments - (payments % 50) + 1 - index * 50)
  const wanted = [...new Set([...samples, ...sameNumber, ...sameReference, ...hot])].filter(
    (n) => n >= 0 && n < payments,
  )
  const rows = await ask<{ n: string; id: string }>('select n, bench_id(n) as id from unnest($1::bigint[]) as n', [
    wanted,
  ])
  const sealed = rows.map(({ n, id }) => sealCounterparty(vault, id, counterpartyOf(numberOf(Number(n)))))
  await ask(
    `update transactions t set counterparty = s.sealed
     from unnest($1::uuid[], $2::text[]) as s(id, sealed) where t.id = s.id`,
    [rows.map(({ id }) => id), sealed],
  )
  await ask('vacuum analyze transactions')
}

interface Query {
  readonly query: string
  readonly merchant?: string
}

async function queriesOf({ ask }: Cell, samples: readonly number[]): Promise<Record<string, Query[]>> {
  const rows = await ask<{ n: string; id: string; merchant: string }>(
    `select s.n, replace(bench_id(s.n)::text, '-', '') as id, replace(m.id::text, '-', '') as merchant
     from unnest($1::bigint[]) as s(n) join bench_merchants m on m.place = bench_merchant(s.n)`,
    [samples],
  )
  const each = (make: (n: number, id: string, merchant: string) => Query) =>
    rows.map(({ n, id, merchant }) => make(Number(n), `txn_${id}`, `mer_${merchant}`))
  const cold = samples.filter((n) => numberOf(n) !== hotNumber)
  const national = (number: number) => textOf(number).replace('+254', '0')
  const [busiest = ''] = each((_, __, merchant) => ({ query: merchant })).map(({ query }) => query)
  return {
    id: each((_, id) => ({ query: id })),
    providerKey: rows.map(({ id }) => ({ query: keyOf(id) })),
    referenceOfMerchant: each((n, _, merchant) => ({ query: referenceOf(n), merchant })),
    reference: each((n) => ({ query: referenceOf(n) })),
    phone: cold.filter((n) => !isAccount(numberOf(n))).map((n) => ({ query: textOf(numberOf(n)) })),
    nationalPhone: cold.filter((n) => !isAccount(numberOf(n))).map((n) => ({ query: national(numberOf(n)) })),
    account: cold.filter((n) => isAccount(numberOf(n))).map((n) => ({ query: textOf(numberOf(n)) })),
    receipt: each((n) => ({ query: receiptOf(n) })),
    hotPhone: samples.map(() => ({ query: textOf(hotNumber) })),
    hotPhoneOfMerchant: samples.map(() => ({ query: textOf(hotNumber), merchant: busiest })),
    nothing: samples.map((n) => ({ query: `unknown-${n}` })),
  }
}

/** The provider key of the first attempt. */
function keyOf(id: string): string {
  const parts = [id.slice(0, 8), id.slice(8, 12), `4${id.slice(13, 16)}`, id.slice(16, 20), `${id.slice(20, 30)}01`]
  return parts.join('-')
}

/** Runs every query twice, and measures the second time, when the pages it needs are in memory. */
async function measure(
  { operator }: Cell,
  name: string,
  queries: readonly Query[],
  print: (line: string) => void,
): Promise<Record<string, number>> {
  const run = ({ query, merchant }: Query) =>
    operator.payments.find({ query, limit: 20, ...(merchant !== undefined && { merchant }) })
  for (const query of queries) await run(query)
  const times: number[] = []
  let found = 0
  for (const query of queries) {
    const startedAt = performance.now()
    found += (await run(query)).payments.length
    times.push(performance.now() - startedAt)
  }
  times.sort((left, right) => left - right)
  const [p50, p95] = [rounded(percentile(times, 0.5)), rounded(percentile(times, 0.95))]
  print(
    `${name}: ${queries.length} finds of ${rounded(found / queries.length)} payments, median ${p50} ms, 95 % ${p95} ms`,
  )
  return { [`${name}MedianMs`]: p50, [`${name}P95Ms`]: p95 }
}

/** How PostgreSQL finds the payments of a reference, with the settings of the product's connections. */
async function planOf({ operatorSettings }: Cell, [n = 0]: readonly number[]): Promise<string[]> {
  const client = new pg.Client({
    connectionString: String(operatorSettings['DATABASE_URL']),
    options: '-c role=malipo_write -c seq_page_cost=100 -c enable_sort=off -c plan_cache_mode=force_generic_plan',
  })
  await client.connect()
  const { rows } = await client.query<{ 'QUERY PLAN': string }>(`
    explain (analyze, buffers, costs off, timing off)
    select h.hash, l.transaction_id
    from unnest(array[${plainHash('reference', referenceOf(n))}]::bigint[]) as h(hash)
    cross join lateral (
      select p.transaction_id
      from payment_lookups p
      where p.hash = h.hash and p.transaction_id < 'ffffffff-ffff-ffff-ffff-ffffffffffff'
      order by p.transaction_id desc
      limit 500
    ) as l`)
  await client.end()
  return rows.map((row) => row['QUERY PLAN'])
}
