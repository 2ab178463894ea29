import { setTimeout as pause } from 'node:timers/promises'
import { requests } from './crowd-requests.ts'
import type { Market, Request } from './market.ts'

export interface Crowd {
  /** Stops new orders; returns when every open one has its response. */
  stop(): Promise<void>
}

/** Limit in progress for each kind, so that slow requests do not block other kinds. */
const underWayMax = 30

/** Customers who order, each kind at its pace, and retry until they get a response. */
export function startCrowd(market: Market): Crowd {
  let isOver = false
  const follow = async (request: Request) => {
    const { everyMs, run } = requests[request]
    const underWay = new Set<Promise<void>>()
    while (!isOver) {
      if (underWay.size < underWayMax) {
        const going: Promise<void> = run(market)
          .catch((error: Error) => void market.refusals.push(`${request}: ${error.message}`))
          .finally(() => underWay.delete(going))
        underWay.add(going)
      }
      await pause(everyMs)
    }
    await Promise.all(underWay)
  }
  const following = (Object.keys(requests) as Request[]).map(follow)
  return {
    stop: async () => {
      isOver = true
      await Promise.all(following)
    },
  }
}
