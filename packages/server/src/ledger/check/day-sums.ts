import { type SnapshotDb, sql } from '../../platform/db.ts'
import { LedgerDisagreement } from './disagreement.ts'
import { expectNone } from './piece.ts'

const pageSize = 500
const first = '00000000-0000-0000-0000-000000000000'

/**
 * The sums of a wallet's days, added up, are its balance before the first line that is in none of them. They are what remains of
 * archived lines for a merchant's overview. An ordinary check adds only the days that came since the last one; what it compared
 * is kept with the checked accounts. A full check adds up all of them, and keeps nothing.
 */
export async function compareDaySums(db: SnapshotDb, { isFull }: { readonly isFull: boolean }): Promise<void> {
  for (let after: string | undefined = first; after !== undefined; ) {
    const page: readonly { id: string }[] = await readWallets(db, after)
    const sums = await readSums(
      db,
      page.map(({ id }) => id),
      isFull,
    )
    refuseWrongSums(sums)
    if (!isFull) await keepSums(db, sums)
    after = page.length < pageSize ? undefined : page.at(-1)?.id
  }
}

interface WalletSum {
  readonly id: string
  /** The last day that is added up. */
  readonly day: number
  /** As text, since invented sums may exceed every balance. */
  readonly sum: string
  readonly balance: string
  readonly is_ahead: boolean
}

function refuseWrongSums(sums: readonly WalletSum[]): void {
  const ahead = sums.find(({ is_ahead }) => is_ahead)
  if (ahead) throw new LedgerDisagreement(`wallet ${ahead.id} has sums of a day that has not ended`)
  const wrong = sums.find(({ sum, balance }) => sum !== balance)
  if (wrong)
    throw new LedgerDisagreement(
      `the sums of the days of wallet ${wrong.id} add up to ${wrong.sum}, and its balance after them is ${wrong.balance}`,
    )
}

function readWallets(db: SnapshotDb, after: string): Promise<{ id: string }[]> {
  return db.query(sql`select id from wallets where id > ${after} order by id limit ${pageSize}`)
}

/** Those of these wallets that have days to compare. Days that were removed from the end are compared from the first day again. */
function readSums(db: SnapshotDb, wallets: readonly string[], isFull: boolean): Promise<WalletSum[]> {
  return db.query<WalletSum>(sql`
    with page as (
      select w.id, w.credits_posted - w.debits_posted as posted, newest.day, c.day as known_day, c.day_balance as known
      from wallets w
      cross join lateral (
        select day from wallet_day_sums where wallet_id = w.id order by day desc limit 1
      ) newest
      left join checked_accounts c on c.account_id = w.id and c.day <= newest.day and not ${isFull}
      where w.id = any(${wallets}::uuid[])
        and newest.day is distinct from c.day
    )
    select p.id, p.day, (coalesce(p.known, 0) + added.sum)::text as sum, coalesce(next.opening, p.posted)::text as balance,
      p.day >= extract(epoch from record_time())::bigint / 86400 as is_ahead
    from page p
    cross join lateral (
      select sum(case when is_credit then amount else -amount end) as sum
      from wallet_day_sums
      where wallet_id = p.id
        and day > coalesce(p.known_day, -1)
    ) added
    left join lateral (
      select balance - case when credit_account = wallet_id then amount else -amount end as opening
      from transfers
      where wallet_id = p.id
        and entry_at >= (p.day + 1) * 86400000000::bigint
        and entry_at is not null
      order by entry_at
      limit 1
    ) next on true
    order by p.id`)
}

/** A wallet without a checked transfer has no counters there yet: they start at 0. */
async function keepSums(db: SnapshotDb, sums: readonly WalletSum[]): Promise<void> {
  if (sums.length === 0) return
  await db.query(sql`
    insert into checked_accounts (account_id, debits_pending, debits_posted, credits_pending, credits_posted, day, day_balance)
    select id, 0, 0, 0, 0, day, balance
    from unnest(${sums.map(({ id }) => id)}::uuid[], ${sums.map(({ day }) => day)}::integer[],
      ${sums.map(({ balance }) => balance)}::bigint[]) as s(id, day, balance)
    on conflict (account_id) do update
    set day = excluded.day, day_balance = excluded.day_balance`)
}

/** How many lines one statement adds up; more where one day has more. */
const sliceLines = 50_000

interface Slice {
  readonly wallet_id: string
  /** The last of its days. */
  readonly day: number
}

/** The sums of every day equal the wallet's lines of that day, by kind. Reads every line, so only a full check runs it. */
export async function compareDayLines(db: SnapshotDb): Promise<void> {
  for (let after: string | undefined = first; after !== undefined; ) {
    const slices: readonly Slice[] = await readSlices(db, after)
    let before: Slice | undefined
    for (const slice of slices) {
      const from = before?.wallet_id === slice.wallet_id ? before.day + 1 : 0
      await expectNone(db, differentDays(slice, from), 'the sums of a day differ from the lines of the wallet')
      before = slice
    }
    after = before?.wallet_id
  }
}

/** The days of the next wallets with sums, divided by their numbers of lines. */
function readSlices(db: SnapshotDb, after: string): Promise<Slice[]> {
  return db.query<Slice>(sql`
    select wallet_id, max(day) as day
    from (
      select wallet_id, day, div(sum(count) over (partition by wallet_id order by day), ${sliceLines}) as slice
      from wallet_day_sums
      where wallet_id in (
        select distinct wallet_id from wallet_day_sums where wallet_id > ${after} order by wallet_id limit ${pageSize}
      )
    ) days
    group by wallet_id, slice
    order by wallet_id, max(day)`)
}

/** From this day to the last one of the slice, also days that have lines and no sums. */
const differentDays = ({ wallet_id, day }: Slice, from: number) => sql`
  with lines as (
    select (t.entry_at / 86400000000)::integer as day, t.event, t.number, coalesce(p.method, '') as method,
      t.credit_account = t.wallet_id as is_credit, sum(t.amount) as amount, count(*) as count
    from transfers t
    left join lateral (select method from transactions where id = t.transaction_id limit 1) p on true
    where t.wallet_id = ${wallet_id}
      and t.entry_at >= ${from}::bigint * 86400000000
      and t.entry_at < (${day}::bigint + 1) * 86400000000
    group by 1, 2, 3, 4, 5
  ), recorded as (
    select day, event, number, method, is_credit, amount, count
    from wallet_day_sums
    where wallet_id = ${wallet_id}
      and day >= ${from}
      and day <= ${day}
  )
  select ${wallet_id}::uuid as wallet, date '1970-01-01' + day as day, event, method
  from lines
  full join recorded using (day, event, number, method, is_credit)
  where (lines.amount, lines.count) is distinct from (recorded.amount, recorded.count)
  limit 1`

/** What was archived was in the sums before, so sums of its days that are missing were deleted, of all days of a wallet or the last. */
export const archivedWithoutSums = sql`
  select t.wallet_id as wallet, date '1970-01-01' + max(t.entry_at / 86400000000)::integer as day
  from archived_transfers t
  left join (select wallet_id, max(day) as day from wallet_day_sums group by wallet_id) s using (wallet_id)
  where t.entry_at is not null
    and t.entry_at / 86400000000 > coalesce(s.day, -1)
  group by t.wallet_id
  limit 1`
