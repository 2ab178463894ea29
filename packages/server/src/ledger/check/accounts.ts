import { type Db, part, type SnapshotDb, sql, type Tx } from '../../platform/db.ts'
import { type Counters, counterNames } from '../accounts.ts'
import { platformBalances } from '../deltas.ts'
import { LedgerDisagreement, type Shadow } from './disagreement.ts'
import { type IdRange, readByIndex, within } from './months.ts'

const pageSize = 5000
const first = '00000000-0000-0000-0000-000000000000'
const zero: Counters = { debits_pending: 0n, debits_posted: 0n, credits_pending: 0n, credits_posted: 0n }

/** Compares every account's counters with the sum of its transfers, one page of accounts at a time. */
export async function compareAccounts(db: SnapshotDb, shadow: Shadow, ranges: readonly IdRange[]): Promise<number> {
  for (const range of ranges) await db.snapshot((tx) => refuseStrayTransfers(tx, range))
  await db.snapshot(refuseStrayProof)
  const [orphan] = await shadow.orphans(db)
  if (orphan !== undefined) throw new LedgerDisagreement(`transfers name the account ${orphan}, which does not exist`)
  let compared = await db.snapshot(async (tx) => {
    await readByIndex(tx)
    return compare(tx, shadow, 'platform account', await platformBalances(tx))
  })
  for (let after: string | undefined = first; after !== undefined; ) {
    const page: readonly StoredAccount[] = await db.snapshot((tx) => compareWallets(tx, shadow, after ?? first))
    compared += page.length
    after = page.length < pageSize ? undefined : page.at(-1)?.id
  }
  return compared
}

/** No batch has a number that no transaction can have had: the check would never reach it. */
async function refuseStrayTransfers(tx: Tx, range: IdRange): Promise<void> {
  const beyond = await nextBatch(tx)
  await readByIndex(tx)
  refuseStray(
    'transfers',
    await tx.query<Stray>(sql`
      (select batch from transfers where batch < ${firstBatch} and ${within(part`transaction_id`, [range])} limit 1)
      union all
      (select batch from transfers where batch >= ${beyond} and ${within(part`transaction_id`, [range])} limit 1)`),
  )
}

async function refuseStrayProof(tx: Tx): Promise<void> {
  const beyond = await nextBatch(tx)
  refuseStray(
    'account_deltas',
    await tx.query<Stray>(sql`
      (select batch from account_deltas where batch < ${firstBatch} limit 1)
      union all
      (select batch from account_deltas where batch >= ${beyond} limit 1)`),
  )
  refuseStray(
    'ledger_batches',
    await tx.query<Stray>(sql`
      (select batch from ledger_batches where batch < ${firstBatch} limit 1)
      union all
      (select batch from ledger_batches where batch >= ${beyond} limit 1)`),
  )
}

/** Transactions of a cluster are numbered from here. */
const firstBatch = 3

interface Stray {
  readonly batch: bigint
}

async function nextBatch(tx: Tx): Promise<bigint> {
  const [next] = await tx.query<Stray>(sql`select next_batch() as batch`)
  if (!next) throw new Error('the database returned no batch')
  return next.batch
}

function refuseStray(name: string, [stray]: readonly Stray[]): void {
  if (stray) throw new LedgerDisagreement(`${name} has the batch ${stray.batch}, which belongs to no transaction`)
}

interface StoredAccount extends Counters {
  readonly id: string
}

async function compareWallets(tx: Tx, shadow: Shadow, after: string): Promise<readonly StoredAccount[]> {
  await readByIndex(tx)
  const wallets = await tx.query<StoredAccount>(sql`
    select id, debits_pending, debits_posted, credits_pending, credits_posted
    from wallets
    where id > ${after}
    order by id
    limit ${pageSize}`)
  await compare(tx, shadow, 'wallet', wallets)
  return wallets
}

async function compare(tx: Db, shadow: Shadow, what: string, stored: readonly StoredAccount[]): Promise<number> {
  const ids = stored.map(({ id }) => id)
  const checked = await shadow.counters(tx, ids)
  const since = await sumsSince(tx, shadow.checkedBelow())
  for (const account of stored) {
    const [before, later] = [checked.get(account.id) ?? zero, since.get(account.id) ?? zero]
    const wrong = counterNames.find((name) => account[name] !== before[name] + later[name])
    if (!wrong) continue
    const found = before[wrong] + later[wrong]
    throw new LedgerDisagreement(
      `${what} ${account.id} has ${wrong} ${account[wrong]}, its transfers add up to ${found}`,
    )
  }
  return stored.length
}

/** What this snapshot sees beyond the last piece: batches that had not ended then. Planned with the bound and read by its index. */
async function sumsSince(tx: Db, checkedBelow: bigint): Promise<ReadonlyMap<string, Counters>> {
  const rows = await tx.query<Counters & { account_id: string }>(sql`
    select s.account_id, sum(s.debits_pending)::bigint as debits_pending, sum(s.debits_posted)::bigint as debits_posted,
      sum(s.credits_pending)::bigint as credits_pending, sum(s.credits_posted)::bigint as credits_posted
    from transfers t, lateral effects_of(row(t.*)::public.transfers) s
    where ${part`batch >= ${checkedBelow}`}
    group by s.account_id`)
  return new Map(rows.map((row) => [row.account_id, row]))
}
