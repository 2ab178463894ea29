import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createDatabase } from '../packages/server/src/dev-stack/database.ts'
import { type Postgres, startPostgres } from '../packages/server/src/dev-stack/postgres.ts'
import { guardFolder, makeFolder } from '../packages/server/src/dev-stack/processes.ts'
import { checkLedger } from '../packages/server/src/ledger/check/check.ts'
import { type Bench, inPairs, type Measured, merged, rounded } from './bench.ts'
import { type BenchLedger, loadPayments, openBenchLedger } from './ledger-setup.ts'
import { pgbench } from './pgbench.ts'

const seconds = 4
const rounds = 5
const paymentsLoaded = 5_000_000

/**
 * Group commit compared with one transfer per transaction by pgbench, on the same tables and indexes; posting on a loaded ledger
 * with an empty one; posting with a running check with posting without.
 */
export const ledger: Bench = async (print) => {
  const folder = makeFolder(mkdtempSync(join(tmpdir(), 'malipo-bench-')))
  const guard = guardFolder(folder, { isKept: false })
  const postgres = await startPostgres(folder)
  try {
    const open = async (name: string, wallets: number) => {
      await createDatabase(postgres, name, 'bench')
      return openBenchLedger(postgres.urlOf(name), wallets)
    }
    const [hot, spread, loaded] = [await open('hot', 1), await open('spread', 1000), await open('loaded', 1)]
    const parts = [
      await againstPgbench('hot', hot, 4, { postgres, folder, print }),
      await againstPgbench('spread', spread, 16, { postgres, folder, print }),
      await againstEmpty(hot, loaded, print),
      await againstRunningCheck(hot, print),
    ]
    for (const each of [hot, spread, loaded]) await each.db.close()
    return merged(parts)
  } finally {
    await postgres.stop()
    await guard.dismiss()
  }
}

interface Rig {
  readonly postgres: Postgres
  readonly folder: string
  readonly print: (line: string) => void
}

async function againstPgbench(
  name: string,
  side: BenchLedger,
  clients: number,
  { postgres, folder, print }: Rig,
): Promise<Measured> {
  print(`[${name}] transfers a second by group commit, against pgbench with ${clients} clients`)
  const theirs = await plainHolds(postgres.urlOf(name), join(folder, `${name}.sql`), clients, side)
  await side.post(1)
  const result = await inPairs(rounds, () => side.post(seconds), theirs, print)
  return {
    figures: { [`${name}PerSecond`]: rounded(result.ours), [`${name}PgbenchPerSecond`]: rounded(result.theirs) },
    ratios: { [name]: rounded(result.ratio) },
  }
}

/**
 * The same hold without group commit: a transaction that updates the wallet if it has enough, and writes one transfer and delta.
 */
async function plainHolds(
  url: string,
  path: string,
  clients: number,
  side: BenchLedger,
): Promise<() => Promise<number>> {
  await side.numberWallets()
  writeFileSync(
    path,
    `\\set n random(1, ${side.walletCount})
begin;
update wallets w set debits_pending = debits_pending + 100 from bench_wallets b where b.n = :n and w.id = b.id and w.credits_posted - w.debits_posted - w.debits_pending >= 100;
insert into transfers (transaction_id, number, phase, kind, event, debit_account, credit_account, amount, currency, wallet_id, batch, position) select (substr(id_at(clock_timestamp())::text, 1, 14) || '7' || substr(gen_random_uuid()::text, 16))::uuid, 0, 0, 'hold', 'payout_accepted', b.id, '${side.clearing}', 100, 'KES', b.id, pg_current_xact_id()::text::bigint, 1 from bench_wallets b where b.n = :n;
insert into account_deltas values (pg_current_xact_id()::text::bigint, '${side.clearing}', 0, 0, 100, 0);
commit;
`,
  )
  return () => pgbench({ url, script: path, clients, seconds })
}

async function againstEmpty(empty: BenchLedger, loaded: BenchLedger, print: (line: string) => void): Promise<Measured> {
  print(`[loaded] loading the transfers of ${paymentsLoaded} payments`)
  const rows = await loadPayments(loaded, paymentsLoaded)
  print(`[loaded] ${rows} transfers are in; posting there against posting on the ledger without them`)
  await loaded.post(1)
  const result = await inPairs(
    rounds,
    () => loaded.post(seconds),
    () => empty.post(seconds),
    print,
  )
  return {
    figures: { loadedTransfers: rows, loadedPerSecond: rounded(result.ours), emptyPerSecond: rounded(result.theirs) },
    ratios: { loaded: rounded(result.ratio) },
  }
}

async function againstRunningCheck(side: BenchLedger, print: (line: string) => void): Promise<Measured> {
  print('[check] posting to one wallet while a check runs, against posting without')
  const whileChecking = async () => {
    const stop = new AbortController()
    const checking = checkLedger(side.db.write, {
      isFull: true,
      isGentle: true,
      sealLines: [],
      signal: stop.signal,
    }).catch(() => undefined)
    const rate = await side.post(seconds)
    stop.abort()
    await checking
    return rate
  }
  const result = await inPairs(rounds, whileChecking, () => side.post(seconds), print)
  return { figures: { whileCheckingPerSecond: rounded(result.ours) }, ratios: { whileChecking: rounded(result.ratio) } }
}
