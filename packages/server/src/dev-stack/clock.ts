import pg from 'pg'
import { openDatabase } from '../platform/db.ts'
import { attachPartitions } from '../platform/partitions.ts'
import { Secret } from '../platform/secret.ts'

/** Moves the time of record of a stack's database, forward only. `url` is that of its superuser. */
export interface RecordClock {
  /** To this time in milliseconds since 1970. Does nothing when it is past already. */
  moveTo(ms: number): Promise<void>
  forward(ms: number): Promise<void>
  /** The time of record is the database's own clock again. */
  release(): Promise<void>
  close(): Promise<void>
}

const dayMs = 24 * 3_600_000

export async function openRecordClock(url: string): Promise<RecordClock> {
  const client = new pg.Client({ connectionString: url })
  client.on('error', () => undefined) // The next query reports it.
  await client.connect()
  const partitions = createPartitions(client, url)
  await client.query('set synchronous_commit = off') // It moves often, and no fact depends on where it was.
  const move = async (change: string, values: readonly number[] = []): Promise<void> => {
    const { rows } = await client.query(
      `update clock_offset set ahead = ${change}
       returning extract(epoch from clock_timestamp() + ahead)::float8 * 1000 as at`,
      [...values],
    )
    await partitions.keepUp((rows[0] as { at: number }).at)
  }
  return {
    moveTo: (ms) => move('greatest(ahead, to_timestamp($1::float8 / 1000) - clock_timestamp())', [ms]),
    forward: (ms) => move(`ahead + make_interval(secs => $1::float8 / 1000)`, [ms]),
    release: () => move(`'0'`),
    close: async () => {
      await client.end()
      await partitions.close()
    },
  }
}

/**
 * Partitions for a clock that runs ahead: processes attach them every ten minutes of real time, which is too late. Old hours of timers
 * are dropped as the processes would drop them.
 */
function createPartitions(client: pg.Client, url: string) {
  const db = openDatabase({
    ...{ url: new Secret(url), connectionsMax: 1, statementTimeoutMs: 60_000 },
    onError: () => undefined, // The next query reports it.
  })
  let [daysAt, hoursAt] = [Number.NEGATIVE_INFINITY, Number.NEGATIVE_INFINITY]
  return {
    keepUp: async (at: number) => {
      if (at - hoursAt > 6 * dayMs) {
        await client.query('select attach_timer_hours(240, 0)')
        await client.query(dropOldHours)
        hoursAt = at
      }
      if (at - daysAt < dayMs) return
      await attachPartitions(db.write)
      daysAt = at
    },
    close: () => db.close(),
  }
}

const dropOldHours = `
  do $$
  declare
    name text;
  begin
    for name in
      select relname from pg_inherits join pg_class on oid = inhrelid
      where inhparent = 'public.timers'::regclass and relname < hour_of(record_time() - interval '7 hours')
    loop
      execute format('drop table timer_hours.%I', name);
    end loop;
  end $$`

/** Before the first rows are written: the month of the demo is in the past. */
export async function startInThePast(url: string, days: number): Promise<void> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  await client.query('update clock_offset set ahead = make_interval(days => $1)', [-days])
  await client.end()
  const clock = await openRecordClock(url)
  await clock.forward(0)
  await clock.close()
}

/** After a demo that was cut short, the past must not continue. */
export async function endThePast(url: string): Promise<void> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  await client.query(`update clock_offset set ahead = '0' where ahead < '0'`)
  await client.end()
}
