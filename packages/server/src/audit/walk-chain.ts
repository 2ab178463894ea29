import { type Db, sql, type WriteDb } from '../platform/db.ts'
import { type ChainedEntry, hashOfEntry } from './chain.ts'
import type { Fault, FaultKind, Faults } from './faults.ts'

/** The newest entry that is known to be as it was written. */
export interface Position {
  readonly chain: number
  readonly number: bigint
  readonly hash: Buffer
}

const pageRows = 1000

/** An entry may be this much older than the one before it: transactions and clocks are not exact. */
const backdatedUs = 600_000_000n

/**
 * Verifies a chain from a position to its head, a page at a time, each in its own snapshot: entries are appended meanwhile.
 * Returns the last position and how many entries there were.
 */
export async function walkChain(
  db: WriteDb,
  from: Position,
  faults: Faults,
): Promise<{ readonly end: Position; readonly entries: number }> {
  const walk: Walk = { chain: from.chain, number: from.number, hash: from.hash, at_us: 0n, id: lastId }
  for (let entries = 0; ; ) {
    const { page, head } = await db.snapshot(async (tx) => ({
      page: await pageAfter(tx, walk),
      head: await headOf(tx, walk.chain),
    }))
    const found = page.flatMap((entry) => step(walk, entry))
    faults.add(...withMoves(page, found))
    entries += page.length
    if (page.length === pageRows) continue
    faults.add(...compareHead(walk, head))
    return { end: { chain: walk.chain, number: walk.number, hash: walk.hash }, entries }
  }
}

/** Where the walk is: the entry that it saw last. */
interface Walk {
  readonly chain: number
  number: bigint
  hash: Buffer
  at_us: bigint
  /** Orders entries that share a number, which only a forger makes. */
  id: string
}

/** After every id: a walk starts behind the position's own entry. */
const lastId = 'ffffffff-ffff-ffff-ffff-ffffffffffff'

/** An entry with the hash of its row in `audit_links`. */
interface LinkedEntry extends ChainedEntry {
  readonly linked_hash: Buffer | null
}

/** A superuser can also remove `not null`, so nulls are read as empty, which no entry has. */
function pageAfter(tx: Db, { chain, number, id }: Walk): Promise<LinkedEntry[]> {
  return tx.query<LinkedEntry>(sql`
    select chain, number, coalesce(previous_hash, '') as previous_hash, id,
      coalesce((extract(epoch from at) * 1000000)::bigint, 0) as at_us, actor_kind, actor, actor_name, action, result,
      merchant_id, env::text as env, subject, detail::text as detail, reason, request_id, address, user_agent, role, strength,
      coalesce(hash, '') as hash,
      (select l.hash from audit_links l where l.chain = e.chain and l.number = e.number) as linked_hash
    from audit_entries e
    where chain = ${chain}
      and number >= ${number}
      and (number, id) > (${number}, ${id}::uuid)
    order by number, id
    limit ${pageRows}`)
}

type Head = Omit<Position, 'chain'>

async function headOf(tx: Db, chain: number): Promise<Head | undefined> {
  const [head] = await tx.query<Head>(sql`
    select number, coalesce(hash, '') as hash
    from audit_links
    where chain = ${chain}
    order by number desc
    limit 1`)
  return head
}

/** Compares an entry with the one before it, and its content with its hash. */
function step(walk: Walk, entry: LinkedEntry): Fault[] {
  const expected = walk.number + 1n
  const isSecond = entry.number < expected
  const found: Fault[] = []
  if (entry.number > expected) found.push(missing(walk.chain, expected, entry.number - 1n))
  if (isSecond) found.push(fault('inserted', entry, 'another entry has the same number'))
  if (!hashOfEntry(entry).equals(entry.hash)) found.push(fault('edited', entry, 'its content does not match its hash'))
  if (entry.number === expected && !entry.previous_hash.equals(walk.hash))
    found.push(fault('replaced', entry, 'it does not follow from the entry before it: one of them was replaced'))
  if (!entry.linked_hash?.equals(entry.hash))
    found.push(fault('unlinked', entry, 'its link is missing or has another hash'))
  if (entry.at_us + backdatedUs < walk.at_us)
    found.push(fault('backdated', entry, 'it claims to be older than the entry before it'))
  walk.id = entry.id
  if (!isSecond) Object.assign(walk, { number: entry.number, hash: entry.hash, at_us: entry.at_us })
  return found
}

const fault = (kind: FaultKind, { chain, number, id }: ChainedEntry, problem: string): Fault => ({
  ...{ kind, chain, number, id, problem },
})

const missing = (chain: number, first: bigint, last: bigint): Fault => ({
  kind: 'missing',
  chain,
  number: first,
  problem: first === last ? 'it is missing' : `it and all up to ${last} are missing`,
})

/** How many edited entries of a page are compared with each other's places. */
const movesMax = 50

/** An entry that is correct at the place of another one was moved, not edited. */
function withMoves(page: readonly ChainedEntry[], found: readonly Fault[]): Fault[] {
  const edited = found.filter(({ kind }) => kind === 'edited').slice(0, movesMax)
  const places = found.flatMap(({ number }) => [number - 1n, number, number + 1n]).slice(0, 3 * movesMax)
  const byId = new Map(page.map((entry) => [entry.id, entry]))
  const placeOf = ({ id = '' }: Fault) => {
    const entry = byId.get(id)
    return entry && places.find((number) => hashOfEntry({ ...entry, number }).equals(entry.hash))
  }
  return found.map((each) => {
    const place = edited.includes(each) ? placeOf(each) : undefined
    return place === undefined ? each : { ...each, kind: 'reordered', problem: `it was moved from number ${place}` }
  })
}

/** The newest link was written with the newest entry. */
function compareHead({ chain, number, hash }: Walk, head: Head | undefined): Fault[] {
  const linked = head?.number ?? 0n
  if (linked > number) return [missing(chain, number + 1n, linked)]
  if (linked < number)
    return [{ kind: 'head', chain, number, problem: `the head of its chain is behind it, at number ${linked}` }]
  if (head && !head.hash.equals(hash))
    return [{ kind: 'head', chain, number, problem: 'the head of its chain has another hash' }]
  return []
}
