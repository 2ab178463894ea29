import { Type } from 'typebox'
import { AppError } from '../errors.ts'
import { type Database, type Db, type Owner, sql, type Tx } from '../platform/db.ts'
import type { Vault } from '../platform/seal.ts'

/** A request that may be sent again, and what it would be recognised by. */
export interface KeyedRequest {
  readonly key: string
  readonly method: string
  /** Without the root, so that a key holds for a path under both. */
  readonly path: string
  /** What was asked, without anything that must not be kept. */
  readonly asked: unknown
}

export interface Once<Answer> {
  readonly answer: Answer
  readonly isReplay: boolean
}

/** The header as routes declare it. */
export const IdempotencyHeaders = Type.Object({
  'idempotency-key': Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 255,
      description: 'Makes the request safe to send again: under the same key it has its effect once',
    }),
  ),
})

interface Sent {
  readonly method: string
  readonly url: string
  readonly headers: { readonly 'idempotency-key'?: string }
  readonly body?: unknown
}

/** The key a request carries, if any. */
export function keyedRequest({ method, url, headers, body }: Sent): KeyedRequest | undefined {
  const key = headers['idempotency-key']
  const path = url.replace(/\?.*$/, '').replace(/^\/api\/(sandbox\/)?b2b/, '')
  return key === undefined ? undefined : { key, method, path, asked: body ?? null }
}

/**
 * Does the work and remembers its answer in the same transaction, or gives the answer it gave before. Who comes while
 * the first is at it waits a little and is then told to come again. A refusal rolls back and so is not remembered.
 */
export async function once<Answer extends object>(
  { db, vault }: { readonly db: Pick<Database, 'write'>; readonly vault: Vault },
  owner: Owner,
  keyed: KeyedRequest | undefined,
  work: (tx: Tx) => Promise<Answer>,
): Promise<Once<Answer>> {
  if (!keyed) return { answer: await db.write.transaction(work), isReplay: false }
  return db.write.transaction(async (tx) => {
    await lockKey(tx, owner, keyed.key)
    const known = await findAnswer<Answer>(tx, vault, owner, keyed)
    if (known) return { answer: known, isReplay: true }
    const answer = await work(tx)
    await remember(tx, vault, owner, keyed, answer)
    return { answer, isReplay: false }
  })
}

async function lockKey(tx: Tx, { merchant_id, env }: Owner, key: string): Promise<void> {
  const name = `idempotency ${merchant_id} ${env} ${key}`
  try {
    await tx.query(sql`select pg_advisory_xact_lock(hashtextextended(${name}, 0))`)
  } catch (error) {
    throw (error as { code?: string }).code === '55P03' ? new AppError('IDEMPOTENCY_KEY_IN_PROGRESS') : error
  }
}

async function findAnswer<Answer>(
  tx: Tx,
  vault: Vault,
  { merchant_id, env }: Owner,
  keyed: KeyedRequest,
): Promise<Answer | undefined> {
  const [row] = await tx.query<{ fingerprint: string; answer: Answer }>(sql`
    select fingerprint, answer
    from idempotency_keys
    where merchant_id = ${merchant_id}
      and env = ${env}
      and key = ${keyed.key}`)
  if (row && !isSameRequest(vault, keyed, row.fingerprint)) throw new AppError('IDEMPOTENCY_KEY_REUSED')
  return row?.answer
}

async function remember(
  tx: Tx,
  vault: Vault,
  { merchant_id, env }: Owner,
  keyed: KeyedRequest,
  answer: object,
): Promise<void> {
  await tx.query(sql`
    insert into idempotency_keys (merchant_id, env, key, fingerprint, answer)
    values (${merchant_id}, ${env}, ${keyed.key}, ${fingerprintOf(vault, keyed)}, ${JSON.stringify(answer)})`)
}

/** A key as a batch keeps it: with the payment it made, and the answer if that is known already. */
export interface BatchKey {
  readonly owner: Owner
  readonly key: string
  readonly fingerprint: string
  readonly answer: object | null
  readonly transaction_id: string
}

