import assert from 'node:assert/strict'
import { until } from '../../../packages/server/src/dev-stack/until.ts'
import { readId } from '../../../packages/server/src/platform/ids.ts'
import type { Cell, CellMerchant } from '../cluster/cell.ts'
import type { SimulatorControl } from '../cluster/simulator-control.ts'
import { olderMonths } from './older-months.ts'

/** Numbers of the copies' batches are below, those of the engine above. */
const batchesBelow = 10_000_000
const firstBatch = 1000
/** Even, because a charge and a payout alternate. */
const paymentsInBatch = 20
const chunk = 100_000

interface Age {
  readonly payments: number
  /** Whole months before this one. */
  readonly months: number
}

interface FillOrder extends Age {
  /** Ended payments of the engine, to be copied in turn. */
  readonly charge: string
  readonly payout: string
}

/** Two payments by the engine, copied many times. No check has seen them, and nothing is sealed. */
export async function fillOldLedger(cell: Cell, simulator: SimulatorControl, age: Age): Promise<void> {
  await cell.ask(`update batch_epochs set batch_offset = ${batchesBelow}`)
  for (const [table, column] of [
    ['relays', 'relayed_below'],
    ['delta_folds', 'folded_below'],
  ])
    await cell.ask(`update ${table} set ${column} = ${batchesBelow}`)
  const merchant = await cell.merchant()
  const api = await cell.start('api', 'api')
  const worker = await cell.start('worker', 'worker')
  await simulator.tune({ callbackBase: `${api.url}/callbacks/sandbox` })
  const charge = await pay(cell, merchant, api.url, '/fiat/deposit/momo', { phoneNumber: '+254712000001' })
  const payout = await pay(cell, merchant, api.url, '/fiat/payout', {
    ...{ amount: 50, country: 'KE', destination: 'MoMo' },
    payoutMethod: { accountName: 'Amina Otieno', accountNumber: '+254712000003' },
  })
  for (const each of [api, worker]) await each.stop()
  // The copies come first: what was sealed and checked so far did not have them.
  await cell.ask('truncate ledger_seals')
  await cell.ask('update ledger_checkpoints set checked_below = 0, seal = 0')
  await cell.ask('truncate checked_accounts')
  await fillMonths(cell, { charge, payout, ...age })
}

let references = 0

async function pay({ ask }: Cell, merchant: CellMerchant, url: string, path: string, order: object): Promise<string> {
  references += 1
  const body = { amount: 100, currency: 'KES', externalReference: `sample-${references}`, ...order }
  const response = await merchant.call(url, 'POST', path, body)
  const id = readId('transaction', String(response.body['transactionId']))
  assert.ok(id, JSON.stringify(response.body))
  await until('the payment to end', async () => {
    const [row] = await ask<{ state: string }>('select state from transactions where id = $1', [id])
    return row?.state === 'successful'
  })
  return id
}

type Row = Readonly<Record<string, unknown>>

interface Sample {
  readonly payment: Row
  readonly transfers: readonly Row[]
  /** What its lines add to the wallet. */
  readonly net: bigint
}

/**
 * Copies a charge and a payout in turn, spread evenly over past months and the start of this one, into a wallet that has only the
 * copies. Statements copy 100,000 payments at once. Batches, hash chain, deltas and counters fit, so that a full check passes.
 */
async function fillMonths(cell: Cell, order: FillOrder): Promise<void> {
  const { ask } = cell
  for (const parent of ['transactions', 'transfers'])
    await ask(`set role malipo_owner; ${olderMonths(parent, order.months)}`)
  const samples = [await readSample(ask, order.charge), await readSample(ask, order.payout)] as const
  const wallet = await createWallet(ask, String(samples[0].payment['wallet_id']))
  await createIds(ask, order)
  for (let from = 0; from < order.payments; from += chunk)
    for (const place of [0, 1] as const)
      await copyChunk(ask, { samples, place, wallet, from, to: Math.min(from + chunk, order.payments) })
  await writeProof(ask)
  await ask('vacuum (analyze)')
}

async function readSample(ask: Cell['ask'], id: string): Promise<Sample> {
  const [payment] = await ask<{ row: Row }>('select to_jsonb(t) as row from transactions t where id = $1', [id])
  const rows = await ask<{ row: Row }>(
    'select to_jsonb(t) as row from transfers t where transaction_id = $1 order by batch, position',
    [id],
  )
  const transfers = rows.map(({ row }) => row)
  const net = transfers.reduce((sum, row) => sum + changeOf(row), 0n)
  return { payment: payment?.row ?? {}, transfers, net }
}

function changeOf(row: Row): bigint {
  if (row['entry_at'] === null) return 0n
  const amount = BigInt(String(row['amount']))
  return row['credit_account'] === row['wallet_id'] ? amount : -amount
}

/** Of the same merchant in another country, so that it has no lines of the engine. */
async function createWallet(ask: Cell['ask'], like: string): Promise<string> {
  const [wallet] = await ask<{ id: string }>(
    `insert into wallets (id, merchant_id, env, currency, country)
     select gen_random_uuid(), merchant_id, env, currency, 'TZ' from wallets where id = $1
     returning id`,
    [like],
  )
  return wallet?.id ?? ''
}

