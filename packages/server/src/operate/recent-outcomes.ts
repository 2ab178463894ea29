import { type Db, type Environment, sql } from '../platform/db.ts'

/** What a provider is asked to do. Conversions and adjustments involve no provider. */
export const operationsOfTypes = { deposit: 'charge', withdrew: 'payout', refund: 'refund' } as const
export type ProviderOperation = (typeof operationsOfTypes)[keyof typeof operationsOfTypes]
type Type = keyof typeof operationsOfTypes

/** Payments that were accepted in one slot of five minutes and are alike in everything that is counted. */
export interface OutcomeGroup {
  readonly env: Environment
  readonly provider: string
  readonly type: Type
  readonly country: string
  readonly currency: string
  readonly state: 'successful' | 'failed'
  /** The code of the failure; empty for a success. */
  readonly failure: string
  /** How long the payment took from acceptance to its end, as a step of {@link secondsOf}. */
  readonly step: number
  readonly payments: number
  readonly amount: bigint
}

/** Payments of one provider that have not ended. */
interface OpenOfProvider {
  readonly env: Environment
  readonly provider: string
  readonly type: Type
  readonly country: string
  readonly currency: string
  readonly payments: number
}

export interface Recent {
  /** The database's time of the read. */
  readonly at: Date
  /** From the oldest to the current one. */
  readonly slots: readonly { readonly at: Date; readonly ended: readonly OutcomeGroup[] }[]
  readonly open: readonly OpenOfProvider[]
}

/** The outcomes of the payments of the last 24 hours. */
export interface RecentOutcomes {
  read(): Promise<Recent>
}

const slotMs = 5 * 60_000
export const slotsPerHour = 12
const slotCount = 24 * slotsPerHour
/** No transaction that accepts a payment is open for longer, so a slot gets no more payments after this. */
const settleMs = 120_000
/** One statement reads at most two hours, which keeps it far below the limit of a statement. */
const slotsAtOnce = 24

interface Slot {
  readonly ended: OutcomeGroup[]
  open: number
  isComplete: boolean
}

/**
 * Reads the payments of a day once and then only what changed. A slot in the past gets no new payments, and an end is final: as long
 * as the number of its open payments stays the same, none of them has ended and the slot is as it was. The open payments are counted
 * along their index at each read, so every read is of this moment.
 */
export function createRecentOutcomes(db: Db): RecentOutcomes {
  const slots = new Map<number, Slot>()
  let running: Promise<Recent> | undefined
  const read = async () => {
    const { at, open } = await readOpen(db)
    const last = Math.floor(at.getTime() / slotMs) * slotMs
    const wanted = Array.from({ length: slotCount }, (_, index) => last - (slotCount - 1 - index) * slotMs)
    for (const old of slots.keys()) if (old < (wanted[0] ?? 0)) slots.delete(old)
    const openIn = new Map<number, number>()
    for (const { slot, payments } of open) openIn.set(slot, (openIn.get(slot) ?? 0) + payments)
    const changed = wanted.filter((each) => {
      const known = slots.get(each)
      return !known?.isComplete || known.open !== (openIn.get(each) ?? 0)
    })
    for (let start = 0; start < changed.length; start += slotsAtOnce)
      await fill(db, slots, changed.slice(start, start + slotsAtOnce), at)
    return {
      at,
      slots: wanted.map((each) => ({ at: new Date(each), ended: slots.get(each)?.ended ?? [] })),
      open: open.map(({ slot: _, ...rest }) => rest),
    }
  }
  return {
    // Readers at the same time share one read.
    read: () => {
      running ??= read().finally(() => {
        running = undefined
      })
      return running
    },
  }
}

type OpenInSlot = OpenOfProvider & { readonly slot: number }

async function readOpen(db: Db): Promise<{ at: Date; open: OpenInSlot[] }> {
  const [clock] = await db.query<{ at: Date }>(sql`select record_time() as at`)
  const open = await db.query<OpenInSlot>(sql`
    with open as materialized (
      select id, env, provider, type, country, currency
      from transactions
      where state not in ('successful', 'failed')
    )
    select env, provider, type, country, currency, count(*)::int as payments,
      (('x' || substr(replace(id::text, '-', ''), 1, 12))::bit(48)::bigint / ${slotMs} * ${slotMs})::float8 as slot
    from open
    where type in ('deposit', 'withdrew', 'refund')
    group by env, provider, type, country, currency, slot`)
  return { at: clock?.at ?? new Date(), open }
}

type OutcomeRow = Omit<OutcomeGroup, 'state'> & {
  readonly slot: number
  readonly state: OutcomeGroup['state'] | 'open'
}

/** Each slot is a range of the primary key: a payment's id starts with the time of its acceptance. */
async function fill(db: Db, slots: Map<number, Slot>, wanted: readonly number[], at: Date): Promise<void> {
  const rows = await db.query<OutcomeRow>(sql`
    select (extract(epoch from s.at) * 1000)::float8 as slot, t.*
    from unnest(${wanted.map((each) => new Date(each))}::timestamptz[]) as s(at)
    cross join lateral (
      select env, provider, type, country, currency,
        case when state in ('successful', 'failed') then state else 'open' end as state,
        case when state = 'failed' then coalesce(failure->>'code', '') else '' end as failure,
        case when state in ('successful', 'failed')
          then round(8 * ln(greatest(date_part('epoch', updated_at - created_at), 0.001)))::int
          else 0 end as step,
        count(*)::int as payments, sum(amount)::bigint as amount
      from transactions
      where id >= id_at(s.at)
        and id < id_at(s.at + make_interval(secs => ${slotMs / 1000}))
        and type in ('deposit', 'withdrew', 'refund')
      group by 1, 2, 3, 4, 5, 6, 7, 8
    ) as t`)
  const bySlot = Map.groupBy(rows, ({ slot }) => slot)
  for (const start of wanted) {
    const found = bySlot.get(start) ?? []
    const ended = found.flatMap(({ slot: _, state, ...rest }) => (state === 'open' ? [] : [{ ...rest, state }]))
    const open = found.reduce((sum, { state, payments }) => sum + (state === 'open' ? payments : 0), 0)
    slots.set(start, { ended, open, isComplete: start + slotMs + settleMs <= at.getTime() })
  }
}

/** The seconds of a step: the steps are an eighth of a power of e apart, so a figure is exact to about 6 %. */
export const secondsOf = (step: number) => Math.exp(step / 8)
