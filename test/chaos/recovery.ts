import type { ClientRequest } from './client.ts'
import type { Struck } from './storm.ts'
import type { Sample } from './watch.ts'

/** Milliseconds after faults of one kind ended. Empty when recovery was not seen before the load ended. */
export interface Recovery {
  readonly count: number
  readonly responses: Spread
  readonly payments: Spread
}

interface Spread {
  readonly median: number | null
  readonly p99: number | null
  readonly max: number | null
  /** Recoveries not seen, because the load ended first. */
  readonly unseen: number
}

/** Requests have recovered when this many, consecutive by start time, all get a response that is not a server error. */
const goodInARow = 10
/** The worker polls every 250 ms, with or without a wakeup; the rest is work. */
export const lateMaxMs = 3000

/**
 * How long the service took to recover after each fault, an upper bound, since other faults overlap. `answers`: until the first
 * of ten requests, consecutive by start time, that all succeeded. `payments`: until no due payment has waited for more than three
 * seconds.
 */
export function recoveries(
  struck: readonly Struck[],
  record: readonly ClientRequest[],
  samples: readonly Sample[],
): Record<string, Recovery> {
  const tries = record.flatMap(({ exchanges }) => exchanges).sort((one, other) => one.at - other.at)
  const isGood = tries.map(({ status }) => status > 0 && status < 500)
  const respondsAgain = ({ endedAt }: Struck) => {
    for (let at = tries.findIndex((each) => each.at >= endedAt); at >= 0 && at + goodInARow <= tries.length; at += 1)
      if (isGood.slice(at, at + goodInARow).every(Boolean)) return (tries[at]?.at ?? 0) - endedAt
    return undefined
  }
  const paysAgain = ({ endedAt }: Struck) => {
    const found = samples.find(({ at, lateMs }) => at >= endedAt && lateMs < lateMaxMs)
    return found && found.at - endedAt
  }
  return Object.fromEntries(
    [...Map.groupBy(struck, ({ name }) => name)]
      .sort()
      .map(([name, all]) => [
        name,
        { count: all.length, responses: spreadOf(all.map(respondsAgain)), payments: spreadOf(all.map(paysAgain)) },
      ]),
  )
}

function spreadOf(found: readonly (number | undefined)[]): Spread {
  const known = found.filter((each) => each !== undefined).sort((one, other) => one - other)
  const at = (share: number) => {
    const value = known[Math.min(known.length - 1, Math.floor(share * known.length))]
    return value === undefined ? null : Math.round(value)
  }
  return { median: at(0.5), p99: at(0.99), max: at(1), unseen: found.length - known.length }
}
