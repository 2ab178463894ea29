import { createSecretKey } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { type IncomingMessage, request } from 'node:http'
import { type Counterparty, sealCounterparty } from '../packages/server/src/payments/model/counterparty.ts'
import { counterpartyLookups, plainHash } from '../packages/server/src/payments/model/lookups.ts'
import { monthly } from '../packages/server/src/platform/partitions.ts'
import { createVault, type Vault } from '../packages/server/src/platform/seal.ts'
import type { Cell, CellMerchant } from '../test/support/cluster/cell.ts'
import { olderMonths } from '../test/support/load/older-months.ts'
import { type Bench, type Measured, rounded } from './bench.ts'
import { dropIndexes } from './filling.ts'
import { onSite, percentile } from './site.ts'

/** A small database by default; the guarantee is measured with BENCH_PAYMENTS=5000000. */
const payments = Number(process.env['BENCH_PAYMENTS'] ?? 50_000)
const rounds = Number(process.env['BENCH_ROUNDS'] ?? 100)
const months = 12
const numbers = Math.floor(payments / 5)
const chunk = 50_000
const millisecondsMax = 50
/** An export must not need more than this beside what the idle process has. */
const growthMax = 50
/** Node takes memory as long as there is some. With a heap as small as this, what remains is what the export needs. */
const smallHeap = { NODE_OPTIONS: '--max-old-space-size=96 --max-semi-space-size=2' }
const endMs = Date.now() - 60_000
const spanMs = (months - 1) * 30 * 86_400_000
const firstNames = 40
const lastNames = 5000

/**
 * One merchant with all payments of a year searches by everything that the search takes, on first and deep pages, then exports all
 * of them. Every fiftieth payment has one number, and every fortieth the same first name. Fails when the 95th percentile of any
 * kind is above 50 ms, when the export needs more than 50 MB beside the idle process, or when the sum of the CSV is not that of
 * the ledger.
 */
export const search: Bench = async (print) =>
  onSite({}, async ({ cell, servers: { postgres } }) => {
    await postgres.run(
      'postgres',
      `alter system set max_wal_size = '8GB'`,
      `alter system set maintenance_work_mem = '1GB'`,
      'select pg_reload_conf()',
    )
    const startedAt = Date.now()
    const merchant = await cell.merchant()
    await fill(cell, merchant)
    print(`${payments} payments in ${Math.round((Date.now() - startedAt) / 1000)} s`)
    const { url } = await cell.start('api', 'api')
    const authorization = await merchant.authorization(url)
    const figures: Record<string, number> = {}
    for (const [name, queries] of Object.entries(queriesOf()))
      Object.assign(figures, await measure(name, { url, authorization, queries }, print))
    // A process of its own, so that only the export counts.
    const exporter = await cell.start('api', 'exporter', smallHeap)
    Object.assign(figures, await exportAll({ cell, merchant, ...exporter, authorization }, print))
    check(figures)
    return { figures, ratios: {} } satisfies Measured
  })

function check(figures: Readonly<Record<string, number>>): void {
  const slow = Object.entries(figures).filter(([name, value]) => name.endsWith('P95Ms') && value > millisecondsMax)
  if (slow.length > 0) throw new Error(`slower than ${millisecondsMax} ms: ${JSON.stringify(slow)}`)
  const { exportResidentMb = 0, idleResidentMb = 0 } = figures
  const growth = exportResidentMb - idleResidentMb
  if (growth > growthMax) throw new Error(`the export needs ${growth} MB, above ${growthMax} MB`)
}

