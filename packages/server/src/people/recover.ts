import { randomBytes } from 'node:crypto'
import { recordAudit } from '../audit/record.ts'
import { AppError } from '../errors.ts'
import { databaseTimeMs } from '../platform/clock.ts'
import { sql, type Tx } from '../platform/db.ts'
import { newId, readId, showId } from '../platform/ids.ts'
import { requireMayEnd } from './grants.ts'
import { type Invited, invitationLink, type OpenInvitation, useInvitation } from './invite.ts'
import { listMemberships, type MembershipRow, requireMayGrant } from './memberships.ts'
import type { PeopleContext } from './people-context.ts'
import type { Principal } from './principal.ts'
import { endSessions } from './sessions.ts'
import { lock, type Person } from './store.ts'
import { endWaysToSignIn } from './ways-to-sign-in.ts'

interface Recovery {
  readonly invited: Invited
  readonly person: Person
  readonly roles: readonly MembershipRow[]
  readonly sessions: number
}

/**
 * Ends every session and every way to sign in of a person, and makes a link with which the person adds a new one. The roles stay.
 * The link gives all of them, so it needs the right to grant each.
 */
export async function recoverPerson(tx: Tx, context: PeopleContext, by: Principal, shownId: string): Promise<Recovery> {
  requireMayEnd(by, null)
  const id = readId('person', shownId)
  const person = id === undefined ? undefined : await lock(tx, id)
  if (!person || person.disabled_at) throw new AppError('PERSON_MISSING')
  const roles = await listMemberships(tx, [person.id])
  for (const role of roles) requireMayGrant(by, role)
  await endWaysToSignIn(tx, person.id)
  const sessions = await endSessions(tx, person.id)
  return { invited: await makeLink(tx, context, by, person), person, roles, sessions }
}

/** An earlier link of the person ends. */
async function makeLink(tx: Tx, context: PeopleContext, by: Principal, { id, email, name }: Person): Promise<Invited> {
  await tx.query(sql`
    update invitations
    set revoked_at = record_time()
    where recovers = ${id}
      and used_at is null
      and revoked_at is null`)
  const invitationId = newId(await databaseTimeMs(tx), context.cell)
  const { link, hash } = invitationLink(context, randomBytes(32).toString('base64url'))
  const [made] = await tx.query<{ expires_at: Date }>(sql`
    insert into invitations (id, token_hash, email, name, recovers, invited_by)
    values (${invitationId}, ${hash}, ${email}, ${name}, ${id}, ${by.id})
    returning expires_at`)
  return { id: showId('invitation', invitationId), link, expiresAt: made?.expires_at.toISOString() ?? '' }
}

/** Uses the link: the person gets the way to sign in that `addSignIn` adds, in the same transaction. */
export async function acceptRecovery(
  tx: Tx,
  { cell }: PeopleContext,
  { id, recovers }: Pick<OpenInvitation, 'id' | 'recovers'>,
  addSignIn: () => Promise<void>,
): Promise<void> {
  const person = await lock(tx, recovers ?? '')
  if (!person || person.disabled_at) throw new AppError('INVITATION_INVALID')
  await useInvitation(tx, id, person.id)
  await addSignIn()
  const subject = showId('person', person.id)
  const actor = { kind: 'person', id: subject, name: person.name } as const
  const detail = { invitation: showId('invitation', id) }
  await recordAudit(tx, cell, { actor, action: 'person.recovered', subject, detail })
}
