import { moneyText } from '../../ui/money.tsx'
import { isOut, kindOf, methodOf } from '../payments/counterparty.ts'
import type { OnePayment } from './payment-queries.ts'

/** What a support person sends to a customer: no jargon, and nothing that the customer does not know of. */
export function summaryOf(payment: OnePayment): string {
  const { amount, currency, explanation, externalReference, providerReceipt, fullTimestamp } = payment
  const lines = [
    `${kindOf(payment)} of ${moneyText(amount, currency)} by ${methodOf(payment).toLowerCase()}`,
    explanation.sentence,
    `Reference: ${externalReference}`,
    ...(providerReceipt === '' ? [] : [`Receipt: ${providerReceipt}`]),
    `${isOut(payment) ? 'Requested' : 'Started'}: ${new Date(fullTimestamp).toUTCString()}`,
    `Malipo: ${payment.transactionId}`,
  ]
  return lines.join('\n')
}
