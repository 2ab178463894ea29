import {
  type AuthenticationResponseJSON,
  generateAuthenticationOptions,
  generateRegistrationOptions,
  type RegistrationResponseJSON,
  verifyAuthenticationResponse,
  verifyRegistrationResponse,
} from '@simplewebauthn/server'
import { AppError } from '../errors.ts'
import { type Db, sql, type Tx } from '../platform/db.ts'
import type { Person } from './store.ts'

interface Site {
  readonly publicUrl: string
}

/**
 * Passkeys belong to a host name. Browsers make none for a bare address such as 127.0.0.1: for development use http://localhost.
 */
const rpIdOf = ({ publicUrl }: Site) => new URL(publicUrl).hostname

/** The user handle of a passkey is the person's id, which names nothing outside. */
const handleOf = (personId: string) => Uint8Array.from(Buffer.from(personId.replaceAll('-', ''), 'hex'))

/** EdDSA, ES256 and RS256, which every authenticator has at least one of. */
const algorithms = [-8, -7, -257]

/** What a browser needs to make a passkey. */
export async function registrationOptions(db: Db, site: Site, person: Pick<Person, 'id' | 'email' | 'name'>) {
  const known = await listPasskeys(db, person.id)
  return generateRegistrationOptions({
    rpName: 'Malipo',
    rpID: rpIdOf(site),
    userName: person.email,
    userDisplayName: person.name,
    userID: handleOf(person.id),
    attestationType: 'none',
    supportedAlgorithmIDs: algorithms,
    excludeCredentials: known.map(({ credential_id, transports }) => ({
      id: credential_id,
      transports: [...transports],
    })),
    authenticatorSelection: { residentKey: 'required', userVerification: 'required' },
  })
}

/** Any passkey of this site may answer; the browser lets the person choose. */
export const assertionOptions = (site: Site) =>
  generateAuthenticationOptions({ rpID: rpIdOf(site), userVerification: 'required' })

interface NewPasskey {
  readonly person_id: string
  readonly name: string
  readonly challenge: string
  readonly response: RegistrationResponseJSON
}

/** Adds a passkey. Refused when it was registered before, for this person or another. */
export async function addPasskey(
  tx: Tx,
  site: Site,
  { person_id, name, challenge, response }: NewPasskey,
): Promise<string> {
  const { registrationInfo } = await verifyRegistrationResponse({
    response,
    expectedChallenge: challenge,
    expectedOrigin: site.publicUrl,
    expectedRPID: rpIdOf(site),
    requireUserVerification: true,
    supportedAlgorithmIDs: algorithms,
  }).catch(() => ({ registrationInfo: undefined }))
  if (!registrationInfo) throw new AppError('PASSKEY_REFUSED')
  const { id, publicKey, counter, transports = [] } = registrationInfo.credential
  const inserted = await tx.query(sql`
    insert into passkeys (credential_id, person_id, public_key, counter, transports, name)
    values (${id}, ${person_id}, ${Buffer.from(publicKey)}, ${counter}, ${transports.slice(0, 10)}::text[], ${name})
    on conflict do nothing
    returning credential_id`)
  if (inserted.length === 0) throw new AppError('PASSKEY_USED')
  return id
}

interface Assertion {
  readonly challenge: string
  readonly response: AuthenticationResponseJSON
}

interface Known {
  readonly person_id: string
  readonly public_key: Uint8Array
  readonly counter: string | bigint
  readonly transports: string[]
}

/**
 * The person who signed the challenge with a passkey. Undefined for an unknown or removed passkey, a person who left, a wrong
 * signature, and a counter that does not grow, which is the sign of a copied authenticator.
 */
export async function personOfAssertion(
  db: Db,
  site: Site,
  { challenge, response }: Assertion,
): Promise<string | undefined> {
  const [known] = await db.query<Known>(sql`
    select k.person_id, k.public_key, k.counter, k.transports
    from passkeys k
    join people p on p.id = k.person_id
    where k.credential_id = ${response.id}
      and k.removed_at is null
      and p.disabled_at is null`)
  if (!known) return undefined
  const { userHandle } = response.response
  const isOwn = userHandle === undefined || userHandle === Buffer.from(handleOf(known.person_id)).toString('base64url')
  const verified = await verifyAuthenticationResponse({
    response,
    expectedChallenge: challenge,
    expectedOrigin: site.publicUrl,
    expectedRPID: rpIdOf(site),
    requireUserVerification: true,
    credential: {
      id: response.id,
      publicKey: Uint8Array.from(known.public_key),
      counter: Number(known.counter),
      transports: known.transports as never,
    },
  }).catch(() => undefined)
  if (!verified?.verified || !isOwn) return undefined
  const used = await db.query(sql`
    update passkeys
    set counter = ${verified.authenticationInfo.newCounter},
      last_used_at = record_time()
    where credential_id = ${response.id}
      and removed_at is null
      and (counter < ${verified.authenticationInfo.newCounter} or counter = 0)
    returning credential_id`)
  return used.length === 1 ? known.person_id : undefined
}

export interface PasskeyRow {
  readonly credential_id: string
  readonly name: string
  readonly transports: readonly string[]
  readonly created_at: Date
  readonly last_used_at: Date | null
}

export function listPasskeys(db: Db, personId: string): Promise<PasskeyRow[]> {
  return db.query<PasskeyRow>(sql`
    select credential_id, name, transports, created_at, last_used_at
    from passkeys
    where person_id = ${personId}
      and removed_at is null
    order by created_at
    limit 100`)
}

/** Removes a passkey of a person. Its row stays, so that it is never registered again. */
export async function removePasskey(tx: Tx, personId: string, credentialId: string): Promise<boolean> {
  const removed = await tx.query(sql`
    update passkeys
    set removed_at = record_time()
    where credential_id = ${credentialId}
      and person_id = ${personId}
      and removed_at is null
    returning credential_id`)
  return removed.length === 1
}
