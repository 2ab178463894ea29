import { hash } from 'node:crypto'
import { Type } from 'typebox'
import type { Actor } from '../audit/record.ts'
import { AppError } from '../errors.ts'
import { type Database, type Db, type Owner, sql, type Tx } from '../platform/db.ts'
import { nameMerchants } from '../platform/named-merchants.ts'
import type { Vault } from '../platform/seal.ts'

/** A request that may be repeated, and what identifies it. */
export interface KeyedRequest {
  readonly key: string
  readonly method: string
  /** Without the root, so that a key applies to a path under both roots. */
  readonly path: string
  /** The request, without anything that must not be stored. */
  readonly asked: unknown
}

export interface Once<Body> {
  readonly response: Body
  readonly isReplay: boolean
}

/** The header, as routes declare it. */
export const IdempotencyHeaders = Type.Object({
  'idempotency-key': Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 255,
      description: 'Makes the request safe to retry: requests with the same key take effect once',
    }),
  ),
})

interface Sent {
  readonly method: string
  readonly url: string
  readonly headers: { readonly 'idempotency-key'?: string }
  readonly body?: unknown
}

/**
 * The key of a request, if it carries one. Each person has keys of their own: the same key from two people, or from a person and
 * the merchant's server, is two requests.
 */
export function keyedRequest(
  { method, url, headers, body }: Sent,
  { actor }: { readonly actor: Pick<Actor, 'kind' | 'id'> },
): KeyedRequest | undefined {
  const sent = headers['idempotency-key']
  if (sent === undefined) return undefined
  const path = url.replace(/\?.*$/, '').replace(/^\/api\/(sandbox\/)?b2b/, '')
  return { key: actor.kind === 'person' ? ownKey(actor.id, sent) : sent, method, path, asked: body ?? null }
}

/** The key as it is stored. Together with the person's id it could be too long. */
const ownKey = (personId: string, key: string) => `${personId}-${hash('sha256', key, 'base64url')}`

/**
 * Does the work and stores its response in the same transaction, or returns the stored response. The key is taken first: a
 * request whose key another one holds waits briefly and is then refused as retryable. An error rolls back and so is not stored.
 */
export async function once<Body extends object>(
  { db, vault }: Keeper,
  owner: Owner,
  keyed: KeyedRequest | undefined,
  work: (tx: Tx) => Promise<Body>,
): Promise<Once<Body>> {
  return db.write.transaction(async (tx) => {
    await nameMerchants(tx, [owner.merchant_id])
    if (!keyed) return { response: await work(tx), isReplay: false }
    const row = rowOf(vault, owner, keyed, { response: {}, transaction_id: null })
    const known = await take(tx, vault, keyed, row)
    if (known) return { response: known.response as Body, isReplay: true }
    const response = await work(tx)
    await storeResponse(tx, { ...row, response })
    return { response, isReplay: false }
  })
}

/** Stores the response under its key, in the transaction of the effect. Does nothing without a key. */
export type Keep<Body> = (db: Db, response: Body) => Promise<void>

/**
 * Does work on an existing payment. The key is taken first: another request that uses the key is refused, and the same request
 * gets the stored response. After an error the key is free again.
 */
export async function underKey<Body extends object>(
  { db, vault }: Keeper,
  owner: Owner,
  { keyed, transaction_id }: { readonly keyed: KeyedRequest | undefined; readonly transaction_id: string },
  work: (keep: Keep<Body>) => Promise<Once<Body>>,
): Promise<Once<Body>> {
  if (!keyed) return work(async () => undefined)
  const row = rowOf(vault, owner, keyed, { response: null, transaction_id })
  const known = await take(db.write, vault, keyed, row)
  if (known?.response) return { response: known.response as Body, isReplay: true }
  try {
    return await work((tx, response) => storeResponse(tx, { ...row, response }))
  } catch (refusal) {
    if (!known) await giveBack(db.write, row).catch(() => undefined) // A key kept without a response blocks nothing.
    throw refusal
  }
}

interface Keeper {
  readonly db: Pick<Database, 'write'>
  readonly vault: Vault
}

/** Takes a key; returns the stored row if the same request took it before. */
async function take(db: Db, vault: Vault, keyed: KeyedRequest, row: KeyRow): Promise<KnownKey | undefined> {
  const isTaken = await insertKeys(db, [row]).catch((error: Error & { code?: string }) => {
    throw error.code === '55P03' ? new AppError('IDEMPOTENCY_KEY_IN_PROGRESS') : error
  })
  if (isTaken) return undefined
  const known = (await findKeys(db, [row])).get(nameOf(row.owner, row.key))
  if (!known) throw new AppError('IDEMPOTENCY_KEY_IN_PROGRESS') // Just released.
  if (!isSameRequest(vault, keyed, known.fingerprint)) throw new AppError('IDEMPOTENCY_KEY_REUSED')
  return known
}

/** A stored key: with the payment it concerns, the response if known, or both. */
export interface KeyRow {
  readonly owner: Owner
  readonly key: string
  readonly fingerprint: string
  readonly response: object | null
  readonly transaction_id: string | null
}

