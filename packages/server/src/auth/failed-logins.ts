import { countedAs } from '../platform/addresses.ts'
import { BoundedMap } from '../platform/bounded-map.ts'

/** Counts wrong key pairs by the address they come from, so that guessing is slowed down for that address alone. */
export interface FailedLogins {
  /** Whether this very pair was wrong less than a minute ago. A key pair that is wrong never becomes right. */
  isKnown(pair: string): boolean
  /** Counts a wrong pair. Returns the seconds to wait once there were too many, else nothing. */
  count(address: string, pair: string): number | undefined
}

const windowMs = 60_000
const failuresMax = 10
const addressesMax = 100_000
const pairsMax = 100_000

/**
 * Ten failures a minute for an address. Counting them per address and public key as well, at the same figure, would
 * refuse nothing more. Memory is bounded: beyond 100,000 addresses the oldest counts are forgotten, which helps no
 * guesser, because a key has 256 bits.
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
