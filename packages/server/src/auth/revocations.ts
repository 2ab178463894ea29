import type { Bell, Watch } from '../platform/bell.ts'
import type { Db } from '../platform/db.ts'
import { lookForRevoked } from './credentials.ts'

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
const tokenLifeMs = 3_600_000

/**
 * Looks every second, and at once when rung, at what was revoked since the look before: a short range of an index. What
 * was found is kept for as long as a token of that credential can live. A process whose looks fail does not go on
 * trusting what it knew: after 3.5 s it is no longer fresh, so no revoked token is taken 5 s after its revocation.
 */
export function createRevocations(db: Db, bell: Bell, now: () => number = () => performance.now()): Revocations {
  const revoked = new Map<string, number>()
  let lookedAt = Number.NEGATIVE_INFINITY
  let before: Date | undefined

  const look = async () => {
    const startedAt = now()
    const { at, ids } = await lookForRevoked(db, before)
    for (const id of ids) revoked.set(id, startedAt + tokenLifeMs)
    for (const [id, endsAt] of revoked) if (endsAt < startedAt) revoked.delete(id)
    lookedAt = startedAt
    before = at
  }
  return {
    isRevoked: (credentialId) => revoked.has(credentialId),
    isFresh: () => now() - lookedAt < freshForMs,
    watch: () => bell.onRing(revocationTopic, lookEveryMs, look),
  }
}
