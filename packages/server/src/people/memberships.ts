import { recordAudit } from '../audit/record.ts'
import { AppError } from '../errors.ts'
import { databaseTimeMs } from '../platform/clock.ts'
import { type Db, sql, type Tx } from '../platform/db.ts'
import { newId, readId, showId } from '../platform/ids.ts'
import {
  isMerchantRole,
  isOperatorRole,
  requireMayEnd,
  requireMayGrantOperator,
  requireMayGrantWithin,
  requireUsableScope,
} from './grants.ts'
import type { PeopleContext } from './people-context.ts'
import { actorById, actorOf, type Principal, type Scope } from './principal.ts'
import { endSessions } from './sessions.ts'
import { disable, lock } from './store.ts'

export interface NewMembership extends Scope {
  readonly person_id: string
  readonly merchant_id: string | null
  readonly role: string
}

/**
 * Gives a role to a person who has accepted an invitation before. The person's sessions end, because a session never gains rights:
 * the next sign-in has them.
 */
export async function grantRole(
  tx: Tx,
  context: PeopleContext,
  by: Principal,
  membership: NewMembership,
): Promise<string> {
  requireUsableScope(membership)
  requireMayGrant(by, membership)
  const person = await lock(tx, membership.person_id)
  if (!person || person.disabled_at) throw new AppError('PERSON_MISSING')
  const id = await insertMembership(tx, context, by.id, membership)
  await endSessions(tx, membership.person_id)
  return id
}

/** Refuses to give a role that the giver does not hold, in a scope that is wider, or that does not exist. */
export function requireMayGrant(by: Principal, membership: Omit<NewMembership, 'person_id'>): void {
  const { merchant_id, role } = membership
  if (merchant_id === null && isOperatorRole(role)) requireMayGrantOperator(by, role, membership)
  else if (merchant_id !== null && isMerchantRole(role)) requireMayGrantWithin(by, merchant_id, role, membership)
  else throw new AppError('VALIDATION', { message: `Validation error: ${role} is not a role here.` })
}

/** Inserts the role and its audit entry. The rights of the giver were checked when the person was invited, or just now. */
export async function insertMembership(
  tx: Tx,
  { cell }: PeopleContext,
  grantedBy: string,
  { person_id, merchant_id, role, countries, currencies }: NewMembership,
): Promise<string> {
  const id = newId(await databaseTimeMs(tx), cell)
  const inserted = await tx.query(sql`
    insert into memberships (id, person_id, merchant_id, role, countries, currencies, granted_by)
    values (${id}, ${person_id}, ${merchant_id}, ${role}, ${countries}::text[], ${currencies}::text[], ${grantedBy})
    on conflict do nothing
    returning id`)
  if (inserted.length === 0) throw new AppError('ROLE_HELD')
  await recordAudit(tx, cell, {
    actor: actorById(grantedBy),
    action: 'role.grant',
    ...(merchant_id !== null && { merchant_id }),
    subject: showId('person', person_id),
    detail: { membership: showId('membership', id), role, countries, currencies },
  })
  return showId('membership', id)
}

/** Ends a role, the sessions of its person, and the invitations that the person made there. */
export async function endRole(
  tx: Tx,
  { cell, origin }: PeopleContext,
  by: Principal,
  { membership, reason }: { readonly membership: string; readonly reason: string },
): Promise<void> {
  const [ended] = await tx.query<{ person_id: string; merchant_id: string | null; role: string }>(sql`
    update memberships
    set ended_at = record_time(),
      ended_by = ${by.id}
    where id = ${readId('membership', membership) ?? null}::uuid
      and ended_at is null
    returning person_id, merchant_id, role`)
  if (!ended) throw new AppError('ROLE_MISSING')
  requireMayEnd(by, ended.merchant_id)
  if (ended.merchant_id === null && ended.role === 'admin') await requireOtherAdmin(tx, ended.person_id, by)
  await endSessions(tx, ended.person_id)
  const invitations = await revokeInvitationsBy(tx, showId('person', ended.person_id), ended.merchant_id)
  await recordAudit(tx, cell, {
    actor: actorOf(by),
    action: 'role.end',
    ...(ended.merchant_id !== null && { merchant_id: ended.merchant_id }),
    subject: showId('person', ended.person_id),
    detail: { membership, role: ended.role, invitations },
    reason,
    origin,
  })
}

