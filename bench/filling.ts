import type { Cell } from '../test/support/cluster/cell.ts'

/**
 * Drops the indexes of these tables, and the primary key of a table of lookups. Returns what makes them again: they are created after
 * the load, as after a COPY.
 */
export async function dropIndexes(
  ask: Cell['ask'],
  tables: readonly string[],
  lookups: { readonly table: string; readonly key: string },
): Promise<string[]> {
  const found = await ask<{ name: string; made: string }>(
    `select i.indexrelid::regclass::text as name, pg_get_indexdef(i.indexrelid) as made
     from pg_index i
     where i.indrelid = any($1::regclass[]) and not i.indisprimary`,
    [tables],
  )
  for (const { name } of found) await ask(`drop index ${name}`)
  const { table, key } = lookups
  await ask(`alter table ${table} drop constraint ${table}_pkey`)
  const again = `alter table ${table} add constraint ${table}_pkey primary key (${key})`
  return [...found.map(({ made }) => made.replace(' ONLY ', ' ')), again]
}
