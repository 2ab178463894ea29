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
  /** The time of the wallet's newest line, in microseconds. */
  readonly last: bigint
  readonly opening: bigint
  readonly closing: bigint
  readonly groups: readonly (Omit<Group, 'amount' | 'count'> & { readonly amount: string; readonly count: number })[]
}

/** Adds up the lines of wallets' statements. */
export interface WalletFlows {
  read(owner: Owner, wanted: FlowWanted): Promise<WalletFlow>
}

const dayUs = 86_400_000_000n
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
      const [first, end] = [Number(from / dayUs), Number(to / dayUs)]
      const days = Array.from({ length: end - first }, (_, index) => first + index)
      const keyOf = (day: number) => [owner.merchant_id, owner.env, currency, country, day].join(' ')
      const missing = days.find((day) => !kept.has(keyOf(day))) ?? end
      const known = days.slice(0, missing - first).flatMap((day) => kept.get(keyOf(day)) ?? [])
      const [row] = await readRow(db, owner, { ...wanted, unread: BigInt(missing) * dayUs })
      const { last = 0n, opening = 0n, closing = 0n, groups: stored = [] } = row ?? {}
      const groups = stored.map((each) => ({ ...each, amount: BigInt(each.amount), count: BigInt(each.count) }))
      const byDay = Map.groupBy(groups, ({ day }) => day)
      for (const day of days.slice(missing - first))
        if (BigInt(day + 1) * dayUs <= last) kept.set(keyOf(day), byDay.get(day) ?? [])
      return flowOf([...known, ...groups], opening, closing)
    },
  }
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

/** A balance is computed from the next line, never from earlier ones, which may be archived: see statement.ts. */
function readRow(db: ReadDb, owner: Owner, { currency, country, from, to, unread }: Unread): Promise<Row[]> {
  return db.query<Row>(
    owner,
    sql`
      with wallet as (
        select id, credits_posted - debits_posted as posted, entry_at as last
        from wallets
        where merchant_id = ${owner.merchant_id}
          and env = ${owner.env}
          and currency = ${currency}
          and country = ${country}
      ), groups as (
        select (t.entry_at / ${dayUs})::int as day, t.event, t.number, p.method, t.credit_account = t.wallet_id as is_credit,
          sum(t.amount) as amount, count(*) as count
        from transfers t
        left join transactions p on p.id = t.transaction_id
        where t.wallet_id = (select id from wallet)
          and t.entry_at >= ${unread}
          and t.entry_at < ${to}
        group by 1, 2, 3, 4, 5
      )
      select
        wallet.last,
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
}
