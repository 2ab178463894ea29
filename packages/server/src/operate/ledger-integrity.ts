import { hashOf, type Seal } from '../ledger/seals.ts'
import { type Db, sql } from '../platform/db.ts'
import type { OperatorContext } from './operator-context.ts'

/** What proves that the books were not changed: seals, the last check, and the heads of the audit trail. */
export interface LedgerIntegrity {
  readonly at: string
  /** Missing before the first seal. */
  readonly lastSeal?: SealView
  /** Batches written after the last seal, which the next one covers. */
  readonly unsealedBatches: number
  /** Chains of hashes, one for each process that wrote to the ledger, and the batches in them. */
  readonly chains: number
  readonly batches: number
  /** Transfers in the ledger, as the database estimates them. */
  readonly entriesAbout: number
  /** How far `malipo ledger check` has added up the ledger again. It stops before the first difference that it finds. */
  readonly check: CheckState
  readonly audit: { readonly chains: readonly AuditChain[] }
}

interface SealView {
  readonly number: number
  readonly at: string
  /** Of this seal and, through it, of all earlier ones. */
  readonly hash: string
  /** Whether the hash fits what the seal says, computed again now. */
  readonly isIntact: boolean
}

/** A check that a person or a schedule ran to its end; a difference ends it too. */
interface CheckRun {
  readonly at: string
  readonly isGood: boolean
  /** The difference, in words; missing when there is none. */
  readonly problem?: string
}

interface CheckState {
  readonly lastRun?: CheckRun
  /** A full check computes everything again since the first entry; the others start where the one before ended. */
  readonly lastFullRun?: CheckRun
  /** False before the first check. */
  readonly hasRun: boolean
  /** The last seal that it compared, and the time of that seal. */
  readonly seal?: number
  readonly sealedAt?: string
  /** Batches that it has not checked yet; at most 10,001 are counted. */
  readonly uncheckedBatches: number
}

interface AuditChain {
  readonly chain: number
  readonly entries: number
  readonly head: string
  /** How many of them `malipo audit verify` or `malipo ledger check` has verified. */
  readonly verified: number
}

export function ledgerIntegrity(context: OperatorContext): Promise<LedgerIntegrity> {
  return context.db.write.snapshot(async (tx) => {
    const [clock] = await tx.query<{ at: Date }>(sql`select record_time() as at`)
    const [seal] = await tx.query<Seal>(sql`select * from ledger_seals order by number desc limit 1`)
    return {
      at: (clock?.at ?? new Date()).toISOString(),
      ...(seal && { lastSeal: viewOfSeal(seal) }),
      unsealedBatches: await batchesFrom(tx, seal?.settled_below ?? 0n),
      ...(await chainsOf(tx)),
      entriesAbout: await entriesAbout(tx),
      check: await checkState(tx),
      audit: { chains: await auditChains(tx) },
    }
  })
}

const viewOfSeal = (seal: Seal): SealView => ({
  number: Number(seal.number),
  at: timeOf(seal.at),
  hash: seal.hash.toString('hex'),
  isIntact: hashOf(seal).equals(seal.hash),
})

const timeOf = (us: bigint) => new Date(Number(us / 1000n)).toISOString()

const countMax = 10_001

async function batchesFrom(db: Db, batch: bigint): Promise<number> {
  const [row] = await db.query<{ count: number }>(sql`
    select count(*)::int as count
    from (select from ledger_batches where batch >= ${batch} limit ${countMax}) as counted`)
  return row?.count ?? 0
}

/** One step of the index for each chain: its head has the number of its batches. */
async function chainsOf(db: Db): Promise<{ chains: number; batches: number }> {
  const [row] = await db.query<{ chains: number; batches: number }>(sql`
    with recursive heads as (
      (select writer, number from ledger_batches order by writer desc, number desc limit 1)
      union all
      select next.writer, next.number
      from heads
      cross join lateral (
        select writer, number from ledger_batches b where b.writer < heads.writer order by writer desc, number desc limit 1
      ) as next
    )
    select count(*)::int as chains, coalesce(sum(number), 0)::float8 as batches from heads`)
  return row ?? { chains: 0, batches: 0 }
}

/** Exact only just after the database analysed its tables: counting them would read the whole ledger. */
async function entriesAbout(db: Db): Promise<number> {
  const [row] = await db.query<{ entries: number }>(sql`
    select coalesce(sum(greatest(c.reltuples, 0)), 0)::float8 as entries
    from pg_inherits i
    join pg_class c on c.oid = i.inhrelid
    where i.inhparent = 'transfers'::regclass`)
  return row?.entries ?? 0
}

async function checkState(db: Db): Promise<CheckState> {
  const [row] = await db.query<{ checked_below: bigint; seal: bigint; at: bigint | null }>(sql`
    select c.checked_below, c.seal, s.at
    from ledger_checkpoints c
    left join ledger_seals s on s.number = c.seal`)
  const { checked_below = 0n, seal = 0n, at = null } = row ?? {}
  return {
    ...(await checkRuns(db)),
    hasRun: checked_below > 0n,
    ...(at !== null && { seal: Number(seal), sealedAt: timeOf(at) }),
    uncheckedBatches: await batchesFrom(db, checked_below),
  }
}

async function checkRuns(db: Db): Promise<Pick<CheckState, 'lastRun' | 'lastFullRun'>> {
  const rows = await db.query<{ name: string; ended_at: Date; is_good: boolean; detail: string }>(sql`
    select name, ended_at, is_good, detail
    from command_results
    where name in ('ledger_check', 'ledger_check_full')`)
  const runs = rows.map(({ name, ended_at, is_good, detail }) => [
    name === 'ledger_check' ? 'lastRun' : 'lastFullRun',
    { at: ended_at.toISOString(), isGood: is_good, ...(detail !== '' && { problem: detail }) },
  ])
  return Object.fromEntries(runs)
}

async function auditChains(db: Db): Promise<AuditChain[]> {
  return db.query<AuditChain>(sql`
    select h.chain::int as chain, h.number::float8 as entries, encode(h.hash, 'hex') as head, c.number::float8 as verified
    from audit_heads() h
    join audit_checkpoints c on c.chain = h.chain
    order by h.chain`)
}
