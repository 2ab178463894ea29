import type { Vault } from '../../platform/seal.ts'
import { type Customer, customerOf } from '../model/customer.ts'
import type { Transaction } from '../model/store.ts'
import type { WebhookBody } from './webhook-body.ts'

/** A stored webhook with the sealed counterparty of its transaction. */
interface Stored {
  readonly body: string
  readonly transaction_id: string
  /** Null when the transaction is archived. */
  readonly type: Transaction['type'] | null
  readonly counterparty: string | null
}

/**
 * The bytes that are sent: the stored body with the payer of a charge, who is stored sealed only. A counterparty never changes, so
 * every attempt has the same bytes.
 */
export function bodyWithCustomer(vault: Vault, stored: Stored): string {
  const { body, transaction_id: id, type, counterparty } = stored
  const customer = type && counterparty !== null ? customerIfKnown(vault, { id, type, counterparty }) : undefined
  if (!customer) return body
  const event = JSON.parse(body) as WebhookBody
  return JSON.stringify({ ...event, data: { ...event.data, customer } })
}

/** Undefined also when its key is missing: a notification without the payer is better than none. */
export function customerIfKnown(
  vault: Vault,
  charge: Pick<Transaction, 'id' | 'type' | 'counterparty'>,
): Customer | undefined {
  try {
    return customerOf(vault, charge)
  } catch {
    return undefined
  }
}
