import { type Db, sql } from './db.ts'

export type CommandName = 'ledger_check' | 'ledger_check_full' | 'backup'

/** The last run of a command, for the metrics. */
export interface CommandResult {
  readonly name: CommandName
  readonly isGood: boolean
  readonly detail?: string
}

const detailMax = 1000

export async function recordCommand(db: Db, { name, isGood, detail = '' }: CommandResult): Promise<void> {
  await db.query(sql`
    insert into command_results (name, ended_at, is_good, detail)
    values (${name}, now(), ${isGood}, ${detail.slice(0, detailMax)})
    on conflict (name) do update
    set ended_at = excluded.ended_at, is_good = excluded.is_good, detail = excluded.detail`)
}

export async function readCommand(db: Db, name: CommandName): Promise<{ is_good: boolean; hours: number } | undefined> {
  const [found] = await db.query<{ is_good: boolean; hours: number }>(sql`
    select is_good, extract(epoch from clock_timestamp() - ended_at)::float8 / 3600 as hours
    from command_results
    where name = ${name}`)
  return found
}
