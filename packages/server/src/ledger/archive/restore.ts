import { sql } from '../../platform/db.ts'
import { refuseChangedRetained } from '../check/archived.ts'
import type { ArchivedMonth } from './archived-months.ts'
import { rangeOf } from './create.ts'
import { openArchive } from './open-archive.ts'
import { type Archiver, replaceMonth } from './replace-month.ts'

interface RestoreOrder {
  readonly folder: string
  readonly cell: number
  /** Called before the transfers are put back. */
  readonly onVerified: () => Promise<void>
}

/**
 * Puts the transfers of a file back: the month's transfers and those of the file are copied to a table, which replaces the month in
 * the transaction that removes the record. Killed before that, the month is still archived.
 */
export async function restoreMonth(
  { session, owner }: Archiver,
  month: ArchivedMonth,
  { folder, cell, onVerified }: RestoreOrder,
): Promise<void> {
  await refuseChangedRetained(session, month)
  await openArchive(session, { folder, cell, months: [month] })
  const { below } = await rangeOf(session, month.month)
  await owner.query(sql`select start_transfers_copy(${`${month.month}-01`}::date)`)
  const [copied] = await session.query<{ transfers: number }>(sql`
    with copied as (
      insert into transfers_copy
      select *
      from transfers
      where transaction_id >= ${month.first_id}
        and transaction_id < ${month.end_id}
        and batch < ${below}
      returning 1
    )
    select count(*)::int as transfers from copied`)
  await onVerified()
  await replaceMonth(
    owner,
    month.month,
    sql`
      with removed as (
        delete from archived_months
        where month = ${`${month.month}-01`}::date
        returning month
      )
      select replace_month(month, ${String(below)}::bigint, ${copied?.transfers}) from removed`,
  )
}
