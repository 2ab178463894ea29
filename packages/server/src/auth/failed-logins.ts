import { countedAs } from '../platform/addresses.ts'
import { BoundedMap } from '../platform/bounded-map.ts'

/** Counts wrong key pairs by client address, so that only a guessing address is slowed down. */
export interface FailedLogins {
  /** Whether this exact pair was wrong less than a minute ago. A wrong pair never becomes correct. */
  isKnown(pair: string): boolean
  /** Counts a wrong pair. Returns the seconds to wait after too many failures, else undefined. */
  count(address: string, pair: string): number | undefined
}

const windowMs = 60_000
const failuresMax = 10
const addressesMax = 100_000
const pairsMax = 100_000

/**
 * Allows ten failures a minute per address. A second count per address and public key, with the same limit, would refuse nothing
 * more. Memory is bounded: beyond 100,000 addresses the oldest counts are dropped. That does not help an attacker, because a key
 * has 256 bits.
 */
export function createFailedLogins(now: () => number = Date.now): FailedLogins {
  const windows = new BoundedMap<string, { endsAt: number; failures: number }>(addressesMax)
  const wrong = new BoundedMap<string, number>(pairsMax)
  return {
    isKnown: (pair) => (wrong.get(pair) ?? 0) > now(),
    count: (address, pair) => {
      wrong.set(pair, now() + windowMs)
      const key = countedAs(address)
      const known = windows.get(key)
      const current = known && known.endsAt > now() ? known : { endsAt: now() + windowMs, failures: 0 }
      current.failures += 1
      windows.set(key, current)
      return current.failures > failuresMax ? Math.ceil((current.endsAt - now()) / 1000) : undefined
    },
  }
}
