import { createHash, randomUUID } from 'node:crypto'
import { type Db, type SnapshotDb, sql, type Tx } from '../../platform/db.ts'
import { archivedMonths } from '../archive/archived-months.ts'
import { CheckNotResumable, CheckOvertaken } from './disagreement.ts'
import { createMemory, type KeptShadow, type PieceSums, type RememberedAccount } from './shadow.ts'

/** What has been checked so far. */
export interface Totals {
  readonly batches: number
  readonly transfers: number
}

export interface FullRun {
  readonly shadow: KeptShadow
  /** What an interrupted run checked before. */
  readonly totals: Totals
  /** Called when the check has ended: there is nothing left to resume. */
  end(): Promise<void>
}

/**
 * A full check that keeps its sums with each piece, so that it can be resumed after a kill. Only a resumed one reads them: otherwise a
 * full check starts from nothing. It is not resumed when the newest seal of its start is not there any more, or when a month was
 * archived or restored since: these are other books.
 */
export async function startFullRun(db: SnapshotDb, { isResumed }: { readonly isResumed: boolean }): Promise<FullRun> {
  const run = randomUUID()
  const kept = isResumed ? await db.snapshot((tx) => resume(tx, run)) : await db.snapshot((tx) => start(tx, run))
  const memory = createMemory(kept)
  const shadow: KeptShadow = {
    ...memory,
    keep: async (tx, range, piece) => {
      await memory.keep(tx, range, piece)
      await store(tx, run, range.below, piece, accountsOf(piece).map(memory.recall))
    },
  }
  return { shadow, totals: kept.totals, end: () => db.snapshot((tx) => end(tx, run)) }
}

const accountsOf = ({ sums, lines }: PieceSums) => [
  ...new Set([...sums.map(({ account_id }) => account_id), ...lines.map(({ wallet_id }) => wallet_id)]),
]

async function start(tx: Tx, run: string) {
  const { seal, seal_hash, archived_hash } = await readBooks(tx)
  await tx.query(sql`delete from full_check_accounts`)
  await tx.query(sql`delete from full_checks`)
  await tx.query(sql`
    insert into full_checks (run, started_at, seal, seal_hash, archived_hash)
    values (${run}, record_time(), ${seal}, ${seal_hash}, ${archived_hash})`)
  return { checkedBelow: 0n, accounts: [], totals: { batches: 0, transfers: 0 } }
}

async function resume(tx: Tx, run: string) {
  const [before] = await tx.query<Books & { checked_below: bigint; batches: bigint; transfers: bigint }>(
    sql`select * from full_checks`,
  )
  if (!before) throw new CheckNotResumable('no full check was interrupted: run it without --resume')
  const [seal] = await tx.query<{ hash: Buffer }>(sql`select hash from ledger_seals where number = ${before.seal}`)
  if (before.seal !== 0n && !seal?.hash.equals(before.seal_hash))
    throw new CheckNotResumable(
      `seal ${before.seal}, the newest when the check started, is missing or changed: run it without --resume`,
    )
  const { archived_hash } = await readBooks(tx)
  if (!archived_hash.equals(before.archived_hash))
    throw new CheckNotResumable('a month was archived or restored since the check started: run it without --resume')
  await tx.query(sql`update full_checks set run = ${run}`)
  const accounts = await tx.query<RememberedAccount>(sql`select * from full_check_accounts`)
  return {
    checkedBelow: before.checked_below,
    accounts,
    totals: { batches: Number(before.batches), transfers: Number(before.transfers) },
  }
}

interface Books {
  readonly seal: bigint
  readonly seal_hash: Buffer
  readonly archived_hash: Buffer
}

async function readBooks(db: Db): Promise<Books> {
  const [last] = await db.query<{ number: bigint; hash: Buffer }>(
    sql`select number, hash from ledger_seals order by number desc limit 1`,
  )
  const months = await archivedMonths(db)
  const text = months
    .map(({ month, file_hash, below }) => [month, file_hash.toString('hex'), below].join(' '))
    .join('\n')
  return {
    seal: last?.number ?? 0n,
    seal_hash: last?.hash ?? Buffer.alloc(0),
    archived_hash: createHash('sha256').update(text).digest(),
  }
}

async function store(tx: Tx, run: string, below: bigint, piece: PieceSums, accounts: readonly RememberedAccount[]) {
  const { batches, transfers } = piece
  const updated = await tx
    .query(sql`
      update full_checks
      set checked_below = ${below}, batches = batches + ${batches}, transfers = transfers + ${transfers}
      where run = ${run}
      returning id`)
    .catch((error: Error & { code?: string }) => (error.code === '40001' ? [] : Promise.reject(error)))
  if (updated.length === 0) throw new CheckOvertaken('another full check was started; wait until it ends')
  const of = <Key extends keyof RememberedAccount>(name: Key) => accounts.map((account) => account[name])
  await tx.query(sql`
    insert into full_check_accounts
    select *
    from unnest(${of('account_id')}::uuid[], ${of('debits_pending')}::bigint[], ${of('debits_posted')}::bigint[],
      ${of('credits_pending')}::bigint[], ${of('credits_posted')}::bigint[], ${of('entry_at')}::bigint[],
      ${of('balance')}::bigint[])
    on conflict (account_id) do update
    set debits_pending = excluded.debits_pending, debits_posted = excluded.debits_posted,
      credits_pending = excluded.credits_pending, credits_posted = excluded.credits_posted,
      entry_at = excluded.entry_at, balance = excluded.balance`)
}

async function end(tx: Tx, run: string): Promise<void> {
  await tx.query(sql`delete from full_check_accounts where exists (select from full_checks where run = ${run})`)
  await tx.query(sql`delete from full_checks where run = ${run}`)
}
