import type { Db } from '../platform/db.ts'
import type { Wakeups, Watch } from '../platform/wakeups.ts'
import { listRevoked } from './credentials.ts'

/** Knows which credentials are revoked without a database query on every request. */
export interface Revocations {
  isRevoked(credentialId: string): boolean
  /** False when the last poll is too old to rely on: the caller must then query the database. */
  isFresh(): boolean
  watch(): Watch
}

export const revocationTopic = 'revocations'

const pollEveryMs = 1000
const freshForMs = 3500

/**
 * Polls everything revoked in the last hour, every second and on each wakeup. When polls fail, the cached result expires after
 * 3.5 s, so no revoked token is accepted 5 s after its revocation.
 */
export function createRevocations(db: Db, wakeups: Wakeups, now: () => number = () => performance.now()): Revocations {
  let revoked: ReadonlySet<string> = new Set()
  let polledAt = Number.NEGATIVE_INFINITY

  const poll = async () => {
    const startedAt = now() // A revocation during the poll counts as not seen.
    revoked = new Set(await listRevoked(db))
    polledAt = startedAt
  }
  return {
    isRevoked: (credentialId) => revoked.has(credentialId),
    isFresh: () => now() - polledAt < freshForMs,
    watch: () => wakeups.onWake(revocationTopic, pollEveryMs, poll),
  }
}