const isHot = (n: number) => n % 50 === 1
const phoneOf = (n: number) => `+2547${String(10_000_000 + (isHot(n) ? 0 : 1 + (n % numbers)))}`
const letters = (n: number) => [...String(n)].map((digit) => 'abcdefghij'[Number(digit)]).join('')
const nameOf = (n: number) => `First${letters(n % firstNames)} Last${letters(n % lastNames)}`
const receiptOf = (n: number) => `MP${n.toString(16).toUpperCase()}`
const referenceOf = (n: number) => `order-${n}`
/** Scattered, as customers' amounts are. */
const amountOf = (n: number) => 10_000 + ((n * 7919) % 9973)
const isFailed = (n: number) => n % 20 === 0

function idOf(n: number): string {
  const hex = Math.floor(endMs - (spanMs * (payments - n)) / payments)
    .toString(16)
    .padStart(12, '0')
  return `${hex.slice(0, 8)}-${hex.slice(8)}-7000-8000-${n.toString(16).padStart(12, '0')}`
}

const shown = (n: number) => `txn_${idOf(n).replaceAll('-', '')}`
const counterpartyOf = (n: number): Counterparty => ({
  role: 'payee',
  to: { kind: 'momo', operator: 'MPESA_KE', phone: phoneOf(n), name: nameOf(n) },
})

/** The cell's own keys, so that its processes open what is sealed here. */
function vaultOf({ secrets }: Cell): Vault {
  const [id = '', , key = ''] = String(secrets['MALIPO_SECRET_KEYS']).split(':')
  return createVault([{ id, version: 2, key: createSecretKey(Buffer.from(key, 'base64url')) }])
}

async function fill(cell: Cell, { id: merchant }: CellMerchant): Promise<void> {
  const { ask } = cell
  const vault = vaultOf(cell)
  for (const parent of monthly) await ask(olderMonths(parent, months))
  const [wallet] = await ask<{ id: string }>(`select id from wallets where merchant_id = $1 and currency = 'KES'`, [
    merchant,
  ])
  const indexes = await dropIndexes(ask, ['transactions', 'transfers'], {
    table: 'merchant_lookups',
    key: 'merchant_id, env, hash, transaction_id',
  })
  let balance = 10 ** 15
  for (let start = 0; start < payments; start += chunk) {
    const some = Array.from({ length: Math.min(chunk, payments - start) }, (_, index) => start + index)
    const balances = some.map((n) => {
      if (!isFailed(n)) balance -= amountOf(n)
      return balance
    })
    await fillChunk(ask, { vault, merchant, wallet: wallet?.id ?? '', some, balances })
  }
  for (const index of indexes) await ask(index)
  for (const table of ['transactions', 'external_references', 'merchant_lookups', 'transfers'])
    await ask(`vacuum (freeze, analyze) ${table}`)
}

interface Chunk {
  readonly vault: Vault
  readonly merchant: string
  readonly wallet: string
  readonly some: readonly number[]
  readonly balances: readonly number[]
}

