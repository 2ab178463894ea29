import type { Context } from '../../context.ts'
import { AppError } from '../../errors.ts'
import { findKeys, isSameRequest, type KeyedRequest, nameOf } from '../../idempotency/keys.ts'
import type { Owner } from '../../platform/db.ts'
import type { Attempt, Transaction } from '../model/store.ts'
import type { Acceptance } from './accept.ts'

/** The earlier response under a key. It is missing while the first request is still in progress. */
export interface Replay {
  readonly isReplay: true
  readonly response: object | null
  readonly transactionId: string | null
}

/** The outcome of a proposal that was not refused: a new payment, or the earlier response under its key. */
export type Outcome =
  | Replay
  | { readonly isReplay: false; readonly transaction: Transaction; readonly attempt: Attempt }

export function outcomeOf(acceptance: Acceptance): Outcome {
  if (acceptance.kind === 'refused') throw new AppError(acceptance.error)
  if (acceptance.kind === 'accepted') return { isReplay: false, ...acceptance }
  return { isReplay: true, response: acceptance.key.response, transactionId: acceptance.key.transaction_id }
}

/** The earlier response under this key. Checked before anything that may have changed since: accounts, limits, routes. */
export async function replayOf(
  { db, vault }: Context,
  owner: Owner,
  keyed: KeyedRequest | undefined,
): Promise<Replay | undefined> {
  if (!keyed) return undefined
  const known = (await findKeys(db.write, [{ owner, key: keyed.key }])).get(nameOf(owner, keyed.key))
  if (!known) return undefined
  if (!isSameRequest(vault, keyed, known.fingerprint)) throw new AppError('IDEMPOTENCY_KEY_REUSED')
  return { isReplay: true, response: known.response, transactionId: known.transaction_id }
}
