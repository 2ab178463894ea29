import { type Db, sql, type Tx } from '../../platform/db.ts'
import { refuseLateInArchive } from './archived.ts'
import { conversionsOf } from './conversions.ts'
import { LedgerDisagreement } from './disagreement.ts'
import { adjustmentsOf } from './late.ts'
import { paymentsOf } from './payments.ts'
import { refundsOf } from './refunds.ts'
import type { AccountSums, KeptShadow } from './shadow.ts'

const pieceTransfers = 50_000
const pieceBatches = 2000

export interface Piece {
  readonly batches: number
  readonly transfers: number
  readonly isLast: boolean
}

/** Checks the next batches in the transaction's snapshot, and keeps their sums. */
export async function checkPiece(
  tx: Tx,
  shadow: KeptShadow,
  { hasArchive = false }: { readonly hasArchive?: boolean },
): Promise<Piece> {
  const from = shadow.checkedBelow()
  const { settled_below, below, batches } = await bounds(tx, from)
  await expectNone(tx, contentOf(from, below), 'the transfers of a batch differ from those it was written with')
  await expectNone(tx, chainOf(from, below), 'the chain of a writer is broken')
  await expectNone(tx, endingsOf(from, below), 'a post or void does not match its hold')
  await expectNone(tx, linesOf(from, below, shadow), 'the running balance of a wallet does not add up')
  await expectNone(tx, deltasOf(from, below), 'the deltas of a batch differ from the sums of its transfers')
  if (!hasArchive) await refuseLateInArchive(tx, from, below)
  await expectNone(tx, paymentsOf(from, below), 'the postings of a payment contradict its state')
  await expectNone(tx, conversionsOf(from, below), 'the postings of a conversion differ from its amounts')
  await expectNone(
    tx,
    adjustmentsOf(from, below),
    'an adjustment does not match its postings or its original transaction',
  )
  await expectNone(tx, refundsOf(from, below), 'the refunds of a charge do not match its totals or exceed it')
  const sums = await tx.query<AccountSums>(sumsOf(from, below))
  const transfers = sums.reduce((total, { transfers: count }) => total + count, 0) / 2
  await shadow.keep(tx, { from, below }, sums)
  return { batches, transfers, isLast: below === settled_below }
}

/** Selects enough batches for a short piece, and never one that an open transaction may still precede. */
async function bounds(tx: Tx, from: bigint): Promise<{ settled_below: bigint; below: bigint; batches: number }> {
  const [found] = await tx.query<{ settled_below: bigint; below: bigint; batches: number }>(sql`
    with ahead as (
      select batch, sum(transfers) over (order by batch) as total
      from ledger_batches
      where batch >= ${from}
        and batch < (select settled_below())
      order by batch
      limit ${pieceBatches + 1}
    ), bound as (
      select settled_below() as settled_below,
        (select min(batch) from (select batch, total, row_number() over (order by batch) as place from ahead) a
          where (total > ${pieceTransfers} and place > 1) or place > ${pieceBatches}) as next
    )
    select settled_below, coalesce(next, settled_below) as below,
      (select count(*)::int from ahead where batch < coalesce(next, settled_below)) as batches
    from bound`)
  if (!found) throw new Error('the database returned no bounds')
  return found
}

export async function expectNone(db: Db, query: ReturnType<typeof sql>, complaint: string): Promise<void> {
  const [first] = await db.query<Record<string, unknown>>(query)
  if (first) throw new LedgerDisagreement(`${complaint}: ${show(first)}`)
}

const show = (row: Record<string, unknown>) =>
  Object.entries(row)
    .map(([name, value]) => `${name} ${value}`)
    .join(', ')

const contentOf = (from: bigint, below: bigint) => sql`
  with found as (
    select batch, count(*)::int as transfers,
      min(position) = 1 and max(position) = count(*) and count(distinct position) = count(*) as is_dense,
      sha256(convert_to(string_agg(canonical_transfer(row(t.*)::public.transfers), E'\n' order by position), 'UTF8')) as content_hash
    from transfers t
    where batch >= ${from}
      and batch < ${below}
    group by batch
  ), recorded as (
    select batch, transfers, content_hash, writer, number
    from ledger_batches
    where batch >= ${from}
      and batch < ${below}
  )
  select batch, recorded.writer, recorded.number
  from found
  full join recorded using (batch)
  where found.batch is null
    or recorded.batch is null
    or not found.is_dense
    or found.transfers <> recorded.transfers
    or found.content_hash <> recorded.content_hash
  limit 1`

