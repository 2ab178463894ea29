import { hash, randomUUID } from 'node:crypto'
import { recordAudit } from '../audit/record.ts'
import type { TokenClaims } from '../auth/credentials.ts'
import type { FailedExchanges } from '../auth/failed-exchanges.ts'
import type { FailedLogins } from '../auth/failed-logins.ts'
import { isOperatorKey, makeOperatorKey } from '../auth/keys.ts'
import type { KeyPair } from '../auth/token-exchange.ts'
import type { TokenSigner } from '../auth/token-signer.ts'
import { AppError, invalid } from '../errors.ts'
import { allowing, isRange } from '../platform/addresses.ts'
import { databaseTimeMs } from '../platform/clock.ts'
import { type Db, sql, type Tx, type WriteDb } from '../platform/db.ts'
import { newId, readId, showId } from '../platform/ids.ts'
import type { Vault } from '../platform/seal.ts'
import { permissionDenied } from './grants.ts'
import type { PeopleContext } from './people-context.ts'
import { actorOf, mayOperate, type Principal } from './principal.ts'
import { type OperatorPermission, operatorPermissions } from './roles.ts'

/** A machine of the operator, as stored. */
interface Machine {
  readonly id: string
  readonly name: string
  readonly public_key: string
  readonly api_key_hash: string
  readonly permissions: readonly OperatorPermission[]
  readonly allowed_addresses: readonly string[]
  readonly created_at: Date
  readonly revoked_at: Date | null
}

const audience = 'malipo-operator'
const purpose = 'operator api key'

export interface MachineOrder {
  readonly name: string
  readonly permissions: readonly string[]
  /** Ranges such as 203.0.113.0/24; none means any address. */
  readonly addresses?: readonly string[]
}

export interface NewMachine {
  readonly id: string
  readonly publicKey: string
  /** Shown once; only a keyed hash is stored. */
  readonly apiKey: string
}

/** Creates credentials for a machine of the operator. One can give only permissions that one holds. The caller audits it. */
export async function createMachine(
  tx: Tx,
  { cell, vault }: PeopleContext,
  by: Principal,
  { name, permissions, addresses = [] }: MachineOrder,
): Promise<NewMachine> {
  const unknown = permissions.find((permission) => !Object.hasOwn(operatorPermissions, permission))
  if (unknown !== undefined || permissions.length === 0)
    throw invalid([
      { field: 'permissions', message: `permissions must be of the operator; ${unknown ?? 'none'} is not` },
    ])
  const unusable = addresses.find((address) => !isRange(address))
  if (unusable !== undefined)
    throw invalid([{ field: 'addresses', message: `${unusable} is not an address or range such as 203.0.113.0/24` }])
  for (const permission of ['people:write', ...permissions] as OperatorPermission[])
    if (!mayOperate(by, permission)) throw permissionDenied(permission)
  const id = newId(await databaseTimeMs(tx), cell)
  const [publicKey, apiKey] = [makeOperatorKey('opk'), makeOperatorKey('osk')]
  const inserted = await tx.query(sql`
    insert into machines (id, name, public_key, api_key_hash, permissions, allowed_addresses, created_by)
    values (${id}, ${name}, ${publicKey}, ${vault.hash(apiKey, purpose)}, ${permissions}::text[],
      ${addresses}::text[]::inet[], ${by.id})
    on conflict do nothing
    returning id`)
  if (inserted.length === 0) throw new AppError('MACHINE_NAME_USED')
  return { id: showId('machine', id), publicKey, apiKey }
}

/** Revokes a machine's credentials: its tokens end with its next request. */
export async function revokeMachine(
  tx: Tx,
  { cell, origin }: PeopleContext,
  by: Principal,
  { machine, reason }: { readonly machine: string; readonly reason: string },
): Promise<void> {
  if (!mayOperate(by, 'people:write')) throw permissionDenied('people:write')
  const revoked = await tx.query(sql`
    update machines
    set revoked_at = record_time()
    where id = ${readId('machine', machine) ?? null}::uuid
      and revoked_at is null
    returning id`)
  if (revoked.length === 0) throw new AppError('MACHINE_MISSING')
  await recordAudit(tx, cell, { actor: actorOf(by), action: 'machine.revoke', subject: machine, reason, origin })
}

export interface MachineView {
  readonly id: string
  readonly name: string
  readonly publicKey: string
  readonly permissions: readonly string[]
  readonly addresses: readonly string[]
  readonly state: 'active' | 'revoked'
  readonly createdAt: string
}

export async function listMachines(db: Db): Promise<MachineView[]> {
  const rows = await db.query<Machine>(sql`
    select id, name, public_key, permissions, allowed_addresses, created_at, revoked_at
    from machines
    order by id
    limit 1000`)
  return rows.map((row) => ({
    id: showId('machine', row.id),
    name: row.name,
    publicKey: row.public_key,
    permissions: row.permissions,
    addresses: row.allowed_addresses,
    state: row.revoked_at ? 'revoked' : 'active',
    createdAt: row.created_at.toISOString(),
  }))
}

