import { type Db, sql, type WriteDb } from '../../platform/db.ts'
import type { Connector, OperationRates } from '../../providers/contract.ts'

export type LaneOperation = keyof OperationRates
export type LaneRates = Pick<Connector, 'requestsPerSecond' | 'operationsPerSecond'>

/** Requests that a lane may make now. */
export interface Budget {
  readonly total: number
  readonly of: Readonly<Record<LaneOperation, number>>
}

/** Requests that send at once leave at least this share of every limit to the lane. */
const reservedShare = 0.2

/**
 * The budget of a lane; undefined while it is paused. All processes count in the lane's rows and serialise on the lock of its own
 * row, so the limits hold across processes. A limit saves up at most one second of requests.
 */
export async function openLane(tx: Db, lane: string, rates: LaneRates): Promise<Budget | undefined> {
  const rows = new Map((await count(tx, lane, rates)).map((row) => [row.lane, row]))
  if (rows.get(lane)?.is_paused !== false) return undefined
  const left = (name: string) => {
    const row = rows.get(name)
    return row ? Math.floor(Math.max(row.budget, row.reserve)) : Number.POSITIVE_INFINITY
  }
  const of = (operation: LaneOperation) => left(nameOf(lane, operation))
  return { total: left(lane), of: { charge: of('charge'), payout: of('payout'), query: of('query') } }
}

/**
 * Takes a turn in a lane for a charge that a request sends at once. False when the lane is paused, or is one second of requests
 * behind.
 */
export function takeTurn(db: WriteDb, lane: string, rates: LaneRates): Promise<boolean> {
  return db.transaction(async (tx) => {
    const rows = await count(tx, lane, rates)
    const counted = rows.filter(({ lane: name }) => name === lane || name === nameOf(lane, 'charge'))
    const isOpen = counted.every(({ is_paused, budget, rate }) => !is_paused && budget > -rate)
    if (isOpen)
      await spend(
        tx,
        counted.map((row) => ({ lane: row.lane, requests: 1 })),
        'request',
      )
    return isOpen
  })
}

const nameOf = (lane: string, operation: LaneOperation) => `${lane}/${operation}`

interface Counted {
  readonly lane: string
  readonly is_paused: boolean
  readonly rate: number
  readonly budget: number
  readonly reserve: number
}

/** Updates the rows of a lane to the present: its own, and those of operations with a limit. */
async function count(tx: Db, lane: string, rates: LaneRates): Promise<Counted[]> {
  const limits = Object.entries(rates.operationsPerSecond ?? {}) as [LaneOperation, number][]
  const rateOf = new Map([[lane, rates.requestsPerSecond]])
  for (const [operation, rate] of limits) rateOf.set(nameOf(lane, operation), rate)
  const rows = await tx.query<Omit<Counted, 'rate'>>(sql`
    insert into lanes as l (lane, budget, reserve)
    select n.lane, n.rate, greatest(1, n.rate * ${reservedShare}::float8)
    from unnest(${[...rateOf.keys()]}::text[], ${[...rateOf.values()]}::float8[]) as n(lane, rate)
    order by n.lane
    on conflict (lane) do update
    set budget = least(
        excluded.budget,
        l.budget + excluded.budget * greatest(0, extract(epoch from record_time() - l.budget_at))
      ),
      reserve = least(
        excluded.reserve,
        l.reserve + excluded.budget * ${reservedShare}::float8 * greatest(0, extract(epoch from record_time() - l.budget_at))
      ),
      budget_at = record_time()
    returning lane, paused_at is not null as is_paused, budget, reserve`)
  return rows.map((row) => ({ ...row, rate: rateOf.get(row.lane) ?? 0 }))
}

/** Requests made, in a lane or by one of its operations. */
interface Spent {
  readonly lane: string
  readonly requests: number
}

export const spentOf = (lane: string, operation: LaneOperation, requests: number): Spent => ({
  lane: nameOf(lane, operation),
  requests,
})

/** Operations without a limit have no row. */
export async function spend(tx: Db, spent: readonly Spent[], by: 'lane' | 'request'): Promise<void> {
  await tx.query(sql`
    update lanes as l
    set budget = budget - n.requests,
      reserve = greatest(0, reserve - case ${by}::text when 'lane' then n.requests else 0 end)
    from unnest(${spent.map(({ lane }) => lane)}::text[], ${spent.map(({ requests }) => requests)}::float8[])
      as n(lane, requests)
    where l.lane = n.lane`)
}
