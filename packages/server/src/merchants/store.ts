import { type Db, sql, type Tx } from '../platform/db.ts'

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
