import type { EventName, Told } from '../events/emit.ts'
import { numberFromMinor } from '../money/money.ts'
import { newId, showId } from '../platform/ids.ts'
import { publicStatus, type State } from './state.ts'
import type { Transaction } from './store.ts'

/** What a merchant is told of a payment: the body of a webhook and of a line of the feed. */
export interface WebhookBody {
  readonly id: string
  readonly event: EventName
  readonly data: ReturnType<typeof dataOf>
  readonly timestamp: string
  readonly sequence: number
}

/** A transaction with as much of it as merchants are told. */
export type Subject = Pick<
  Transaction,
  | 'id'
  | 'external_reference'
  | 'type'
  | 'state'
  | 'amount'
  | 'currency'
  | 'country'
  | 'method'
  | 'fee'
  | 'wallet_currency'
  | 'failure'
>

/** Makes what a merchant is told: with an id of its own, and the bytes that will be signed and sent every time. */
export function tell(subject: Subject, name: EventName, sequence: number, at: Date, cell: number): Told {
  const id = newId(at.getTime(), cell)
  return { name, id, sequence, body: JSON.stringify(bodyOf({ id, name, sequence, at }, subject)) }
}

export interface ToldFacts {
  readonly id: string
  readonly name: EventName
  readonly sequence: number
  readonly at: Date
}

export function bodyOf({ id, name, sequence, at }: ToldFacts, subject: Subject): WebhookBody {
  return {
    id: showId('webhook', id),
    event: name,
    data: dataOf(subject),
    timestamp: at.toISOString(),
    sequence,
  }
}

function dataOf(subject: Subject) {
  const { id, external_reference, type, state, amount, currency, country, method, fee, wallet_currency, failure } =
    subject
  const status = publicStatus[state]
  return {
    transactionId: showId('transaction', id),
    externalReference: external_reference,
    type,
    status,
    chargeStatus: status,
    amount: numberFromMinor(amount, currency),
    currency,
    country,
    method,
    fee: numberFromMinor(fee, wallet_currency),
    ...(failure && isFailed(state) && { failureReason: reasonOf(failure) }),
    // The money is back in the very transaction that makes a payout failed, so this can be said at once.
    ...(isFailed(state) && type === 'withdrew' && { walletReversed: true }),
  }
}

const isFailed = (state: State) => state === 'failed'

export function reasonOf({ code, message, providerCode }: NonNullable<Transaction['failure']>) {
  return { failureCode: code, failureMessage: message, ...(providerCode !== undefined && { providerCode }) }
}
