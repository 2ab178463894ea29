import { type Owner, type ReadDb, sql } from '../platform/db.ts'
import { archivedLines, kindOfLine } from './line-kinds.ts'
import { dayUs, type LineSum } from './sum-days.ts'

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

interface Wallet {
  readonly currency: string
  readonly country: string
}

interface FlowWanted extends Wallet {
  /** Microseconds; from is included, to is not. */
  readonly from: bigint
  readonly to: bigint
}

/** One statement adds up the lines of at most this many days, which keeps it far below the limit of a statement. */
const daysAtOnce = 3n
const statementsAtOnce = 2

/**
 * Past days of UTC that a worker has added up are read from their sums, all else from the ledger: also the part of such a day with
 * which a period of another zone starts or ends. A past day has no new lines (see {@link sumDays}), so it may be read at any time;
 * the balances and the lines of the newest day are from one snapshot.
 */
export async function readWalletFlow(db: ReadDb, owner: Owner, wanted: FlowWanted): Promise<WalletFlow> {
  const { from, to } = wanted
  const { open_at, summed_to } = await readProgress(db, owner, wanted)
  const linesFrom = open_at < from ? from : open_at < to ? open_at : to
  const days = summedDays(from, to < summed_to ? to : summed_to)
  const slices = [...slicesOf(from, days.from), ...slicesOf(days.to, linesFrom)].values()
  const sums: LineSum[] = []
  const readSlices = async () => {
    for (const slice of slices) sums.push(...(await readTotals(db, owner, { ...wanted, ...slice })).sums)
  }
  await Promise.all(Array.from({ length: statementsAtOnce }, readSlices))
  const last = await readTotals(db, owner, { ...wanted, days, linesFrom })
  return flowOf([...sums, ...last.sums], last.opening, last.closing)
}

interface Period {
  readonly from: bigint
  readonly to: bigint
}

/** The whole days of a period; from its start to its start if it has none. */
function summedDays(from: bigint, to: bigint): Period {
  const days = { from: endOfDay(from), to: (to / dayUs) * dayUs }
  return days.from < days.to ? days : { from, to: from }
}

/** The end of a day; the moment itself if a day starts there. */
const endOfDay = (at: bigint) => ((at + dayUs - 1n) / dayUs) * dayUs

/** Past lines that are not read from sums, a few days at a time. */
function slicesOf(from: bigint, to: bigint): Omit<Parts, keyof Wallet>[] {
  if (from >= to) return []
  const next = from + daysAtOnce * dayUs
  const end = next < to ? next : to
  return [{ from, days: { from, to: from }, linesFrom: from, to: end }, ...slicesOf(end, to)]
}

interface Progress {
  /** The start of the day of the wallet's newest line. */
  readonly open_at: bigint
  /** The days before are added up. */
  readonly summed_to: bigint
}

async function readProgress(db: ReadDb, owner: Owner, { currency, country }: Wallet): Promise<Progress> {
  const [wallet] = await db.query<Progress>(
    owner,
    sql`
      select entry_at / ${dayUs} * ${dayUs} as open_at,
        coalesce((select max(day) + 1 from wallet_day_sums where wallet_id = wallets.id)::bigint * ${dayUs}, 0) as summed_to
      from wallets
      where merchant_id = ${owner.merchant_id}
        and env = ${owner.env}
        and currency = ${currency}
        and country = ${country}`,
  )
  return wallet ?? { open_at: 0n, summed_to: 0n }
}

function flowOf(sums: readonly LineSum[], opening: bigint, closing: bigint): WalletFlow {
  const flows = (isCredit: boolean) => flowsOf(sums.filter(({ is_credit }) => is_credit === isCredit))
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
function flowsOf(sums: readonly LineSum[]): Flow[] {
  const named = sums.map((sum) => ({ ...sum, kind: kindOf(sum) }))
  const methodOf = ({ kind, method }: (typeof named)[number]) => (kind === 'charge' || kind === 'payout' ? method : '')
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

function kindOf({ event, number, is_credit }: LineSum): FlowKind {
  if (event === 'conversion') return 'conversion'
  const kind = kindOfLine(event, number)
  if (kind === 'payment') return is_credit ? 'charge' : 'payout'
  return kind
}

interface Parts extends FlowWanted {
  /** Whole days that are read from their sums. */
  readonly days: Period
  /** From here to the end, lines are added up. */
  readonly linesFrom: bigint
}

interface Row {
  readonly opening: bigint
  readonly closing: bigint
  readonly sums: readonly (Omit<LineSum, 'amount' | 'count'> & { readonly amount: string; readonly count: number })[]
}

interface Totals {
  readonly opening: bigint
  readonly closing: bigint
  readonly sums: readonly LineSum[]
}

/**
 * Most lines are of payments of these days or of the day before, which one range of ids has; the payments of the others are found one
 * by one. The planner expects far more groups than there are, and would sort all lines on disk; a walk does not sort.
 */
async function readTotals(db: ReadDb, owner: Owner, wanted: Parts): Promise<Totals> {
  const { currency, country, from, to, days, linesFrom } = wanted
  const dateOf = (us: bigint) => new Date(Number(us / 1000n))
  const [row] = await db.walk<Row>(
    owner,
    sql`
      with wallet as (
        select id
        from wallets
        where merchant_id = ${owner.merchant_id}
          and env = ${owner.env}
          and currency = ${currency}
          and country = ${country}
      ), sums as (
        select event, number, method, is_credit, amount, count
        from wallet_day_sums
        where wallet_id = (select id from wallet)
          and day >= ${days.from / dayUs}
          and day < ${days.to / dayUs}
        union all
        select t.event, t.number,
          coalesce(p.method, (select method from transactions where id = t.transaction_id), '') as method,
          t.credit_account = t.wallet_id as is_credit, sum(t.amount) as amount, count(*) as count
        from transfers t
        left join transactions p on p.id = t.transaction_id
          and p.id >= id_at(${dateOf(linesFrom - dayUs)})
          and p.id < id_at(${dateOf(to)})
        where t.wallet_id = (select id from wallet)
          and t.entry_at >= ${linesFrom}
          and t.entry_at < ${to}
        group by 1, 2, 3, 4
      )
      select
        (select balance from wallet_balance_at(wallet.id, ${from})) as opening,
        (select balance from wallet_balance_at(wallet.id, ${to})) as closing,
        coalesce((
          select jsonb_agg(jsonb_build_object('event', event, 'number', number, 'method', method, 'is_credit', is_credit,
            'amount', amount::text, 'count', count))
          from sums
        ), '[]') as sums
      from wallet`,
  )
  const { opening = 0n, closing = 0n, sums = [] } = row ?? {}
  return {
    ...{ opening, closing },
    sums: sums.map((each) => ({ ...each, amount: BigInt(each.amount), count: BigInt(each.count) })),
  }
}
