import type { Failpoint } from '../../../packages/server/src/platform/failpoints.ts'
import { createLog } from '../../../packages/server/src/platform/log.ts'
import { openBell } from '../../../packages/server/src/platform/wakeups.ts'
import type { Cell, Ground } from '../cluster/cell.ts'
import { type Area, areaOf } from '../faults/strike-plan.ts'

/** Has what is rare happen more often while a process is waited for. */
export interface Nudges {
  towards(place: Failpoint): () => Promise<void>
  close(): Promise<void>
}

const everyMs = 300

export function createNudges(cell: Cell, { natsUrl }: Ground): Nudges {
  const bell = openBell({ url: natsUrl, cell: 0, log: createLog({ level: 'error', write: () => undefined }) })
  const nudges: Partial<Record<Area, () => Promise<void>>> = {
    relay: () => letGoOfRelay(cell),
    sweep: async () => {
      await loseAlarm(cell)
      bell.ring('sweep')
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
    close: () => bell.close(),
  }
}

/** One worker relays for as long as it lives; without it the other does. */
async function letGoOfRelay(cell: Cell): Promise<void> {
  await cell.ask(`update relays set held_until = '-infinity'`)
}

/** A payment that waits, as if its alarm had been lost two minutes ago. */
async function loseAlarm(cell: Cell): Promise<void> {
  await cell.ask(`
    update transactions set wake_at = record_time() - interval '2 minutes'
    where id = (
        select id from transactions
        where state in ('waiting', 'submitted') and wake_at > record_time() order by random() limit 1
      )
      and state in ('waiting', 'submitted')`)
}
