import { createHash, timingSafeEqual } from 'node:crypto'
import type { Secret } from '../../platform/secret.ts'
import type { CallbackObservation, CallbackReading, InboundRequest, ProviderStatus } from '../contract.ts'
import { isTakenBack, receiptOf, statusOfCharge } from './charges.ts'
import { asFields, type Fields, readFields } from './messages.ts'
import { statusOfTransfer } from './payouts.ts'

/**
 * Flutterwave sends the same secret with every callback, whatever the content: anyone who has seen one can forge any.
 * So a callback is never proof, only a hint to query the payment that it names.
 */
export function readCallback({ headers, body }: InboundRequest, webhookHash: Secret): CallbackReading {
  if (!isSame(headers['verif-hash'] ?? '', webhookHash.reveal())) return refused('its hash is wrong')
  const callback = readFields(body.toString('utf8'))
  if (callback === undefined) return refused('it is not a JSON object')
  if (!('event' in callback)) return refused('it has the form of old accounts, which is not supported')
  const observations = observationsOf(callback)
  return { isGenuine: true, isProof: false, observations: observations ? [observations] : [] }
}

const refused = (why: string): CallbackReading => ({ isGenuine: false, why })

/** Constant-time comparison. */
function isSame(given: string, wanted: string): boolean {
  const digest = (text: string) => createHash('sha256').update(text).digest()
  return timingSafeEqual(digest(given), digest(wanted))
}

/** Undefined when it is not about a charge or a transfer. Unreadable parts do not matter: a callback only triggers a query. */
function observationsOf({ event, data }: Fields): CallbackObservation | undefined {
  const fields = asFields(data) ?? {}
  const { tx_ref: charge, reference: transfer } = fields
  if (event === 'charge.completed' && typeof charge === 'string')
    return { key: charge, providerStatus: chargeObservation(fields) }
  if (event === 'transfer.completed' && typeof transfer === 'string')
    return { key: transfer, providerStatus: statusOfTransfer(fields) ?? { state: 'submitted' } }
  return undefined
}

function chargeObservation(data: Fields): ProviderStatus {
  const isReceipt = data['payment_type'] === 'bank_transfer' && (data['status'] === 'successful' || isTakenBack(data))
  const receipt = isReceipt ? receiptOf(data) : undefined
  const providerStatus = receipt ? ({ state: 'received', receipts: [receipt] } as const) : undefined
  return providerStatus ?? (isReceipt ? undefined : statusOfCharge(data)) ?? { state: 'submitted' }
}
