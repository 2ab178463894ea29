import { recordAudit } from '../audit/record.ts'
import { countedAs } from '../platform/addresses.ts'
import { BoundedMap } from '../platform/bounded-map.ts'
import type { WriteDb } from '../platform/db.ts'
import type { Log } from '../platform/log.ts'

export interface FailedSignIn {
  readonly address: string
  /** The person's shown id, or a keyed hash of an unknown e-mail address: what was typed may be a password. */
  readonly account: string
  readonly how: 'passkey' | 'password' | 'oidc' | 'step_up'
}

/** Audits failed sign-ins: the first at once, then one row a minute for each address and account, with its count. */
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
const keysMax = 10_000

export function createFailedSignIns({
  db,
  cell,
  log,
}: {
  readonly db: WriteDb
  readonly cell: number
  readonly log: Log
}): FailedSignIns {
  const known = new BoundedMap<string, Counted>(keysMax)
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
      const key = `${countedAs(failure.address)} ${failure.account}`
      const counted = known.get(key)
      if (counted) {
        counted.count += 1
        return
      }
      known.set(key, { failure, count: 0, timer: endLater(key) })
      await write(failure, 1)
    },
    flush: async () => {
      for (const key of [...known.keys()]) await end(key)
    },
  }
}
