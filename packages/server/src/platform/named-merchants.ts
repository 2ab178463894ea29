import { sql, type Tx } from './db.ts'

/**
 * Says which merchants a transaction is for. Until it ends the database lets it write and lock rows of theirs and of no other
 * merchant: what a wrong WHERE would change besides stays as it is, and a wrong insert fails. Given beside the statement that
 * follows, it costs no turn there and back.
 */
export async function nameMerchants(tx: Tx, merchantIds: readonly string[]): Promise<void> {
  await tx.query(sql`select set_config('malipo.merchants', ${`{${[...new Set(merchantIds)].join()}}`}, true)`)
}