export interface KnownKey {
  readonly fingerprint: string
  readonly answer: object | null
  readonly transaction_id: string | null
}

export const nameOf = ({ merchant_id, env }: Owner, key: string) => `${merchant_id} ${env} ${key}`

/** What is known of these keys, by {@link nameOf}. */
export async function findKeys(
  db: Db,
  keys: readonly { readonly owner: Owner; readonly key: string }[],
): Promise<Map<string, KnownKey>> {
  if (keys.length === 0) return new Map()
  const rows = await db.query<KnownKey & Owner & { key: string }>(sql`
    select k.merchant_id, k.env, k.key, k.fingerprint, k.answer, k.transaction_id
    from unnest(${keys.map(({ owner }) => owner.merchant_id)}::uuid[], ${keys.map(({ owner }) => owner.env)}::text[],
      ${keys.map(({ key }) => key)}::text[]) as w(merchant_id, env, key)
    join idempotency_keys k using (merchant_id, env, key)`)
  return new Map(rows.map((row) => [nameOf(row, row.key), row]))
}

/** Keeps new keys, in the order everybody does. False when one of them was taken meanwhile: the batch must look again. */
export async function insertKeys(tx: Tx, keys: readonly BatchKey[]): Promise<boolean> {
  if (keys.length === 0) return true
  const kept = await tx.query(sql`
    insert into idempotency_keys (merchant_id, env, key, fingerprint, answer, transaction_id)
    select *
    from unnest(${keys.map(({ owner }) => owner.merchant_id)}::uuid[], ${keys.map(({ owner }) => owner.env)}::text[],
      ${keys.map(({ key }) => key)}::text[], ${keys.map(({ fingerprint }) => fingerprint)}::text[],
      ${keys.map(({ answer }) => (answer ? JSON.stringify(answer) : null))}::jsonb[],
      ${keys.map((each) => each.transaction_id)}::uuid[])
    order by 1, 2, 3
    on conflict do nothing
    returning key`)
  return kept.length === keys.length
}

/** Makes sure that a key stands for this one request, whose parts remember their own answers. True when it did already. */
export async function reserveKey(
  ctx: { readonly db: Pick<Database, 'write'>; readonly vault: Vault },
  owner: Owner,
  keyed: KeyedRequest,
): Promise<boolean> {
  return (await once(ctx, owner, keyed, async () => ({}))).isReplay
}

/** Gives back keys that were kept in this same transaction for payments that are refused after all. */
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

/** Keeps the answer of a payment that called its provider first. */
export async function keepAnswer(db: Db, { merchant_id, env }: Owner, key: string, answer: object): Promise<void> {
  await db.query(sql`
    update idempotency_keys
    set answer = ${JSON.stringify(answer)}
    where merchant_id = ${merchant_id}
      and env = ${env}
      and key = ${key}`)
}

/** Keeps an answer under its key, whether or not the payment was made under it. */
export async function rememberAnswer(
  { db, vault }: { readonly db: Pick<Database, 'write'>; readonly vault: Vault },
  { merchant_id, env }: Owner,
  keyed: KeyedRequest,
  answer: object,
  transactionId: string,
): Promise<void> {
  await db.write.query(sql`
    insert into idempotency_keys (merchant_id, env, key, fingerprint, answer, transaction_id)
    values (${merchant_id}, ${env}, ${keyed.key}, ${fingerprintOf(vault, keyed)}, ${JSON.stringify(answer)}, ${transactionId})
    on conflict (merchant_id, env, key) do update set answer = excluded.answer`)
}

export function fingerprintOf(vault: Vault, keyed: KeyedRequest): string {
  return vault.hash(textOf(keyed), 'idempotency')
}

export function isSameRequest(vault: Vault, keyed: KeyedRequest, fingerprint: string): boolean {
  return vault.matches(textOf(keyed), 'idempotency', fingerprint)
}

const textOf = ({ method, path, asked }: KeyedRequest) => JSON.stringify([method, path, asked])
