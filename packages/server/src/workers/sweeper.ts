import { laneOf, setAlarms } from '../alarms/alarms.ts'
import type { Context } from '../context.ts'
import type { Watch } from '../platform/bell.ts'
import { type Environment, sql } from '../platform/db.ts'
import { reach } from '../platform/failpoints.ts'

/** A payment whose alarm rang and was not answered for so long has been forgotten by everybody. */
const forgottenMs = 60_000
const sweepEveryMs = 10_000
const pageMax = 20_000

/** Where the last page of open payments ended. */
interface Place {
  readonly merchant_id: string
  readonly env: Environment
  readonly id: string
}

interface Open extends Place {
  readonly provider: string
  readonly is_forgotten: boolean
}

const nowhere = '00000000-0000-0000-0000-000000000000'
const start: Place = { merchant_id: nowhere, env: 'live', id: nowhere }

/**
 * Goes through all open payments, a page at a time along their index, and sets alarms anew for those that nobody looked at
 * when they were due: after all workers were down, after a merchant was frozen, or should an alarm ever be lost.
 */
export function startSweeper(ctx: Context): Watch {
  let place = start
  return ctx.bell.onRing('sweep', sweepEveryMs, async () => {
    place = await sweepPage(ctx, place)
  })
}

/** Sweeps one page and tells where the next begins; after the last it begins anew. */
export async function sweepPage({ db, bell, log }: Pick<Context, 'db' | 'bell' | 'log'>, after: Place): Promise<Place> {
  const page = await openAfter(db.write, after)
  const forgotten = page.filter(({ is_forgotten }) => is_forgotten)
  if (forgotten.length > 0) {
    reach('sweep.found')
    const [row] = await db.write.query<{ due: Date }>(sql`select record_time() as due`)
    const due = row?.due ?? new Date()
    const alarms = forgotten.map(({ id, env, provider }) => ({ due, lane: laneOf(env, provider), transaction_id: id }))
    await db.write.transaction(async (tx) => {
      await setAlarms(tx, alarms)
      reach('sweep.written')
    })
    reach('sweep.set')
    for (const lane of new Set(alarms.map(({ lane: name }) => name))) bell.ring(lane)
    log.info({ payments: forgotten.length }, 'alarms were set anew for payments nobody had looked at')
  }
  return page.length === pageMax ? (page.at(-1) ?? start) : start
}

/** What is paused or frozen is not forgotten. */
function openAfter(db: Context['db']['write'], { merchant_id, env, id }: Place): Promise<Open[]> {
  return db.query<Open>(sql`
    select t.merchant_id, t.env, t.id, t.provider,
      t.wake_at < record_time() - ${`${forgottenMs} milliseconds`}::interval
        and l.paused_at is null
        and (t.state <> 'accepted' or m.frozen_at is null) as is_forgotten
    from (
      select *
      from transactions
      where state not in ('successful', 'failed')
        and (merchant_id, env, id) > (${merchant_id}, ${env}, ${id})
      order by merchant_id, env, id
      limit ${pageMax}
    ) t
    join merchants m on m.id = t.merchant_id
    left join lanes l on l.lane = t.env || '/' || t.provider
    order by t.merchant_id, t.env, t.id`)
}
