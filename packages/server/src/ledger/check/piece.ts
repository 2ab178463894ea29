import { type Db, part, sql, type Tx } from '../../platform/db.ts'
import { refuseLateInArchive } from './archived.ts'
import { conversionsOf } from './conversions.ts'
import { LedgerDisagreement } from './disagreement.ts'
import { adjustmentsOf } from './late.ts'
import { checkLines } from './lines.ts'
import { type IdRange, inPiece, type Piece, rangesOf, readByIndex, within } from './months.ts'
import { paymentsOf } from './payments.ts'
import { refundsOf } from './refunds.ts'
import type { AccountSums, KeptShadow } from './shadow.ts'

const pieceTransfersMax = 50_000
const pieceBatches = 2000

export interface PieceOrder {
  /** The piece ends here at the latest: every batch below has ended. */
  readonly below: bigint
  readonly ranges: readonly IdRange[]
  /** The ranges with transfers of these batches. */
  readonly rangesOf: (from: bigint, below: bigint) => readonly IdRange[]
  readonly hasArchive: boolean
  readonly pieceTransfers?: number | undefined
}

export interface CheckedPiece {
  readonly batches: number
  readonly transfers: number
  readonly isLast: boolean
}

/** Checks the next batches in the transaction's snapshot, and keeps their sums. */
export async function checkPiece(tx: Tx, shadow: KeptShadow, order: PieceOrder): Promise<CheckedPiece> {
  const from = shadow.checkedBelow()
  const { below, batches } = await endOf(tx, from, order)
  const piece = { from, below, ranges: order.rangesOf(from, below) }
  await readByIndex(tx)
  await expectNone(tx, contentOf(piece), 'the transfers of a batch differ from those it was written with')
  await expectNone(tx, chainOf(piece), 'the chain of a writer is broken')
  await expectNone(tx, endingsOf(piece), 'a post or void does not match its hold')
  const lines = await checkLines(tx, shadow, piece, order.ranges)
  await expectNone(tx, deltasOf(piece), 'the deltas of a batch differ from the sums of its transfers')
  if (!order.hasArchive) await refuseLateInArchive(tx, piece)
  await expectNone(tx, paymentsOf(piece), 'the postings of a payment contradict its state')
  await checkRare(tx, piece, order.ranges)
  const sums = await tx.query<AccountSums>(sumsOf(piece))
  const transfers = sums.reduce((total, { transfers: count }) => total + count, 0) / 2
  await shadow.keep(tx, piece, { batches, transfers, sums, lines })
  return { batches, transfers, isLast: below === order.below }
}

/** Selects enough batches for a short piece. */
async function endOf(
  tx: Tx,
  from: bigint,
  { below: end, pieceTransfers = pieceTransfersMax }: PieceOrder,
): Promise<{ below: bigint; batches: number }> {
  const [found] = await tx.query<{ below: bigint; batches: number }>(sql`
    with ahead as (
      select batch, sum(transfers) over (order by batch) as total, row_number() over (order by batch) as place
      from ledger_batches
      where batch >= ${from}
        and batch < ${end}
      order by batch
      limit ${pieceBatches + 1}
    ), bound as (
      select coalesce(min(batch), ${end}) as below
      from ahead
      where (total > ${pieceTransfers} and place > 1)
        or place > ${pieceBatches}
    )
    select below, (select count(*)::int from ahead where batch < below) as batches
    from bound`)
  if (!found) throw new Error('the database returned no bounds')
  return found
}

/** Conversions, adjustments and refunds, which have other books than plain payments, and whose other payments are of any month. */
async function checkRare(tx: Tx, piece: Piece, ranges: readonly IdRange[]): Promise<void> {
  const rare = await tx.query<{ id: string; type: string; related: string | null }>(sql`
    select p.id, p.type, p.related_transaction_id as related
    from (select distinct transaction_id as id from transfers where ${inPiece(piece)}) touched
    cross join lateral (
      select id, type, related_transaction_id
      from transactions
      where id = touched.id
        and ${within(part`id`, piece.ranges)}
      limit 1
    ) p
    where p.type in ('conversion', 'adjustment')
      or (p.type in ('refund', 'withdrew') and p.related_transaction_id is not null)`)
  const of = (types: readonly string[]) => rare.filter(({ type }) => types.includes(type))
  const [conversions, adjustments] = [of(['conversion']), of(['adjustment'])]
  const refunded = of(['refund', 'withdrew']).map(({ related }) => related ?? '')
  const idsOf = (rows: typeof rare) => rows.map(({ id }) => id)
  if (conversions.length > 0)
    await expectNone(
      tx,
      conversionsOf(idsOf(conversions), piece.ranges),
      'the postings of a conversion differ from its amounts',
    )
  if (adjustments.length > 0)
    await expectNone(
      tx,
      adjustmentsOf(
        idsOf(adjustments),
        piece.ranges,
        rangesOf(
          ranges,
          adjustments.map(({ related }) => related ?? ''),
        ),
      ),
      'an adjustment does not match its postings or its original transaction',
    )
  if (refunded.length > 0) await checkRefunds(tx, refunded, ranges)
}

