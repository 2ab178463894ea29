import { setTimeout as pause } from 'node:timers/promises'
import { type Db, type SnapshotDb, sql, type Tx } from '../../platform/db.ts'
import { balance } from '../accounts.ts'
import { archivedMonths } from '../archive/archived-months.ts'
import { platformBalances } from '../deltas.ts'
import { compareAccounts } from './accounts.ts'
import { refuseChangedByTurn, refuseChangedRetained } from './archived.ts'
import { archivedWithoutSums, compareDayLines, compareDaySums } from './day-sums.ts'
import { MonthArchived } from './disagreement.ts'
import { debtsWithoutBooks, suspenseWithoutCases } from './late.ts'
import { findPlaces, type IdRange, planByCost, readIdRanges } from './months.ts'
import { paymentsWithoutBooks } from './payments.ts'
import { checkPiece, expectNone } from './piece.ts'
import { totalsWithoutRefunds } from './refunds.ts'
import { type FullRun, startFullRun, type Totals } from './resume.ts'
import { checkSeals } from './seals.ts'
import { createCheckpoints, createMemory, type KeptShadow } from './shadow.ts'

export interface CheckOptions {
  /** Starts from the first batch, whatever was checked before; leaves no checkpoint. */
  readonly isFull: boolean
  /** The transfers of archived months are part of what `db` reads. */
  readonly hasArchive?: boolean
  /** Rests three times as long as it works, so that a busy wallet is hardly affected. */
  readonly isGentle?: boolean
  /** The seals kept outside the database, if there are any. */
  readonly sealLines: readonly string[]
  readonly signal?: AbortSignal
  /** A full check keeps its sums with each piece, so that it can be resumed; or it resumes the one that was interrupted. */
  readonly run?: 'kept' | 'resumed'
  readonly onPiece?: (progress: Progress) => void
  /** A piece ends before the batch with which it would have more. */
  readonly pieceTransfers?: number
}

export interface Progress {
  readonly transfers: number
  /** How many transfers there are to check, as the batches state. */
  readonly expected: number
  /** At the rate so far. */
  readonly secondsLeft: number
}

export interface CheckResult {
  readonly batches: number
  readonly transfers: number
  readonly accounts: number
  readonly seals: number
  /** Money whose owner is not known yet, in minor units. */
  readonly suspense: readonly { readonly env: string; readonly currency: string; readonly amount: bigint }[]
}

/** How long a full check waits for transactions that are open when it starts, those of other databases included. */
const settleMaxMs = 10_000

/**
 * Verifies the ledger forward from the last checkpoint, in pieces short enough that none delays the vacuum of hot rows: each
 * piece has its own snapshot. Everything is computed from transfers; stored values are only compared. Throws at the first
 * disagreement. A full check sees everything that was committed before it started, unless a transaction stays open for longer
 * than it waits.
 */
export async function checkLedger(db: SnapshotDb, options: CheckOptions): Promise<CheckResult> {
  if (!options.isFull) await refuseChangedByTurn(db)
  else {
    for (const month of await archivedMonths(db)) await refuseChangedRetained(db, month)
    if (!options.hasArchive) await refuseArchived(db)
    await refuseDetached(db)
    await settled(db)
  }
  const ranges = await readIdRanges(db)
  const { shadow, totals: before, end } = await openRun(db, options)
  const { totals, late } = await checkPieces({ db, shadow, ranges, options }, before)
  if (options.isFull) for (const range of ranges) await db.snapshot((tx) => compareMonth(tx, range))
  await db.snapshot(async (tx) => {
    await expectNone(tx, suspenseWithoutCases, 'the suspense balance differs from its open cases')
    await expectNone(tx, debtsWithoutBooks, 'the debt of a wallet differs from its postings')
  })
  const accounts = await compareAccounts(db, shadow, ranges)
  const seals = await checkSeals(db, options)
  await compareDaySums(db, options)
  if (options.isFull) await compareDayLines(db)
  if (options.hasArchive) await expectNone(db, archivedWithoutSums, 'archived lines of a wallet are in no sums')
  if (late) throw late
  await end()
  return { ...totals, accounts, seals, suspense: await inSuspense(db) }
}

/** What only reading every payment finds. */
async function compareMonth(tx: Tx, range: IdRange): Promise<void> {
  await planByCost(tx)
  await expectNone(tx, paymentsWithoutBooks([range]), 'a payment has no postings')
  await expectNone(tx, totalsWithoutRefunds([range]), 'the totals of a charge do not match its refunds')
}

async function openRun(db: SnapshotDb, { isFull, run }: CheckOptions): Promise<FullRun> {
  if (isFull && run !== undefined) return startFullRun(db, { isResumed: run === 'resumed' })
  const shadow = isFull ? createMemory() : await createCheckpoints(db)
  return { shadow, totals: { batches: 0, transfers: 0 }, end: () => Promise.resolve() }
}

interface PieceCheck {
  readonly db: SnapshotDb
  readonly shadow: KeptShadow
  readonly ranges: readonly IdRange[]
  readonly options: CheckOptions
}

