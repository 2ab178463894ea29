import type { Database } from '../../../packages/server/src/platform/db.ts'
import type { Row, Tampering } from '../faults/tampering.ts'

/** A superuser who may change anything in the database, and restores it. */
export interface Superuser<Table extends string> {
  /** The original rows as text. */
  readonly rows: Readonly<Record<Table, readonly Row[]>>
  /** Applies a change. False if the database refuses it or nothing changes. */
  tamper(tampering: Tampering): Promise<boolean>
  /** Restores everything. */
  undo(): Promise<void>
}

/** `db` must be the superuser's own login. The tables, with their key columns, are restored to their content at this call. */
export async function createSuperuser<Table extends string>(
  { write }: Database,
  keys: Readonly<Record<Table, readonly string[]>>,
): Promise<Superuser<Table>> {
  const tables = Object.keys(keys) as Table[]
  const run = <Found>(statements: readonly string[]): Promise<Found[]> =>
    write.transaction(async (tx) => {
      let found: Found[] = []
      for (const text of ['set local role none', 'set local session_replication_role = replica', ...statements])
        found = await tx.query<Found>({ name: '', text, values: [] })
      return found
    })
  await run(['create schema saved', ...tables.map((table) => `create table saved.${table} as table ${table}`)])
  await run([dropChecks(tables)])
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
      const [found] = await run<{ count: number }>([...statements, differences(tables)]).catch((error) => {
        if (isRefused(error)) return []
        throw error
      })
      return found !== undefined && found.count > 0
    },
    undo: async () => void (await run(tables.flatMap((table) => undoOf(table, keys[table])))),
  }
}

/** Constraints do not stop a superuser either. */
const dropChecks = (tables: readonly string[]) => `do $$
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

const differenceOf = (table: string) =>
  `(table ${table} except table saved.${table}) union all (table saved.${table} except table ${table})`
const differences = (tables: readonly string[]) =>
  `select (${tables.map((table) => `(select count(*) from (${differenceOf(table)}) d)`).join(' + ')})::int as count`

function undoOf(table: string, key: readonly string[]): string[] {
  return [
    `delete from ${table} where (${key.join()}) in (select ${key.join()} from (table ${table} except table saved.${table}) d)`,
    `insert into ${table} table saved.${table} except table ${table}`,
  ]
}
