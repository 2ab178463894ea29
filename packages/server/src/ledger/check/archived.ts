import { type Db, part, sql } from '../../platform/db.ts'
import { showId } from '../../platform/ids.ts'
import type { ArchivedMonth } from '../archive/archived-months.ts'
import { LedgerDisagreement, MonthArchived } from './disagreement.ts'
import { inPiece, type Piece, within } from './months.ts'

/**
 * Throws if the transfers of an archived month in the database are not those that stayed when it was archived: one was added to an
 * old batch, changed or removed. Later batches are not compared here.
 */
export async function refuseChangedRetained(db: Db, { month }: Pick<ArchivedMonth, 'month'>): Promise<void> {
  const [changed] = await db.query<{ transfers: bigint; retained: bigint }>(sql`
    select found.transfers, m.retained_transfers as retained
    from archived_months m
    cross join lateral (
      select count(*) as transfers,
        sha256(coalesce(string_agg(sha256(convert_to(archive_line(row(t.*)::public.transfers), 'UTF8')), ''::bytea
          order by t.transaction_id, t.number, t.phase), '')) as hash
      from public.transfers t
      where t.transaction_id >= m.first_id
        and t.transaction_id < m.end_id
        and t.batch < m.below
    ) found
    where m.month = ${`${month}-01`}::date
      and (found.transfers <> m.retained_transfers or found.hash <> m.retained_hash)`)
  if (changed)
    throw new LedgerDisagreement(
      `the retained transfers of the archived month ${month} were changed: ${changed.transfers} in place of ${changed.retained}`,
    )
}

/** An ordinary check compares one archived month, the next by turn: so its work does not grow with the number of months. */
export async function refuseChangedByTurn(db: Db): Promise<void> {
  const [next] = await db.query<{ month: string }>(sql`
    select to_char(m.month, 'YYYY-MM') as month
    from archived_months m
    cross join ledger_checkpoints c
    order by m.month > c.retained_month desc nulls last, m.month
    limit 1`)
  if (!next) return
  await refuseChangedRetained(db, next)
  await db.query(sql`update ledger_checkpoints set retained_month = ${`${next.month}-01`}::date`)
}

/**
 * A payment whose transfers were archived and that moved money in these batches can be compared with its state only together with its
 * file. Those that stayed have earlier transfers here.
 */
export async function refuseLateInArchive(db: Db, piece: Piece): Promise<void> {
  const [late] = await db.query<{ id: string; month: string }>(sql`
    select t.transaction_id as id, to_char(m.month, 'YYYY-MM') as month
    from archived_months m
    join (
      select transaction_id, max(batch) as batch from transfers where ${inPiece(piece)} group by transaction_id
    ) t on t.transaction_id >= m.first_id and t.transaction_id < m.end_id
    where t.batch >= m.below
      and not exists (
        select
        from transfers r
        where r.transaction_id = t.transaction_id
          and r.batch < m.below
          and ${within(part`r.transaction_id`, piece.ranges)}
      )
    limit 1`)
  if (late)
    throw new MonthArchived(
      `${showId('transaction', late.id)} moved money after its month ${late.month} was archived: run malipo ledger check --archive with the folder of the files, once`,
    )
}
