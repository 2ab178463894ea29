import { AppError } from '../errors.ts'
import { type Owner, type ReadDb, sql, type Tx } from '../platform/db.ts'
import type { Vault } from '../platform/seal.ts'
import type { Beneficiary } from './beneficiary.ts'

export const types = ['payout', 'deposit'] as const
export type ExternalAccountType = (typeof types)[number]

export interface ExternalAccount extends Beneficiary {
  readonly id: string
  readonly type: ExternalAccountType
  readonly created_at: Date
}

export const accountNumberPurpose = 'external account number'
export const accountNumberContext = (id: string) => `external_accounts.account_number ${id}`

/** Opens the number of an account that was read. */
function opened(vault: Vault, row: ExternalAccount): ExternalAccount {
  return { ...row, account_number: vault.open(row.account_number, accountNumberContext(row.id)) }
}

export async function insert(
  tx: Tx,
  vault: Vault,
  owner: Owner,
  made: Beneficiary & { readonly id: string; readonly type: ExternalAccountType },
): Promise<void> {
  await refuseTwin(tx, vault, owner, made)
  await refusingTwins(
    tx.query(sql`
      insert into external_accounts (id, merchant_id, env, type, country, currency, destination, account_name,
        account_number, account_number_hash, code, branch_code, business_number)
      values (${made.id}, ${owner.merchant_id}, ${owner.env}, ${made.type}, ${made.country}, ${made.currency},
        ${made.destination}, ${made.account_name}, ${vault.seal(made.account_number, accountNumberContext(made.id))},
        ${vault.hash(made.account_number, accountNumberPurpose)}, ${made.code}, ${made.branch_code}, ${made.business_number})`),
  )
}

/** Replaces everything but the type and the time it was made. False when there is no such account. */
export async function replace(
  tx: Tx,
  vault: Vault,
  owner: Owner,
  made: Beneficiary & { readonly id: string },
): Promise<boolean> {
  await refuseTwin(tx, vault, owner, made)
  const replaced = await refusingTwins(
    tx.query(sql`
      update external_accounts
      set country = ${made.country},
        currency = ${made.currency},
        destination = ${made.destination},
        account_name = ${made.account_name},
        account_number = ${vault.seal(made.account_number, accountNumberContext(made.id))},
        account_number_hash = ${vault.hash(made.account_number, accountNumberPurpose)},
        code = ${made.code},
        branch_code = ${made.branch_code},
        business_number = ${made.business_number}
      where id = ${made.id}
        and merchant_id = ${owner.merchant_id}
        and env = ${owner.env}
        and deleted_at is null
      returning id`),
  )
  return replaced.length > 0
}

/** Hides the account; its number may be used again. False when there is no such account. */
export async function remove(tx: Tx, owner: Owner, id: string): Promise<boolean> {
  const removed = await tx.query(sql`
    update external_accounts
    set deleted_at = now()
    where id = ${id}
      and merchant_id = ${owner.merchant_id}
      and env = ${owner.env}
      and deleted_at is null
    returning id`)
  return removed.length > 0
}

export async function find(db: ReadDb, vault: Vault, owner: Owner, id: string): Promise<ExternalAccount | undefined> {
  const [row] = await db.query<ExternalAccount>(
    owner,
    sql`
      select id, type, country, currency, destination, account_name, account_number, code, branch_code,
        business_number, created_at
      from external_accounts
      where id = ${id}
        and deleted_at is null`,
  )
  return row && opened(vault, row)
}

export interface ListWanted {
  readonly before: string | undefined
  readonly limit: number
  readonly country: string | undefined
  readonly currency: string | undefined
  readonly destination: string | undefined
  readonly type: string | undefined
}

export interface ListPage {
  readonly accounts: readonly ExternalAccount[]
  /** Where the next page goes on; nothing at the end. */
  readonly next: string | undefined
}

/** A filter that finds little looks at no more than this many accounts for one page, and says where it stopped. */
const looksMax = 20_000
const lastId = 'ffffffff-ffff-ffff-ffff-ffffffffffff'

/** Newest first. */
export async function list(db: ReadDb, vault: Vault, owner: Owner, wanted: ListWanted): Promise<ListPage> {
  const { before = lastId, limit } = wanted
  const rows = await db.query<ExternalAccount>(
    owner,
    sql`
      with looked as (
        select id, type, country, currency, destination, account_name, account_number, code, branch_code,
          business_number, created_at
        from external_accounts
        where merchant_id = ${owner.merchant_id}
          and env = ${owner.env}
          and deleted_at is null
          and id < ${before}
        order by id desc
        limit ${looksMax}
      )
      select *
      from looked
      where country = coalesce(${wanted.country ?? null}, country)
        and currency = coalesce(${wanted.currency ?? null}, currency)
        and destination = coalesce(${wanted.destination ?? null}, destination)
        and type = coalesce(${wanted.type ?? null}, type)
      order by id desc
      limit ${limit + 1}`,
  )
  const accounts = rows.slice(0, limit).map((row) => opened(vault, row))
  const next = rows.length > limit ? accounts.at(-1)?.id : await lookedUntil(db, owner, before)
  return { accounts, next }
}

/** Where looking stopped, if it stopped before the end. */
async function lookedUntil(db: ReadDb, owner: Owner, before: string): Promise<string | undefined> {
  const [row] = await db.query<{ id: string }>(
    owner,
    sql`
      select id
      from external_accounts
      where merchant_id = ${owner.merchant_id}
        and env = ${owner.env}
        and deleted_at is null
        and id < ${before}
      order by id desc
      offset ${looksMax - 1}
      limit 1`,
  )
  return row?.id
}

/**
 * One number lives once. The index sees to that; this look finds twins that were hashed under a key of before, which
 * the index cannot.
 */
async function refuseTwin(
  tx: Tx,
  vault: Vault,
  owner: Owner,
  made: Beneficiary & { readonly id: string },
): Promise<void> {
  const twins = await tx.query(sql`
    select id
    from external_accounts
    where merchant_id = ${owner.merchant_id}
      and env = ${owner.env}
      and account_number_hash = any(${vault.hashes(made.account_number, accountNumberPurpose)})
      and code = ${made.code}
      and country = ${made.country}
      and currency = ${made.currency}
      and deleted_at is null
      and id <> ${made.id}`)
  if (twins.length > 0) throw new AppError('ACCOUNT_NUMBER_USED')
}

async function refusingTwins<Result>(work: Promise<Result>): Promise<Result> {
  try {
    return await work
  } catch (error) {
    const { constraint } = error as { constraint?: string }
    throw constraint === 'external_accounts_number_lives_once' ? new AppError('ACCOUNT_NUMBER_USED') : error
  }
}
