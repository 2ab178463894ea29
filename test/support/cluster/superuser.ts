import type { Database } from '../../../packages/server/src/platform/db.ts'
import { keys, type Row, type Rows, type Table, type Tampering } from '../faults/tampering.ts'

/** A superuser who may change anything in the database, and restores it. */
export interface Superuser {
  readonly rows: Rows
  /** Applies a change. False if the database refuses it or nothing changes. */
  tamper(tampering: Tampering): Promise<boolean>
  /** Restores everything. */
  undo(): Promise<void>
}

const tables = Object.keys(keys) as Table[]

/** `db` must be the superuser's own login. The tables are restored to their content at this call. */
export async function createSuperuser({ write }: Database): Promise<Superuser> {
  const run = <Found>(statements: readonly string[]): Promise<Found[]> =>
    write.transaction(async (tx) => {
      let found: Found[] = []
      for (const text of ['set local role none', 'set local session_replication_role = replica', ...statements])
        found = await tx.query<Found>({ name: '', text, values: [] })
      return found
    })
  await run(['create schema saved', ...tables.map((table) => `create table saved.${table} as table ${table}`)])
  await run([dropChecks])
  const read = async (table: Table): Promise<readonly Row[]> => {
    const found = await run<{ row: Row }>([
      `select (select jsonb_object_agg(key, value) from jsonb_each_text(to_jsonb(t))) as row from ${table} t`,
    ])
    return found.map(({ row }) => row)
  }
  const entries = await Promise.all(tables.map(async (table) => [table, await read(table)] as const))
  return {
    rows: Object.fromEntries(entries) as Record<Table, readonly Row[]>,
    tamper: async ({ statements }) => {
      const isRefused = ({ code }: { code?: string }) => /^2[23]/.test(code ?? '')
      const [found] = await run<{ count: number }>([...statements, differences]).catch((error) => {
        if (isRefused(error)) return []
        throw error
      })
      return found !== undefined && found.count > 0
    },
    undo: async () => void (await run(tables.flatMap(undoOf))),
  }
}

/** Constraints do not stop a superuser either. */
const dropChecks = `do $$
declare
  found record;
begin
  for found in
    select conrelid::regclass as name, conname from pg_constraint
    where contype = 'c' and coninhcount = 0 and conrelid = any('{${tables}}'::regclass[])
  loop
    execute format('alter table %s drop constraint %I', found.name, found.conname);
  end loop;
end $$`

const differenceOf = (table: Table) =>
  `(table ${table} except table saved.${table}) union all (table saved.${table} except table ${table})`
const differences = `select (${tables.map((table) => `(select count(*) from (${differenceOf(table)}) d)`).join(' + ')})::int as count`

function undoOf(table: Table): string[] {
  const key = `(${keys[table].join()})`
  return [
    `delete from ${table} where ${key} in (select ${keys[table].join()} from (table ${table} except table saved.${table}) d)`,
    `insert into ${table} table saved.${table} except table ${table}`,
  ]
}
