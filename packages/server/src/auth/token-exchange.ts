import { hash, randomUUID } from 'node:crypto'
import { type Origin, recordAudit } from '../audit/record.ts'
import { AppError } from '../errors.ts'
import { allowing } from '../platform/addresses.ts'
import type { WriteDb } from '../platform/db.ts'
import { nameMerchants } from '../platform/named-merchants.ts'
import type { Vault } from '../platform/seal.ts'
import { credentialActor } from './bearer.ts'
import {
  type Credential,
  currentToken,
  findByPublicKey,
  renewToken,
  replaceHash,
  type TokenClaims,
} from './credentials.ts'
import type { FailedExchanges } from './failed-exchanges.ts'
import type { FailedLogins } from './failed-logins.ts'
import { isKey } from './keys.ts'
import type { Tokens } from './tokens.ts'

export interface KeyPair {
  readonly publicKey: string
  readonly apiKey: string
  readonly address: string
  /** Where the request came from, for the audit trail. */
  readonly origin: Origin
}

export interface IssuedToken {
  readonly token: string
  readonly expiresAt: number
}

interface Needs {
  readonly db: WriteDb
  readonly cell: number
  readonly vault: Vault
  readonly tokens: Tokens
  readonly failedLogins: FailedLogins
  readonly failedExchanges: FailedExchanges
}

/** Identifies what the hash is for; part of the hash key. */
export const apiKeyPurpose = 'api key'

/**
 * Returns the current token of a key pair. The pair is checked before failures are counted, so a correct pair is never refused
 * because of other callers. A wrong pair learns only that it is wrong, and costs one query a minute.
 */
export async function exchange(needs: Needs, pair: KeyPair): Promise<IssuedToken> {
  const key = hash('sha256', `${pair.publicKey} ${pair.apiKey}`, 'base64')
  const credential = needs.failedLogins.isKnown(key) ? undefined : await findGenuine(needs, pair)
  if (!credential) {
    needs.failedExchanges.count({ ...pair, error: 'INVALID_API_KEY' })
    throw refusal(needs.failedLogins.count(pair.address, key))
  }
  if (!allowing(credential.allowed_addresses)(pair.address)) {
    needs.failedExchanges.count({ ...pair, error: 'ADDRESS_NOT_ALLOWED' })
    throw new AppError('ADDRESS_NOT_ALLOWED')
  }
  await rehash(needs, credential, pair.apiKey)
  const current = () => currentToken(needs.db, credential.id)
  const claims = (await current()) ?? (await issue(needs, credential, pair)) ?? (await current())
  if (!claims) throw new AppError('INVALID_API_KEY') // Revoked between the two queries.
  const token = await needs.tokens.sign({ ...credential, credential_id: credential.id }, claims)
  return { token, expiresAt: claims.token_expires_at.getTime() / 1000 }
}

/** Makes a new token and audits it. An exchange that returns the current token again is not audited. */
function issue({ db, cell }: Needs, credential: Credential, { origin }: KeyPair): Promise<TokenClaims | undefined> {
  const { id, merchant_id, env } = credential
  return db.transaction(async (tx) => {
    await nameMerchants(tx, [merchant_id])
    const claims = await renewToken(tx, id, randomUUID())
    if (!claims) return undefined
    const actor = credentialActor(credential)
    const detail = { tokenId: claims.token_id, expiresAt: claims.token_expires_at.toISOString() }
    await recordAudit(tx, cell, { actor, action: 'token.issue', subject: actor.id, merchant_id, env, detail, origin })
    return claims
  })
}

async function findGenuine({ db, vault }: Needs, { publicKey, apiKey }: KeyPair): Promise<Credential | undefined> {
  if (!isKey('pk', publicKey) || !isKey('sk', apiKey)) return undefined
  const credential = await findByPublicKey(db, publicKey)
  return credential && vault.matches(apiKey, apiKeyPurpose, credential.api_key_hash) ? credential : undefined
}

/** Only here is the API key itself known: a hash made with an older secret key is replaced by one made with the newest. */
async function rehash({ db, vault }: Needs, { id, api_key_hash: before }: Credential, apiKey: string): Promise<void> {
  if (!vault.isHashedNewest(before)) await replaceHash(db, { id, before, after: vault.hash(apiKey, apiKeyPurpose) })
}

function refusal(waitSeconds: number | undefined): AppError {
  if (waitSeconds === undefined) return new AppError('INVALID_API_KEY')
  return new AppError('RATE_LIMIT_EXCEEDED', {
    message: 'Too many invalid keys from this address.',
    headers: { 'retry-after': String(waitSeconds) },
  })
}
