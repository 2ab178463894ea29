import type { Currency } from '../money/currencies.ts'
import { BoundedMap } from '../platform/bounded-map.ts'
import { type Owner, type ReadDb, sql } from '../platform/db.ts'
import { dayAfter, startOfDay } from '../platform/zones.ts'
import type { Moments } from './summary-days.ts'

/** Charges of one method that were made on one day and ended. */
export interface DayCharges {
  /** YYYY-MM-DD in the zone. */
  readonly day: string
  readonly method: string
  readonly state: 'successful' | 'failed'
  readonly count: bigint
}

interface Wanted {
  readonly currency: Currency
  readonly zone: string
  readonly moments: Moments
}

/** The ended charges of the days between today and the same weekday a week ago. */
export interface PastCharges {
  read(owner: Owner, wanted: Wanted): Promise<DayCharges[]>
}

interface Day {
  readonly day: string
  readonly start: Date
  readonly end: Date
  /** How many of its charges are open now. */
  readonly open: bigint
}

interface KeptDay {
  readonly open: bigint
  readonly charges: readonly DayCharges[]
}

/** No transaction that accepts a payment is open for longer, so a day gets no more payments after this. */
const settleMs = 120_000
const daysKeptMax = 20_000
/** Between today and the same weekday a week ago. */
const daysBetween = 6
/** One statement counts at most this many days; the statements run together. */
const daysAtOnce = 2

/**
 * Counts a day once, and again only when it changed. A day in the past gets no new charges, and an end is final: while the number of
 * its open charges stays the same, none of them has ended and its counts are as they were. The open ones are counted along their
 * index at each read.
 */
export function createPastCharges(db: ReadDb): PastCharges {
  const kept = new BoundedMap<string, KeptDay>(daysKeptMax)
  return {
    read: async (owner, { currency, zone, moments }) => {
      const days = await openByDay(db, owner, { currency, zone, moments })
      const keyOf = (day: string) => [owner.merchant_id, owner.env, currency, zone, day].join(' ')
      const changed = days.filter(({ day, open }) => kept.get(keyOf(day))?.open !== open)
      const counted = await countDays(db, owner, currency, changed)
      const byDay = Map.groupBy(counted, ({ day }) => day)
      return days.flatMap(({ day, end, open }) => {
        const known = kept.get(keyOf(day))
        if (known?.open === open) return known.charges
        const all = byDay.get(day) ?? []
        const charges = all.flatMap(({ state, ...rest }) => (state === 'open' ? [] : [{ ...rest, state }]))
        const openThen = all.reduce((sum, { state, count }) => sum + (state === 'open' ? count : 0n), 0n)
        if (end.getTime() + settleMs <= moments.now.getTime()) kept.set(keyOf(day), { open: openThen, charges })
        return charges
      })
    },
  }
}

function openByDay(db: ReadDb, { merchant_id, env }: Owner, { currency, zone, moments }: Wanted): Promise<Day[]> {
  const days = Array.from({ length: daysBetween + 1 }, (_, index) => dayAfter(moments.day, index - daysBetween))
  const starts = days.map((day) => startOfDay(day, zone))
  return db.query<Day>(
    { merchant_id, env },
    sql`
      select d.day, d.start, d."end", (
          select count(*)
          from transactions
          where merchant_id = ${merchant_id}
            and env = ${env}
            and state not in ('successful', 'failed')
            and type = 'deposit'
            and currency = ${currency}
            and id >= id_at(d.start)
            and id < id_at(d."end")
            and id >= id_at(${starts[0]})
        ) as open
      from unnest(
        ${days.slice(0, -1)}::text[],
        ${starts.slice(0, -1)}::timestamptz[],
        ${starts.slice(1)}::timestamptz[]
      ) as d (day, start, "end")`,
  )
}

type CountedDay = Omit<DayCharges, 'state'> & { readonly state: DayCharges['state'] | 'open' }

async function countDays(db: ReadDb, owner: Owner, currency: Currency, days: readonly Day[]): Promise<CountedDay[]> {
  const some = [...Map.groupBy(days, (day) => Math.floor(days.indexOf(day) / daysAtOnce)).values()]
  return (await Promise.all(some.map((each) => countSome(db, owner, currency, each)))).flat()
}

/** Ids are in the order of time, so each day is a range of the index by kind. As in {@link countHours}, a walk does not sort. */
function countSome(
  db: ReadDb,
  { merchant_id, env }: Owner,
  currency: Currency,
  days: readonly Day[],
): Promise<CountedDay[]> {
  const first = new Date(Math.min(...days.map(({ start }) => start.getTime())))
  return db.walk<CountedDay>(
    { merchant_id, env },
    sql`
      select d.day, c.method, c.state, c.count
      from unnest(
        ${days.map(({ day }) => day)}::text[],
        ${days.map(({ start }) => start)}::timestamptz[],
        ${days.map(({ end }) => end)}::timestamptz[]
      ) as d (day, start, "end")
      cross join lateral (
        select method, case when state in ('successful', 'failed') then state else 'open' end as state, count(*) as count
        from transactions
        where merchant_id = ${merchant_id}
          and env = ${env}
          and type = 'deposit'
          and currency = ${currency}
          and id >= id_at(d.start)
          and id < id_at(d."end")
          and id >= id_at(${first})
        group by 1, 2
      ) as c`,
  )
}
