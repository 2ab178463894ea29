import assert from 'node:assert/strict'
import { BoundedMap } from '../platform/bounded-map.ts'
import { type BatchTx, type Db, type Environment, type Owner, sql } from '../platform/db.ts'
import { newId } from '../platform/ids.ts'

/** TigerBeetle's four counters. The pending ones are what holds reserve. */
export interface Counters {
  debits_pending: bigint
  debits_posted: bigint
  credits_pending: bigint
  credits_posted: bigint
}

export const counterNames = ['debits_pending', 'debits_posted', 'credits_pending', 'credits_posted'] as const

export interface WalletScope extends Owner {
  readonly currency: string
  readonly country: string
}

/** A locked wallet with its current counters. */
export interface Wallet extends WalletScope, Counters {
  readonly id: string
  entry_at: bigint
  /** What the merchant owes because a provider took back more than the balance. */
  owed: bigint
  /** The account that counts the debt; null while the wallet has never owed anything. */
  receivable: string | null
}

/** Spendable money: credits less debits less holds. */
export function available({ credits_posted, debits_posted, debits_pending }: Counters): bigint {
  return credits_posted - debits_posted - debits_pending
}

/** All money in the account, reserved or not. */
export function balance({ credits_posted, debits_posted }: Counters): bigint {
  return credits_posted - debits_posted
}

/** Returns the ids of these wallets and creates missing ones. Inserts in key order, before any wallet is locked. */
export async function ensureWallets(tx: BatchTx, cell: number, scopes: readonly WalletScope[]): Promise<string[]> {
  const atMs = Number(tx.atUs / 1000n)
  const found = await tx.query<{ id: string; place: number }>(sql`
    with wanted as (
      select merchant_id, env, currency, country, id, place
      from unnest(${scopes.map(() => newId(atMs, cell))}::uuid[], ${scopes.map((scope) => scope.merchant_id)}::uuid[],
        ${scopes.map((scope) => scope.env)}::text[], ${scopes.map((scope) => scope.currency)}::text[],
        ${scopes.map((scope) => scope.country)}::text[]) with ordinality
        as w(id, merchant_id, env, currency, country, place)
    ), made as (
      insert into wallets (id, merchant_id, env, currency, country)
      select distinct on (merchant_id, env, currency, country) id, merchant_id, env, currency, country
      from wanted
      where not exists (
        select from wallets w
        where (w.merchant_id, w.env, w.currency, w.country) = (wanted.merchant_id, wanted.env, wanted.currency, wanted.country)
      )
      order by merchant_id, env, currency, country
      on conflict on constraint wallets_one_per_scope do nothing
      returning id, merchant_id, env, currency, country
    )
    select coalesce(w.id, m.id) as id, wanted.place::int as place
    from wanted
    left join wallets w using (merchant_id, env, currency, country)
    left join made m using (merchant_id, env, currency, country)`)
  const byPlace = new Map(found.map(({ id, place }) => [place, id]))
  if (found.some(({ id }) => id === null)) return ensureWallets(tx, cell, scopes) // Created by another batch meanwhile.
  return scopes.map((_, index) => byPlace.get(index + 1) ?? '')
}

/** The ids of these wallets; undefined for a missing one. */
export async function findWallets(tx: BatchTx, scopes: readonly WalletScope[]): Promise<(string | undefined)[]> {
  if (scopes.length === 0) return []
  const found = await tx.query<{ id: string; place: number }>(sql`
    select w.id, wanted.place::int as place
    from unnest(${scopes.map((scope) => scope.merchant_id)}::uuid[], ${scopes.map((scope) => scope.env)}::text[],
      ${scopes.map((scope) => scope.currency)}::text[], ${scopes.map((scope) => scope.country)}::text[]) with ordinality
      as wanted(merchant_id, env, currency, country, place)
    join wallets w using (merchant_id, env, currency, country)`)
  const byPlace = new Map(found.map(({ id, place }) => [place, id]))
  return scopes.map((_, index) => byPlace.get(index + 1))
}

/** Locks the wallets in id order, as every caller does, and reads their counters. */
export async function lockWallets(tx: BatchTx, ids: readonly string[]): Promise<Map<string, Wallet>> {
  if (ids.length === 0) return new Map()
  const wallets = await tx.query<Wallet>(sql`
    select *
    from wallets
    where id = any(${[...new Set(ids)]}::uuid[])
    order by id
    for no key update`)
  return new Map(wallets.map((wallet) => [wallet.id, wallet]))
}

export type PlatformKind =
  | 'float'
  | 'fees'
  | 'clearing'
  | 'fx_position'
  | 'fx_income'
  | 'suspense'
  | 'cost'
  | 'treasury'
  | 'receivable'

interface PlatformScope {
  readonly env: Environment
  readonly kind: PlatformKind
  readonly currency: string
  /** Only for a float. */
  readonly provider?: string
  readonly country?: string
  /** Only for a receivable: the wallet that owes. */
  readonly wallet_id?: string
}

/** Finds platform accounts by their scope; they are few and never change, so each is queried once. */
export interface PlatformAccounts {
  idOf(scope: PlatformScope): Promise<string>
}

export function createPlatformAccounts(db: Db, cell: number): PlatformAccounts {
  const known = new BoundedMap<string, Promise<string>>(100_000)
  return {
    idOf: (scope) => {
      const { env, kind, currency, provider = '', country = '', wallet_id = '' } = scope
      const key = [env, kind, currency, provider, country, wallet_id].join('|')
      const found =
        known.get(key) ?? ensurePlatformAccount(db, cell, { env, kind, currency, provider, country, wallet_id })
      known.set(key, found)
      found.catch(() => known.delete(key))
      return found
    },
  }
}

async function ensurePlatformAccount(db: Db, cell: number, scope: Required<PlatformScope>): Promise<string> {
  const { env, kind, currency, provider, country } = scope
  const wallet_id = scope.wallet_id === '' ? null : scope.wallet_id
  await db.query(sql`
    insert into platform_accounts (id, env, kind, provider, country, currency, wallet_id)
    values (${newId(Date.now(), cell)}, ${env}, ${kind}, ${provider}, ${country}, ${currency}, ${wallet_id})
    on conflict on constraint platform_accounts_one_of_a_kind do nothing`)
  const [found] = await db.query<{ id: string }>(sql`
    select id
    from platform_accounts
    where (env, kind, provider, country, currency) = (${env}, ${kind}, ${provider}, ${country}, ${currency})
      and wallet_id is not distinct from ${wallet_id}`)
  assert(found)
  return found.id
}
