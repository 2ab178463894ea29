import { AppError } from '../errors.ts'
import { type Db, type Owner, type ReadDb, sql, type Tx } from '../platform/db.ts'
import { readId, showId } from '../platform/ids.ts'
import { endRole } from './memberships.ts'
import type { PeopleContext } from './people-context.ts'
import type { Principal } from './principal.ts'
import { sharePasskey } from './same-person.ts'

interface MemberRow {
  readonly id: string
  readonly person_id: string
  readonly name: string
  readonly email: string
  readonly role: string
  readonly countries: readonly string[]
  readonly currencies: readonly string[]
  readonly granted_by: string
  readonly created_at: Date
}

const listedMax = 1000

/** The people of a merchant with their roles there, by the order in which they got the first of them. */
export async function listTeam(db: ReadDb, owner: Owner) {
  const rows = await db.query<MemberRow>(
    owner,
    sql`
      select m.id, m.person_id, p.name, p.email, m.role, m.countries, m.currencies, m.granted_by, m.created_at
      from memberships m
      join people p on p.id = m.person_id
      where m.merchant_id = ${owner.merchant_id}
        and m.ended_at is null
        and p.disabled_at is null
      order by m.id
      limit ${listedMax}`,
  )
  return [...Map.groupBy(rows, ({ person_id }) => person_id)].map(([personId, roles]) => ({
    id: showId('person', personId),
    name: roles[0]?.name ?? '',
    email: roles[0]?.email ?? '',
    roles: roles.map((each) => ({ ...scopeOf(each), id: showId('membership', each.id), grantedBy: each.granted_by })),
  }))
}

interface InvitationRow extends Pick<MemberRow, 'id' | 'name' | 'email' | 'role' | 'countries' | 'currencies'> {
  readonly invited_by: string
  readonly expires_at: Date
}

/** Invitations of a merchant that can still be accepted. Only writers know the time of record, by which they expire. */
export async function listInvitations(db: Db, { merchant_id }: Owner) {
  const rows = await db.query<InvitationRow>(sql`
    select id, name, email, role, countries, currencies, invited_by, expires_at
    from invitations
    where merchant_id = ${merchant_id}
      and used_at is null
      and revoked_at is null
      and expires_at > record_time()
    order by id
    limit ${listedMax}`)
  return rows.map(({ id, name, email, invited_by, expires_at, ...rest }) => ({
    ...scopeOf(rest),
    id: showId('invitation', id),
    name,
    email,
    invitedBy: invited_by,
    expiresAt: expires_at.toISOString(),
  }))
}

const scopeOf = ({ role, countries, currencies }: Pick<MemberRow, 'role' | 'countries' | 'currencies'>) => ({
  role,
  countries,
  currencies,
})

/**
 * Ends a role within one merchant. One owner without limits always stays. Owners take turns here: of two who end each other's role,
 * one is refused.
 */
export async function endTeamRole(
  tx: Tx,
  context: PeopleContext,
  by: Principal,
  order: { readonly merchant_id: string; readonly membership: string; readonly reason: string },
): Promise<void> {
  const owners = await tx.query<{ id: string }>(sql`
    select m.id
    from memberships m
    join people p on p.id = m.person_id
    where m.merchant_id = ${order.merchant_id}
      and m.role = 'owner'
      and m.countries = '{}'
      and m.currencies = '{}'
      and m.ended_at is null
      and p.disabled_at is null
    order by m.id
    for no key update of m`)
  const id = readId('membership', order.membership)
  const [ended] = await tx.query(sql`
    select
    from memberships
    where id = ${id ?? null}::uuid
      and merchant_id = ${order.merchant_id}
      and ended_at is null`)
  if (!ended) throw new AppError('ROLE_MISSING')
  if (owners.length === 1 && owners[0]?.id === id) throw new AppError('LAST_OWNER')
  await endRole(tx, context, by, order)
}

/** Refuses an invitation that is not of this merchant as one that does not exist. */
export async function refuseOtherInvitation(tx: Tx, { merchant_id }: Owner, shownId: string): Promise<void> {
  const [found] = await tx.query(sql`
    select
    from invitations
    where id = ${readId('invitation', shownId) ?? null}::uuid
      and merchant_id = ${merchant_id}`)
  if (!found) throw new AppError('INVITATION_INVALID')
}

/** Refuses the person who made the invitation, also under another identity with the same passkey. */
export async function refuseInviter(tx: Tx, shownId: string, personId: string): Promise<void> {
  const [found] = await tx.query<{ invited_by: string }>(sql`
    select invited_by from invitations where id = ${readId('invitation', shownId) ?? null}::uuid`)
  const inviter = found?.invited_by ?? ''
  if (inviter === personId || (await sharePasskey(tx, personId, inviter))) throw new AppError('APPROVAL_NOT_ALLOWED')
}
