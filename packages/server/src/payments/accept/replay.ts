import type { Context } from '../../context.ts'
import { AppError, type Detail } from '../../errors.ts'
import { findKeys, isSameRequest, type KeyedRequest, nameOf } from '../../idempotency/keys.ts'
import { formatMinor } from '../../money/money.ts'
import { type Owner, sql } from '../../platform/db.ts'
import { showId } from '../../platform/ids.ts'
import type { ExceededLimit } from '../controls/control-batch.ts'
import { limitNames } from '../controls/rules.ts'
import type { Attempt, Transaction } from '../model/store.ts'
import type { Acceptance } from './accept.ts'
import type { PricedPayment } from './priced-payment.ts'

/** The earlier response under a key. It is missing while the first request is still in progress. */
export interface Replay {
  readonly isReplay: true
  readonly response: object | null
  readonly transactionId: string | null
}

/** The outcome of a payment that was not refused: a new payment, or the earlier response under its key. */
export type Outcome =
  | Replay
  | { readonly isReplay: false; readonly transaction: Transaction; readonly attempt: Attempt }

/** Submits a payment. A refusal is thrown with the facts that help the caller. */
export async function submit(ctx: Context, priced: PricedPayment): Promise<Outcome> {
  const acceptance = await ctx.acceptor.submit(priced)
  if (acceptance.kind === 'refused') throw await refusalOf(ctx, priced, acceptance)
  if (acceptance.kind === 'accepted') return { isReplay: false, ...acceptance }
  return { isReplay: true, response: acceptance.key.response, transactionId: acceptance.key.transaction_id }
}

/** `available` is what the wallet had, where that was not enough. */
type Refused = Extract<Acceptance, { kind: 'refused' }>

async function refusalOf(ctx: Context, priced: PricedPayment, refused: Refused): Promise<AppError> {
  const { error, refundable } = refused
  if (error === 'REFERENCE_USED') return new AppError(error, await usedBy(ctx, priced))
  if (refundable !== undefined) return new AppError(error, { details: [refundableLeft(priced, refundable)] })
  return refusedFor(priced, refused)
}

/** The error of a payment that its wallet or its limits refuse. */
export function refusedFor(priced: Priced, { error, available, exceeded }: Omit<Refused, 'kind'>): AppError {
  if (exceeded) return new AppError(error, { details: limitOf(exceeded) })
  return new AppError(error, available === undefined ? {} : { details: missingFunds(priced, available) })
}

/** What can still go back of the charge. */
export function refundableLeft({ currency }: Pick<PricedPayment, 'currency'>, left: bigint): Detail {
  return { field: 'refundable', message: `${formatMinor(left, currency)} ${currency}` }
}

type Priced = Pick<PricedPayment, 'wallet_amount' | 'wallet_currency' | 'fee'>

/** Only the owner's own payments are read, in the same environment. */
async function usedBy({ db }: Context, { owner, external_reference }: PricedPayment): Promise<{ details?: Detail[] }> {
  const [row] = await db.read.find<{ transaction_id: string }>(
    owner,
    sql`
      select transaction_id
      from external_references
      where merchant_id = ${owner.merchant_id}
        and env = ${owner.env}
        and reference = ${external_reference}`,
  )
  if (!row) return {}
  return { details: [{ field: 'transactionId', message: showId('transaction', row.transaction_id) }] }
}

function missingFunds({ wallet_amount, wallet_currency, fee }: Priced, available: bigint): Detail[] {
  const shown = (minor: bigint) => `${formatMinor(minor, wallet_currency)} ${wallet_currency}`
  return [
    { field: 'required', message: shown(wallet_amount + fee) },
    { field: 'available', message: shown(available) },
  ]
}

/** Which limit, how much it allows, what is left of it now, and when it counts from zero again. */
function limitOf({ currency, limit, most, left, resetsAt }: ExceededLimit): Detail[] {
  const shown = (minor: bigint) => `${formatMinor(minor, currency)} ${currency}`
  return [
    { field: 'limit', message: limitNames[limit] },
    { field: 'most', message: shown(most) },
    { field: 'left', message: shown(left) },
    ...(resetsAt ? [{ field: 'resetsAt', message: resetsAt.toISOString() }] : []),
  ]
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