/** Counts active API keys of machines per secret key that hashes them. */
export function countMachineHashes(db: Db): Promise<{ key: string; count: number }[]> {
  return db.query(sql`
    select split_part(api_key_hash, '.', 1) as key, count(*)::int as count
    from machines
    where revoked_at is null
    group by 1`)
}

interface Needs {
  readonly db: WriteDb
  readonly cell: number
  readonly vault: Vault
  readonly signer: TokenSigner
  readonly failedLogins: FailedLogins
  readonly failedExchanges: FailedExchanges
}

/** Exchanges a machine's key pair for its current token, as merchants do. New tokens and refused exchanges are audited. */
export async function exchangeMachine(needs: Needs, pair: KeyPair): Promise<{ token: string; expiresAt: number }> {
  const { db, vault, signer, failedLogins, failedExchanges } = needs
  const { publicKey, apiKey, address } = pair
  const key = hash('sha256', `${publicKey} ${apiKey}`, 'base64')
  const isPair = isOperatorKey('opk', publicKey) && isOperatorKey('osk', apiKey) && !failedLogins.isKnown(key)
  const [machine] = isPair ? await findLiving(db, { publicKey }) : []
  if (!machine || !vault.matches(apiKey, purpose, machine.api_key_hash)) {
    failedExchanges.count({ ...pair, error: 'INVALID_API_KEY' })
    const wait = failedLogins.count(address, key)
    throw wait === undefined
      ? new AppError('INVALID_API_KEY')
      : new AppError('RATE_LIMIT_EXCEEDED', { headers: { 'retry-after': String(wait) } })
  }
  if (!allowing(machine.allowed_addresses)(address)) {
    failedExchanges.count({ ...pair, error: 'ADDRESS_NOT_ALLOWED' })
    throw new AppError('ADDRESS_NOT_ALLOWED')
  }
  const claims = await currentToken(needs, machine, pair)
  const token = await signer.sign(audience, showId('machine', machine.id), {}, claims)
  return { token, expiresAt: claims.token_expires_at.getTime() / 1000 }
}

/**
 * The current token while more than five minutes of it remain, else a new one, which is audited. The hash moves to the newest
 * secret key.
 */
function currentToken({ db, cell, vault }: Needs, machine: Machine, { apiKey, origin }: KeyPair): Promise<TokenClaims> {
  const newTokenId = randomUUID()
  return db.transaction(async (tx) => {
    const [claims] = await tx.query<TokenClaims>(sql`
      update machines m
      set api_key_hash = ${vault.hash(apiKey, purpose)},
        token_id = case when n.is_new then ${newTokenId}::uuid else m.token_id end,
        token_issued_at = case when n.is_new then date_trunc('second', now()) else m.token_issued_at end,
        token_expires_at =
          case when n.is_new then date_trunc('second', now()) + interval '1 hour' else m.token_expires_at end
      from (
        select id, token_expires_at is null or token_expires_at <= now() + interval '5 minutes' as is_new
        from machines
        where id = ${machine.id}
        for update
      ) n
      where m.id = n.id
        and m.revoked_at is null
      returning m.token_id, m.token_issued_at, m.token_expires_at`)
    if (!claims) throw new AppError('INVALID_API_KEY') // Revoked between the two queries.
    if (claims.token_id === newTokenId) {
      const subject = showId('machine', machine.id)
      const actor = { kind: 'machine', id: subject, name: machine.name } as const
      const detail = { tokenId: newTokenId, expiresAt: claims.token_expires_at.toISOString() }
      await recordAudit(tx, cell, { actor, action: 'token.issue', subject, detail, origin })
    }
    return claims
  })
}

/** The machine that sends a request with this token. Read from the database each time, so that a revocation takes effect at once. */
export async function machineOf(
  { db, signer }: { readonly db: { readonly write: WriteDb }; readonly signer: TokenSigner },
  { token, address }: { readonly token: string; readonly address: string },
): Promise<Principal | undefined> {
  const { sub = '' } = (await signer.verify(audience, token)) ?? {}
  const id = readId('machine', sub)
  const [machine] = id === undefined ? [] : await findLiving(db.write, { id })
  if (!machine) return undefined
  if (!allowing(machine.allowed_addresses)(address)) throw new AppError('ADDRESS_NOT_ALLOWED')
  return {
    kind: 'machine',
    id: showId('machine', machine.id),
    name: machine.name,
    operatorGrants: [],
    merchantGrants: [],
    scopes: new Set(machine.permissions),
    strength: 'api_key',
  }
}

function findLiving(db: Db, by: { readonly id?: string; readonly publicKey?: string }): Promise<Machine[]> {
  return db.query<Machine>(sql`
    select id, name, public_key, api_key_hash, permissions, allowed_addresses, created_at, revoked_at
    from machines
    where (id = ${by.id ?? null}::uuid or public_key = ${by.publicKey ?? null}::text)
      and revoked_at is null`)
}
