import type { Db } from '../platform/db.ts'
import type { Bell, Watch } from '../platform/wakeups.ts'
import { listRevoked } from './credentials.ts'

/** Knows which credentials were revoked, without asking the database on every request. */
export interface Revocations {
  isRevoked(credentialId: string): boolean
  /** False when the last look is too long ago to be relied on: then ask the database itself. */
  isFresh(): boolean
  watch(): Watch
}

export const revocationTopic = 'revocations'

const lookEveryMs = 1000
const freshForMs = 3500

/**
 * Looks every second, and at once when rung, at everything revoked in the last hour. A process whose looks fail does not
 * go on trusting what it knew: after 3.5 s it is no longer fresh, so no revoked token is taken 5 s after its revocation.
 */
export function createRevocations(db: Db, bell: Bell, now: () => number = () => performance.now()): Revocations {
  let revoked: ReadonlySet<string> = new Set()
  let lookedAt = Number.NEGATIVE_INFINITY

  const look = async () => {
    const startedAt = now() // What is revoked while the look is under way counts as not seen.
    revoked = new Set(await listRevoked(db))
    lookedAt = startedAt
  }
  return {
    isRevoked: (credentialId) => revoked.has(credentialId),
    isFresh: () => now() - lookedAt < freshForMs,
    watch: () => bell.onRing(revocationTopic, lookEveryMs, look),
  }
}
