import { setTimeout as pause } from 'node:timers/promises'
import { type Db, sql, type WriteDb } from '../../platform/db.ts'
import { balance } from '../accounts.ts'
import { platformBalances } from '../deltas.ts'
import { compareAccounts } from './accounts.ts'
import { MonthArchived } from './disagreement.ts'
import { debtsWithoutBooks, suspenseWithoutCases } from './late.ts'
import { paymentsWithoutBooks } from './payments.ts'
import { checkPiece, expectNone } from './piece.ts'
import { totalsWithoutRefunds } from './refunds.ts'
import { checkSeals } from './seals.ts'
import { createCheckpoints, createMemory } from './shadow.ts'

export interface CheckOptions {
  /** Starts from the first batch, whatever was checked before; leaves no checkpoint. */
  readonly isFull: boolean
  /** Rests three times as long as it works, so that a busy wallet is hardly affected. */
  readonly isGentle?: boolean
  /** The seals kept outside the database, if there are any. */
  readonly sealLines: readonly string[]
  readonly signal?: AbortSignal
  readonly onPiece?: (progress: { readonly transfers: number }) => void
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
export async function checkLedger(db: WriteDb, options: CheckOptions): Promise<CheckResult> {
  const shadow = options.isFull ? createMemory() : await createCheckpoints(db)
  const totals = { batches: 0, transfers: 0 }
  if (options.isFull) {
    await refuseArchived(db)
    await settled(db)
  }
  for (;;) {
    const startedAt = performance.now()
    const piece = await db.snapshot((tx) => checkPiece(tx, shadow))
    totals.batches += piece.batches
    totals.transfers += piece.transfers
    options.onPiece?.(totals)
    if (piece.isLast) break
    const restMs = options.isGentle ? (performance.now() - startedAt) * 3 : 0
    await pause(restMs, undefined, options.signal && { signal: options.signal })
  }
  if (options.isFull) {
    await expectNone(db, paymentsWithoutBooks, 'a payment has no postings')
    await expectNone(db, totalsWithoutRefunds, 'the totals of a charge do not match its refunds')
  }
  await db.snapshot(async (tx) => {
    await expectNone(tx, suspenseWithoutCases, 'the suspense balance differs from its open cases')
    await expectNone(tx, debtsWithoutBooks, 'the debt of a wallet differs from its postings')
  })
  const accounts = await compareAccounts(db, shadow)
  const seals = await checkSeals(db, options)
  return { ...totals, accounts, seals, suspense: await inSuspense(db) }
}

/**
 * A full check adds up everything from the first batch on, so it needs every month in which a batch was written. The months come
 * from transactions, which are never archived: a batch that claims another time is for the check to find.
 */
async function refuseArchived(db: Db): Promise<void> {
  const [missing] = await db.query<{ name: string }>(sql`
    with months as (
      select date_trunc('month', to_timestamp(at / 1000000) at time zone 'UTC')::date as month
      from ledger_batches
      group by 1
    ), attached as (
      select i.inhparent::regclass::text as parent, c.relname as name
      from pg_inherits i
      join pg_class c on c.oid = i.inhrelid
      where i.inhparent in ('transactions'::regclass, 'transfers'::regclass)
        and not i.inhdetachpending
    )
    select month_of('transfers', month) as name
    from months
    where ('transactions', month_of('transactions', month)) in (select parent, name from attached)
      and ('transfers', month_of('transfers', month)) not in (select parent, name from attached)
    order by month
    limit 1`)
  if (missing)
    throw new MonthArchived(
      `the month ${missing.name} is not attached: attach the archived months again, or run the check without --full`,
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
