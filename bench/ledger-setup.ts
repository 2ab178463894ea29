import pg from 'pg'
import { createPlatformAccounts, ensureWallets } from '../packages/server/src/ledger/accounts.ts'
import { type Database, openDatabase } from '../packages/server/src/platform/db.ts'
import { newId, newTransactionId } from '../packages/server/src/platform/ids.ts'
import { Secret } from '../packages/server/src/platform/secret.ts'
import { createPoster } from '../packages/server/src/testing/poster.ts'

/** A ledger with this many funded wallets, and ways to put load on it. */
export interface BenchLedger {
  readonly db: Database
  readonly clearing: string
  readonly walletCount: number
  /** Holds 1.00 KES on the wallets in turn, 1,000 at a time, for this many seconds; returns holds a second. */
  post(seconds: number): Promise<number>
  /** Creates the table by which pgbench finds wallets. */
  numberWallets(): Promise<void>
  run(text: string): Promise<void>
}

const inFlight = 1000

export async function openBenchLedger(url: string, walletCount: number): Promise<BenchLedger> {
  const db = openDatabase({
    url: new Secret(url),
    connectionsMax: 4,
    statementTimeoutMs: 600_000,
    onError: () => undefined,
  })
  const run = async (text: string) => {
    const client = new pg.Client({ connectionString: url })
    await client.connect()
    await client.query(text)
    await client.end()
  }
  const merchant_id = newId(Date.now(), 0)
  await run(`insert into merchants (id, name, email, first_name, last_name, home_country)
    values ('${merchant_id}', 'Bench', 'bench@example.com', 'B', 'B', 'KE')`)
  const letter = (index: number) => String.fromCharCode(65 + (Math.floor(index) % 26))
  const scopes = Array.from({ length: walletCount }, (_, index) => ({
    merchant_id,
    env: 'sandbox' as const,
    currency: `K${letter(index / 676)}S`,
    country: letter(index / 26) + letter(index),
  }))
  const wallets = await db.write.batch(1000, (tx) => ensureWallets(tx, 0, scopes))
  const accounts = createPlatformAccounts(db.write, 0)
  const [treasury, clearing] = [
    await accounts.idOf({ env: 'sandbox', kind: 'treasury', currency: 'KES' }),
    await accounts.idOf({ env: 'sandbox', kind: 'clearing', currency: 'KES' }),
  ]
  const poster = createPoster(db.write)
  const move = async (kind: 'hold' | 'transfer', wallet: string, amount: bigint) => {
    const sides =
      kind === 'hold'
        ? { debit_account: wallet, credit_account: clearing }
        : { debit_account: treasury, credit_account: wallet }
    const transaction_id = newTransactionId(Date.now(), 0)
    const event = kind === 'hold' ? 'payout_accepted' : 'wallet_funded'
    const movements = [{ kind, event, transaction_id, number: 0, ...sides, amount, currency: 'KES' }]
    const refusal = await poster.submit({ wallets: [wallet], movements })
    if (refusal) throw new Error(refusal)
  }
  await Promise.all(wallets.map((wallet) => move('transfer', wallet, 10n ** 13n)))
  return {
    db,
    clearing,
    walletCount,
    run,
    numberWallets: () =>
      run(
        'create table bench_wallets as select row_number() over () as n, id from wallets; create unique index on bench_wallets (n)',
      ),
    post: (seconds) => postFor(seconds, (index) => move('hold', wallets[index % walletCount] ?? '', 100n)),
  }
}

async function postFor(seconds: number, post: (index: number) => Promise<void>): Promise<number> {
  const startedAt = performance.now()
  const endsAt = startedAt + seconds * 1000
  let posted = 0
  const lane = async () => {
    while (performance.now() < endsAt) {
      posted += 1
      await post(posted)
    }
  }
  await Promise.all(Array.from({ length: inFlight }, lane))
  return (posted / (performance.now() - startedAt)) * 1000
}

const chunk = 250_000

/** Transfers for this many payouts of one wallet, each held, posted and paid from a float, with ids spread over this month. */
export async function loadPayments(side: BenchLedger, payments: number): Promise<number> {
  for (let from = 0; from < payments; from += chunk) {
    await side.run(`
      insert into transfers (transaction_id, number, phase, kind, event, debit_account, credit_account, amount, currency,
        wallet_id, entry_at, balance, batch, position)
      select (substr(id_at(month + step * n)::text, 1, 14) || '7000-8000-' || lpad(to_hex(n), 12, '0'))::uuid, row.number, row.phase,
        row.kind, row.event, case when row.number = 0 then w.id else '${side.clearing}' end,
        case when row.number = 0 then '${side.clearing}' else a.id end, 100, 'KES',
        case when row.number = 0 then w.id end,
        case when row.phase = 1 then extract(epoch from month + step * n)::bigint * 1000000 + n end,
        case when row.phase = 1 then ${payments} * 100 - n * 100 end, 1 + n / 500, (n % 500) * 3 + row.place
      from generate_series(${from}, ${Math.min(from + chunk, payments) - 1}) as n
      cross join (values (0, 0, 'hold', 'payout_accepted', 1), (0, 1, 'post', 'payout_successful', 2),
        (10, 0, 'transfer', 'payout_successful', 3)) as row(number, phase, kind, event, place)
      cross join (select id from wallets limit 1) as w
      cross join (select id from platform_accounts where kind = 'treasury' limit 1) as a
      cross join (select date_trunc('month', now()) as month, (now() - date_trunc('month', now())) / ${payments} as step) as span`)
  }
  await side.run('vacuum analyze transfers')
  return payments * 3
}
