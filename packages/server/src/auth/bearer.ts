import type { Actor, AuditEntry, Origin } from '../audit/record.ts'
import { AppError } from '../errors.ts'
import type { Place } from '../people/principal.ts'
import type { Owner } from '../platform/db.ts'
import { showId } from '../platform/ids.ts'
import type { Credential } from './credentials.ts'

interface Sender extends Owner {
  /** Who acts. Payouts, limits and the audit trail name it. */
  readonly actor: Actor
  /** Where the request came from, for the audit trail. */
  readonly origin?: Origin
  /** Whether it may change what belongs to this country and currency. */
  mayActIn(place: Place): boolean
}

/** A merchant's key pair, by its token. */
export interface KeyPairBearer extends Sender {
  readonly kind: 'key pair'
  readonly credential_id: string
  readonly public_key: string
  readonly scopes: ReadonlySet<string>
  isAllowedFrom(address: string): boolean
}

/** A person of a merchant, by a session. What the person may do was checked against the route's permission. */
interface PersonBearer extends Sender {
  readonly kind: 'person'
}

/** The sender of a request for one merchant in one environment. */
export type Bearer = KeyPairBearer | PersonBearer

/** The audit entry for a change that the sender made to the merchant. */
export function auditOf(bearer: Bearer, action: string, detail: object = {}): AuditEntry {
  const { merchant_id, env, actor, origin } = bearer
  return { actor, action, merchant_id, env, subject: showId('merchant', merchant_id), detail: { ...detail }, origin }
}

/** Who acts and from where, if that is a person: what key pairs pay is not in the audit trail. */
export const personOf = ({ kind, actor, origin }: Bearer): Pick<AuditEntry, 'actor' | 'origin'> | undefined =>
  kind === 'person' ? { actor, origin } : undefined

/** Refuses a change outside the countries and currencies of the sender's roles. */
export function requirePlace({ mayActIn }: Pick<Bearer, 'mayActIn'>, place: Place): void {
  if (mayActIn(place)) return
  const message = `your roles do not include ${place.currency} in ${place.country}`
  throw new AppError('PERMISSION_DENIED', { details: [{ field: 'permission', message }] })
}

/** A key pair as an actor. Merchants and staff know it by its public key. */
export const credentialActor = ({ id, public_key }: Pick<Credential, 'id' | 'public_key'>): Actor => ({
  kind: 'credential',
  id: showId('credential', id),
  name: public_key,
})
