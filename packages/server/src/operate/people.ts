import { AppError } from '../errors.ts'
import { isMerchantRole, isOperatorRole } from '../people/grants.ts'
import { type Invited, inviteMerchantPerson, inviteOperator } from '../people/invite.ts'
import {
  endPerson,
  endRole,
  endSessionsOf,
  grantRole,
  listMemberships,
  type MembershipRow,
} from '../people/memberships.ts'
import type { PeopleContext } from '../people/people-context.ts'
import { recoverPerson } from '../people/recover.ts'
import { merchantRoles, operatorRoles } from '../people/roles.ts'
import { identitiesOf } from '../people/same-person.ts'
import { listSessions, type SessionView } from '../people/sessions.ts'
import { find, list, type Person } from '../people/store.ts'
import { sql, type Tx } from '../platform/db.ts'
import { readId, showId } from '../platform/ids.ts'

import { existing, merchantId } from './merchants.ts'
import { audited, type OperatorContext, OperatorError } from './operator-context.ts'

export interface InviteOrder {
  readonly email: string
  readonly name: string
  readonly role: string
  /** A merchant's id; without one the person is of the operator's staff. */
  readonly merchant?: string
  readonly countries?: readonly string[]
  readonly currencies?: readonly string[]
  readonly isForOidc?: boolean
  readonly reason?: string
}

export interface PersonView {
  readonly id: string
  readonly name: string
  readonly email: string
  readonly state: 'active' | 'ended'
  readonly roles: readonly RoleView[]
  readonly createdAt: string
}

interface RoleView {
  readonly id: string
  readonly role: string
  /** Null for the operator's staff. */
  readonly merchant: string | null
  readonly countries: readonly string[]
  readonly currencies: readonly string[]
  readonly grantedBy: string
}

export interface GrantOrder {
  readonly role: string
  /** A merchant's id; without one the role is of the operator's staff. */
  readonly merchant?: string
  readonly countries?: readonly string[]
  readonly currencies?: readonly string[]
  readonly reason: string
}

export interface GrantedRole {
  /** The id of the role of this person. */
  readonly membership: string
}

export const peopleOf = ({ cell, vault, publicUrl, origin }: OperatorContext): PeopleContext => ({
  ...{ cell, vault, publicUrl, origin },
})

/** Invites a person. Returns a link that works once. */
export async function invitePerson(context: OperatorContext, order: InviteOrder): Promise<Invited> {
  const { merchant, role, reason, ...invitee } = order
  const known = Object.keys(merchant === undefined ? operatorRoles : merchantRoles).join(', ')
  const { principal } = context
  const entry = { action: 'people.invite', subject: invitee.email, detail: { role, merchant, ...invitee }, reason }
  return inPlainWords(
    audited(context, async (tx) => {
      if (merchant === undefined) {
        if (!isOperatorRole(role)) throw new OperatorError(`${role} is not a role of the operator's staff: ${known}`)
        return { result: await inviteOperator(tx, peopleOf(context), principal, { ...invitee, role }), entry }
      }
      if (!isMerchantRole(role)) throw new OperatorError(`${role} is not a role of merchants: ${known}`)
      const { id: merchant_id } = await existing(tx, merchantId(merchant))
      const result = await inviteMerchantPerson(tx, peopleOf(context), principal, { ...invitee, role, merchant_id })
      return { result, entry: { ...entry, merchant_id } }
    }),
  )
}

/** Gives a role to a person who joined before. The person's sessions end: the next sign-in has the role. */
export async function grantRoleBy(context: OperatorContext, person: string, order: GrantOrder): Promise<GrantedRole> {
  const { role, merchant, countries = [], currencies = [], reason } = order
  const person_id = personId(person)
  return inPlainWords(
    audited(context, async (tx) => {
      const merchant_id = merchant === undefined ? null : (await existing(tx, merchantId(merchant))).id
      const known = await find(tx, person_id)
      if (known && merchant_id === null) await requireStaff(tx, person_id, person)
      const wanted = { person_id, merchant_id, role, countries, currencies }
      const membership = await grantRole(tx, peopleOf(context), context.principal, wanted)
      const who = { name: known?.name, email: known?.email }
      const detail = { ...who, membership, role, merchant, countries, currencies }
      const entry = { action: 'people.grant', subject: person, detail, reason, ...(merchant_id && { merchant_id }) }
      return { result: { membership }, entry }
    }),
  )
}

