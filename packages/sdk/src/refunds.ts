import type { Operations, Schemas } from './generated/api.ts'
import { type List, listOf } from './lists.ts'
import { type Amount, exactNumber, orExisting, type PaymentOptions, type Read, scenarioHeaders } from './payments.ts'
import { type Status, statusOf, type WithStatus, withStatus } from './transactions.ts'
import type { CallOptions, Transport } from './transport.ts'

type RefundBody = Operations['postTransactionsTransactionIdRefunds']['body']

/** Without an amount: all that is left of the charge. */
export type NewRefund = Omit<RefundBody, 'amount'> & { amount?: Amount }

/** A refund whose money is held and that will be sent. */
export interface AcceptedRefund {
  transactionId: string
  /** The id of the charge. */
  refundOf: string
  externalReference: string
  status: Status
  amount: number
  currency: string
}

/** A refund as listed. */
export type Refund = WithStatus<Schemas['Refund']>

/** Selects refunds; default: all. Days are YYYY-MM-DD in UTC, both inclusive. */
export type RefundFilter = Omit<NonNullable<Operations['getRefunds']['query']>, 'limit' | 'cursor'>

/** Gives charges back, as safe to repeat as a payout. */
export interface Refunds {
  /** By the id or the external reference of the charge. */
  create(charge: string, refund: NewRefund, options?: PaymentOptions): Promise<AcceptedRefund>
  /** All refunds, newest first; pages are read as needed. */
  list(filter?: RefundFilter, options?: CallOptions): List<Refund>
}

export function refundsOf({ call }: Transport, read: Read): Refunds {
  return {
    create: (charge, { amount, ...refund }, options) => {
      const body = { ...refund, ...(amount !== undefined && { amount: exactNumber(amount) }) }
      const input = { ...refund, ...(amount !== undefined && { amount }), type: 'refund' }
      return orExisting(read, input, acceptedBefore, options, async () => {
        const path = { transactionId: charge }
        const { body: made } = await call(
          'postTransactionsTransactionIdRefunds',
          { path, body },
          options,
          scenarioHeaders(options),
        )
        const { success: _, message: __, ...accepted } = made
        return { ...accepted, status: statusOf(made.status) }
      })
    },
    list: (filter = {}, options) =>
      listOf(async (cursor: string | undefined) => {
        const { body } = await call('getRefunds', { query: { ...filter, limit: 100, cursor } }, options)
        return { items: body.data.map(withStatus), next: body.nextCursor }
      }),
  }
}

function acceptedBefore(found: Parameters<Parameters<typeof orExisting<AcceptedRefund>>[2]>[0]): AcceptedRefund {
  const { transactionId, externalReference, status, amount, currency, refundOf = '' } = found
  return { transactionId, refundOf, externalReference, status, amount, currency }
}
