import { type Db, sql } from './db.ts'
import type { Vault } from './seal.ts'

/** A secret key as the database knows it: by name only. */
export interface KnownKey {
  readonly id: string
  /** When a process last used it as its first key. */
  readonly used_at: Date
  /** When the last sealed value and API key under it was gone. */
  readonly retired_at: Date | null
}

/**
 * How long the API guarantees that an idempotency key holds. Fingerprints of requests cannot be made again under another secret key,
 * so the secret key is needed as long.
 */
export const idempotencyKeysKeptDays = 30

/**
 * Records in the database which keys this process has. The first one writes from now on, so it is not retired, whatever was true
 * before. Each process repeats this, so that a key that some process still writes with does not stay retired.
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

/** Records that nothing is sealed under these keys any more. */
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
  return missing.length === 0 ? undefined : `values in the database use keys that are not configured: ${list}`
}
