import { type Db, type Environment, sql, type Tx } from '../platform/db.ts'

export interface Merchant {
  readonly id: string
  readonly name: string
  readonly email: string
  readonly first_name: string
  readonly last_name: string
  readonly home_country: string
  readonly frozen_at: Date | null
  readonly created_at: Date
}

export type NewMerchant = Omit<Merchant, 'frozen_at' | 'created_at'>

export async function insert(tx: Tx, made: NewMerchant): Promise<void> {
  await tx.query(sql`
    insert into merchants (id, name, email, first_name, last_name, home_country)
    values (${made.id}, ${made.name}, ${made.email}, ${made.first_name}, ${made.last_name}, ${made.home_country})`)
}

export async function find(db: Db, id: string): Promise<Merchant | undefined> {
  const [found] = await db.query<Merchant>(sql`select * from merchants where id = ${id}`)
  return found
}

/** A page of merchants in creation order, after this id. */
export function list(db: Db, page: { after: string | undefined; limit: number }): Promise<Merchant[]> {
  return db.query<Merchant>(sql`
    select *
    from merchants
    where id > coalesce(${page.after ?? null}::uuid, '00000000-0000-0000-0000-000000000000')
    order by id
    limit ${page.limit}`)
}

/** Freezes or unfreezes, and returns whether that changed anything. */
export async function setFrozen(tx: Tx, id: string, { isFrozen }: { isFrozen: boolean }): Promise<boolean> {
  const changed = await tx.query(sql`
    update merchants
    set frozen_at = case when ${isFrozen} then now() end
    where id = ${id}
      and (frozen_at is not null) <> ${isFrozen}
    returning id`)
  return changed.length > 0
}

export interface Names {
  readonly first_name: string | undefined
  readonly last_name: string | undefined
}

/** Changes the given names. Returns false when the merchant does not exist. */
export async function rename(tx: Tx, id: string, { first_name, last_name }: Names): Promise<boolean> {
  const renamed = await tx.query(sql`
    update merchants
    set first_name = coalesce(${first_name ?? null}, first_name),
      last_name = coalesce(${last_name ?? null}, last_name)
    where id = ${id}
    returning id`)
  return renamed.length > 0
}

export interface Endpoint {
  readonly merchant_id: string
  readonly env: Environment
}

/** Creates a merchant's webhook endpoint in one environment, without a URL. */
export async function insertEndpoint(tx: Tx, { merchant_id, env }: Endpoint, sealedSecret: string): Promise<void> {
  await tx.query(sql`
    insert into webhook_endpoints (merchant_id, env, secret)
    values (${merchant_id}, ${env}, ${sealedSecret})`)
}

/** Setting a URL, even the same one, makes it due at once and clears earlier failures. */
export async function setEndpointUrl(tx: Tx, { merchant_id, env }: Endpoint, url: string): Promise<void> {
  await tx.query(sql`
    update webhook_endpoints
    set url = ${url},
      failures = 0,
      failing_since = null,
      rests_until = '-infinity',
      disabled_at = null,
      next_due = case when ${url} = '' then null else record_time() end
    where merchant_id = ${merchant_id}
      and env = ${env}`)
}

/** The new secret signs from now on, and the old one beside it for a day. Returns false when the endpoint does not exist. */
export async function replaceSecret(tx: Tx, { merchant_id, env }: Endpoint, sealedSecret: string): Promise<boolean> {
  const replaced = await tx.query(sql`
    update webhook_endpoints
    set previous_secret = secret,
      previous_secret_until = record_time() + interval '24 hours',
      secret = ${sealedSecret}
    where merchant_id = ${merchant_id}
      and env = ${env}
    returning merchant_id`)
  return replaced.length > 0
}
