import { setTimeout as pause } from 'node:timers/promises'
import { type Db, sql } from '../platform/db.ts'

/** Lines of a statement that are alike, added up. */
export interface LineSum {
  readonly event: string
  readonly number: number
  /** Empty where no payment caused the lines. */
  readonly method: string
  readonly is_credit: boolean
  readonly amount: bigint
  readonly count: bigint
}

interface SumOptions {
  /** Stops between two statements; the day that is being added up starts again the next time. */
  readonly signal: AbortSignal
  /** How many lines one statement adds up. */
  readonly linesMax?: number
}

export const dayUs = 86_400_000_000n
const walletsAtOnce = 500
const pauseMaxMs = 1000

/**
 * Adds up the past days of every wallet that are not added up yet. A day is past when its wallet has a later line: no transaction can
 * still add a line to it, so every process finds the same sums, and the second one to write them changes nothing. After each
 * page it pauses for as long as the page took, at most 1 s.
 */
export async function sumDays(db: Db, { signal, linesMax = 10_000 }: SumOptions): Promise<void> {
  let after = '00000000-0000-0000-0000-000000000000'
  while (!signal.aborted) {
    const wallets = await readWallets(db, after)
    const due = wallets.flatMap(({ id, day }) => (day === null ? [] : [{ id, day }]))
    for (const { id, day } of due) {
      const sums = await sumDay(db, id, day, { signal, linesMax })
      if (sums) await insertSums(db, id, day, sums)
    }
    const last = wallets.at(-1)
    if (!last) return
    // The same wallets again, until none of them has a past day left.
    if (due.length === 0) after = last.id
  }
}

interface WalletDay {
  readonly id: string
  /** The first past day with lines that are not added up; null if there is none. */
  readonly day: bigint | null
}

function readWallets(db: Db, after: string): Promise<WalletDay[]> {
  return db.query<WalletDay>(sql`
    select id, case when summed_to < open_at then (
        select entry_at / ${dayUs}
        from transfers
        where wallet_id = w.id
          and entry_at >= summed_to
          and entry_at < open_at
        order by entry_at
        limit 1
      ) end as day
    from (
      select id, entry_at / ${dayUs} * ${dayUs} as open_at,
        coalesce((select max(day) + 1 from wallet_day_sums where wallet_id = wallets.id)::bigint * ${dayUs}, 0) as summed_to
      from wallets
      where id > ${after}
      order by id
      limit ${walletsAtOnce}
    ) as w
    order by id`)
}

/** Page by page: the lines of a past day stay the same. Undefined when it was stopped. */
async function sumDay(
  db: Db,
  wallet: string,
  day: bigint,
  { signal, linesMax }: Required<SumOptions>,
): Promise<LineSum[] | undefined> {
  const sums = new Map<string, LineSum>()
  let from: bigint | undefined = day * dayUs
  while (from !== undefined) {
    if (signal.aborted) return undefined
    const startedAt = performance.now()
    const page: PageSum[] = await sumPage(db, wallet, { from, to: (day + 1n) * dayUs, linesMax })
    for (const sum of page) {
      const key = [sum.event, sum.number, sum.method, sum.is_credit].join(' ')
      const { amount = 0n, count = 0n } = sums.get(key) ?? {}
      sums.set(key, { ...sum, amount: amount + sum.amount, count: count + sum.count })
    }
    from = nextPage(page, linesMax)
    await pause(Math.min(performance.now() - startedAt, pauseMaxMs), undefined, { ref: false })
  }
  return [...sums.values()]
}

interface PageSum extends LineSum {
  /** The newest of the lines. */
  readonly last: bigint
}

/** Undefined after the last page. */
function nextPage(page: readonly PageSum[], linesMax: number): bigint | undefined {
  const lines = page.reduce((sum, { count }) => sum + count, 0n)
  if (lines < linesMax) return undefined
  return page.reduce((newest, { last }) => (last > newest ? last : newest), 0n) + 1n
}

function sumPage(
  db: Db,
  wallet: string,
  { from, to, linesMax }: { readonly from: bigint; readonly to: bigint; readonly linesMax: number },
): Promise<PageSum[]> {
  return db.query<PageSum>(sql`
    with page as (
      select entry_at, transaction_id, event, number, credit_account = wallet_id as is_credit, amount
      from transfers
      where wallet_id = ${wallet}
        and entry_at >= ${from}
        and entry_at < ${to}
      order by entry_at
      limit ${linesMax}
    )
    select page.event, page.number, coalesce(t.method, '') as method, page.is_credit, sum(page.amount)::bigint as amount,
      count(*) as count, max(page.entry_at) as last
    from page
    left join transactions t on t.id = page.transaction_id
    group by 1, 2, 3, 4`)
}

async function insertSums(db: Db, wallet: string, day: bigint, sums: readonly LineSum[]): Promise<void> {
  const of = <Key extends keyof LineSum>(name: Key) => sums.map((sum) => sum[name])
  await db.query(sql`
    insert into wallet_day_sums (wallet_id, day, event, number, method, is_credit, amount, count)
    select ${wallet}, ${Number(day)}, s.*
    from unnest(${of('event')}::text[], ${of('number')}::smallint[], ${of('method')}::text[], ${of('is_credit')}::boolean[],
      ${of('amount')}::bigint[], ${of('count')}::bigint[]) as s
    on conflict do nothing`)
}
