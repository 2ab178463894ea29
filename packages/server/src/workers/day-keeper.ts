import type { Context } from '../context.ts'
import type { Watch } from '../platform/wakeups.ts'
import { sumDays } from '../wallets/sum-days.ts'

const pollEveryMs = 5 * 60_000

/** Adds up the past days of wallets. A stop does not wait for the rest of a day. */
export function startDayKeeper({ db, wakeups }: Context): Watch {
  const stopping = new AbortController()
  const watch = wakeups.onWake('days', pollEveryMs, () => sumDays(db.write, { signal: stopping.signal }))
  return {
    stop: () => {
      stopping.abort()
      return watch.stop()
    },
  }
}
