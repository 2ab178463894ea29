import { sql, type Tx } from '../platform/db.ts'
import { readId } from '../platform/ids.ts'

/** Whether two identities use one passkey: then they are one person. A removed passkey counts too. */
export async function sharePasskey(tx: Tx, shownPersonId: string, otherShownId: string): Promise<boolean> {
  const shared = await tx.query(sql`
    select
    from passkeys a
    join passkeys b on b.public_key = a.public_key
    where a.person_id = ${readId('person', shownPersonId) ?? null}::uuid
      and b.person_id = ${readId('person', otherShownId) ?? null}::uuid
    limit 1`)
  return shared.length > 0
}