export function rowOf(
  vault: Vault,
  owner: Owner,
  keyed: KeyedRequest,
  known: Pick<KeyRow, 'response' | 'transaction_id'>,
): KeyRow {
  return { owner, key: keyed.key, fingerprint: fingerprintOf(vault, keyed), ...known }
}

export interface KnownKey {
  readonly fingerprint: string
  readonly response: object | null
  readonly transaction_id: string | null
}

export const nameOf = ({ merchant_id, env }: Owner, key: string) => `${merchant_id} ${env} ${key}`

/** The stored keys, by {@link nameOf}. */
export async function findKeys(
  db: Db,
  keys: readonly { readonly owner: Owner; readonly key: string }[],
): Promise<Map<string, KnownKey>> {
  if (keys.length === 0) return new Map()
  const rows = await db.query<KnownKey & Owner & { key: string }>(sql`
    select k.merchant_id, k.env, k.key, k.fingerprint, k.response, k.transaction_id
    from unnest(${keys.map(({ owner }) => owner.merchant_id)}::uuid[], ${keys.map(({ owner }) => owner.env)}::text[],
      ${keys.map(({ key }) => key)}::text[]) as w(merchant_id, env, key)
    join idempotency_keys k using (merchant_id, env, key)`)
  return new Map(rows.map((row) => [nameOf(row, row.key), row]))
}

/**
 * Inserts new keys, in the global order. Returns false when another request took one of them meanwhile: the caller must read
 * again.
 */
export async function insertKeys(db: Db, keys: readonly KeyRow[]): Promise<boolean> {
  if (keys.length === 0) return true
  const kept = await db.query(sql`
    insert into idempotency_keys (merchant_id, env, key, fingerprint, response, transaction_id, created_at)
    select *, (select record_time())
    from unnest(${keys.map(({ owner }) => owner.merchant_id)}::uuid[], ${keys.map(({ owner }) => owner.env)}::text[],
      ${keys.map(({ key }) => key)}::text[], ${keys.map(({ fingerprint }) => fingerprint)}::text[],
      ${keys.map(({ response }) => (response ? JSON.stringify(response) : null))}::jsonb[],
      ${keys.map((each) => each.transaction_id)}::uuid[])
    order by 1, 2, 3
    on conflict do nothing
    returning key`)
  return kept.length === keys.length
}

/** Binds a key to this request, whose parts store their own responses. Returns true when it was bound already. */
export async function reserveKey(ctx: Keeper, owner: Owner, keyed: KeyedRequest): Promise<boolean> {
  return (await once(ctx, owner, keyed, async () => ({}))).isReplay
}

/** Deletes keys that were stored in this same transaction for payments that are refused after all. */
export async function releaseKeys(
  tx: Tx,
  keys: readonly { readonly owner: Owner; readonly key: string; readonly transaction_id: string }[],
): Promise<void> {
  if (keys.length === 0) return
  await tx.query(sql`
    delete from idempotency_keys as k
    using unnest(${keys.map(({ owner }) => owner.merchant_id)}::uuid[], ${keys.map(({ owner }) => owner.env)}::text[],
      ${keys.map(({ key }) => key)}::text[], ${keys.map((each) => each.transaction_id)}::uuid[])
      as w(merchant_id, env, key, transaction_id)
    where (k.merchant_id, k.env, k.key, k.transaction_id) = (w.merchant_id, w.env, w.key, w.transaction_id)`)
}

/** Deletes a key that has no response. */
async function giveBack(db: Db, { owner: { merchant_id, env }, key, transaction_id }: KeyRow): Promise<void> {
  await db.query(sql`
    delete from idempotency_keys
    where (merchant_id, env, key, transaction_id) = (${merchant_id}, ${env}, ${key}, ${transaction_id})
      and response is null`)
}

/**
 * The only place that stores a response under its key. A key that another request released meanwhile is taken again; one that
 * belongs to another payment by now is left alone.
 */
export async function storeResponse(db: Db, row: KeyRow): Promise<void> {
  const { owner, key, fingerprint, response, transaction_id } = row
  await db.query(sql`
    insert into idempotency_keys as k (merchant_id, env, key, fingerprint, response, transaction_id, created_at)
    values (${owner.merchant_id}, ${owner.env}, ${key}, ${fingerprint}, ${JSON.stringify(response)}, ${transaction_id},
      record_time())
    on conflict (merchant_id, env, key) do update set response = excluded.response
    where k.transaction_id is not distinct from excluded.transaction_id`)
}

function fingerprintOf(vault: Vault, keyed: KeyedRequest): string {
  return vault.hash(textOf(keyed), 'idempotency')
}

/** A fingerprint whose secret key was removed, after 30 days at the earliest, matches nothing: the key is refused. */
export function isSameRequest(vault: Vault, keyed: KeyedRequest, fingerprint: string): boolean {
  return vault.knows(fingerprint) && vault.matches(textOf(keyed), 'idempotency', fingerprint)
}

const textOf = ({ method, path, asked }: KeyedRequest) => JSON.stringify([method, path, asked])
