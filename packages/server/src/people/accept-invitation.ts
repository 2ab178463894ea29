import { type Origin, recordAudit } from '../audit/record.ts'
import { AppError } from '../errors.ts'
import type { Tx } from '../platform/db.ts'
import { readId, showId } from '../platform/ids.ts'
import { type OpenInvitation, useInvitation } from './invite.ts'
import { insertMembership } from './memberships.ts'
import type { PeopleContext } from './people-context.ts'
import type { Principal } from './principal.ts'
import { endSessions } from './sessions.ts'
import { find, insert } from './store.ts'

/** An invitation and where it is accepted from. */
export interface AcceptedInvitation extends OpenInvitation {
  readonly origin: Origin
}

/**
 * Accepts an invitation as a new person, who gets a way to sign in from `addSignIn`, in the same transaction. Refused for the
 * e-mail address of a known person: otherwise the sender of an invitation could sign in as that person.
 */
export async function acceptAsNewPerson(
  tx: Tx,
  context: PeopleContext,
  { person_id, ...invitation }: AcceptedInvitation & { readonly person_id: string },
  addSignIn: () => Promise<void>,
): Promise<void> {
  if (!(await insert(tx, { ...invitation, id: person_id }))) throw new AppError('INVITATION_NEEDS_SIGN_IN')
  await addSignIn()
  await accept(tx, context, invitation, person_id)
}

/** Accepts an invitation as a person who is signed in: it adds a role. The person's sessions end: none of them gains rights. */
export async function acceptAsKnownPerson(
  tx: Tx,
  context: PeopleContext,
  invitation: AcceptedInvitation,
  principal: Principal,
): Promise<void> {
  if (invitation.recovers !== null) throw new AppError('INVITATION_INVALID')
  const personId = readId('person', principal.id) ?? ''
  const person = await find(tx, personId)
  if (person?.email.toLowerCase() !== invitation.email.toLowerCase()) throw new AppError('INVITATION_FOR_ANOTHER')
  await accept(tx, context, invitation, personId)
  await endSessions(tx, personId)
}

async function accept(tx: Tx, context: PeopleContext, invitation: AcceptedInvitation, personId: string): Promise<void> {
  await useInvitation(tx, invitation.id, personId)
  await insertMembership(tx, context, invitation.invited_by, { ...invitation, person_id: personId })
  await recordAudit(tx, context.cell, {
    actor: { kind: 'person', id: showId('person', personId), name: invitation.name },
    action: 'person.accept_invitation',
    ...(invitation.merchant_id !== null && { merchant_id: invitation.merchant_id }),
    subject: showId('invitation', invitation.id),
    origin: invitation.origin,
  })
}
