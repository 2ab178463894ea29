import { type Db, sql, type Tx } from '../platform/db.ts'

/** A person, as stored. */
export interface Person {
  readonly id: string
  readonly email: string
  readonly name: string
  /** Sealed. */
  readonly password_hash: string | null
  /** Sealed. */
  readonly totp_secret: string | null
  readonly created_at: Date
  readonly disabled_at: Date | null
}

export async function find(db: Db, id: string): Promise<Person | undefined> {
  const [found] = await db.query<Person>(sql`
    select id, email, name, password_hash, totp_secret, created_at, disabled_at
    from people
    where id = ${id}`)
  return found
}

export async function findByEmail(db: Db, email: string): Promise<Person | undefined> {
  const [found] = await db.query<Person>(sql`
    select id, email, name, password_hash, totp_secret, created_at, disabled_at
    from people
    where lower(email) = lower(${email})`)
  return found
}

/** People by id, which is the order in which they joined. */
export function list(
  db: Db,
  { after, limit }: { readonly after: string | undefined; readonly limit: number },
): Promise<Person[]> {
  return db.query<Person>(sql`
    select id, email, name, password_hash, totp_secret, created_at, disabled_at
    from people
    where id > ${after ?? '00000000-0000-0000-0000-000000000000'}
    order by id
    limit ${limit}`)
}

/** Locks the person, so that changes to its ways of signing in happen one after another. */
export async function lock(tx: Tx, id: string): Promise<Person | undefined> {
  const [found] = await tx.query<Person>(sql`
    select id, email, name, password_hash, totp_secret, created_at, disabled_at
    from people
    where id = ${id}
    for no key update`)
  return found
}

/** Returns false when another person has the e-mail address. */
export async function insert(tx: Tx, person: Pick<Person, 'id' | 'email' | 'name'>): Promise<boolean> {
  const inserted = await tx.query(sql`
    insert into people (id, email, name)
    values (${person.id}, ${person.email}, ${person.name})
    on conflict do nothing
    returning id`)
  return inserted.length === 1
}

/** Both are sealed; neither exists without the other. */
export async function setPassword(
  db: Db,
  { id, password_hash, totp_secret }: Pick<Person, 'id' | 'password_hash' | 'totp_secret'>,
): Promise<void> {
  await db.query(sql`
    update people
    set password_hash = ${password_hash},
      totp_secret = ${totp_secret}
    where id = ${id}`)
}

export async function replaceHash(
  db: Db,
  { id, from, to }: { readonly id: string; readonly from: string | null; readonly to: string },
): Promise<void> {
  await db.query(sql`
    update people
    set password_hash = ${to}
    where id = ${id}
      and password_hash = ${from}`)
}

/** Uses up a time step. False when it or a later one was used before: two requests with one code cannot both succeed. */
export async function useTotpStep(db: Db, id: string, step: number): Promise<boolean> {
  const used = await db.query(sql`
    update people
    set totp_step = ${step}
    where id = ${id}
      and totp_step < ${step}
    returning id`)
  return used.length === 1
}

/** Returns false when the person was disabled before. */
export async function disable(tx: Tx, id: string): Promise<boolean> {
  const disabled = await tx.query(sql`
    update people
    set disabled_at = record_time()
    where id = ${id}
      and disabled_at is null
    returning id`)
  return disabled.length === 1
}
