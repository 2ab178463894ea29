import { emit, type NewEvent } from '../events/emit.ts'
import { insert, type Transaction, unadjusted } from '../payments/model/store.ts'
import { merchantEventOf } from '../payments/notify/webhook-body.ts'
import type { WriteDb } from '../platform/db.ts'
import { newId, newTransactionId, showId } from '../platform/ids.ts'

/** An event that notifies a merchant. */
export interface NotifiedEvent {
  /** The public id. */
  readonly id: string
  readonly merchant_id: string
  readonly body: string
}

/**
 * Notifies merchants of payments, one for each id in the list, in one transaction. The payment's row, its event, its place in the
 * feed and its webhook record are written as `payments/accept/accept.ts` writes them; no money moves.
 */
export function notifyMerchants(db: WriteDb, merchantIds: readonly string[]): Promise<NotifiedEvent[]> {
  return db.batch(5000, async (tx) => {
    const at = new Date(Number(tx.atUs / 1000n))
    const payments = merchantIds.map((merchant_id) => paymentOf(merchant_id, at))
    const events = payments.map((payment) => createdEvent(payment, at))
    await insert(tx, payments)
    await emit(tx, at, events)
    return events.map(({ merchant_id, notification: { id, body } }) => ({
      merchant_id,
      id: showId('webhook', id),
      body,
    }))
  })
}

function createdEvent(
  payment: Transaction,
  at: Date,
): NewEvent & { notification: NonNullable<NewEvent['notification']> } {
  const { id, merchant_id, env, state } = payment
  return {
    transaction_id: id,
    number: 1,
    merchant_id,
    env,
    cause: 'request',
    notification: merchantEventOf(payment, 'transaction_created', 1, at, 0),
    state,
    stage: 'accepted',
    message: 'accepted',
    detail: {},
  }
}

function paymentOf(merchant_id: string, at: Date): Transaction {
  const id = newTransactionId(at.getTime(), 0)
  return {
    ...{ id, merchant_id, env: 'sandbox', type: 'withdrew', method: 'momo', destination: 'MoMo', country: 'KE' },
    ...{ external_reference: id, amount: 10_000n, currency: 'KES', wallet_id: newId(at.getTime(), 0) },
    ...{ wallet_country: 'KE', wallet_currency: 'KES', wallet_amount: 10_000n, fee: 100n, fee_rule: null, rate: null },
    ...{
      account_name: 'Juma',
      code: 'MPESA_KE',
      counterparty: 'sealed',
      created_at: at,
      expires_at: null,
      sent_via: 'lane',
    },
    scenario: null,
    ...{ state: 'accepted', attempt: 1, provider: 'pawapay', doubt: '', action: null, failure: null },
    ...unadjusted,
    ...{ related_transaction_id: null, related_reference: null, direction: null, reason: null },
    ...{ receipt: '', received: 0n, events: 1, notified: 1, wake_at: null, updated_at: at },
  } as const
}
