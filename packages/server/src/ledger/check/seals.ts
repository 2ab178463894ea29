import { type Db, sql, type WriteDb } from '../../platform/db.ts'
import { genesisHash } from '../chain.ts'
import { hashOf, type Seal, sealLine, sealsAfter } from '../seals.ts'
import { LedgerDisagreement } from './disagreement.ts'

/** Every seal follows from the one before it, every head it names is there, and every copy kept outside is the same. */
export async function checkSeals(
  db: WriteDb,
  { isFull, sealLines }: { isFull: boolean; sealLines: readonly string[] },
): Promise<number> {
  const outside = new Map(
    sealLines.filter((line) => line !== '').map((line) => [BigInt(line.split(' ', 1)[0] ?? ''), line]),
  )
  const [checkpoint] = await db.query<{ seal: bigint }>(sql`select seal from ledger_checkpoints`)
  const from = isFull ? 0n : (checkpoint?.seal ?? 0n)
  let last = from === 0n ? { number: 0n, hash: genesisHash } : await sealOf(db, from)
  for (let page = await sealsAfter(db, from); page.length > 0; page = await sealsAfter(db, last.number)) {
    for (const seal of page) {
      await checkSeal(db, seal, last, outside.get(seal.number))
      last = seal
    }
  }
  const missing = [...outside.keys()].find((number) => number > last.number)
  if (missing !== undefined) throw new LedgerDisagreement(`seal ${missing} is kept outside and is not in the database`)
  if (!isFull) await db.query(sql`update ledger_checkpoints set seal = ${last.number}`)
  return Number(last.number - from)
}

async function sealOf(db: Db, number: bigint): Promise<Pick<Seal, 'number' | 'hash'>> {
  const [seal] = await db.query<Seal>(sql`select * from ledger_seals where number = ${number}`)
  if (!seal) throw new LedgerDisagreement(`seal ${number}, which was checked before, is gone`)
  return seal
}

async function checkSeal(
  db: Db,
  seal: Seal,
  before: Pick<Seal, 'number' | 'hash'>,
  outside: string | undefined,
): Promise<void> {
  const isNext = seal.number === before.number + 1n && seal.previous_hash.equals(before.hash)
  if (!isNext) throw new LedgerDisagreement(`seal ${seal.number} does not follow from seal ${before.number}`)
  if (!hashOf(seal).equals(seal.hash)) throw new LedgerDisagreement(`seal ${seal.number} was changed`)
  if (outside !== undefined && outside !== sealLine(seal))
    throw new LedgerDisagreement(`seal ${seal.number} is not the one that is kept outside`)
  const [lost] = await db.query<{ writer: string; number: string }>(sql`
    select head.writer, head.number
    from jsonb_to_recordset(${JSON.stringify(seal.heads)}::jsonb) as head(writer uuid, number bigint, hash text)
    left join ledger_batches b on b.writer = head.writer and b.number = head.number
    where b.hash is distinct from decode(head.hash, 'hex')
    limit 1`)
  if (lost)
    throw new LedgerDisagreement(
      `batch ${lost.number} of writer ${lost.writer}, sealed by ${seal.number}, is gone or changed`,
    )
}
