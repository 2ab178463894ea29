import { randomBytes, randomInt } from 'node:crypto'
import { recordAudit, recordRefusal } from '../audit/record.ts'
import { AppError, invalid } from '../errors.ts'
import { databaseTimeMs } from '../platform/clock.ts'
import { type Db, sql, type Tx, type WriteDb } from '../platform/db.ts'
import { newId, readId, showId } from '../platform/ids.ts'
import type { Vault } from '../platform/seal.ts'
import { requireMayEnd, requireMayGrantOperator, requireMayGrantWithin, requireUsableScope } from './grants.ts'
import type { PeopleContext } from './people-context.ts'
import { actorOf, type Principal, type Scope } from './principal.ts'
import type { MerchantRole, OperatorRole } from './roles.ts'

interface Invitee extends Partial<Scope> {
  readonly email: string
  readonly name: string
  /** The person signs in at the OIDC provider: the link is not needed, the e-mail address that it verified accepts. */
  readonly isForOidc?: boolean
}

export interface OperatorInvitation extends Invitee {
  readonly role: OperatorRole
}

export interface MerchantInvitation extends Invitee {
  readonly merchant_id: string
  readonly role: MerchantRole
}

export interface Invited {
  readonly id: string
  /** Shown once; only a keyed hash of its token is stored. */
  readonly link: string
  readonly expiresAt: string
}

/** Invites a member of the operator's staff. One can give only permissions that one holds, in a scope that is not wider. */
export async function inviteOperator(
  tx: Tx,
  context: PeopleContext,
  by: Principal,
  order: OperatorInvitation,
): Promise<Invited> {
  const scope = scopeOf(order)
  requireMayGrantOperator(by, order.role, scope)
  return invite(tx, context, by, { ...order, ...scope, merchant_id: null })
}

/** Invites a person of a merchant, with the same rule. */
export async function inviteMerchantPerson(
  tx: Tx,
  context: PeopleContext,
  by: Principal,
  order: MerchantInvitation,
): Promise<Invited> {
  const scope = scopeOf(order)
  requireMayGrantWithin(by, order.merchant_id, order.role, scope)
  return invite(tx, context, by, { ...order, ...scope })
}

const scopeOf = ({ countries = [], currencies = [] }: Partial<Scope>): Scope => ({ countries, currencies })

interface Order extends Omit<Invitee, keyof Scope>, Scope {
  readonly merchant_id: string | null
  readonly role: string
}

async function invite(tx: Tx, context: PeopleContext, by: Principal, order: Order) {
  refuseUnusable(order)
  const { cell, origin } = context
  const id = newId(await databaseTimeMs(tx), cell)
  const { link, hash } = invitationLink(context, randomBytes(32).toString('base64url'))
  const email = order.email.trim()
  const [made] = await tx.query<{ expires_at: Date }>(sql`
    insert into invitations (id, token_hash, email, name, merchant_id, role, countries, currencies, is_for_oidc, invited_by)
    values (${id}, ${hash}, ${email}, ${order.name.trim()}, ${order.merchant_id},
      ${order.role}, ${order.countries}::text[], ${order.currencies}::text[], ${order.isForOidc ?? false}, ${by.id})
    returning expires_at`)
  const { role, countries, currencies } = order
  await recordAudit(tx, cell, {
    actor: actorOf(by),
    action: 'person.invite',
    ...(order.merchant_id !== null && { merchant_id: order.merchant_id }),
    subject: showId('invitation', id),
    detail: { email, role, countries, currencies, isForOidc: order.isForOidc ?? false },
    origin,
  })
  return { id: showId('invitation', id), link, expiresAt: made?.expires_at.toISOString() ?? '' }
}

const purpose = 'invitation'

/** The token is in the fragment, which browsers do not send: it is in no log on its way. Only its keyed hash is stored. */
export const invitationLink = ({ vault, publicUrl }: PeopleContext, token: string) => ({
  link: `${publicUrl}/invitation#${token}`,
  hash: vault.hash(token, purpose),
})

function refuseUnusable({ name, email, ...scope }: Order): void {
  const length = name.trim().length
  if (length < 1 || length > 200) throw invalid([{ field: 'name', message: 'name must have 1 to 200 characters' }])
  if (!/^[^\s@]+@[^\s@]+$/.test(email.trim()) || email.length > 254)
    throw invalid([{ field: 'email', message: 'email is not an e-mail address' }])
  requireUsableScope(scope)
}

/** An invitation that can be accepted. */
export interface OpenInvitation extends Scope {
  readonly id: string
  readonly email: string
  readonly name: string
  readonly merchant_id: string | null
  readonly merchant_name: string | null
  /** Empty for a recovery. */
  readonly role: string
  /** The person who adds a way to sign in; null for an invitation. */
  readonly recovers: string | null
  readonly is_for_oidc: boolean
  readonly invited_by: string
  /** Joining also needs the code that the approver of the invitation has. */
  readonly needs_code: boolean
}

