import { setTimeout as pause } from 'node:timers/promises'
import type { Context } from '../context.ts'
import { indexPage } from '../payments/model/index-older.ts'
import type { Watch } from '../platform/wakeups.ts'

const pollEveryMs = 60_000
const pagesPerPoll = 10
const pauseMaxMs = 1000

/** Indexes payments of earlier releases until none is left. Uses at most half of one connection's time. */
export function startLookupKeeper(ctx: Context): Watch {
  const watch = ctx.wakeups.onWake('lookups', pollEveryMs, async () => {
    if (await indexPages(ctx)) watch.wake()
  })
  return watch
}

/** True while there may be more. */
async function indexPages({ db, vault, log }: Context): Promise<boolean> {
  for (let pages = 0; pages < pagesPerPoll; pages += 1) {
    const startedAt = performance.now()
    const page = await indexPage(db.write, vault)
    if (!page) return false
    if (page.unopened > 0) log.warn({ payments: page.unopened }, 'payment numbers not indexed: their key is missing')
    await pause(Math.min(performance.now() - startedAt, pauseMaxMs))
  }
  return true
}
