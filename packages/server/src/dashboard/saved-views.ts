import { AppError } from '../errors.ts'
import { databaseTimeMs } from '../platform/clock.ts'
import { type Owner, type ReadDb, sql, type Tx } from '../platform/db.ts'
import { newId } from '../platform/ids.ts'
import { nameMerchants } from '../platform/named-merchants.ts'

/** A list of the dashboard under a name. */
export interface SavedView {
  readonly id: string
  readonly person_id: string
  readonly person_name: string
  readonly page: string
  readonly name: string
  readonly filters: Readonly<Record<string, string | number>>
  readonly is_shared: boolean
}

/** Whose views of which merchant. */
export interface ViewOwner extends Owner {
  readonly person_id: string
}

export type ViewContent = Pick<SavedView, 'page' | 'name' | 'filters' | 'is_shared'>

const viewsMax = 50
const sharedMax = 200

/** The person's own views, then those that other people of the merchant share, by name. A person who left shares none. */
export function listViews(db: ReadDb, { merchant_id, env, person_id }: ViewOwner): Promise<SavedView[]> {
  return db.query<SavedView>(
    { merchant_id, env },
    sql`
      select v.id, v.person_id, p.name as person_name, v.page, v.name, v.filters, v.is_shared
      from saved_views v
      join people p on p.id = v.person_id
      where v.merchant_id = ${merchant_id}
        and v.env = ${env}
        and (
          v.person_id = ${person_id}
          or v.is_shared and exists (select from memberships m where m.person_id = v.person_id and m.ended_at is null)
        )
      order by v.person_id <> ${person_id}, v.page, v.name, v.id
      limit ${viewsMax + sharedMax}`,
  )
}

export async function saveView(tx: Tx, cell: number, owner: ViewOwner, view: ViewContent): Promise<string> {
  await lockViews(tx, owner)
  const others = await namesOf(tx, owner)
  if (others.length >= viewsMax) throw new AppError('SAVED_VIEW_LIMIT')
  refuseUsedName(others, view)
  const id = newId(await databaseTimeMs(tx), cell)
  const { page, name, filters, is_shared } = view
  await tx.query(sql`
    insert into saved_views (id, merchant_id, env, person_id, page, name, filters, is_shared)
    values (${id}, ${owner.merchant_id}, ${owner.env}, ${owner.person_id}, ${page}, ${name}, ${JSON.stringify(filters)}, ${is_shared})`)
  return id
}

/** Replaces a view; its page stays. */
export async function changeView(tx: Tx, owner: ViewOwner, id: string, view: Omit<ViewContent, 'page'>): Promise<void> {
  await lockViews(tx, owner)
  const all = await namesOf(tx, owner)
  const own = all.find((each) => each.id === id)
  if (!own) throw new AppError('SAVED_VIEW_MISSING')
  const { name, filters, is_shared } = view
  refuseUsedName(
    all.filter((each) => each !== own),
    { page: own.page, name },
  )
  await tx.query(sql`
    update saved_views
    set name = ${name}, filters = ${JSON.stringify(filters)}, is_shared = ${is_shared}
    where id = ${id}`)
}

export async function deleteView(tx: Tx, owner: ViewOwner, id: string): Promise<void> {
  await lockViews(tx, owner)
  const deleted = await tx.query(sql`
    delete from saved_views
    where id = ${id}
      and merchant_id = ${owner.merchant_id}
      and env = ${owner.env}
      and person_id = ${owner.person_id}
    returning id`)
  if (deleted.length === 0) throw new AppError('SAVED_VIEW_MISSING')
}

/** A person's changes take turns, so that the count and the names that one reads stay true until it ends. */
async function lockViews(tx: Tx, { merchant_id, person_id }: ViewOwner): Promise<void> {
  await nameMerchants(tx, [merchant_id])
  await tx.query(sql`select pg_advisory_xact_lock(hashtextextended('saved_views ' || ${person_id}::text, 0))`)
}

type NamedView = Pick<SavedView, 'id' | 'page' | 'name'>

const namesOf = (tx: Tx, { merchant_id, env, person_id }: ViewOwner): Promise<NamedView[]> =>
  tx.query<NamedView>(sql`
    select id, page, name
    from saved_views
    where merchant_id = ${merchant_id}
      and env = ${env}
      and person_id = ${person_id}`)

function refuseUsedName(others: readonly NamedView[], { page, name }: Pick<ViewContent, 'page' | 'name'>): void {
  if (others.some((each) => each.page === page && each.name === name)) throw new AppError('SAVED_VIEW_NAME_USED')
}
