import { type Credential, insert, listOfMerchant, type NewCredential, revoke } from '../auth/credentials.ts'
import { makeKey } from '../auth/keys.ts'
import { revocationTopic } from '../auth/revocations.ts'
import { scopes as allScopes } from '../auth/scopes.ts'
import { apiKeyPurpose } from '../auth/token-exchange.ts'
import { isRange } from '../platform/addresses.ts'
import { databaseTimeMs } from '../platform/clock.ts'
import type { Environment, Owner, Tx } from '../platform/db.ts'
import { newId, showId } from '../platform/ids.ts'
import { existing, merchantId } from './merchants.ts'
import { audited, type OperatorContext, OperatorError } from './operator-context.ts'

export interface KeyOrder {
  readonly env: Environment
  /** None means all. */
  readonly scopes?: readonly string[]
  /** Ranges such as 203.0.113.0/24; none means any address. */
  readonly addresses?: readonly string[]
  /** Required where a second person approves the pair. */
  readonly reason?: string
}

export interface NewPair {
  readonly publicKey: string
  /** Shown once; only a keyed hash is stored. */
  readonly apiKey: string
  readonly env: Environment
}

export interface KeyView {
  readonly publicKey: string
  readonly env: Environment
  readonly scopes: readonly string[]
  readonly addresses: readonly string[]
  readonly state: 'active' | 'revoked'
  readonly createdAt: string
  readonly tokenIssuedAt?: string
}

export async function create(context: OperatorContext, shownMerchantId: string, order: KeyOrder): Promise<NewPair> {
  const wanted = order.scopes?.length ? order.scopes : allScopes
  const unknown = wanted.filter((scope) => !allScopes.some((known) => known === scope))
  if (unknown.length > 0) throw new OperatorError(`unknown scope ${unknown.join(', ')}; known: ${allScopes.join(', ')}`)
  const unusable = order.addresses?.find((address) => !isRange(address))
  if (unusable !== undefined) throw new OperatorError(`${unusable} is not an address or range such as 203.0.113.0/24`)
  const owner = { merchant_id: merchantId(shownMerchantId), env: order.env }
  return audited(context, async (tx) => {
    await existing(tx, owner.merchant_id)
    const pair = { ...owner, public_key: makeKey('pk', order.env, context.cell), scopes: wanted }
    const { result, credential } = await issue(context, tx, { ...pair, allowed_addresses: order.addresses ?? [] })
    const detail = { credential, scopes: wanted, addresses: order.addresses }
    return { result, entry: { ...trail('key.create', owner, result.publicKey, detail), reason: order.reason } }
  })
}

/** Replaces the API key of a pair. The public key stays; the old API key and its tokens end within 5 s. */
export async function rotate(
  context: OperatorContext,
  publicKey: string,
  { reason }: Pick<KeyOrder, 'reason'> = {},
): Promise<NewPair> {
  const pair = await audited(context, async (tx) => {
    const old = await revokeLiving(tx, publicKey)
    const { result, credential } = await issue(context, tx, old)
    return { result, entry: { ...trail('key.rotate', old, publicKey, { credential }), reason }, ground: old.id }
  })
  context.wakeups.wake(revocationTopic)
  return pair
}

/** Ends a pair and its tokens, within 5 s on every process. */
export async function end(context: OperatorContext, publicKey: string, reason: string): Promise<void> {
  await audited(context, async (tx) => {
    const old = await revokeLiving(tx, publicKey)
    return { result: undefined, entry: { ...trail('key.revoke', old, publicKey), reason } }
  })
  context.wakeups.wake(revocationTopic)
}

export async function listOf(context: OperatorContext, shownMerchantId: string): Promise<KeyView[]> {
  const { id } = await existing(context.db.write, merchantId(shownMerchantId))
  const credentials = await listOfMerchant(context.db.write, id)
  return credentials.map(view)
}

async function revokeLiving(tx: Tx, publicKey: string): Promise<Credential> {
  const revoked = await revoke(tx, publicKey)
  if (!revoked) throw new OperatorError(`active key pair ${publicKey} not found`)
  return revoked
}

async function issue(
  context: OperatorContext,
  tx: Tx,
  pair: Omit<NewCredential, 'id' | 'api_key_hash'>,
): Promise<{ readonly result: NewPair; readonly credential: string }> {
  const { merchant_id, env, public_key, scopes, allowed_addresses } = pair
  const apiKey = makeKey('sk', env, context.cell)
  const id = newId(await databaseTimeMs(tx), context.cell)
  const api_key_hash = context.vault.hash(apiKey, apiKeyPurpose)
  await insert(tx, { id, merchant_id, env, public_key, api_key_hash, scopes, allowed_addresses })
  return { result: { publicKey: public_key, apiKey, env }, credential: showId('credential', id) }
}

function trail(action: string, { merchant_id, env }: Owner, subject: string, detail: object = {}) {
  return { action, merchant_id, env, subject, detail: { ...detail } }
}

function view(credential: Credential): KeyView {
  return {
    publicKey: credential.public_key,
    env: credential.env,
    scopes: credential.scopes,
    addresses: credential.allowed_addresses,
    state: credential.revoked_at ? 'revoked' : 'active',
    createdAt: credential.created_at.toISOString(),
    ...(credential.token_issued_at && { tokenIssuedAt: credential.token_issued_at.toISOString() }),
  }
}
