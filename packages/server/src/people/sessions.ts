import { randomBytes } from 'node:crypto'
import { recordAudit } from '../audit/record.ts'
import { tokenOf } from '../auth/bearer-token.ts'
import type { Config } from '../config.ts'
import { countedAs } from '../platform/addresses.ts'
import { databaseTimeMs } from '../platform/clock.ts'
import { type Db, sql, type Tx, type WriteDb } from '../platform/db.ts'
import { newId, readId, showId } from '../platform/ids.ts'
import type { Vault } from '../platform/seal.ts'
import { cookiesFor, readCookie } from './cookies.ts'
import type { PeopleContext } from './people-context.ts'
import { actorById, type MerchantGrant, type Principal, type Strength } from './principal.ts'
import type { MerchantRole, OperatorRole } from './roles.ts'

type SessionKind = 'browser' | 'cli'

/** How a person can sign in, and so prove presence. */
export type SignInStrength = Extract<Strength, 'passkey' | 'password_totp' | 'oidc'>

/** How long a session lasts: without a request, and in all. */
const limits = {
  operator: { idle: '30 minutes', most: '12 hours' },
  merchant: { idle: '2 hours', most: '12 hours' },
  cli: { idle: null, most: '12 hours' },
} as const

const purpose = 'session'
const csrfPurpose = 'session csrf'
const cliPrefix = 'mls_'

/** Where a request comes from, as a session keeps it. */
export interface Client {
  readonly address: string
  readonly userAgent: string
}

export interface NewSession extends Client {
  readonly person_id: string
  readonly kind: SessionKind
  readonly strength: SignInStrength
  /** When the person proved presence, by the database's clock; undefined for now, null for not lately. */
  readonly proved_at?: Date | null
}

export interface OpenedSession {
  readonly id: string
  /** The secret id. Shown once; only its keyed hash is stored. */
  readonly token: string
}

/** Opens a session. Its limits follow from the person's roles now, because a change of roles ends the person's sessions. */
export async function openSession(tx: Tx, { cell, vault }: PeopleContext, session: NewSession): Promise<OpenedSession> {
  const id = newId(await databaseTimeMs(tx), cell)
  const token = newToken(session.kind)
  const isNow = session.proved_at === undefined
  await tx.query(sql`
    insert into sessions (id, token_hash, person_id, kind, strength, address, user_agent, proved_at, idle, ends_at)
    select ${id}, ${vault.hash(token, purpose)}, ${session.person_id}, ${session.kind}, ${session.strength},
      ${session.address}::inet, ${session.userAgent.slice(0, 300)},
      case when ${isNow} then record_time() else ${session.proved_at ?? null}::timestamptz end,
      case
        when ${session.kind} = 'cli' then ${limits.cli.idle}::interval
        when s.is_staff then ${limits.operator.idle}::interval
        else ${limits.merchant.idle}::interval
      end,
      record_time() + case
        when ${session.kind} = 'cli' then ${limits.cli.most}::interval
        when s.is_staff then ${limits.operator.most}::interval
        else ${limits.merchant.most}::interval
      end
    from (
      select exists (
        select from memberships where person_id = ${session.person_id} and merchant_id is null and ended_at is null
      ) as is_staff
    ) s`)
  return { id, token }
}

/** 256 random bits. */
const newToken = (kind: SessionKind) => `${kind === 'cli' ? cliPrefix : ''}${randomBytes(32).toString('base64url')}`

interface Needs {
  readonly db: { readonly write: WriteDb }
  readonly vault: Vault
  readonly config: Pick<Config, 'publicUrl'>
}

interface Sent {
  readonly cookie: string | undefined
  readonly authorization: string | undefined
}

/** The secret id of a browser's session in its Cookie header; empty without one. */
export function browserToken({ config }: Pick<Needs, 'config'>, cookie: string | undefined): string {
  return readCookie(cookie, cookiesFor(config.publicUrl).session)
}

/**
 * The person who sends a request, by the session in its cookie or, from a command line, in its Authorization header. Session,
 * person and roles are read from the database each time: an end takes effect with the next request, on every process.
 */