async function fillChunk(ask: Cell['ask'], { vault, merchant, wallet, some, balances }: Chunk): Promise<void> {
  const ids = some.map(idOf)
  const amounts = some.map(amountOf)
  const sealed = some.map((n, index) => sealCounterparty(vault, ids[index] ?? '', counterpartyOf(n)))
  await ask(
    `insert into transactions (id, merchant_id, env, type, method, destination, country, external_reference, amount, currency,
       wallet_id, wallet_country, wallet_currency, wallet_amount, account_name, code, counterparty, created_at, sent_via, state,
       attempt, provider, receipt, fee, events, notified, updated_at)
     select id, $1, 'sandbox', 'withdrew', 'momo', 'MoMo', 'KE', 'order-' || n, amount, 'KES', $2, 'KE', 'KES', amount, name,
       'MPESA_KE', counterparty, to_timestamp(${endMs} / 1000), 'lane', case when n % 20 = 0 then 'failed' else 'successful' end,
       1, 'pawapay', 'MP' || upper(to_hex(n)), 100, 3, 2, to_timestamp(${endMs} / 1000)
     from unnest($3::uuid[], $4::bigint[], $5::bigint[], $6::text[], $7::text[]) as p(id, n, amount, counterparty, name)`,
    [merchant, wallet, ids, some, amounts, sealed, some.map(nameOf)],
  )
  await ask(
    `insert into external_references (merchant_id, env, reference, transaction_id)
     select $1, 'sandbox', 'order-' || n, id from unnest($2::uuid[], $3::bigint[]) as p(id, n)`,
    [merchant, ids, some],
  )
  await ask(
    `insert into transfers (transaction_id, number, phase, kind, event, debit_account, credit_account, amount, currency, wallet_id,
       entry_at, balance, batch, position)
     select id, 0, 1, 'post', 'payout_successful', $1, $2, amount, 'KES', $1, ${endMs - spanMs} * 1000::bigint + n, balance, 1, 0
     from unnest($3::uuid[], $4::bigint[], $5::bigint[], $6::bigint[]) as p(id, n, amount, balance) where n % 20 <> 0`,
    [wallet, merchant, ids, some, amounts, balances],
  )
  const lookups = some.flatMap((n, index) => {
    const id = ids[index] ?? ''
    const hashes = hashesOf(vault, n)
    return [...hashes, plainHash('receipt', receiptOf(n))].map((hash) => ({ id, hash: String(hash) }))
  })
  await ask(
    `insert into merchant_lookups (merchant_id, env, hash, transaction_id)
     select $1, 'sandbox', hash, id from unnest($2::uuid[], $3::bigint[]) as l(id, hash)`,
    [merchant, lookups.map(({ id }) => id), lookups.map(({ hash }) => hash)],
  )
}

const known = new Map<string, readonly bigint[]>()

/** The hashes of the number and the name, computed once for each pair of them. */
function hashesOf(vault: Vault, n: number): readonly bigint[] {
  const key = `${phoneOf(n)} ${nameOf(n)}`
  const found = known.get(key) ?? counterpartyLookups(vault, '', counterpartyOf(n)).map(({ hash }) => hash)
  if (isHot(n)) known.set(key, found)
  return found
}

type Query = Readonly<Record<string, string>>

/** A cursor as the search returns it. */
const cursorAt = (n: number) => Buffer.from(idOf(n).replaceAll('-', ''), 'hex').toString('base64url')

function queriesOf(): Record<string, Query[]> {
  const samples = Array.from({ length: rounds }, (_, index) => Math.floor((index * payments) / rounds) + (index % 7))
  const cold = samples.map((n) => (isHot(n) ? n + 1 : n))
  const deep = samples.map(cursorAt)
  const each = (make: (n: number) => string) => cold.map((n) => ({ q: make(n) }))
  const paged = (query: Query) => deep.map((cursor) => ({ ...query, cursor }))
  return {
    id: each(shown),
    reference: each(referenceOf),
    phone: each(phoneOf),
    nationalPhone: each((n) => phoneOf(n).replace('+254', '0')),
    receipt: each(receiptOf),
    name: each(nameOf),
    firstName: each((n) => nameOf(n).replace(/ .*/, '')),
    hotPhoneDeep: paged({ q: phoneOf(1) }),
    firstNameDeep: paged({ q: nameOf(1).replace(/ .*/, '') }),
    hotPhoneFailedDeep: paged({ q: phoneOf(1), status: 'successful', minAmount: '150' }),
    everythingDeep: paged({}),
    kindDeep: paged({ type: 'withdrew', currency: 'KES' }),
    failedDeep: paged({ status: 'failed' }),
    amountDeep: paged({ minAmount: '190' }),
    nothing: each((n) => `unknown-${n}`),
  }
}

interface Asked {
  readonly url: string
  readonly authorization: string
  readonly queries: readonly Query[]
}

