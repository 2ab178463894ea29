import { genesisHash } from '../ledger/chain.ts'
import { LedgerDisagreement } from '../ledger/check/disagreement.ts'
import { verifiedSeals } from '../ledger/check/seals.ts'
import { auditChainOf, type Seal } from '../ledger/seals.ts'
import { type Db, sql, type WriteDb } from '../platform/db.ts'
import { createFaults, type Fault, type Faults } from './faults.ts'
import { type Position, walkChain } from './walk-chain.ts'

export interface VerifyOptions {
  /** Starts from the first entry, whatever was verified before; leaves no checkpoint. */
  readonly isFull: boolean
  /** The seals kept outside the database, if there are any. */
  readonly sealLines: readonly string[]
}

export interface Verified {
  readonly chains: number
  readonly entries: number
  readonly seals: number
  /** How many faults there are. */
  readonly faultCount: number
  /** The first of them. */
  readonly faults: readonly Fault[]
}

/**
 * Verifies the audit trail: that every entry has the content it was written with and follows from the one before, that no entry
 * is missing or added, and that every chain has the entries that seals name. It computes every hash itself. Continues where the
 * last run without a fault ended. Holds one page of entries in memory.
 */
export async function verifyAudit(db: WriteDb, { isFull, sealLines }: VerifyOptions): Promise<Verified> {
  const faults = createFaults()
  const checkpoints = await checkpointsOf(db, isFull)
  const sealed = await compareSeals(db, checkpoints, sealLines, faults)
  await findStrays(db, faults)
  let entries = 0
  const ends: Position[] = []
  for (const checkpoint of checkpoints) {
    const walked = await walkChain(db, checkpoint, faults)
    entries += walked.entries
    ends.push(walked.end)
  }
  if (!isFull && faults.count() === 0) await keepCheckpoints(db, ends, sealed.last)
  return {
    chains: checkpoints.length,
    entries,
    seals: sealed.seals,
    faultCount: faults.count(),
    faults: faults.listed,
  }
}

interface Checkpoint extends Position {
  readonly seal: bigint
}

async function checkpointsOf(db: Db, isFull: boolean): Promise<Checkpoint[]> {
  const found = await db.query<Checkpoint>(sql`
    select chain, coalesce(p.number, 0) as number, coalesce(p.hash, ${genesisHash}) as hash, coalesce(p.seal, 0) as seal
    from audit_chains
    left join audit_checkpoints p using (chain)
    order by chain`)
  return isFull ? found.map(({ chain }) => ({ chain, number: 0n, hash: genesisHash, seal: 0n })) : found
}

/** Verifies the seals and that every head they name is an entry. A seal covers everything before its heads. */
async function compareSeals(
  db: Db,
  checkpoints: readonly Checkpoint[],
  sealLines: readonly string[],
  faults: Faults,
): Promise<{ seals: number; last: bigint }> {
  const from = checkpoints.reduce((least, { seal }) => (seal < least ? seal : least), checkpoints[0]?.seal ?? 0n)
  let last = from
  try {
    for await (const seals of verifiedSeals(db, from, sealLines)) {
      faults.add(...(await lostHeads(db, seals)))
      last = seals.at(-1)?.number ?? last
    }
  } catch (error) {
    if (!(error instanceof LedgerDisagreement)) throw error
    faults.add({ kind: 'seal', chain: 0, number: last, problem: error.message })
  }
  return { seals: Number(last - from), last }
}

/** Heads of these seals that are not entries with the sealed hash. */
async function lostHeads(db: Db, seals: readonly Seal[]): Promise<Fault[]> {
  const heads = seals.flatMap((seal) =>
    seal.heads.flatMap((head) => {
      const chain = auditChainOf(head)
      return chain === undefined ? [] : [{ ...head, chain, seal: seal.number }]
    }),
  )
  const lost = await db.query<{ chain: number; number: bigint; seal: bigint }>(sql`
    select head.chain, head.number, head.seal
    from unnest(${heads.map(({ chain }) => chain)}::smallint[], ${heads.map(({ number }) => number)}::bigint[],
      ${heads.map(({ hash }) => hash)}::text[], ${heads.map(({ seal }) => seal)}::bigint[]) as head(chain, number, hash, seal)
    where not exists (
      select
      from audit_entries e
      where e.chain = head.chain
        and e.number = head.number
        and e.hash = decode(head.hash, 'hex')
    )
    order by head.seal, head.chain`)
  return lost.map(({ chain, number, seal }) => ({
    kind: 'sealed',
    chain,
    number,
    problem: `seal ${seal} names it, and it is missing or has another hash`,
  }))
}

/** Entries that no walk reaches, because their chain or number cannot exist. */
async function findStrays(db: Db, faults: Faults): Promise<void> {
  const strays = await db.query<{ id: string; chain: number | null; number: bigint | null }>(sql`
    with recursive used(chain) as (
      select min(chain) from audit_entries
      union all
      select (select min(chain) from audit_entries where chain > used.chain) from used where used.chain is not null
    )
    select e.id, e.chain, e.number
    from used
    cross join lateral (select id, chain, number from audit_entries where chain = used.chain limit 10) as e
    where used.chain not in (select chain from audit_chains)
    union all
    select e.id, e.chain, e.number
    from audit_chains c
    cross join lateral (
      (select id, chain, number from audit_entries where chain = c.chain and number < 1 limit 10)
      union all
      (select id, chain, number from audit_entries where chain = c.chain and number is null limit 10)
    ) as e
    union all
    (select id, chain, number from audit_entries where chain is null limit 10)`)
  faults.add(
    ...strays.map(({ id, chain, number }) => ({
      kind: 'inserted' as const,
      chain: chain ?? 0,
      number: number ?? 0n,
      id,
      problem: 'no chain has this place',
    })),
  )
}

async function keepCheckpoints(db: Db, ends: readonly Position[], seal: bigint): Promise<void> {
  await db.query(sql`
    update audit_checkpoints p
    set number = e.number, hash = decode(e.hash, 'hex'), seal = ${seal}
    from unnest(${ends.map(({ chain }) => chain)}::smallint[], ${ends.map(({ number }) => number)}::bigint[],
      ${ends.map(({ hash }) => hash.toString('hex'))}::text[]) as e(chain, number, hash)
    where p.chain = e.chain
      and p.number <= e.number`)
}