export async function sessionOf(needs: Needs, { cookie, authorization }: Sent): Promise<Principal | undefined> {
  const bearer = tokenOf(authorization)
  if (authorization !== undefined) return bearer.startsWith(cliPrefix) ? findPrincipal(needs, 'cli', bearer) : undefined
  const token = browserToken(needs, cookie)
  return token === '' ? undefined : findPrincipal(needs, 'browser', token)
}

interface Found {
  readonly id: string
  readonly person_id: string
  readonly name: string
  readonly strength: SignInStrength
  /** How long ago the person proved presence. */
  readonly proved_ms: number | null
  readonly is_stale: boolean
  readonly grants: readonly StoredGrant[]
}

interface StoredGrant {
  readonly merchant_id: string | null
  readonly role: string
  readonly countries: readonly string[]
  readonly currencies: readonly string[]
}

async function findPrincipal({ db, vault }: Needs, kind: SessionKind, token: string): Promise<Principal | undefined> {
  if (token.length > 100) return undefined
  const [found] = await db.write.query<Found>(sql`
    select s.id, s.person_id, p.name, s.strength,
      extract(epoch from record_time() - s.proved_at)::float8 * 1000 as proved_ms,
      s.last_seen_at < record_time() - interval '1 minute' as is_stale,
      coalesce((
        select jsonb_agg(jsonb_build_object('merchant_id', m.merchant_id, 'role', m.role, 'countries', m.countries,
          'currencies', m.currencies) order by m.id)
        from memberships m
        where m.person_id = s.person_id and m.ended_at is null
      ), '[]') as grants
    from sessions s
    join people p on p.id = s.person_id
    where s.token_hash = any (${vault.hashes(token, purpose)}::text[])
      and s.kind = ${kind}
      and s.ended_at is null
      and s.ends_at > record_time()
      and (s.idle is null or s.last_seen_at + s.idle > record_time())
      and p.disabled_at is null`)
  if (found?.is_stale) await markSeen(db.write, found.id)
  return found && asPrincipal(found)
}

/**
 * The roles within merchants of the person whose session this is, while it has not ended; none afterwards. It does not count as a
 * request: a response that is still being sent does not keep a session open.
 */
export function grantsOfSession(db: Db, id: string): Promise<MerchantGrant[]> {
  return db.query<MerchantGrant>(sql`
    select m.merchant_id, m.role, m.countries, m.currencies
    from sessions s
    join people p on p.id = s.person_id
    join memberships m on m.person_id = s.person_id
    where s.id = ${id}
      and s.ended_at is null
      and s.ends_at > record_time()
      and (s.idle is null or s.last_seen_at + s.idle > record_time())
      and p.disabled_at is null
      and m.merchant_id is not null
      and m.ended_at is null`)
}

/** Within the minute, a request does not move the idle limit: one write a minute is enough. */
async function markSeen(db: Db, id: string): Promise<void> {
  await db.query(sql`
    update sessions
    set last_seen_at = record_time()
    where id = ${id}
      and ended_at is null`)
}

function asPrincipal({ id, person_id, name, strength, proved_ms, grants }: Found): Principal {
  return {
    kind: 'person',
    id: showId('person', person_id),
    name,
    operatorGrants: grants.flatMap(({ merchant_id, role, countries, currencies }) =>
      merchant_id === null ? [{ role: role as OperatorRole, countries, currencies }] : [],
    ),
    merchantGrants: grants.flatMap(({ merchant_id, role, countries, currencies }) =>
      merchant_id === null ? [] : [{ merchant_id, role: role as MerchantRole, countries, currencies }],
    ),
    session_id: id,
    strength,
    ...(proved_ms !== null && { provedAt: Date.now() - proved_ms }),
  }
}

/** The value of `x-malipo-csrf` that state-changing requests of this session must send. It changes with the secret id. */
export const csrfOf = (vault: Vault, token: string) => vault.hash(token, csrfPurpose)