/** Runs every query twice, and measures the second time, when the pages it needs are in memory. */
async function measure(
  name: string,
  { url, authorization, queries }: Asked,
  print: (line: string) => void,
): Promise<Record<string, number>> {
  const run = async (query: Query) => {
    const response = await fetch(`${url}/api/b2b/search/transactions?${new URLSearchParams(query)}`, {
      headers: { authorization },
    })
    const { data } = (await response.json()) as { data?: unknown[] }
    if (!data) throw new Error(`${name}: ${response.status}`)
    return data.length
  }
  for (const query of queries) await run(query)
  const times: number[] = []
  let found = 0
  for (const query of queries) {
    const startedAt = performance.now()
    found += await run(query)
    times.push(performance.now() - startedAt)
  }
  times.sort((left, right) => left - right)
  const [p50, p95] = [rounded(percentile(times, 0.5)), rounded(percentile(times, 0.95))]
  print(`${name}: ${rounded(found / queries.length)} found, median ${p50} ms, 95 % ${p95} ms`)
  return { [`${name}MedianMs`]: p50, [`${name}P95Ms`]: p95 }
}

interface Exporting {
  readonly cell: Cell
  readonly merchant: CellMerchant
  readonly url: string
  readonly pid: number
  readonly authorization: string
}

async function exportAll(
  { cell, merchant, url, pid, authorization }: Exporting,
  print: (line: string) => void,
): Promise<Record<string, number>> {
  const before = memoryOf(pid)
  const most = { ...before }
  const timer = setInterval(() => {
    const { resident, own } = memoryOf(pid)
    Object.assign(most, { resident: Math.max(most.resident, resident), own: Math.max(most.own, own) })
  }, 100)
  const startedAt = performance.now()
  const sums = await sumOf(`${url}/api/b2b/exports/transactions`, authorization)
  clearInterval(timer)
  const seconds = (performance.now() - startedAt) / 1000
  const [booked] = await cell.ask<{ count: string; sum: string }>(
    `select count(*), sum(t.amount) from transfers t join wallets w on w.id = t.wallet_id
     where w.merchant_id = $1 and t.event = 'payout_successful'`,
    [merchant.id],
  )
  print(
    `export: ${sums.rows} rows in ${rounded(seconds)} s, ${rounded(before.resident)} MB (own ${rounded(before.own)}) before and at most ${rounded(most.resident)} MB (own ${rounded(most.own)}); sum ${sums.minor} of ${sums.successful}, ledger ${booked?.sum} of ${booked?.count}`,
  )
  if (sums.rows !== payments || String(sums.minor) !== booked?.sum) throw new Error('the export is not the ledger')
  return {
    exportSeconds: rounded(seconds),
    exportResidentMb: rounded(most.resident),
    exportOwnMb: rounded(most.own),
    idleResidentMb: rounded(before.resident),
    idleOwnMb: rounded(before.own),
  }
}

/** Memory in MB: all of it, and without the program's own files, which processes share. */
function memoryOf(pid: number): { readonly resident: number; readonly own: number } {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8')
  const of = (name: string) => Number(new RegExp(`${name}:\\s+(\\d+)`).exec(status)?.[1]) / 1024
  return { resident: of('VmRSS'), own: of('RssAnon') }
}

/** Reads the CSV as it comes. No field here needs quotes. */
async function sumOf(url: string, authorization: string) {
  const sent = request(url, { headers: { authorization }, agent: false }).end()
  const response = await new Promise<IncomingMessage>((resolve, reject) => {
    sent.on('response', resolve)
    sent.on('error', reject)
  })
  let [rows, successful, minor, rest] = [-1, 0, 0, '']
  response.setEncoding('utf8')
  for await (const part of response) {
    const lines = (rest + part).split('\r\n')
    rest = lines.pop() ?? ''
    for (const line of lines) {
      const [, , , status, , , amount = ''] = line.split(',', 7)
      rows += 1
      if (status !== 'SUCCESSFUL') continue
      successful += 1
      minor += Number(amount.replace('.', ''))
    }
  }
  return { rows, successful, minor }
}
