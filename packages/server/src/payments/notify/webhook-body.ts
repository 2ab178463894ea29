import type { Static } from 'typebox'
import type { EventName } from '../../events/catalogue.ts'
import type { MerchantEvent } from '../../events/emit.ts'
import { numberFromMinor } from '../../money/money.ts'
import { newId, showId } from '../../platform/ids.ts'
import type { WebhookData } from '../../transactions/schema.ts'
import { isOutgoing } from '../model/outgoing.ts'
import { isFinal, publicStatus, type State } from '../model/state.ts'
import type { Transaction } from '../model/store.ts'

/** The notification of a merchant about a payment: the body of a webhook and of a line of the feed. */
export interface WebhookBody {
  readonly id: string
  readonly event: EventName
  readonly data: Static<typeof WebhookData>
  readonly timestamp: string
  readonly sequence: number
}

/** The fields of a transaction that appear in notifications. */
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
  | 'wallet_amount'
  | 'wallet_currency'
  | 'received'
  | 'failure'
  | 'related_transaction_id'
  | 'related_reference'
  | 'direction'
  | 'reason'
>

/** Creates a notification with its own id and the bytes that are signed and sent at every delivery. */
export function merchantEventOf(
  subject: ScenarioSubject,
  name: EventName,
  sequence: number,
  at: Date,
  cell: number,
): MerchantEvent {
  const id = newId(at.getTime(), cell)
  const { scenario } = subject
  return { name, id, sequence, scenario, body: JSON.stringify(bodyOf({ id, name, sequence, at }, subject)) }
}

type ScenarioSubject = Subject & Pick<Transaction, 'scenario'>

export interface EventFacts {
  readonly id: string
  readonly name: EventName
  readonly sequence: number
  readonly at: Date
}

export function bodyOf({ id, name, sequence, at }: EventFacts, subject: Subject): WebhookBody {
  return {
    id: showId('webhook', id),
    event: name,
    data: dataOf(subject),
    timestamp: at.toISOString(),
    sequence,
  }
}

function dataOf(subject: Subject): WebhookBody['data'] {
  const { id, external_reference, type, state, amount, currency, country, method, fee, wallet_currency } = subject
  const { failure, received } = subject
  const status = publicStatus[state]
  return {
    transactionId: showId('transaction', id),
    externalReference: external_reference,
    type,
    status,
    chargeStatus: status,
    amount: numberFromMinor(amount, currency),
    ...sidesOf(subject),
    currency,
    country,
    method,
    fee: numberFromMinor(fee, wallet_currency),
    // The received amount can change until the end, and a notification must not change once it is sent.
    ...(type === 'deposit' &&
      method === 'bank-transfer' &&
      isFinal(state) && { amountReceived: numberFromMinor(received, currency) }),
    ...(failure && isFailed(state) && { failureReason: reasonOf(failure) }),
    // The transaction that fails a payout also returns its money, so this is true at once.
    ...(isFailed(state) && isOutgoing({ type }) && { walletReversed: true as const }),
    ...refundOf(subject),
    ...adjustingOf(subject),
  }
}

/** Of a refund, or of a payout in its place: the charge. */
export function refundOf({ type, related_transaction_id }: Pick<Subject, 'type' | 'related_transaction_id'>) {
  if (!isOutgoing({ type }) || related_transaction_id === null) return {}
  return { refundOf: showId('transaction', related_transaction_id) }
}

/** The fields that only an adjustment has. */
export function adjustingOf(
  subject: Pick<Subject, 'related_transaction_id' | 'related_reference' | 'direction' | 'reason'>,
) {
  const { related_transaction_id, related_reference, direction, reason } = subject
  if (related_transaction_id === null || !direction || !reason) return {}
  return {
    relatedTransactionId: showId('transaction', related_transaction_id),
    relatedExternalReference: related_reference ?? '',
    direction,
    reason,
  }
}

/** What leaves one side and reaches the other, each in its currency. The fee of a charge is deducted before the credit. */
export function sidesOf(payment: Sided) {
  const { sender, receiver } = minorPartiesOf(payment)
  return {
    senderAmount: numberFromMinor(sender.minor, sender.currency),
    receiverAmount: numberFromMinor(receiver.minor, receiver.currency),
    senderCurrency: sender.currency,
    receiverCurrency: receiver.currency,
  }
}

/** The same in minor units. */
export function minorPartiesOf(payment: Sided) {
  const { outside, wallet } = minorSidesOf(payment)
  const other = { minor: outside, currency: payment.currency }
  const own = { minor: wallet, currency: payment.wallet_currency }
  const [sender, receiver] = isCredit(payment) ? [other, own] : [own, other]
  return { sender, receiver }
}

export type Sided = Omit<
  Subject,
  'id' | 'external_reference' | 'country' | 'failure' | 'related_transaction_id' | 'related_reference' | 'reason'
>

/** Whether the money goes to the wallet. */
const isCredit = ({ type, direction }: Pick<Sided, 'type' | 'direction'>) =>
  type === 'deposit' || (type === 'adjustment' && direction === 'credit')

/** The same in minor units: what the customer pays or the beneficiary gets, and what reaches or leaves the wallet. */
export function minorSidesOf(payment: Sided): { readonly outside: bigint; readonly wallet: bigint } {
  const { fee, amount, received, wallet_amount } = payment
  const [outside, gross] = isPaidInParts(payment) ? [received, received] : [amount, wallet_amount]
  return { outside, wallet: isCredit(payment) ? gross - fee : gross }
}

/** Paid by transfers, which may exceed the requested amount. All of it is credited. */
const isPaidInParts = ({ type, method, state }: Pick<Subject, 'type' | 'method' | 'state'>) =>
  type === 'deposit' && method === 'bank-transfer' && state === 'successful'

const isFailed = (state: State) => state === 'failed'

export function reasonOf({ code, message, providerCode }: NonNullable<Transaction['failure']>) {
  return { failureCode: code, failureMessage: message, ...(providerCode !== undefined && { providerCode }) }
}
