import { sql, type Tx } from './db.ts'

/**
 * Declares which merchants a transaction is for. Until it ends, the database lets it write and lock only their rows: a wrong
 * WHERE leaves other merchants' rows unchanged, and a wrong insert fails. Sent together with the next statement, it costs no
 * extra round trip.
 */
export async function nameMerchants(tx: Tx, merchantIds: readonly string[]): Promise<void> {
  await tx.query(sql`select set_config('malipo.merchants', ${`{${[...new Set(merchantIds)].join()}}`}, true)`)
}