const chainOf = (from: bigint, below: bigint) => sql`
  select b.writer, b.number, b.batch
  from ledger_batches b
  left join ledger_batches p on p.writer = b.writer and p.number = b.number - 1
  where b.batch >= ${from}
    and b.batch < ${below}
    and (
      b.hash <> sha256(convert_to(concat_ws('|', b.writer, b.number, b.batch, b.at, b.transfers,
        encode(b.previous_hash, 'hex'), encode(b.content_hash, 'hex')), 'UTF8'))
      or (b.number = 1 and b.previous_hash <> decode(repeat('00', 32), 'hex'))
      or (b.number > 1 and (p.hash is null or p.hash <> b.previous_hash or p.batch >= b.batch))
    )
  limit 1`

const endingsOf = (from: bigint, below: bigint) => sql`
  select e.transaction_id, e.number
  from transfers e
  left join transfers h on h.transaction_id = e.transaction_id and h.number = e.number and h.phase = 0
  where e.batch >= ${from}
    and e.batch < ${below}
    and e.phase = 1
    and (h.kind is distinct from 'hold'
      or (h.debit_account, h.credit_account, h.amount, h.currency)
        is distinct from (e.debit_account, e.credit_account, e.amount, e.currency))
  limit 1`

/**
 * Batches are numbered when they start and lines when they get their wallet's lock, so the order of lines is what counts. If the
 * previous line is in an archived month, it was checked before: the wallet's checked counters hold its balance.
 */
const linesOf = (from: bigint, below: bigint, { isStored }: KeptShadow) => sql`
  with lines as (
    select wallet_id, entry_at, balance, case when credit_account = wallet_id then amount else -amount end as change,
      lag(balance) over w as before, lag(entry_at) over w as before_at
    from transfers
    where batch >= ${from}
      and batch < ${below}
      and entry_at is not null
    window w as (partition by wallet_id order by entry_at)
  )
  select l.wallet_id, l.entry_at
  from lines l
  left join lateral (
    select p.balance
    from transfers p
    where p.wallet_id = l.wallet_id
      and p.entry_at < l.entry_at
      and p.entry_at is not null
    order by p.entry_at desc
    limit 1
  ) as earlier on l.before is null or l.balance <> l.before + l.change
  left join checked_accounts c on c.account_id = l.wallet_id and l.before is null and ${isStored}
  where l.entry_at = l.before_at
    or ((l.before is null or l.balance <> l.before + l.change)
      and l.balance <> coalesce(earlier.balance, 0) + l.change
      and l.balance is distinct from c.credits_posted - c.debits_posted + l.change)
  limit 1`

const deltasOf = (from: bigint, below: bigint) => sql`
  with sums as (
    select batch, s.account_id, sum(s.debits_pending) as debits_pending, sum(s.debits_posted) as debits_posted,
      sum(s.credits_pending) as credits_pending, sum(s.credits_posted) as credits_posted
    from transfers t, lateral effects_of(row(t.*)::public.transfers) s
    where batch >= ${from}
      and batch < ${below}
      and s.account_id is distinct from t.wallet_id
    group by batch, s.account_id
    having (sum(s.debits_pending), sum(s.debits_posted), sum(s.credits_pending), sum(s.credits_posted)) <> (0, 0, 0, 0)
  ), recorded as (
    select *
    from account_deltas
    where batch >= ${from}
      and batch < ${below}
  )
  select batch, account_id
  from sums
  full join recorded using (batch, account_id)
  where (sums.debits_pending, sums.debits_posted, sums.credits_pending, sums.credits_posted)
    is distinct from (recorded.debits_pending, recorded.debits_posted, recorded.credits_pending, recorded.credits_posted)
  limit 1`

const sumsOf = (from: bigint, below: bigint) => sql`
  select s.account_id, count(*)::int as transfers,
    sum(s.debits_pending)::bigint as debits_pending, sum(s.debits_posted)::bigint as debits_posted,
    sum(s.credits_pending)::bigint as credits_pending, sum(s.credits_posted)::bigint as credits_posted
  from transfers t, lateral effects_of(row(t.*)::public.transfers) s
  where batch >= ${from}
    and batch < ${below}
  group by s.account_id`
