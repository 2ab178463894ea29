import { recordAudit } from '../audit/record.ts'
import { countedAs } from '../platform/addresses.ts'
import type { WriteDb } from '../platform/db.ts'
import type { Log } from '../platform/log.ts'

export interface FailedSignIn {
  readonly address: string
  /** The person's shown id, or a keyed hash of an unknown e-mail address: what was typed may be a password. */
  readonly account: string
  readonly how: 'passkey' | 'password' | 'oidc' | 'link' | 'step_up'
}

/**
 * Audits failed sign-ins: the first at once, then one row a minute for each address and account, with its count. A stranger can
 * fail as often as it likes with any text as account, so at most `namedMax` addresses and accounts have rows of their own at a
 * time. Beyond that, the failures of a known person share a row for other addresses, and those of unknown accounts one row.
 */
export interface FailedSignIns {
  note(failure: FailedSignIn): Promise<void>
  /** Writes the counts that wait for the end of their minute. */
  flush(): Promise<void>
}

interface Counted {
  readonly failure: FailedSignIn
  count: number
  timer: NodeJS.Timeout | undefined
}

const everyMs = 60_000
const namedMax = 50

export function createFailedSignIns({
  db,
  cell,
  log,
}: {
  readonly db: WriteDb
  readonly cell: number
  readonly log: Log
}): FailedSignIns {
  const known = new Map<string, Counted>()
  const write = ({ address, account, how }: FailedSignIn, count: number) =>
    db.transaction((tx) =>
      recordAudit(tx, cell, {
        actor: { kind: 'anonymous', id: 'anonymous', name: 'anonymous' },
        action: 'session.sign_in_failed',
        subject: account,
        detail: { how, count },
        result: 'refused',
        origin: { address },
      }),
    )
  const isRoom = (key: string) => known.has(key) || known.size < namedMax
  const end = async (key: string) => {
    const counted = known.get(key)
    if (!counted) return
    clearTimeout(counted.timer)
    known.delete(key)
    if (counted.count > 0) await write(counted.failure, counted.count)
  }
  const endLater = (key: string) =>
    setTimeout(() => {
      end(key).catch((err) => log.error({ err }, 'failed sign-ins not audited'))
    }, everyMs).unref()
  return {
    note: async (failure) => {
      const named = placeOf(failure)
      const shared = isRoom(named.key) ? named : sharedPlaceOf(failure)
      const counted = known.get(shared.key)
      if (counted) {
        counted.count += 1
        return
      }
      known.set(shared.key, { failure: shared.failure, count: 0, timer: endLater(shared.key) })
      await write(shared.failure, 1)
    },
    flush: async () => {
      for (const key of [...known.keys()]) await end(key)
    },
  }
}

const placeOf = (failure: FailedSignIn) => ({ key: `${countedAs(failure.address)} ${failure.account}`, failure })

/** The row of the failures that have none of their own. There are few people, so each keeps a name. */
function sharedPlaceOf(failure: FailedSignIn) {
  const account = failure.account.startsWith('person_') ? failure.account : 'unknown accounts'
  return { key: `others ${account}`, failure: { ...failure, account, address: 'other addresses' } }
}
