import { type Db, type SnapshotDb, sql } from '../../platform/db.ts'
import { genesisHash } from '../chain.ts'
import { auditChainOf, hashOf, type Seal, sealLine, sealsAfter } from '../seals.ts'
import { LedgerDisagreement } from './disagreement.ts'

/** Verifies that every seal follows from the previous one, every head it names exists, and every outside copy is identical. */
export async function checkSeals(
  db: SnapshotDb,
  { isFull, sealLines }: { isFull: boolean; sealLines: readonly string[] },
): Promise<number> {
  const [checkpoint] = await db.query<{ seal: bigint }>(sql`select seal from ledger_checkpoints`)
  const first = await startAt(db, isFull ? 0n : (checkpoint?.seal ?? 0n))
  const sealed = new Map<string, bigint>()
  let last = first
  for await (const seals of verifiedSeals(db, first.number, sealLines)) {
    for (const seal of seals) {
      await refuseLostHead(db, seal)
      for (const head of seal.heads) sealed.set(head.writer, BigInt(head.number))
      last = seal
    }
  }
  await refuseUnsealed(db, first.settled_below, last.settled_below, sealed)
  if (!isFull) await db.query(sql`update ledger_checkpoints set seal = ${last.number}`)
  return Number(last.number - first.number)
}

type SealStart = Pick<Seal, 'number' | 'hash' | 'settled_below'>

/** Pages of seals after this number, oldest first. Throws at the first seal that is not as it was written. */
export async function* verifiedSeals(
  db: Db,
  from: bigint,
  sealLines: readonly string[],
): AsyncGenerator<readonly Seal[]> {
  const outside = new Map(
    sealLines.filter((line) => line !== '').map((line) => [BigInt(line.split(' ', 1)[0] ?? ''), line]),
  )
  let last: Pick<Seal, 'number' | 'hash'> = await startAt(db, from)
  for (let page = await sealsAfter(db, from); page.length > 0; page = await sealsAfter(db, last.number)) {
    for (const seal of page) {
      refuseChanged(seal, last, outside.get(seal.number))
      last = seal
    }
    yield page
  }
  const missing = [...outside.keys()].find((number) => number > last.number)
  if (missing !== undefined) throw new LedgerDisagreement(`seal ${missing} is in the seal file and not in the database`)
}

/** The seal to continue from; none comes before the first. */
async function startAt(db: Db, number: bigint): Promise<SealStart> {
  return number === 0n ? { number, hash: genesisHash, settled_below: 0n } : sealOf(db, number)
}

/** Every batch that had ended when the heads were sealed is under one of them: no batch was inserted behind a seal. */
async function refuseUnsealed(db: Db, from: bigint, below: bigint, sealed: ReadonlyMap<string, bigint>): Promise<void> {
  const heads = await db.query<{ writer: string; number: bigint }>(sql`
    select writer, max(number) as number
    from ledger_batches
    where batch >= ${from}
      and batch < ${below}
    group by writer`)
  const slipped = heads.find(({ writer, number }) => number > (sealed.get(writer) ?? 0n))
  if (slipped)
    throw new LedgerDisagreement(
      `batch ${slipped.number} of writer ${slipped.writer} is older than a seal that does not cover it`,
    )
}

async function sealOf(db: Db, number: bigint): Promise<SealStart> {
  const [seal] = await db.query<Seal>(sql`select * from ledger_seals where number = ${number}`)
  if (!seal) throw new LedgerDisagreement(`seal ${number}, which was checked before, is missing`)
  return seal
}

function refuseChanged(seal: Seal, before: Pick<Seal, 'number' | 'hash'>, outside: string | undefined): void {
  const isNext = seal.number === before.number + 1n && seal.previous_hash.equals(before.hash)
  if (!isNext) throw new LedgerDisagreement(`seal ${seal.number} does not follow from seal ${before.number}`)
  if (!hashOf(seal).equals(seal.hash)) throw new LedgerDisagreement(`seal ${seal.number} was changed`)
  if (outside !== undefined && outside !== sealLine(seal))
    throw new LedgerDisagreement(`seal ${seal.number} differs from the seal file`)
}

/** Heads of the audit trail are compared by `audit/verify.ts`. */
async function refuseLostHead(db: Db, seal: Seal): Promise<void> {
  const heads = seal.heads.filter((head) => auditChainOf(head) === undefined)
  const [lost] = await db.query<{ writer: string; number: string }>(sql`
    select head.writer, head.number
    from jsonb_to_recordset(${JSON.stringify(heads)}::jsonb) as head(writer uuid, number bigint, hash text)
    left join ledger_batches b on b.writer = head.writer and b.number = head.number
    where b.hash is distinct from decode(head.hash, 'hex')
    limit 1`)
  if (lost)
    throw new LedgerDisagreement(
      `batch ${lost.number} of writer ${lost.writer}, sealed by ${seal.number}, is missing or changed`,
    )
}
