import { type AuditEntry, type Origin, recordAudit } from '../audit/record.ts'
import { countedAs } from '../platform/addresses.ts'
import { type Db, type Owner, sql, type WriteDb } from '../platform/db.ts'
import type { Wakeups, Watch } from '../platform/wakeups.ts'
import { isKey, isOperatorKey } from './keys.ts'

/** A token exchange that was refused. */
interface FailedExchange {
  readonly error: 'INVALID_API_KEY' | 'ADDRESS_NOT_ALLOWED'
  readonly publicKey: string
  readonly address: string
  readonly origin: Origin
}

/** Counts refused exchanges and writes them to the audit trail once a minute. */
export interface FailedExchanges {
  count(failure: FailedExchange): void
  /** Writes an entry for each error, address and public key, with the count since the last call. */
  write(): Promise<void>
  watch(): Watch
}

interface Counted {
  readonly failure: FailedExchange
  count: number
}

type Counts = Map<string, Counted>

const everyMs = 60_000

/** Of each error, this many addresses and public keys have an entry of their own in a minute; the rest share one. */
const namedMax = 20

/**
 * A caller without a key pair can fail as often as it likes, so a failure is not an entry: at most 42 entries a minute come from
 * one process, whatever callers send. The two errors are counted apart. A wrong pair says little, but a correct one from an
 * address that is not allowed has leaked, and many wrong pairs must not hide it. A process that is killed loses the counts of the
 * last minute; its log has each refusal.
 */
export function createFailedExchanges(
  db: WriteDb,
  { cell, wakeups }: { readonly cell: number; readonly wakeups: Wakeups },
): FailedExchanges {
  let counts: Counts = new Map()
  const write = async () => {
    const taken = counts
    counts = new Map()
    try {
      await writeCounts(db, cell, [...taken.values()])
    } catch (error) {
      for (const { failure, count } of taken.values()) add(counts, failure, count)
      throw error
    }
  }
  return {
    count: (failure) => add(counts, failure, 1),
    write,
    watch: () => {
      const watch = wakeups.onWake('failed_exchanges', everyMs, write)
      return {
        ...watch,
        stop: async () => {
          await watch.stop()
          await write().catch(() => undefined) // The process stops; an unreachable database must not hold it.
        },
      }
    },
  }
}

function add(counts: Counts, failure: FailedExchange, count: number): void {
  const isPublicKey = isKey('pk', failure.publicKey) || isOperatorKey('opk', failure.publicKey)
  const named = { ...failure, publicKey: isPublicKey ? failure.publicKey : malformed }
  const key = [failure.error, countedAs(failure.address), named.publicKey].join(' ')
  const isRoom =
    counts.has(key) || [...counts.values()].filter((each) => isNamed(each, failure.error)).length < namedMax
  const place = isRoom ? key : failure.error
  const known = counts.get(place) ?? { failure: isRoom ? named : { ...named, ...others, origin: {} }, count: 0 }
  known.count += count
  counts.set(place, known)
}

/** A key that is not one may be anything, a secret included, so it is not stored. */
const malformed = 'a malformed public key'
const others = { publicKey: 'other public keys', address: 'other addresses' }

const isNamed = ({ failure }: Counted, error: FailedExchange['error']) =>
  failure.error === error && failure.address !== others.address

async function writeCounts(db: WriteDb, cell: number, counted: readonly Counted[]): Promise<void> {
  if (counted.length === 0) return
  const owners = await ownersOf(
    db,
    counted.map(({ failure }) => failure.publicKey),
  )
  await db.transaction(async (tx) => {
    for (const each of counted) await recordAudit(tx, cell, entryOf(each, owners.get(each.failure.publicKey)))
  })
}

/** The merchants of these public keys, revoked ones included: they see the attempts in their own trail. */
async function ownersOf(db: Db, publicKeys: readonly string[]): Promise<ReadonlyMap<string, Owner>> {
  const rows = await db.query<Owner & { public_key: string }>(sql`
    select distinct on (public_key) public_key, merchant_id, env
    from credentials
    where public_key = any(${publicKeys}::text[])
    order by public_key, id desc`)
  return new Map(rows.map(({ public_key, merchant_id, env }) => [public_key, { merchant_id, env }]))
}

function entryOf({ failure, count }: Counted, owner: Owner | undefined): AuditEntry {
  const { error, publicKey, address, origin } = failure
  return {
    actor: { kind: 'anonymous', id: address, name: address },
    action: 'token.exchange',
    result: 'refused',
    subject: publicKey,
    merchant_id: owner?.merchant_id,
    env: owner?.env,
    detail: { error, count },
    origin: { ...origin, address },
  }
}