async function checkRefunds(tx: Tx, refunded: readonly string[], ranges: readonly IdRange[]): Promise<void> {
  const charges = [...new Set(refunded)]
  const ofCharges = rangesOf(ranges, charges)
  const refunds = await tx.query<{ id: string }>(sql`
    select transaction_id as id
    from refunds_of_charges
    where charge_id = any(${charges}::uuid[])
      and ${within(part`charge_id`, ofCharges)}`)
  const ofRefunds = rangesOf(
    ranges,
    refunds.map(({ id }) => id),
  )
  await expectNone(
    tx,
    refundsOf({ charges, ofCharges, ofRefunds }),
    'the refunds of a charge do not match its totals or exceed it',
  )
}

export async function expectNone(db: Db, query: ReturnType<typeof sql>, complaint: string): Promise<void> {
  const [first] = await db.query<Record<string, unknown>>(query)
  if (first) throw new LedgerDisagreement(`${complaint}: ${show(first)}`)
}

const show = (row: Record<string, unknown>) =>
  Object.entries(row)
    .map(([name, value]) => `${name} ${value}`)
    .join(', ')

const contentOf = (piece: Piece) => sql`
  with found as (
    select batch, count(*)::int as transfers,
      min(position) = 1 and max(position) = count(*) and count(distinct position) = count(*) as is_dense,
      sha256(convert_to(string_agg(canonical_transfer(row(t.*)::public.transfers), E'\n' order by position), 'UTF8')) as content_hash
    from transfers t
    where ${inPiece(piece)}
    group by batch
  ), recorded as (
    select batch, transfers, content_hash, writer, number
    from ledger_batches
    where batch >= ${piece.from}
      and batch < ${piece.below}
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

const chainOf = ({ from, below }: Piece) => sql`
  select b.writer, b.number, b.batch
  from (select * from ledger_batches where batch >= ${from} and batch < ${below}) b
  left join lateral (
    select hash, batch from ledger_batches where writer = b.writer and number = b.number - 1 limit 1
  ) p on true
  where b.hash <> sha256(convert_to(concat_ws('|', b.writer, b.number, b.batch, b.at, b.transfers,
      encode(b.previous_hash, 'hex'), encode(b.content_hash, 'hex')), 'UTF8'))
    or (b.number = 1 and b.previous_hash <> decode(repeat('00', 32), 'hex'))
    or (b.number > 1 and (p.hash is null or p.hash <> b.previous_hash or p.batch >= b.batch))
  limit 1`

const endingsOf = (piece: Piece) => sql`
  select e.transaction_id, e.number
  from (select * from transfers where ${inPiece(piece)} and phase = 1) e
  left join lateral (
    select kind, debit_account, credit_account, amount, currency
    from transfers
    where transaction_id = e.transaction_id
      and number = e.number
      and phase = 0
      and ${within(part`transaction_id`, piece.ranges)}
    limit 1
  ) h on true
  where h.kind is distinct from 'hold'
    or (h.debit_account, h.credit_account, h.amount, h.currency)
      is distinct from (e.debit_account, e.credit_account, e.amount, e.currency)
  limit 1`

const deltasOf = (piece: Piece) => sql`
  with sums as (
    select batch, s.account_id, sum(s.debits_pending) as debits_pending, sum(s.debits_posted) as debits_posted,
      sum(s.credits_pending) as credits_pending, sum(s.credits_posted) as credits_posted
    from transfers t, lateral effects_of(row(t.*)::public.transfers) s
    where ${inPiece(piece)}
      and s.account_id is distinct from t.wallet_id
    group by batch, s.account_id
    having (sum(s.debits_pending), sum(s.debits_posted), sum(s.credits_pending), sum(s.credits_posted)) <> (0, 0, 0, 0)
  ), recorded as (
    select *
    from account_deltas
    where batch >= ${piece.from}
      and batch < ${piece.below}
  )
  select batch, account_id
  from sums
  full join recorded using (batch, account_id)
  where (sums.debits_pending, sums.debits_posted, sums.credits_pending, sums.credits_posted)
    is distinct from (recorded.debits_pending, recorded.debits_posted, recorded.credits_pending, recorded.credits_posted)
  limit 1`

const sumsOf = (piece: Piece) => sql`
  select s.account_id, count(*)::int as transfers,
    sum(s.debits_pending)::bigint as debits_pending, sum(s.debits_posted)::bigint as debits_posted,
    sum(s.credits_pending)::bigint as credits_pending, sum(s.credits_posted)::bigint as credits_posted
  from transfers t, lateral effects_of(row(t.*)::public.transfers) s
  where ${inPiece(piece)}
  group by s.account_id`