/** A person whom a merchant invited chose its own name and address there. The operator's staff join by an invitation of two people. */
async function requireStaff(tx: Tx, personId: string, shownId: string): Promise<void> {
  const [staff] = await tx.query(sql`
    select from memberships where person_id = ${personId} and merchant_id is null limit 1`)
  if (!staff) throw new OperatorError(`${shownId} is not of the operator's staff: invite the person to it`)
}

/** Ends one role of a person, and the person's sessions. */
export async function endRoleBy(context: OperatorContext, membership: string, reason: string): Promise<void> {
  const order = { membership, reason: stated(reason) }
  await inPlainWords(context.db.write.transaction((tx) => endRole(tx, peopleOf(context), context.principal, order)))
}

/**
 * For a person who lost every way to sign in: ends the old ones and all sessions, and returns a link that works once. A person
 * cannot get a link for itself, nor for a second identity with the same passkey. An approver is checked in the same way.
 */
export function recoverPersonBy(context: OperatorContext, shownId: string, reason: string): Promise<Invited> {
  const subject = showId('person', personId(shownId))
  const { principal } = context
  return inPlainWords(
    audited(context, async (tx) => {
      if ([principal.id, ...(await identitiesOf(tx, principal.id))].includes(subject))
        throw new OperatorError('you cannot recover your own access: ask another person')
      const { invited, person, roles, sessions } = await recoverPerson(tx, peopleOf(context), principal, subject)
      const detail = { name: person.name, email: person.email, roles: roles.map(({ role }) => role), sessions }
      const entry = { action: 'person.recover', subject, detail, reason: stated(reason) }
      return { result: invited, entry, ground: roles.map(({ id }) => id) }
    }),
  )
}

/** People in the order in which they joined, with their roles. */
export async function listPeople(
  { db }: Pick<OperatorContext, 'db'>,
  { after, limit }: { readonly after?: string; readonly limit: number },
): Promise<PersonView[]> {
  const people = await list(db.write, { after: after === undefined ? undefined : personId(after), limit })
  const ids = people.map(({ id }) => id)
  const roles = Map.groupBy(await listMemberships(db.write, ids), ({ person_id }) => person_id)
  return people.map((person) => view(person, roles.get(person.id) ?? []))
}

/** Disables a person permanently; all sessions end. */
export async function endPersonBy(context: OperatorContext, person: string, reason: string): Promise<void> {
  const order = { person: showId('person', personId(person)), reason: stated(reason) }
  await inPlainWords(context.db.write.transaction((tx) => endPerson(tx, peopleOf(context), context.principal, order)))
}

export async function sessionsOf({ db }: Pick<OperatorContext, 'db'>, person: string): Promise<SessionView[]> {
  const id = personId(person)
  if (!(await find(db.write, id))) throw new OperatorError(`no person has the id ${person}`)
  return listSessions(db.write, id)
}

/** Ends all sessions of a person, who can sign in again. Returns how many. */
export function endSessionsBy(context: OperatorContext, person: string, reason: string): Promise<number> {
  const order = { person: showId('person', personId(person)), reason: stated(reason) }
  return inPlainWords(
    context.db.write.transaction((tx) => endSessionsOf(tx, peopleOf(context), context.principal, order)),
  )
}

function personId(shownId: string): string {
  const id = readId('person', shownId)
  if (id === undefined) throw new OperatorError(`${shownId} is not a person's id; they look like person_0193…`)
  return id
}

export function stated(reason: string): string {
  if (reason.trim() === '') throw new OperatorError('the reason must not be empty')
  return reason
}

/** A refusal of `people/` as one of the operator's commands, with its details: which permission is missing. */
export async function inPlainWords<Result>(work: Promise<Result>): Promise<Result> {
  try {
    return await work
  } catch (error) {
    throw error instanceof AppError ? new OperatorError(sentenceOf(error)) : error
  }
}

function sentenceOf({ message, details = [] }: AppError): string {
  const unsaid = details.flatMap((detail) => (message.includes(detail.message) ? [] : [detail.message]))
  return unsaid.length === 0 ? message : `${message.replace(/\.$/, '')}: ${unsaid.join('; ')}`
}

function view({ id, name, email, disabled_at, created_at }: Person, roles: readonly MembershipRow[]): PersonView {
  return {
    id: showId('person', id),
    name,
    email,
    state: disabled_at ? 'ended' : 'active',
    roles: roles.map((role) => ({
      id: showId('membership', role.id),
      role: role.role,
      merchant: role.merchant_id === null ? null : showId('merchant', role.merchant_id),
      countries: role.countries,
      currencies: role.currencies,
      grantedBy: role.granted_by,
    })),
    createdAt: created_at.toISOString(),
  }
}
