import { createSecretKey, randomBytes } from 'node:crypto'
import { type Db, sql, type Tx } from '../../platform/db.ts'
import { reach } from '../../platform/failpoints.ts'
import { createVault, type Vault } from '../../platform/seal.ts'
import { timing } from '../resolve/timing.ts'

const contextOf = (transactionId: string) => `card_continuations ${transactionId}`

/** A vault for one row. Its key is stored beside the row, sealed. */
const rowVault = (key: Buffer) => createVault([{ id: 'row', key: createSecretKey(key), version: 1 }])

/**
 * Stores what a connector needs to continue a card charge after the customer's answer. It may contain the card, so it is sealed
 * under its own key, in a table that is in no log and no backup, and kept only for minutes.
 */
export async function keepContinuation(
  vault: Vault,
  tx: Tx,
  transactionId: string,
  continuation: string,
): Promise<void> {
  const key = randomBytes(32)
  const context = contextOf(transactionId)
  const sealed = [vault.seal(key.toString('base64url'), context), rowVault(key).seal(continuation, context)].join(' ')
  await tx.query(sql`
    insert into card_continuations (transaction_id, sealed, expires_at)
    values (${transactionId}, ${sealed}, record_time() + make_interval(secs => ${timing.continuationKeptMs / 1000}))
    on conflict (transaction_id) do update
    set sealed = excluded.sealed, expires_at = excluded.expires_at`)
  reach('continuation.written')
}

/** Undefined when it was lost in a database crash, used up, or has expired. */
export async function openContinuation(vault: Vault, db: Db, transactionId: string): Promise<string | undefined> {
  const [row] = await db.query<{ sealed: string }>(sql`
    select sealed
    from card_continuations
    where transaction_id = ${transactionId}
      and expires_at > record_time()`)
  if (!row) return undefined
  const [key = '', continuation = ''] = row.sealed.split(' ')
  const context = contextOf(transactionId)
  return rowVault(Buffer.from(vault.open(key, context), 'base64url')).open(continuation, context)
}

export async function dropContinuation(tx: Tx, transactionId: string): Promise<void> {
  await tx.query(sql`delete from card_continuations where transaction_id = ${transactionId}`)
}

export async function dropExpiredContinuations(db: Db): Promise<void> {
  await db.query(sql`delete from card_continuations where expires_at <= record_time()`)
}
