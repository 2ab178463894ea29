import { setTimeout as pause } from 'node:timers/promises'
import { type Db, type Query, type Session, sql } from '../../platform/db.ts'

/** The two roles that archive: `malipo_write` reads all transfers, and only the owner may replace a month. */
export interface Archiver {
  readonly session: Session
  readonly owner: Db
}

class ArchiveBusy extends Error {
  override readonly name = 'ArchiveBusy'
}

class OtherDatabase extends Error {
  override readonly name = 'OtherDatabase'
}

/** One command archives or restores at a time: they share the table that replaces a month. */
export async function lockArchive(owner: Db): Promise<void> {
  const [lock] = await owner.query<{ is_ours: boolean }>(
    sql`select pg_try_advisory_lock(hashtextextended('archive', 0)) as is_ours`,
  )
  if (!lock?.is_ours) throw new ArchiveBusy('another malipo archive runs on this database; wait until it ends')
}

/** Both connections must be to one database: the owner would remove what the other one did not read. */
export async function requireSameDatabase({ session, owner }: Archiver): Promise<void> {
  const [process] = await owner.query<{ pid: number }>(sql`select pg_backend_pid() as pid`)
  const [found] = await session.query<{ is_same: boolean }>(sql`
    select exists (
      select
      from pg_locks
      where locktype = 'advisory'
        and granted
        and pid = ${process?.pid}::int
        and ((classid::bigint << 32) | objid::bigint) = hashtextextended('archive', 0)
        and database = (select oid from pg_database where datname = current_database())
    ) as is_same`)
  if (!found?.is_same)
    throw new OtherDatabase('DATABASE_OWNER_URL and DATABASE_URL are of different databases; nothing was changed')
}

/**
 * From here on only the owner can change the table that replaces a month: `malipo_write` loses its right to fill it, and the lock
 * waits for each transaction that has used the right.
 */
export async function closeCopy(owner: Db): Promise<void> {
  await owner.query(sql`
    do $$
    begin
      set local lock_timeout = '2s';
      revoke insert on public.transfers_copy from malipo_write;
      lock table public.transfers_copy in share mode;
    end
    $$`)
}

/** Removes what a run that was refused or failed has copied. The next run removes it if a transaction still uses it now. */
export async function dropCopy(owner: Db): Promise<void> {
  const drop = sql`
    do $$
    begin
      set local lock_timeout = '2s';
      drop table if exists public.transfers_copy;
    end
    $$`
  await owner.query(drop).catch(() => undefined)
}

/** How often the short lock for the replacement is tried, once a second. */
const triesMax = 60

/** Runs the statement that replaces the month. Each try makes payments wait for 100 ms at most; a long reader makes it fail. */
export async function replaceMonth(owner: Db, month: string, statement: Query): Promise<void> {
  await owner.query(sql`select prepare_month(${`${month}-01`}::date)`)
  for (let tries = 1; ; tries += 1) {
    try {
      await owner.query(statement)
      return
    } catch (error) {
      if ((error as { code?: string }).code !== '55P03') throw error
      if (tries === triesMax)
        throw new ArchiveBusy(
          'a long reader, such as a backup, a report or a vacuum, uses the transfers; nothing was replaced, run the command again',
        )
      await pause(1000)
    }
  }
}
