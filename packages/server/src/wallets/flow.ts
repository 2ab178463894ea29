import { BoundedMap } from '../platform/bounded-map.ts'
import { type Owner, type ReadDb, sql } from '../platform/db.ts'
import { archivedLines, kindOfLine } from './line-kinds.ts'

/** Why money came into a wallet or left it. */
type FlowKind =
  | 'charge'
  | 'payout'
  | 'refund'
  | 'fee'
  | 'exchange'
  | 'conversion'
  | 'adjustment'
  | 'funding'
  | 'archived'

export interface Flow {
  readonly kind: FlowKind
  /** Of charges and payouts; otherwise empty. */
  readonly method: string
  readonly amount: bigint
  /** How many lines of the statement. */
  readonly count: number
}

/** What came in and what left between two moments. `opening` and `into` are `out` and `closing`, exactly. */
export interface WalletFlow {
  readonly opening: bigint
  readonly into: readonly Flow[]
  readonly out: readonly Flow[]
  readonly closing: bigint
}

interface FlowWanted {
  readonly currency: string
  readonly country: string
  /** The start of a day in UTC, in microseconds; from is included, to is not. */
  readonly from: bigint
  readonly to: bigint
}

/** Lines of a wallet on one day that are alike. */
interface Group {
  /** The day since 1970, in UTC. */
  readonly day: number
  readonly event: string
  readonly number: number
  readonly method: string | null
  readonly is_credit: boolean
  readonly amount: bigint
  readonly count: bigint
}

interface Row {
  readonly opening: bigint
  readonly closing: bigint
  readonly groups: readonly (Omit<Group, 'amount' | 'count'> & { readonly amount: string; readonly count: number })[]
}

/** Adds up the lines of wallets' statements. */
export interface WalletFlows {
  read(owner: Owner, wanted: FlowWanted): Promise<WalletFlow>
}

const dayUs = 86_400_000_000n
/** One statement adds up at most this many days, which keeps it far below the limit of a statement. */
const daysAtOnce = 3
const statementsAtOnce = 2
const daysKeptMax = 5000

/**
 * The lines of a day are added up once when there is a later one: lines never change, and each is later than the one before. The
 * other days and the balances are from one snapshot of the ledger.
 */
export function createWalletFlows(db: ReadDb): WalletFlows {
  const kept = new BoundedMap<string, readonly Group[]>(daysKeptMax)
  return {
    read: async (owner, wanted) => {
      const { currency, country, from, to } = wanted
      const closedTo = ((await readLast(db, owner, wanted)) / dayUs) * dayUs
      const unread = closedTo < from ? from : closedTo < to ? closedTo : to
      const days = daysBetween(from, unread)
      const keyOf = (day: number) => [owner.merchant_id, owner.env, currency, country, day].join(' ')
      const missing = days.filter((day) => !kept.has(keyOf(day)))
      const closed = new Map(days.map((day) => [day, kept.get(keyOf(day)) ?? []]))
      const slices = slicesOf(missing).values()
      const readSlices = async () => {
        for (const slice of slices) {
          const [start, end] = [BigInt(slice[0] ?? 0) * dayUs, BigInt((slice.at(-1) ?? 0) + 1) * dayUs]
          const { groups } = await readRow(db, owner, { ...wanted, from: start, to: end, unread: start })
          for (const day of slice) {
            const own = groups.filter((group) => group.day === day)
            closed.set(day, own)
            kept.set(keyOf(day), own)
          }
        }
      }
      await Promise.all(Array.from({ length: statementsAtOnce }, readSlices))
      const { opening, closing, groups } = await readRow(db, owner, { ...wanted, unread })
      return flowOf([...[...closed.values()].flat(), ...groups], opening, closing)
    },
  }
}

const daysBetween = (from: bigint, to: bigint) =>
  Array.from({ length: Number((to - from) / dayUs) }, (_, index) => Number(from / dayUs) + index)

/** Days that are read together. */
const slicesOf = (days: readonly number[]) => [
  ...Map.groupBy(days, (day) => Math.floor((day - (days[0] ?? 0)) / daysAtOnce)).values(),
]

/** The time of the wallet's newest line, in microseconds. */
async function readLast(db: ReadDb, owner: Owner, { currency, country }: FlowWanted): Promise<bigint> {
  const [wallet] = await db.query<{ last: bigint }>(
    owner,
    sql`
      select entry_at as last
      from wallets
      where merchant_id = ${owner.merchant_id}
        and env = ${owner.env}
        and currency = ${currency}
        and country = ${country}`,
  )
  return wallet?.last ?? 0n
}