/** The invitation of a link's token, unless it is used, revoked or expired. */
export async function findInvitation(db: Db, vault: Vault, token: string): Promise<OpenInvitation> {
  const hashes = token.length <= 100 ? vault.hashes(token, purpose) : []
  const [found] = await db.query<OpenInvitation>(sql`
    select i.id, i.email, i.name, i.merchant_id, m.name as merchant_name, coalesce(i.role, '') as role, i.countries,
      i.currencies, i.is_for_oidc, i.invited_by, i.recovers, i.code_hash is not null as needs_code
    from invitations i
    left join merchants m on m.id = i.merchant_id
    where i.token_hash = any (${hashes}::text[])
      and i.used_at is null
      and i.revoked_at is null
      and i.expires_at > record_time()`)
  if (!found) throw new AppError('INVITATION_INVALID')
  return found
}

/** The newest invitation of an e-mail address for sign-in at the OIDC provider. The operator's own come before those of merchants. */
export async function findOidcInvitation(db: Db, email: string): Promise<OpenInvitation | undefined> {
  const [found] = await db.query<OpenInvitation>(sql`
    select i.id, i.email, i.name, i.merchant_id, m.name as merchant_name, coalesce(i.role, '') as role, i.countries,
      i.currencies, i.is_for_oidc, i.invited_by, i.recovers, i.code_hash is not null as needs_code
    from invitations i
    left join merchants m on m.id = i.merchant_id
    where lower(i.email) = lower(${email})
      and i.is_for_oidc
      and i.used_at is null
      and i.revoked_at is null
      and i.expires_at > record_time()
    order by i.merchant_id is not null, i.id desc
    limit 1`)
  return found
}

const codePurpose = 'invitation code'
/** Letters that are not mistaken for each other, and make no words. */
const codeLetters = 'BCDFGHJKLMNPQRSTVWXZ'
const codeLength = 8
const codeTriesMax = 10

/** Makes an invitation need a code too, for a second person to give. Returns the code; undefined for an invitation by OIDC. */
export async function requireCode(tx: Tx, vault: Vault, shownId: string): Promise<string | undefined> {
  const code = Array.from({ length: codeLength }, () => codeLetters.charAt(randomInt(codeLetters.length))).join('')
  const changed = await tx.query(sql`
    update invitations
    set code_hash = ${vault.hash(code, codePurpose)}
    where id = ${readId('invitation', shownId) ?? null}::uuid
      and not is_for_oidc
    returning id`)
  return changed.length === 0 ? undefined : `${code.slice(0, 4)}-${code.slice(4)}`
}

/** Refuses a wrong code. Each call is a try, counted before the comparison, so that parallel tries do not get around the limit. */
export async function checkCode(
  db: WriteDb,
  { cell, vault, origin }: PeopleContext,
  invitation: OpenInvitation,
  code = '',
): Promise<void> {
  if (!invitation.needs_code) return
  const [tried] = await db.query<{ code_hash: string }>(sql`
    update invitations
    set code_tries = code_tries + 1
    where id = ${invitation.id}
      and code_tries < ${codeTriesMax}
    returning code_hash`)
  const letters = code.toUpperCase().replaceAll(/[^A-Z]/g, '')
  if (tried && vault.hashes(letters, codePurpose).includes(tried.code_hash)) return
  if (tried)
    await recordRefusal(db, cell, {
      actor: { kind: 'anonymous', id: 'anonymous', name: 'anonymous' },
      action: 'person.accept_invitation',
      ...(invitation.merchant_id !== null && { merchant_id: invitation.merchant_id }),
      subject: showId('invitation', invitation.id),
      detail: { errorCode: 'INVITATION_CODE_WRONG' },
      origin,
    })
  throw new AppError('INVITATION_CODE_WRONG')
}

/** Uses an invitation up. Of two requests with one link, the second waits for the first and is then refused. */
export async function useInvitation(tx: Tx, id: string, personId: string): Promise<void> {
  const used = await tx.query(sql`
    update invitations
    set used_at = record_time(),
      person_id = ${personId}
    where id = ${id}
      and used_at is null
      and revoked_at is null
      and expires_at > record_time()
    returning id`)
  if (used.length === 0) throw new AppError('INVITATION_INVALID')
}

/** Withdraws an unused invitation. */
export async function revokeInvitation(
  tx: Tx,
  { cell, origin }: PeopleContext,
  by: Principal,
  shownId: string,
): Promise<void> {
  const id = readId('invitation', shownId)
  const [found] = await tx.query<{ merchant_id: string | null }>(sql`
    update invitations
    set revoked_at = record_time()
    where id = ${id ?? null}::uuid
      and used_at is null
      and revoked_at is null
    returning merchant_id`)
  if (!found) throw new AppError('INVITATION_INVALID')
  requireMayEnd(by, found.merchant_id)
  await recordAudit(tx, cell, {
    actor: actorOf(by),
    action: 'person.invitation_revoke',
    ...(found.merchant_id !== null && { merchant_id: found.merchant_id }),
    subject: shownId,
    origin,
  })
}
