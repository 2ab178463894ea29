import { Type } from 'typebox'
import { bearerOf } from '../auth/request-bearer.ts'
import type { Context } from '../context.ts'
import type { App } from '../http/app.ts'
import type { Currency } from '../money/currencies.ts'
import { numberFromMinor } from '../money/money.ts'
import { BoundedMap } from '../platform/bounded-map.ts'
import { readZone } from '../platform/days.ts'
import type { Owner } from '../platform/db.ts'
import { dayAfter } from '../platform/zones.ts'
import { currencyOf } from '../reference/momo.ts'
import { Attention, readAttention } from './attention.ts'
import { createPastCharges, type DayCharges, type PastCharges } from './past-charges.ts'
import { closed, dataOf } from './schema.ts'
import {
  countHours,
  countOpen,
  type HourCount,
  type Moments,
  momentsOf,
  type OpenCount,
  recentCurrencies,
} from './summary-days.ts'

const Total = Type.Object({ amount: Type.Number(), count: Type.Integer() })
const Ended = { successful: Type.Integer(), ended: Type.Integer() }
const Day = Type.Object({
  day: Type.String({ description: 'YYYY-MM-DD, in the zone' }),
  collected: Total,
  paidOut: Total,
  refunded: Total,
  charges: Type.Object(Ended, { description: 'Charges that ended; their success rate is `successful` / `ended`' }),
})
const ByMethod = Type.Record(Type.String(), Type.Number(), { description: 'Amount by method' })

const Summary = Type.Object(
  {
    currency: Type.String(),
    currencies: Type.Array(Type.String(), { description: 'Used lately, the newest first' }),
    zone: Type.String(),
    at: Type.String({ description: 'When it was counted' }),
    today: Day,
    lastWeek: Type.Object(Day.properties, { description: 'The same weekday a week ago, up to the same time' }),
    inProgress: Type.Object({
      ...Total.properties,
      inDoubt: Total,
      awaitingCustomer: Total,
      awaitingApproval: Total,
    }),
    hours: Type.Array(
      Type.Object({
        hour: Type.Integer(),
        in: ByMethod,
        out: ByMethod,
        refunded: Type.Number(),
        lastWeekIn: Type.Number(),
        lastWeekOut: Type.Number(),
        lastWeekRefunded: Type.Number(),
      }),
      {
        description:
          'The 24 hours of today, and of the whole day a week ago. `in` adds up to what was collected, `out` to what was paid out, `refunded` to what was refunded',
      },
    ),
    methods: Type.Array(
      Type.Object({
        method: Type.String(),
        ...Ended,
        days: Type.Array(Type.Object({ day: Type.String(), ...Ended })),
      }),
      { description: 'Charges of the last 7 days that ended, today included, oldest day first' },
    ),
    attention: Attention,
  },
  { title: 'Summary' },
)

/** A summary is counted again after this. */
const keptMs = 5000

/** What happened today, for the first page. */
export function summaryRoute(app: App, ctx: Context): void {
  const kept = new BoundedMap<string, Promise<Awaited<ReturnType<typeof summarise>>>>(1000)
  const past = createPastCharges(ctx.db.read)

  app.get(
    '/summary',
    {
      config: { errors: ['UNSUPPORTED_CURRENCY'] },
      schema: {
        summary: 'Summarise today',
        description:
          'Completed payments count in the hour in which they were made, by their own currency, without fees. Counted again after 5 s at the earliest.',
        tags: ['Transactions'],
        querystring: Type.Object(
          {
            currency: Type.String({ maxLength: 100 }),
            zone: Type.Optional(
              Type.String({ maxLength: 64, description: 'A time zone such as Africa/Nairobi; UTC if omitted' }),
            ),
          },
          closed,
        ),
        response: { 200: dataOf(Summary) },
      },
    },
    async (request) => {
      const { merchant_id, env } = bearerOf(request)
      const [currency, zone] = [currencyOf(request.query.currency), readZone(request.query.zone ?? 'UTC')]
      const key = [merchant_id, env, currency, zone].join(' ')
      const known = kept.get(key)
      const summary = known ?? summarise(ctx, past, { merchant_id, env }, { currency, zone })
      if (!known) {
        kept.set(key, summary)
        const forget = () => kept.delete(key)
        summary.then(() => setTimeout(forget, keptMs).unref(), forget)
      }
      return { success: true as const, data: await summary }
    },
  )
}