function flowOf(groups: readonly Group[], opening: bigint, closing: bigint): WalletFlow {
  const flows = (isCredit: boolean) => flowsOf(groups.filter(({ is_credit }) => is_credit === isCredit))
  const [into, out] = [flows(true), flows(false)]
  // Lines of archived months are not there to be added up.
  const archived = closing - opening - (sumOf(into) - sumOf(out))
  return {
    ...{ opening, closing },
    into: archived > 0n ? [...into, archivedFlow(archived)] : into,
    out: archived < 0n ? [...out, archivedFlow(-archived)] : out,
  }
}

const archivedFlow = (amount: bigint): Flow => ({ kind: archivedLines, method: '', amount, count: 0 })

export const sumOf = (flows: readonly Flow[]) => flows.reduce((sum, { amount }) => sum + amount, 0n)

/** Flows of the same kind and method together, the greatest first. */
function flowsOf(groups: readonly Group[]): Flow[] {
  const named = groups.map((group) => ({ ...group, kind: kindOf(group) }))
  const methodOf = ({ kind, method }: (typeof named)[number]) =>
    kind === 'charge' || kind === 'payout' ? (method ?? '') : ''
  return [...Map.groupBy(named, (each) => `${each.kind} ${methodOf(each)}`).values()]
    .flatMap((some) => {
      const [first] = some
      if (!first) return []
      const amount = some.reduce((sum, each) => sum + each.amount, 0n)
      const count = some.reduce((sum, each) => sum + Number(each.count), 0)
      return [{ kind: first.kind, method: methodOf(first), amount, count }]
    })
    .sort((left, right) => Number(right.amount - left.amount))
}

function kindOf({ event, number, is_credit }: Group): FlowKind {
  if (event === 'conversion') return 'conversion'
  const kind = kindOfLine(event, number)
  if (kind === 'payment') return is_credit ? 'charge' : 'payout'
  return kind
}

interface Unread extends FlowWanted {
  /** Lines from here on are added up. */
  readonly unread: bigint
}

interface Totals {
  readonly opening: bigint
  readonly closing: bigint
  readonly groups: readonly Group[]
}

/**
 * A balance is computed from the next line, never from earlier ones, which may be archived: see statement.ts. Most lines are of
 * payments of these days or of the day before, which one range of ids has; the payments of the others are found one by one. The
 * planner expects far more groups than there are, and would sort all lines on disk; a walk does not sort.
 */
async function readRow(db: ReadDb, owner: Owner, { currency, country, from, to, unread }: Unread): Promise<Totals> {
  const dateOf = (us: bigint) => new Date(Number(us / 1000n))
  const [row] = await db.walk<Row>(
    owner,
    sql`
      with wallet as (
        select id, credits_posted - debits_posted as posted
        from wallets
        where merchant_id = ${owner.merchant_id}
          and env = ${owner.env}
          and currency = ${currency}
          and country = ${country}
      ), groups as (
        select (t.entry_at / ${dayUs})::int as day, t.event, t.number,
          coalesce(p.method, (select method from transactions where id = t.transaction_id)) as method,
          t.credit_account = t.wallet_id as is_credit, sum(t.amount) as amount, count(*) as count
        from transfers t
        left join transactions p on p.id = t.transaction_id
          and p.id >= id_at(${dateOf(unread - dayUs)})
          and p.id < id_at(${dateOf(to)})
        where t.wallet_id = (select id from wallet)
          and t.entry_at >= ${unread}
          and t.entry_at < ${to}
        group by 1, 2, 3, 4, 5
      )
      select
        coalesce((
          select balance - case when credit_account = wallet_id then amount else -amount end
          from transfers
          where wallet_id = (select id from wallet)
            and entry_at >= ${from}
          order by entry_at
          limit 1
        ), wallet.posted) as opening,
        coalesce((
          select balance - case when credit_account = wallet_id then amount else -amount end
          from transfers
          where wallet_id = (select id from wallet)
            and entry_at >= ${to}
          order by entry_at
          limit 1
        ), wallet.posted) as closing,
        coalesce((
          select jsonb_agg(jsonb_build_object('day', day, 'event', event, 'number', number, 'method', method, 'is_credit',
            is_credit, 'amount', amount::text, 'count', count))
          from groups
        ), '[]') as groups
      from wallet`,
  )
  const { opening = 0n, closing = 0n, groups = [] } = row ?? {}
  return {
    ...{ opening, closing },
    groups: groups.map((each) => ({ ...each, amount: BigInt(each.amount), count: BigInt(each.count) })),
  }
}