/** Disables a person permanently: roles, sessions and open invitations end, and no way of signing in works. Only staff may. */
export async function endPerson(
  tx: Tx,
  { cell, origin }: PeopleContext,
  by: Principal,
  { person, reason }: { readonly person: string; readonly reason: string },
): Promise<void> {
  requireMayEnd(by, null)
  const id = readId('person', person)
  if (id === undefined || !(await disable(tx, id))) throw new AppError('PERSON_MISSING')
  if (await isAdmin(tx, id)) await requireOtherAdmin(tx, id, by)
  await tx.query(sql`
    update memberships
    set ended_at = record_time(),
      ended_by = ${by.id}
    where person_id = ${id}
      and ended_at is null`)
  const sessions = await endSessions(tx, id)
  const invitations = await revokeInvitationsBy(tx, person)
  await recordAudit(tx, cell, {
    actor: actorOf(by),
    action: 'person.end',
    subject: person,
    detail: { sessions, invitations },
    reason,
    origin,
  })
}

async function isAdmin(tx: Tx, personId: string): Promise<boolean> {
  const roles = await listMemberships(tx, [personId])
  return roles.some(({ merchant_id, role }) => merchant_id === null && role === 'admin')
}

/** One administrator must not end the last other one, nor a machine the last: no person would be left to approve anything. */
async function requireOtherAdmin(tx: Tx, ending: string, by: Principal): Promise<void> {
  if (by.kind === 'break_glass') return
  const admins = await tx.query<{ person_id: string }>(sql`
    select m.person_id
    from memberships m
    join people p on p.id = m.person_id
    where m.merchant_id is null
      and m.role = 'admin'
      and m.ended_at is null
      and p.disabled_at is null
      and p.id <> all(${[ending, readId('person', by.id) ?? ending]}::uuid[])
    for share of m`)
  // A machine may act for one of them.
  const needed = by.kind === 'machine' ? 2 : 1
  if (new Set(admins.map(({ person_id }) => person_id)).size < needed) throw new AppError('LAST_ADMIN')
}

/** The person may have the links of these invitations. Of one merchant, or with null of the operator's staff, if it is given. */
async function revokeInvitationsBy(tx: Tx, person: string, within?: string | null): Promise<number> {
  const revoked = await tx.query(sql`
    update invitations i
    set revoked_at = record_time()
    where used_at is null
      and revoked_at is null
      and (${within === undefined} or merchant_id is not distinct from ${within ?? null}::uuid)
      and (invited_by = ${person} or exists (
        select
        from proposals p
        where p.maker_id = ${person}
          and (p.operation, p.subject) in (
            ('people.invite', i.email),
            ('people.recover', 'person_' || replace(i.recovers::text, '-', ''))
          )
      ))
    returning i.id`)
  return revoked.length
}

/** Ends every session of a person, who can sign in again. */
export async function endSessionsOf(
  tx: Tx,
  { cell, origin }: PeopleContext,
  by: Principal,
  { person, reason }: { readonly person: string; readonly reason: string },
): Promise<number> {
  requireMayEnd(by, null)
  const id = readId('person', person)
  if (id === undefined || !(await lock(tx, id))) throw new AppError('PERSON_MISSING')
  const sessions = await endSessions(tx, id)
  await recordAudit(tx, cell, {
    actor: actorOf(by),
    action: 'session.end_all',
    subject: person,
    detail: { sessions },
    reason,
    origin,
  })
  return sessions
}

export interface MembershipRow extends NewMembership {
  readonly id: string
  readonly granted_by: string
  readonly created_at: Date
}

/** The roles of people that have not ended. */
export function listMemberships(db: Db, personIds: readonly string[]): Promise<MembershipRow[]> {
  return db.query<MembershipRow>(sql`
    select id, person_id, merchant_id, role, countries, currencies, granted_by, created_at
    from memberships
    where person_id = any (${personIds}::uuid[])
      and ended_at is null
    order by id`)
}
