import type { Failpoint } from '../../../packages/server/src/platform/failpoints.ts'
import { createLog } from '../../../packages/server/src/platform/log.ts'
import { openWakeups } from '../../../packages/server/src/platform/wakeups.ts'
import type { Cell, Ground } from '../cluster/cell.ts'
import { type Area, areaOf } from '../faults/strike-plan.ts'

/** Triggers rare events more often while a test waits for a process. */
export interface Nudges {
  towards(place: Failpoint): () => Promise<void>
  close(): Promise<void>
}

const everyMs = 300

export function createNudges(cell: Cell, { natsUrl }: Ground): Nudges {
  const wakeups = openWakeups({ url: natsUrl, cell: 0, log: createLog({ level: 'error', write: () => undefined }) })
  const nudges: Partial<Record<Area, () => Promise<void>>> = {
    relay: () => letGoOfRelay(cell),
    sweep: async () => {
      await loseTimer(cell)
      wakeups.wake('sweep')
    },
  }
  return {
    towards: (place) => {
      const nudge = nudges[areaOf(place)]
      let nextAt = 0
      return async () => {
        if (!nudge || performance.now() < nextAt) return
        nextAt = performance.now() + everyMs
        await nudge()
      }
    },
    close: () => wakeups.close(),
  }
}

/** One worker relays for as long as it lives; without it the other does. */
async function letGoOfRelay(cell: Cell): Promise<void> {
  await cell.ask(`update relays set held_until = '-infinity'`)
}

/** Simulates a waiting payment whose timer was lost two minutes ago. */
async function loseTimer(cell: Cell): Promise<void> {
  await cell.ask(`
    update transactions set wake_at = record_time() - interval '2 minutes'
    where id = (
        select id from transactions
        where state in ('waiting', 'submitted') and wake_at > record_time() order by random() limit 1
      )
      and state in ('waiting', 'submitted')`)
}
