import { createHash, timingSafeEqual } from 'node:crypto'
import type { Secret } from '../../platform/secret.ts'
import type { CallbackNews, CallbackVerdict, InboundRequest, Said } from '../contract.ts'
import { isTakenBack, receiptOf, saidOfCharge } from './charges.ts'
import { asFields, type Fields, readFields } from './messages.ts'
import { saidOfTransfer } from './payouts.ts'

/**
 * Flutterwave sends the same secret with every callback, whatever it says: whoever has seen one can write any. So it is
 * never proof, only a hint to ask about the payment that it names.
 */
export function readCallback({ headers, body }: InboundRequest, webhookHash: Secret): CallbackVerdict {
  if (!isSame(headers['verif-hash'] ?? '', webhookHash.reveal())) return refused('its hash is wrong')
  const callback = readFields(body.toString('utf8'))
  if (callback === undefined) return refused('it is not a JSON object')
  if (!('event' in callback)) return refused('it has the form of old accounts, which is not taken')
  const news = newsOf(callback)
  return { isGenuine: true, isProof: false, news: news ? [news] : [] }
}

const refused = (why: string): CallbackVerdict => ({ isGenuine: false, why })

/** Takes as long for any wrong hash as for any other. */
function isSame(given: string, wanted: string): boolean {
  const digest = (text: string) => createHash('sha256').update(text).digest()
  return timingSafeEqual(digest(given), digest(wanted))
}

/** Nothing when it is not about a charge or a transfer. What cannot be read of it does not matter: it only makes us ask. */
function newsOf({ event, data }: Fields): CallbackNews | undefined {
  const fields = asFields(data) ?? {}
  const { tx_ref: charge, reference: transfer } = fields
  if (event === 'charge.completed' && typeof charge === 'string') return { key: charge, said: chargeNews(fields) }
  if (event === 'transfer.completed' && typeof transfer === 'string')
    return { key: transfer, said: saidOfTransfer(fields) ?? { state: 'submitted' } }
  return undefined
}

function chargeNews(data: Fields): Said {
  const isReceipt = data['payment_type'] === 'bank_transfer' && (data['status'] === 'successful' || isTakenBack(data))
  const receipt = isReceipt ? receiptOf(data) : undefined
  const said = receipt ? ({ state: 'received', receipts: [receipt] } as const) : undefined
  return said ?? (isReceipt ? undefined : saidOfCharge(data)) ?? { state: 'submitted' }
}
