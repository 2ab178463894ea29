import { type Db, sql } from './db.ts'
import type { Vault } from './seal.ts'

/** A secret key as the database knows it: by its name. */
export interface KnownKey {
  readonly id: string
  /** When a process last had it as the first of its keys. */
  readonly used_at: Date
  /** When no sealed value and no API key was left under it. */
  readonly retired_at: Date | null
}

/** Fingerprints of idempotency keys cannot be made again under another key; they are needed for as long as the API promises. */
export const fingerprintsKeptDays = 30

/**
 * Tells the database which keys this process has. The first one writes from now on, so it is not retired, whatever was true before.
 * Each process repeats this, so that a key which is still written with by some process does not stay retired.
 */
export async function noteKeys(db: Db, { keyIds: [current, ...others] }: Vault): Promise<void> {
  await db.query(sql`
    insert into secret_keys (id)
    values (${current})
    on conflict (id) do update set used_at = now(), retired_at = null`)
  await db.query(sql`
    insert into secret_keys (id)
    select unnest(${others}::text[])
    on conflict do nothing`)
}

export function listKeys(db: Db): Promise<KnownKey[]> {
  return db.query<KnownKey>(sql`select id, used_at, retired_at from secret_keys order by used_at desc, id`)
}

/** Notes that nothing is sealed under these keys any more. */
export async function retireKeys(db: Db, ids: readonly string[]): Promise<void> {
  await db.query(sql`
    update secret_keys
    set retired_at = now()
    where id = any(${ids}::text[])
      and retired_at is null`)
}

/** Why processes with these keys cannot read everything, if so. */
export async function missingKeys(db: Db, { keyIds }: Vault): Promise<string | undefined> {
  const missing = (await listKeys(db)).filter(({ id, retired_at }) => !keyIds.includes(id) && retired_at === null)
  const list = missing.map(({ id }) => id).join(', ')
  return missing.length === 0 ? undefined : `values in the database are under keys that are not configured: ${list}`
}
