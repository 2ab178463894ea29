import { type Db, type Owner, sql, type Tx } from '../platform/db.ts'
import { readId } from '../platform/ids.ts'
import type { Scope } from './scopes.ts'

/** A merchant's key pair, as stored. */
export interface Credential extends Owner {
  readonly id: string
  readonly public_key: string
  readonly api_key_hash: string
  readonly scopes: readonly Scope[]
  readonly allowed_addresses: readonly string[]
  readonly token_id: string | null
  readonly token_issued_at: Date | null
  readonly token_expires_at: Date | null
  readonly created_at: Date
  readonly revoked_at: Date | null
}

export async function findByPublicKey(db: Db, publicKey: string): Promise<Credential | undefined> {
  const [found] = await db.query<Credential>(sql`
    select *
    from credentials
    where public_key = ${publicKey}
      and revoked_at is null`)
  return found
}

/** The credential with this id, unless it is revoked. */
export async function findLiving(db: Db, id: string): Promise<Credential | undefined> {
  const [found] = await db.query<Credential>(sql`
    select *
    from credentials
    where id = ${id}
      and revoked_at is null`)
  return found
}

export function listOfMerchant(db: Db, merchantId: string): Promise<Credential[]> {
  return db.query<Credential>(sql`
    select *
    from credentials
    where merchant_id = ${merchantId}
    order by id
    limit 1000`)
}

export interface NewCredential extends Owner {
  readonly id: string
  readonly public_key: string
  readonly api_key_hash: string
  readonly scopes: readonly string[]
  readonly allowed_addresses: readonly string[]
}

export async function insert(tx: Tx, made: NewCredential): Promise<void> {
  await tx.query(sql`
    insert into credentials (id, merchant_id, env, public_key, api_key_hash, scopes, allowed_addresses)
    values (${made.id}, ${made.merchant_id}, ${made.env}, ${made.public_key}, ${made.api_key_hash}, ${made.scopes},
      ${made.allowed_addresses}::text[]::inet[])`)
}

/** Revokes the active pair with this public key and returns it; undefined when there is none. */
export async function revoke(tx: Tx, publicKey: string): Promise<Credential | undefined> {
  const [revoked] = await tx.query<Credential>(sql`
    update credentials
    set revoked_at = clock_timestamp()
    where public_key = ${publicKey}
      and revoked_at is null
    returning *`)
  return revoked
}

/** Replaces the hash of an API key, unless another process has replaced it meanwhile. */
export async function replaceHash(
  db: Db,
  { id, before, after }: { readonly id: string; readonly before: string; readonly after: string },
): Promise<void> {
  await db.query(sql`
    update credentials
    set api_key_hash = ${after}
    where id = ${id}
      and api_key_hash = ${before}`)
}

/** Counts active API keys per secret key that hashes them. */
export function countHashes(db: Db): Promise<{ key: string; count: number }[]> {
  return db.query(sql`
    select split_part(api_key_hash, '.', 1) as key, count(*)::int as count
    from credentials
    where revoked_at is null
    group by 1`)
}

/** The claims of a token issued to a credential's owner. */
export interface TokenClaims {
  readonly token_id: string
  readonly token_issued_at: Date
  readonly token_expires_at: Date
}

/** The claims of the current token while more than five minutes of it remain; undefined when it must be renewed. */
export async function currentToken(db: Db, credentialId: string): Promise<TokenClaims | undefined> {
  const [current] = await db.query<TokenClaims>(sql`
    select token_id, token_issued_at, token_expires_at
    from credentials
    where id = ${credentialId}
      and revoked_at is null
      and token_expires_at > now() + interval '5 minutes'`)
  return current
}

/**
 * Replaces the current token if at most five minutes of it remain. Of two concurrent calls one returns new claims: the other
 * waits for its row lock, then finds a valid token and returns undefined, as it does when the credential is revoked.
 */
export async function renewToken(tx: Tx, credentialId: string, newTokenId: string): Promise<TokenClaims | undefined> {
  const [renewed] = await tx.query<TokenClaims>(sql`
    update credentials
    set token_id = ${newTokenId},
      token_issued_at = date_trunc('second', now()),
      token_expires_at = date_trunc('second', now()) + interval '1 hour'
    where id = ${credentialId}
      and revoked_at is null
      and (token_expires_at is null or token_expires_at <= now() + interval '5 minutes')
    returning token_id, token_issued_at, token_expires_at`)
  return renewed
}

/**
 * Lists every credential revoked while one of its tokens can still be valid, plus five minutes: one short index range. It does
 * not resume from the previous poll, because a commit that waits for the standby becomes visible long after its timestamp.
 */
export async function listRevoked(db: Db): Promise<string[]> {
  const rows = await db.query<{ id: string }>(sql`
    select id
    from credentials
    where revoked_at > now() - interval '65 minutes'`)
  return rows.map(({ id }) => id)
}

/**
 * Who received the API key of a credential, by the audit trail: the actor that created or rotated the pair, or who proposed that,
 * because the approver of a proposal does not see the key.
 */
export async function receiverOfKey(db: Db, shownCredentialId: string): Promise<string | undefined> {
  const [found] = await db.query<{ actor: string }>(sql`
    select coalesce(e.detail ->> 'proposedBy', e.actor) as actor
    from credentials c
    join audit_entries e on e.subject = c.public_key
    where c.id = ${readId('credential', shownCredentialId) ?? null}::uuid
      and e.action in ('key.create', 'key.rotate')
      and e.detail ->> 'credential' = ${shownCredentialId}
    limit 1`)
  return found?.actor
}
