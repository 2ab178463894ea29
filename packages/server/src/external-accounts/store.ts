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

/** Unseals the account number of a row. */
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

/**
 * Replaces everything except the type and the creation time. With another account it counts as new for approvals from now on.
 * Returns false when the account does not exist.
 */
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
        business_number = ${made.business_number},
        number_set_at = case
          when account_number_hash = any(${vault.hashes(made.account_number, accountNumberPurpose)})
            and (destination, code, business_number) = (${made.destination}, ${made.code}, ${made.business_number})
            then number_set_at
          else record_time()
        end
      where id = ${made.id}
        and merchant_id = ${owner.merchant_id}
        and env = ${owner.env}
        and deleted_at is null
      returning id`),
  )
  return replaced.length > 0
}

/** Hides the account; its number may be used again. Returns false when the account does not exist. */
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
  /** Where the next page starts; undefined at the end. */
  readonly next: string | undefined
}

/** A filter with few matches reads at most this many accounts for one page, and returns where it stopped. */
const rowsScannedMax = 20_000
const lastId = 'ffffffff-ffff-ffff-ffff-ffffffffffff'

/** Newest first. */
export async function list(db: ReadDb, vault: Vault, owner: Owner, wanted: ListWanted): Promise<ListPage> {
  const { before = lastId, limit } = wanted
  const rows = await db.query<ExternalAccount>(
    owner,
    sql`
      with scanned as (
        select id, type, country, currency, destination, account_name, account_number, code, branch_code,
          business_number, created_at
        from external_accounts
        where merchant_id = ${owner.merchant_id}
          and env = ${owner.env}
          and deleted_at is null
          and id < ${before}
        order by id desc
        limit ${rowsScannedMax}
      )
      select *
      from scanned
      where country = coalesce(${wanted.country ?? null}, country)
        and currency = coalesce(${wanted.currency ?? null}, currency)
        and destination = coalesce(${wanted.destination ?? null}, destination)
        and type = coalesce(${wanted.type ?? null}, type)
      order by id desc
      limit ${limit + 1}`,
  )
  const accounts = rows.slice(0, limit).map((row) => opened(vault, row))
  const next = rows.length > limit ? accounts.at(-1)?.id : await scannedUntil(db, owner, before)
  return { accounts, next }
}

/** Where the read stopped, if it stopped before the end. */
async function scannedUntil(db: ReadDb, owner: Owner, before: string): Promise<string | undefined> {
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
      offset ${rowsScannedMax - 1}
      limit 1`,
  )
  return row?.id
}

/**
 * A number exists once. The index enforces that; this query finds duplicates hashed under a previous key, which the index cannot
 * find.
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
