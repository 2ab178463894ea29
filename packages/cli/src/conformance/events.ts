import { randomBytes } from 'node:crypto'

/** The body of a webhook, as the service makes it. */
export interface WebhookBody {
  readonly id: string
  readonly event: string
  readonly data: Readonly<Record<string, unknown>>
  readonly timestamp: string
  readonly sequence: number
}

/** An invented payment, and the events that a merchant would get for it. */
export interface InventedPayment {
  readonly reference: string
  created(): WebhookBody
  successful(change?: Partial<WebhookBody>): WebhookBody
  failed(): WebhookBody
}

const id = (prefix: string) => `${prefix}_${randomBytes(16).toString('hex')}`

/** Every case has its own payments, so that earlier cases do not confuse a receiver with memory. */
export function inventPayment(type: 'deposit' | 'withdrew' = 'deposit', at = new Date()): InventedPayment {
  const reference = `conformance-${randomBytes(6).toString('hex')}`
  const transactionId = id('txn')
  const isPayout = type === 'withdrew'
  const sides = isPayout ? { senderAmount: 1500, receiverAmount: 1500 } : { senderAmount: 1500, receiverAmount: 1485 }
  const body = (event: string, status: string, sequence: number, more: Readonly<Record<string, unknown>> = {}) => ({
    id: id('wh'),
    event,
    data: {
      ...{ transactionId, externalReference: reference, type, status, chargeStatus: status, amount: 1500 },
      ...{ ...sides, senderCurrency: 'KES', receiverCurrency: 'KES', currency: 'KES', country: 'KE' },
      ...{ method: 'momo', fee: 15, ...more },
    },
    timestamp: at.toISOString(),
    sequence,
  })
  const failureReason = { failureCode: 'RECIPIENT_NOT_FOUND', failureMessage: 'The recipient has no account.' }
  return {
    reference,
    created: () => body('transaction_created', 'pending', 1),
    successful: (change = {}) => ({ ...body('transaction_updated', 'successful', 2), ...change }),
    failed: () =>
      body('transaction_updated', 'failed', 2, { failureReason, ...(isPayout && { walletReversed: true }) }),
  }
}
