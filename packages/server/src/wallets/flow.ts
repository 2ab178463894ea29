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
  /** Microseconds; from is included, to is not. */
  readonly from: bigint
  readonly to: bigint
}

interface Group {
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

/** Adds up the lines of a wallet's statement, from one snapshot of the ledger. */
export async function readFlow(db: ReadDb, owner: Owner, wanted: FlowWanted): Promise<WalletFlow> {
  const [row] = await readRow(db, owner, wanted)
  const { opening = 0n, closing = 0n, groups: stored = [] } = row ?? {}
  const groups = stored.map((each) => ({ ...each, amount: BigInt(each.amount), count: BigInt(each.count) }))
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

/** A balance is computed from the next line, never from earlier ones, which may be archived: see statement.ts. */
function readRow(db: ReadDb, owner: Owner, { currency, country, from, to }: FlowWanted): Promise<Row[]> {
  return db.query<Row>(
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
        select t.event, t.number, p.method, t.credit_account = t.wallet_id as is_credit, sum(t.amount) as amount,
          count(*) as count
        from transfers t
        left join transactions p on p.id = t.transaction_id
        where t.wallet_id = (select id from wallet)
          and t.entry_at >= ${from}
          and t.entry_at < ${to}
        group by 1, 2, 3, 4
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
          select jsonb_agg(jsonb_build_object('event', event, 'number', number, 'method', method, 'is_credit', is_credit,
            'amount', amount::text, 'count', count))
          from groups
        ), '[]') as groups
      from wallet`,
  )
}
