import { createHash } from 'node:crypto'
import { type Db, sql, type Tx, type WriteDb } from '../platform/db.ts'
import { genesisHash } from './chain.ts'

interface Head {
  /** A writer of the ledger, or `audit/3` for the third chain of the audit trail. */
  readonly writer: string
  readonly number: string
  readonly hash: string
}

/** The chain of the audit trail that a head belongs to; undefined for a head of the ledger. */
export function auditChainOf({ writer }: Pick<Head, 'writer'>): number | undefined {
  return writer.startsWith('audit/') ? Number(writer.slice('audit/'.length)) : undefined
}

/** A row of `ledger_seals`. */
export interface Seal {
  readonly number: bigint
  readonly at: bigint
  readonly settled_below: bigint
  readonly heads: readonly Head[]
  readonly previous_hash: Buffer
  readonly hash: Buffer
}

/** A seal as kept outside the database. */
export type SealLine = string

const sealLock = 7_305_001

/**
 * Records the head of every chain, of the ledger and of the audit trail, that moved since the last seal, with a hash over all
 * seals. With a copy outside the database, even the removal of the newest batches and audit entries is detected. One process
 * seals at a time.
 */
export async function sealHeads(db: WriteDb): Promise<Seal | undefined> {
  return db.transaction(async (tx) => {
    const [lock] = await tx.query<{ is_ours: boolean }>(sql`select pg_try_advisory_xact_lock(${sealLock}) as is_ours`)
    if (!lock?.is_ours) return undefined
    const last = await lastSeal(tx)
    const [now] = await tx.query<{ at: bigint; settled_below: bigint }>(sql`
      select (extract(epoch from clock_timestamp()) * 1000000)::bigint as at,
        settled_below() as settled_below`)
    const heads = await headsSince(tx, last?.settled_below ?? 0n)
    if (!now || heads.length === 0) return undefined
    const unsealed = { number: (last?.number ?? 0n) + 1n, ...now, heads, previous_hash: last?.hash ?? genesisHash }
    const seal = { ...unsealed, hash: hashOf(unsealed) }
    await tx.query(sql`
      insert into ledger_seals (number, at, settled_below, heads, previous_hash, hash)
      values (${seal.number}, ${seal.at}, ${seal.settled_below}, ${JSON.stringify(heads)}, ${seal.previous_hash}, ${seal.hash})`)
    return seal
  })
}

/** The heads of the chains that a batch from this number on may have moved. */
function headsSince(tx: Tx, batch: bigint): Promise<Head[]> {
  return tx.query<Head>(sql`
    (
      select distinct on (b.writer) b.writer::text as writer, b.number::text as number, encode(b.hash, 'hex') as hash
      from ledger_batches b
      where b.batch >= ${batch}
      order by b.writer, b.number desc
    )
    union all
    (
      select 'audit/' || h.chain, h.number::text, encode(h.hash, 'hex')
      from audit_heads() h
      where h.batch >= ${batch}
      order by h.chain
    )`)
}

async function lastSeal(db: Db): Promise<Seal | undefined> {
  const [last] = await db.query<Seal>(sql`select * from ledger_seals order by number desc limit 1`)
  return last
}

/** Seals after this number, oldest first. */
export function sealsAfter(db: Db, number: bigint): Promise<Seal[]> {
  return db.query<Seal>(sql`select * from ledger_seals where number > ${number} order by number limit 1000`)
}

export function hashOf({ number, at, settled_below, heads, previous_hash }: Omit<Seal, 'hash'>): Buffer {
  const reported = heads.map((head) => `${head.writer} ${head.number} ${head.hash}`).join(',')
  const text = [number, at, settled_below, reported, previous_hash.toString('hex')].join('|')
  return createHash('sha256').update(text).digest()
}

export function sealLine({ number, at, hash }: Seal): SealLine {
  return `${number} ${new Date(Number(at / 1000n)).toISOString()} ${hash.toString('hex')}`
}