async function summarise({ db }: Context, past: PastCharges, owner: Owner, wanted: Wanted) {
  const { currency, zone } = wanted
  const moments = await momentsOf(db.write, zone)
  const [hours, charges, open, currencies, attention] = await Promise.all([
    countHours(db.read, owner, { ...wanted, moments }),
    past.read(owner, { ...wanted, moments }),
    countOpen(db.read, owner, currency),
    recentCurrencies(db.read, owner),
    readAttention(db.read, owner, moments.now),
  ])
  return { ...figuresOf(moments, { hours, charges, open }, currency), currencies, zone, attention }
}

interface Wanted {
  readonly currency: Currency
  readonly zone: string
}

interface Counted {
  readonly hours: readonly HourCount[]
  /** Of the days between. */
  readonly charges: readonly DayCharges[]
  readonly open: readonly OpenCount[]
}

const daysShown = 7

function figuresOf({ now, day }: Moments, { hours, charges, open }: Counted, currency: Currency) {
  const money = moneyOf(currency)
  const today = hours.filter(({ is_today }) => is_today)
  const weekAgo = hours.filter(({ is_today }) => !is_today)
  const totalOf = (...states: string[]) => money.total(open.filter(({ state }) => states.includes(state)))
  return {
    currency,
    at: now.toISOString(),
    today: { day, ...dayOf(today, money) },
    lastWeek: {
      day: dayAfter(day, -daysShown),
      ...dayOf(
        weekAgo.filter(({ is_before }) => is_before),
        money,
      ),
    },
    inProgress: {
      ...money.total(open),
      inDoubt: totalOf('unknown'),
      awaitingCustomer: totalOf('waiting'),
      awaitingApproval: totalOf('unapproved'),
    },
    hours: Array.from({ length: 24 }, (_, hour) => hourOf(hour, today, weekAgo, money)),
    methods: methodsOf([...charges, ...chargesOf(today, day)], day),
  }
}

interface Sum {
  readonly count: bigint
  readonly amount: bigint
}

interface Money {
  total(some: readonly Sum[]): { readonly amount: number; readonly count: number }
}

const moneyOf = (currency: Currency): Money => ({
  total: (some) => ({
    amount: numberFromMinor(
      some.reduce((sum, { amount }) => sum + amount, 0n),
      currency,
    ),
    count: countOf(some),
  }),
})

const countOf = (some: readonly Pick<Sum, 'count'>[]) => Number(some.reduce((sum, { count }) => sum + count, 0n))
const isIn = ({ type, state }: HourCount) => type === 'deposit' && state === 'successful'
const isOut = ({ type, state }: HourCount) => type === 'withdrew' && state === 'successful'
const isRefund = ({ type, state }: HourCount) => type === 'refund' && state === 'successful'

function dayOf(hours: readonly HourCount[], { total }: Money) {
  return {
    collected: total(hours.filter(isIn)),
    paidOut: total(hours.filter(isOut)),
    refunded: total(hours.filter(isRefund)),
    charges: endedOf(hours.filter(({ type }) => type === 'deposit')),
  }
}

const endedOf = (charges: readonly Pick<HourCount, 'state' | 'count'>[]) => ({
  successful: countOf(charges.filter(({ state }) => state === 'successful')),
  ended: countOf(charges),
})

function hourOf(hour: number, today: readonly HourCount[], weekAgo: readonly HourCount[], { total }: Money) {
  const [own, before] = [today, weekAgo].map((day) => day.filter((each) => each.hour === hour)) as [
    HourCount[],
    HourCount[],
  ]
  const byMethod = (some: readonly HourCount[]) =>
    Object.fromEntries([...Map.groupBy(some, ({ method }) => method)].map(([method, of]) => [method, total(of).amount]))
  return {
    hour,
    in: byMethod(own.filter(isIn)),
    out: byMethod(own.filter(isOut)),
    refunded: total(own.filter(isRefund)).amount,
    lastWeekIn: total(before.filter(isIn)).amount,
    lastWeekOut: total(before.filter(isOut)).amount,
    lastWeekRefunded: total(before.filter(isRefund)).amount,
  }
}

const chargesOf = (hours: readonly HourCount[], day: string): DayCharges[] =>
  hours.filter(({ type }) => type === 'deposit').map(({ method, state, count }) => ({ day, method, state, count }))

function methodsOf(charges: readonly DayCharges[], today: string) {
  const days = Array.from({ length: daysShown }, (_, index) => dayAfter(today, index + 1 - daysShown))
  return [...Map.groupBy(charges, ({ method }) => method)].sort().map(([method, some]) => ({
    method,
    ...endedOf(some),
    days: days.map((day) => ({ day, ...endedOf(some.filter((each) => each.day === day)) })),
  }))
}
