import { type Db, type Environment, sql } from '../../platform/db.ts'
import type { Log } from '../../platform/log.ts'
import type { Wakeups, Watch } from '../../platform/wakeups.ts'
import type { AuthoriseOutcome, QueryOutcome } from '../../providers/contract.ts'
import { timing } from '../resolve/timing.ts'
import { laneOf } from './timers.ts'

/** Knows which providers are paused or unhealthy without a database query for every payment. */
export interface LaneHealth {
  /** Whether payments may be routed to the provider. */
  isUsable(env: Environment, provider: string): boolean
  /** Whether the operator has paused the provider: nothing is sent to it or queried. */
  isPaused(env: Environment, provider: string): boolean
  /** Counts whether the provider responded to a request. Never throws. */
  note(env: Environment, provider: string, reply: Reply): Promise<void>
  watch(): Watch
}

export type Reply = 'responded' | 'no_response'

/** Woken when a lane is paused or resumed, or its provider becomes healthy or unhealthy. */
export const lanesTopic = 'lanes'

/** A provider that fails to respond to one process this many times in a row is unhealthy for all processes. */
const failuresMax = 5

/**
 * Health is one column of the lane's row: the time until which the provider counts as unhealthy. Workers and sending requests
 * write it; every process reads it each second. It only decides where new payments go. A payment that a provider has stays with
 * it, and the lane of an unhealthy provider keeps working: that is how its recovery is noticed.
 */
export function createLaneHealth(db: Db, wakeups: Wakeups, log: Log): LaneHealth {
  let unusable: ReadonlySet<string> = new Set()
  let paused: ReadonlySet<string> = new Set()
  const failures = new Map<string, number>()
  const poll = async () => {
    const rows = await db.query<{ lane: string; is_paused: boolean }>(sql`
      select lane, paused_at is not null as is_paused
      from lanes
      where paused_at is not null or unhealthy_until > record_time()`)
    unusable = new Set(rows.map(({ lane }) => lane))
    paused = new Set(rows.filter(({ is_paused }) => is_paused).map(({ lane }) => lane))
  }
  const change = async (lane: string, reply: Reply) => {
    const changed = reply === 'responded' ? await setHealthy(db, lane) : await setUnhealthy(db, lane)
    if (!changed) return
    wakeups.wake(lanesTopic)
    if (reply === 'responded') log.info({ lane }, 'provider responding again')
    else log.warn({ lane }, 'provider not responding, payments routed to others')
  }
  return {
    isUsable: (env, provider) => !unusable.has(laneOf(env, provider)),
    isPaused: (env, provider) => paused.has(laneOf(env, provider)),
    note: async (env, provider, reply) => {
      const lane = laneOf(env, provider)
      const before = failures.get(lane) ?? 0
      failures.set(lane, reply === 'responded' ? 0 : before + 1)
      const isChange = reply === 'responded' ? before > 0 || unusable.has(lane) : before + 1 >= failuresMax
      if (isChange) await change(lane, reply).catch((err) => log.warn({ err, lane }, 'provider health not recorded'))
    },
    watch: () => wakeups.onWake(lanesTopic, timing.healthPollEveryMs, poll),
  }
}

/** Whether the provider responded to a request; undefined when no request was made. */
export function replyOf(outcome: AuthoriseOutcome): Reply | undefined {
  const cause = 'cause' in outcome ? outcome.cause : undefined
  if (cause === 'unwritable') return undefined
  return cause !== undefined && unanswered.includes(cause) ? 'no_response' : 'responded'
}

const unanswered: readonly string[] = ['not_reached', 'timeout', 'broken_off', 'server_error', 'unreadable']

export const replyToQuery = ({ found }: QueryOutcome): Reply => (found === 'unclear' ? 'no_response' : 'responded')

/** False when it was not unhealthy. */
async function setHealthy(db: Db, lane: string): Promise<boolean> {
  const changed = await db.query(sql`
    update lanes set unhealthy_until = null where lane = ${lane} and unhealthy_until is not null returning lane`)
  return changed.length > 0
}

/** Written again after half of the time, not for every failed request. False when the provider was already unhealthy. */
async function setUnhealthy(db: Db, lane: string): Promise<boolean> {
  const [changed] = await db.query<{ is_new: boolean }>(sql`
    with before as (
      select unhealthy_until from lanes where lane = ${lane} for no key update
    )
    update lanes as l
    set unhealthy_until = record_time() + make_interval(secs => ${timing.unhealthyMs / 1000})
    from before
    where l.lane = ${lane}
      and coalesce(before.unhealthy_until, '-infinity') < record_time() + make_interval(secs => ${timing.unhealthyMs / 2000})
    returning coalesce(before.unhealthy_until, '-infinity') < record_time() as is_new`)
  return changed?.is_new === true
}
