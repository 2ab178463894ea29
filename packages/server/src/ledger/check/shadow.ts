import { type Db, sql, type Tx } from '../../platform/db.ts'
import { type Counters, counterNames } from '../accounts.ts'
import { CheckOvertaken, type Shadow } from './disagreement.ts'

/** The sum of a piece's transfers for one account. */
export interface AccountSums extends Counters {
  readonly account_id: string
  readonly transfers: number
}

/** The balance of a wallet after a line. */
interface Balance {
  readonly entry_at: bigint
  readonly balance: bigint
}

export interface LastLine extends Balance {
  readonly wallet_id: string
}

const noLine: Balance = { entry_at: -1n, balance: 0n }

interface BatchRange {
  readonly from: bigint
  readonly below: bigint
}

/** What a piece adds. */
export interface PieceSums {
  readonly batches: number
  readonly transfers: number
  readonly sums: readonly AccountSums[]
  /** The last of each wallet. */
  readonly lines: readonly LastLine[]
}

export interface KeptShadow extends Shadow {
  /**
   * What these wallets have after the batches that were checked; undefined where that is not known. A check that continues from a
   * checkpoint knows no times, only what the checked transfers add up to: its lines count as older than all others.
   */
  lastLines(db: Db, walletIds: readonly string[]): Promise<(walletId: string) => Balance | undefined>
  /** Adds the sums of a piece; everything below it then counts as checked. */
  keep(tx: Tx, range: BatchRange, piece: PieceSums): Promise<void>
}

/** For a full check: everything in memory, nothing stored. */
export function createMemory({ checkedBelow: from, accounts }: Remembered = nothing): Memory {
  const known = new Map<string, Counters>()
  const lastLines = new Map<string, LastLine>()
  let checkedBelow = from
  const note = (line: LastLine) => {
    const { entry_at } = lastLines.get(line.wallet_id) ?? line
    if (line.entry_at >= entry_at) lastLines.set(line.wallet_id, line)
  }
  for (const { account_id, entry_at, balance, ...counters } of accounts) {
    known.set(account_id, counters)
    if (entry_at !== null && balance !== null) note({ wallet_id: account_id, entry_at, balance })
  }
  return {
    checkedBelow: () => checkedBelow,
    counters: async () => known,
    orphans: async (db) => orphansAmong(db, [...known.keys()]),
    lastLines: async () => (walletId) => lastLines.get(walletId) ?? noLine,
    keep: async (_, { below }, { sums, lines }) => {
      for (const sum of sums) addTo(known, sum)
      lines.forEach(note)
      checkedBelow = below
    },
    recall: (id) => {
      const { entry_at = null, balance = null } = lastLines.get(id) ?? {}
      return { account_id: id, ...zero, ...known.get(id), entry_at, balance }
    },
  }
}

const zero: Counters = { debits_pending: 0n, debits_posted: 0n, credits_pending: 0n, credits_posted: 0n }

/** All about an account that a full check knows. */
export interface RememberedAccount extends Counters {
  readonly account_id: string
  /** The last line of a wallet. */
  readonly entry_at: bigint | null
  readonly balance: bigint | null
}

/** What a full check continues from. */
export interface Remembered {
  readonly checkedBelow: bigint
  readonly accounts: readonly RememberedAccount[]
}

const nothing: Remembered = { checkedBelow: 0n, accounts: [] }

export interface Memory extends KeptShadow {
  recall(accountId: string): RememberedAccount
}

function addTo(known: Map<string, Counters>, sum: AccountSums): void {
  const counters = known.get(sum.account_id) ?? { ...zero }
  for (const name of counterNames) counters[name] += sum[name]
  known.set(sum.account_id, counters)
}

/** For the usual check: the result is stored with each piece, so that the next check continues from there. */
export async function createCheckpoints(db: Db): Promise<KeptShadow> {
  const [checkpoint] = await db.query<{ checked_below: bigint }>(sql`select checked_below from ledger_checkpoints`)
  let checkedBelow = checkpoint?.checked_below ?? 0n
  /** In one snapshot with what they are compared with: another check may have continued meanwhile. */
  const counters: Shadow['counters'] = async (reader, accountIds) => {
    const [unmoved] = await reader.query(sql`select from ledger_checkpoints where checked_below = ${checkedBelow}`)
    if (!unmoved) throw overtaken()
    return readChecked(reader, accountIds)
  }
  return {
    checkedBelow: () => checkedBelow,
    counters,
    orphans: (reader) => orphansAmong(reader, undefined),
    lastLines: async (reader, walletIds) => {
      const checked = await counters(reader, walletIds)
      return (walletId) => {
        const found = checked.get(walletId)
        return found && { entry_at: -1n, balance: found.credits_posted - found.debits_posted }
      }
    },
    keep: async (tx, range, { sums }) => {
      await keepChecked(tx, range, sums)
      checkedBelow = range.below
    },
  }
}

const overtaken = () => new CheckOvertaken('another check is running; wait until it ends')

async function readChecked(db: Db, accountIds: readonly string[]): Promise<Map<string, Counters>> {
  const rows = await db.query<AccountSums>(
    sql`select * from checked_accounts where account_id = any(${accountIds}::uuid[])`,
  )
  return new Map(rows.map((row) => [row.account_id, row]))
}

/** Two concurrent checks would count everything twice: the one whose starting point has moved gives up. */
async function keepChecked(tx: Tx, { from, below }: BatchRange, sums: readonly AccountSums[]): Promise<void> {
  const moved = await tx
    .query(sql`update ledger_checkpoints set checked_below = ${below} where checked_below = ${from} returning id`)
    .catch((error: Error & { code?: string }) => (error.code === '40001' ? [] : Promise.reject(error)))
  if (moved.length === 0) throw overtaken()
  await tx.query(sql`
    insert into checked_accounts as c (account_id, debits_pending, debits_posted, credits_pending, credits_posted)
    select *
    from unnest(${sums.map((sum) => sum.account_id)}::uuid[], ${sums.map((sum) => sum.debits_pending)}::bigint[],
      ${sums.map((sum) => sum.debits_posted)}::bigint[], ${sums.map((sum) => sum.credits_pending)}::bigint[],
      ${sums.map((sum) => sum.credits_posted)}::bigint[])
    on conflict (account_id) do update
    set debits_pending = c.debits_pending + excluded.debits_pending,
      debits_posted = c.debits_posted + excluded.debits_posted,
      credits_pending = c.credits_pending + excluded.credits_pending,
      credits_posted = c.credits_posted + excluded.credits_posted`)
}

async function orphansAmong(db: Db, known: readonly string[] | undefined): Promise<string[]> {
  const rows = await db.query<{ account_id: string }>(sql`
    select account_id
    from (
      select unnest(${known ?? []}::uuid[]) as account_id
      union all
      select account_id from checked_accounts where ${known === undefined}
    ) as named
    where not exists (select from wallets where id = account_id)
      and not exists (select from platform_accounts where id = account_id)
    limit 1`)
  return rows.map((row) => row.account_id)
}