interface CheckedPieces {
  readonly totals: Totals
  /** Why the last piece could not be checked: what follows still compares every account with all of its transfers. */
  readonly late?: MonthArchived
}

/** Checks the batches that have ended, then those that ended meanwhile, until they are one piece. */
async function checkPieces(check: PieceCheck, before: Totals): Promise<CheckedPieces> {
  for (let totals = before; ; ) {
    const [end] = await check.db.query<{ below: bigint }>(sql`select settled_below() as below`)
    const { pieces, ...round } = await checkBelow(check, end?.below ?? 0n, totals)
    if (round.late || pieces === 1) return round
    totals = round.totals
  }
}

interface CheckedRound extends CheckedPieces {
  readonly pieces: number
}

/** Checks piece after piece, and adds them to the totals. */
async function checkBelow(check: PieceCheck, below: bigint, before: Totals): Promise<CheckedRound> {
  const { db, shadow, ranges, options } = check
  const report = await createReport(check, below, before)
  let totals = before
  const places = await findPlaces(db, ranges, { from: shadow.checkedBelow(), below })
  const { hasArchive = false, pieceTransfers } = options
  const order = { below, ranges, rangesOf: places.of, hasArchive, pieceTransfers }
  for (let pieces = 1; ; pieces += 1) {
    const startedAt = performance.now()
    const piece = await db.snapshot((tx) => checkPiece(tx, shadow, order)).catch(lateOf)
    if (piece instanceof MonthArchived) return { pieces, totals, late: piece }
    totals = { batches: totals.batches + piece.batches, transfers: totals.transfers + piece.transfers }
    report(totals)
    if (piece.isLast) return { pieces, totals }
    const restMs = options.isGentle ? (performance.now() - startedAt) * 3 : 0
    await pause(restMs, undefined, options.signal && { signal: options.signal })
  }
}

async function createReport(
  { db, shadow, options: { onPiece } }: PieceCheck,
  below: bigint,
  before: Totals,
): Promise<(totals: Totals) => void> {
  if (!onPiece) return () => undefined
  const startedAt = performance.now()
  const [ahead] = await db.query<{ transfers: number }>(sql`
    select coalesce(sum(transfers), 0)::float8 as transfers
    from ledger_batches
    where batch >= ${shadow.checkedBelow()}
      and batch < ${below}`)
  const expected = before.transfers + (ahead?.transfers ?? 0)
  return ({ transfers }) => {
    const seconds = (performance.now() - startedAt) / 1000
    const left = Math.max(expected - transfers, 0)
    onPiece({ transfers, expected, secondsLeft: (left * seconds) / Math.max(transfers - before.transfers, 1) })
  }
}

function lateOf(error: unknown): MonthArchived {
  if (error instanceof MonthArchived) return error
  throw error
}

/** A full check adds up everything from the first batch on, so it needs the files of archived months. */
async function refuseArchived(db: Db): Promise<void> {
  const [archived] = await archivedMonths(db)
  if (archived)
    throw new MonthArchived(
      `the transfers of ${archived.month} are archived: name the folder of the files with --archive`,
    )
}

/**
 * Nor may a month be missing that no command archived. The months in which a batch was written come from transactions, which are
 * never archived: a batch that claims another time is for the check to find.
 */
async function refuseDetached(db: Db): Promise<void> {
  const [missing] = await db.query<{ name: string }>(sql`
    with months as (
      select date_trunc('month', to_timestamp(at / 1000000) at time zone 'UTC')::date as month
      from ledger_batches
      group by 1
    ), attached as (
      select p.relname as parent, c.relname as name
      from pg_inherits i
      join pg_class c on c.oid = i.inhrelid
      join pg_class p on p.oid = i.inhparent
      where i.inhparent in ('public.transactions'::regclass, 'public.transfers'::regclass)
        and not i.inhdetachpending
    )
    select month_of('public.transfers', month) as name
    from months
    where ('transactions', month_of('transactions', month)) in (select parent, name from attached)
      and ('transfers', month_of('public.transfers', month)) not in (select parent, name from attached)
    order by month
    limit 1`)
  if (missing)
    throw new MonthArchived(
      `the month ${missing.name} is not attached: attach it again, or run the check without --full`,
    )
}

/** A batch is checked once no open transaction may still precede it: waits until that is true of all current batches. */
async function settled(db: Db): Promise<void> {
  const bounds = () =>
    db.query<{ open_from: bigint; next: bigint }>(sql`
      select settled_below() as open_from, next_batch() as next`)
  const [begun] = await bounds()
  const deadline = performance.now() + settleMaxMs
  for (let now = begun; begun && now && now.open_from < begun.next && performance.now() < deadline; ) {
    await pause(10)
    ;[now] = await bounds()
  }
}

async function inSuspense(db: Db): Promise<CheckResult['suspense']> {
  const accounts = (await platformBalances(db)).filter(({ kind }) => kind === 'suspense')
  const held = accounts.map(({ env, currency, ...counters }) => ({ env, currency, amount: balance(counters) }))
  return held.filter(({ amount }) => amount !== 0n)
}
