import type { Context } from '../context.ts'
import { type KeyedRequest, type Once, rowOf, storeResponse } from '../idempotency/keys.ts'
import type { PricedPayment } from '../payments/accept/priced-payment.ts'
import { type Replay, submit } from '../payments/accept/replay.ts'
import type { Payment, Transaction } from '../payments/model/store.ts'
import { startWatch } from '../platform/clock.ts'
import type { Owner } from '../platform/db.ts'
import { reach } from '../platform/failpoints.ts'

/** A charge sent by its own request: only that request has the data that must not be stored, or it waits for a page. */
interface Start<Body extends object> {
  readonly keyed: KeyedRequest | undefined
  readonly priced: Omit<PricedPayment, 'responseOf'>
  /** Sends the charge and returns it as it is then, or nothing when the provider has not responded while the caller waits. */
  readonly send: (payment: Payment, elapsedMs: () => number) => Promise<Transaction | undefined>
  readonly responseFor: (charge: Transaction | undefined, promised: Transaction) => Body
  /** The response when an identical request came first. */
  readonly again: (replay: Replay) => Promise<Once<Body>>
}

/** Accepts a charge that has its turn, sends it while the caller waits, and stores the response under its key. */
export async function startCharge<Body extends object>(
  ctx: Context,
  owner: Owner,
  { keyed, priced, send, responseFor, again }: Start<Body>,
): Promise<Once<Body>> {
  const elapsedMs = startWatch()
  const outcome = await submit(ctx, { ...priced, responseOf: undefined })
  if (outcome.isReplay) return again(outcome)
  const { transaction } = outcome
  const charge = await send(outcome, elapsedMs)
  reach('charge.resolved')
  const response = responseFor(charge, transaction)
  const row = keyed && rowOf(ctx.vault, owner, keyed, { response, transaction_id: transaction.id })
  if (row) await storeResponse(ctx.db.write, row)
  reach('charge.stored')
  return { response, isReplay: false }
}
