import { createSecretKey, randomBytes } from 'node:crypto'
import { type Db, sql, type Tx } from '../../platform/db.ts'
import { reach } from '../../platform/failpoints.ts'
import { createVault, type Vault } from '../../platform/seal.ts'

const keptMinutes = 15

const contextOf = (transactionId: string) => `card_continuations ${transactionId}`

/** A vault for one row, whose key is kept beside it, itself sealed. */
const rowVault = (key: Buffer) => createVault([{ id: 'row', key: createSecretKey(key), version: 1 }])

/**
 * Keeps what a connector needs to go on with a card charge once the customer has answered. It may hold the card, so it is
 * sealed under a key of its own, in a table that is in no log and no backup, and only for minutes.
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
    values (${transactionId}, ${sealed}, record_time() + make_interval(mins => ${keptMinutes}))
    on conflict (transaction_id) do update
    set sealed = excluded.sealed, expires_at = excluded.expires_at`)
  reach('continuation.kept')
}

/** Nothing when it was lost in a crash of the database, used up, or kept too long. */
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