/** The moment and the id of each copy. */
async function createIds(ask: Cell['ask'], { payments, months }: FillOrder): Promise<void> {
  await ask(
    `
    create function fill_at(n bigint) returns bigint language sql immutable
    return (extract(epoch from date_trunc('month', '${new Date().toISOString()}'::timestamptz at time zone 'UTC')
      - interval '${months} months') * 1000)::bigint + n * (extract(epoch from now() - date_trunc('month', now())
      + interval '${months} months') * 990)::bigint / ${payments}`.replaceAll(
      'now()',
      `'${new Date().toISOString()}'::timestamptz`,
    ),
  )
  await ask(`
    create function fill_id(n bigint) returns uuid language sql immutable
    return (lpad(to_hex(fill_at(n)), 12, '0') || '70008000' || lpad(to_hex(n), 10, '0') || '00')::uuid`)
}

interface Chunk {
  readonly samples: readonly [Sample, Sample]
  readonly place: 0 | 1
  readonly wallet: string
  readonly from: number
  readonly to: number
}

async function copyChunk(ask: Cell['ask'], { samples, place, wallet, from, to }: Chunk): Promise<void> {
  const { payment, transfers } = samples[place]
  const copies = `generate_series(${from + place}::bigint, ${to - 1}, 2) as g(n)`
  await ask(
    `insert into transactions
     select copy.*
     from ${copies}
     cross join lateral jsonb_populate_record(null::transactions, $1::jsonb || jsonb_build_object('id', fill_id(n),
       'wallet_id', $2::uuid, 'external_reference', 'fill-' || n, 'created_at', to_timestamp(fill_at(n) / 1000.0))) as copy`,
    [JSON.stringify(payment), wallet],
  )
  const [first, second] = samples
  const pair = first.transfers.length + second.transfers.length
  const opening = `(n / 2) * ${first.net + second.net} + ${place === 0 ? 0n : first.net}`
  let sum = 0n
  for (const [index, row] of transfers.entries()) {
    sum += changeOf(row)
    const isLine = row['entry_at'] !== null
    const position = `(n % ${paymentsInBatch}) / 2 * ${pair} + ${(place === 0 ? 0 : first.transfers.length) + index + 1}`
    const account = (name: string) => (row[name] === payment['wallet_id'] ? wallet : row[name])
    await ask(
      `insert into transfers
       select fill_id(n), $1, $2, $3, $4, $5, $6, $7, $8, $9,
         ${isLine ? `fill_at(n) * 1000 + ${index}` : 'null'}, ${isLine ? `${opening} + ${sum}` : 'null'},
         ${firstBatch} + n / ${paymentsInBatch}, ${position}
       from ${copies}`,
      [
        ...[row['number'], row['phase'], row['kind'], row['event']],
        ...[account('debit_account'), account('credit_account'), row['amount'], row['currency']],
        row['wallet_id'] === null ? null : wallet,
      ],
    )
  }
}

/** One chain over the copies' batches, their deltas, and the counters of the accounts. */
async function writeProof(ask: Cell['ask']): Promise<void> {
  await ask(`
    do $$
    declare
      each record;
      chain uuid := gen_random_uuid();
      before bytea := decode(repeat('00', 32), 'hex');
      link bytea;
      place bigint := 0;
    begin
      for each in
        select batch, count(*)::int as transfers, max(fill_time) as at,
          sha256(convert_to(string_agg(text, E'\\n' order by position), 'UTF8')) as content
        from (
          select batch, position, canonical_transfer(t) as text,
            ('x' || substr(replace(transaction_id::text, '-', ''), 1, 12))::bit(48)::bigint * 1000 as fill_time
          from transfers t
          where batch < ${batchesBelow}
        ) t
        group by batch
        order by batch
      loop
        place := place + 1;
        link := sha256(convert_to(concat_ws('|', chain, place, each.batch, each.at, each.transfers, encode(before, 'hex'),
          encode(each.content, 'hex')), 'UTF8'));
        insert into ledger_batches values (chain, place, each.batch, each.at, each.transfers, before, each.content, link);
        before := link;
      end loop;
    end
    $$`)
  await ask(`
    create unlogged table fill_sums as
    select t.batch, e.account_id, sum(e.debits_pending)::bigint as debits_pending, sum(e.debits_posted)::bigint as debits_posted,
      sum(e.credits_pending)::bigint as credits_pending, sum(e.credits_posted)::bigint as credits_posted
    from transfers t
    cross join lateral effects_of(t) e
    where t.batch < ${batchesBelow}
    group by 1, 2`)
  for (const table of ['wallets', 'platform_accounts'])
    await ask(`
      update ${table} a
      set debits_pending = a.debits_pending + s.debits_pending, debits_posted = a.debits_posted + s.debits_posted,
        credits_pending = a.credits_pending + s.credits_pending, credits_posted = a.credits_posted + s.credits_posted
      from (
        select account_id, sum(debits_pending) as debits_pending, sum(debits_posted) as debits_posted,
          sum(credits_pending) as credits_pending, sum(credits_posted) as credits_posted
        from fill_sums
        group by 1
      ) s
      where s.account_id = a.id`)
  await ask(`
    update wallets w
    set entry_at = (select max(entry_at) from transfers where wallet_id = w.id)
    where entry_at = 0 and exists (select from transfers where wallet_id = w.id and entry_at is not null)`)
  await ask(`
    insert into account_deltas
    select s.batch, s.account_id, s.debits_pending, s.debits_posted, s.credits_pending, s.credits_posted
    from fill_sums s
    join platform_accounts a on a.id = s.account_id
    where (s.debits_pending, s.debits_posted, s.credits_pending, s.credits_posted) <> (0, 0, 0, 0)`)
  await ask('drop table fill_sums')
}