export function isCsrf(vault: Vault, token: string, sent: string): boolean {
  return vault.knows(sent) && vault.matches(token, csrfPurpose, sent)
}

/** Gives a session a new secret id after the person proved presence: the old one ends at once. */
export async function proveSession(
  tx: Tx,
  { vault }: PeopleContext,
  { id, strength }: { readonly id: string; readonly strength: SignInStrength },
): Promise<string | undefined> {
  const token = newToken('browser')
  const rotated = await tx.query(sql`
    update sessions
    set token_hash = ${vault.hash(token, purpose)},
      strength = ${strength},
      proved_at = record_time(),
      last_seen_at = record_time()
    where id = ${id}
      and kind = 'browser'
      and ended_at is null
    returning id`)
  return rotated.length === 1 ? token : undefined
}

/** A session as its owner and administrators see it. */
export interface SessionView {
  readonly id: string
  readonly kind: SessionKind
  readonly strength: SignInStrength
  readonly address: string
  readonly userAgent: string
  readonly createdAt: string
  readonly lastSeenAt: string
  readonly endsAt: string
}

interface SessionRow extends Omit<NewSession, 'userAgent'> {
  readonly id: string
  readonly user_agent: string
  readonly created_at: Date
  readonly last_seen_at: Date
  readonly ends_at: Date
}

/** The sessions of a person that have not ended, the last used first. */
export async function listSessions(db: Db, personId: string): Promise<SessionView[]> {
  const rows = await db.query<SessionRow>(sql`
    select id, kind, strength, host(address) as address, user_agent, created_at, last_seen_at, ends_at
    from sessions
    where person_id = ${personId}
      and ended_at is null
      and ends_at > record_time()
      and (idle is null or last_seen_at + idle > record_time())
    order by last_seen_at desc, id
    limit 100`)
  return rows.map((row) => ({
    id: showId('session', row.id),
    kind: row.kind,
    strength: row.strength,
    address: row.address,
    userAgent: row.user_agent,
    createdAt: row.created_at.toISOString(),
    lastSeenAt: row.last_seen_at.toISOString(),
    endsAt: row.ends_at.toISOString(),
  }))
}

/** Ends one session of a person. False when the person has no such session, or it has ended. */
export async function endSession(
  tx: Tx,
  { cell }: Pick<PeopleContext, 'cell'>,
  { actor, person_id, session }: { readonly actor: string; readonly person_id: string; readonly session: string },
): Promise<boolean> {
  const id = readId('session', session)
  if (id === undefined) return false
  const ended = await tx.query(sql`
    update sessions
    set ended_at = record_time()
    where id = ${id}
      and person_id = ${person_id}
      and ended_at is null
    returning id`)
  if (ended.length === 0) return false
  const subject = showId('person', person_id)
  await recordAudit(tx, cell, { actor: actorById(actor), action: 'session.end', subject, detail: { session } })
  return true
}

/** Ends the sessions of a person, except one. Returns how many. The caller audits the reason for it. */
export async function endSessions(tx: Tx, personId: string, { except }: { except?: string } = {}): Promise<number> {
  const ended = await tx.query(sql`
    update sessions
    set ended_at = record_time()
    where person_id = ${personId}
      and ended_at is null
      and id is distinct from ${except ?? null}::uuid
    returning id`)
  return ended.length
}

/** Ends the session with this secret id, if there is one: a browser that signs in again has one session, not two. */
export async function endReplaced(tx: Tx, { vault }: PeopleContext, token: string): Promise<void> {
  if (token === '' || token.length > 100) return
  await tx.query(sql`
    update sessions
    set ended_at = record_time()
    where token_hash = any (${vault.hashes(token, purpose)}::text[])
      and kind = 'browser'
      and ended_at is null`)
}

/** Whether the person signed in from this address before; for IPv6, from its network. */
export async function hasSignedInFrom(db: Db, personId: string | undefined, address: string): Promise<boolean> {
  const found = await db.query(sql`
    select
    from sessions
    where person_id = ${personId ?? null}::uuid
      and address <<= ${countedAs(address)}::inet
    limit 1`)
  return found.length === 1
}
