import { setTimeout as pause } from 'node:timers/promises'
import { wishes } from './crowd-wishes.ts'
import type { Market, Wish } from './market.ts'

export interface Crowd {
  /** Nobody orders any more; returns when everybody has been answered. */
  disperse(): Promise<void>
}

/** At most so many of one kind are under way, so that those who wait for an answer keep nobody else from asking. */
const underWayMax = 30

/** People who order, each kind at its pace, and come again until they are answered. */
export function gather(market: Market): Crowd {
  let isOver = false
  const follow = async (wish: Wish) => {
    const { everyMs, run } = wishes[wish]
    const underWay = new Set<Promise<void>>()
    while (!isOver) {
      if (underWay.size < underWayMax) {
        const going: Promise<void> = run(market)
          .catch((error: Error) => void market.refusals.push(`${wish}: ${error.message}`))
          .finally(() => underWay.delete(going))
        underWay.add(going)
      }
      await pause(everyMs)
    }
    await Promise.all(underWay)
  }
  const following = (Object.keys(wishes) as Wish[]).map(follow)
  return {
    disperse: async () => {
      isOver = true
      await Promise.all(following)
    },
  }
}
