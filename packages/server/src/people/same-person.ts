import { sql, type Tx } from '../platform/db.ts'
import { readId, showId } from '../platform/ids.ts'

/** Whether two identities use one passkey: then they are one person. */
export async function sharePasskey(tx: Tx, shownPersonId: string, otherShownId: string): Promise<boolean> {
  return (await identitiesOf(tx, shownPersonId)).includes(otherShownId)
}

/** The people with a passkey of this person, itself included if it has one. A removed passkey counts too. */
export async function identitiesOf(tx: Tx, shownPersonId: string): Promise<string[]> {
  const rows = await tx.query<{ person_id: string }>(sql`
    select distinct b.person_id
    from passkeys a
    join passkeys b on b.public_key = a.public_key
    where a.person_id = ${readId('person', shownPersonId) ?? null}::uuid`)
  return rows.map(({ person_id }) => showId('person', person_id))
}
