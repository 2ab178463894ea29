import { type Origin, recordAudit } from '../audit/record.ts'
import { AppError } from '../errors.ts'
import { sql, type Tx } from '../platform/db.ts'
import { showId } from '../platform/ids.ts'
import { removePasskey } from './passkeys.ts'
import type { PeopleContext } from './people-context.ts'
import { actorById } from './principal.ts'
import { lock, setPassword } from './store.ts'

/** Removes one of the person's own passkeys, unless no other way to sign in is left. */
export async function removeOwnPasskey(
  tx: Tx,
  { cell }: PeopleContext,
  personId: string,
  { passkey, origin }: { readonly passkey: string; readonly origin: Origin },
): Promise<void> {
  await lock(tx, personId)
  if (!(await removePasskey(tx, personId, passkey))) throw new AppError('PASSKEY_MISSING')
  await requireWayLeft(tx, personId)
  const actor = showId('person', personId)
  await recordAudit(tx, cell, {
    actor: actorById(actor),
    action: 'passkey.remove',
    subject: actor,
    detail: { passkey },
    origin,
  })
}

/** Removes the person's own password and authenticator app, unless no other way to sign in is left. */
export async function removeOwnPassword(
  tx: Tx,
  { cell }: PeopleContext,
  personId: string,
  origin: Origin,
): Promise<void> {
  await lock(tx, personId)
  await setPassword(tx, { id: personId, password_hash: null, totp_secret: null })
  await requireWayLeft(tx, personId)
  const actor = showId('person', personId)
  await recordAudit(tx, cell, { actor: actorById(actor), action: 'password.remove', subject: actor, origin })
}

/** Ends every way to sign in of a person, who needs a link to add a new one. The caller holds the lock on the person. */
export async function endWaysToSignIn(tx: Tx, personId: string): Promise<void> {
  await setPassword(tx, { id: personId, password_hash: null, totp_secret: null })
  await tx.query(sql`
    update passkeys
    set removed_at = record_time()
    where person_id = ${personId}
      and removed_at is null`)
  await tx.query(sql`delete from oidc_subjects where person_id = ${personId}`)
}

/** The caller holds the lock on the person, so two removals at once cannot each leave the other's way. */
async function requireWayLeft(tx: Tx, personId: string): Promise<void> {
  const [left] = await tx.query<{ has_way: boolean }>(sql`
    select p.password_hash is not null
      or exists (select from passkeys where person_id = p.id and removed_at is null)
      or exists (select from oidc_subjects where person_id = p.id) as has_way
    from people p
    where p.id = ${personId}`)
  if (!left?.has_way) throw new AppError('LAST_SIGN_IN_METHOD')
}
