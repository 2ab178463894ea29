import { maskNumber } from '../people/personal-data.ts'
import { redact } from '../platform/redact.ts'

/** Fields whose value is a figure or a name in Malipo's own lists, or the merchant's own reference. */
const plainFields = new Set([
  ...['amount', 'debitAmount', 'toAmount', 'currency', 'country', 'walletCurrency', 'debitCurrency', 'debitCountry'],
  ...['fromCurrency', 'fromCountry', 'toCurrency', 'toCountry', 'externalReference', 'externalAccountId', 'quoteId'],
  ...['refundOf', 'transactionId', 'destination', 'method', 'type', 'code', 'bankCode', 'branchCode', 'momoOperator'],
  ...['momoOperatorId', 'webhookStatus', 'scenario', 'events'],
])

/** Figures and references may have many digits; in another field they may be a number of a person or a code. */
const digitFields = new Set([
  ...['amount', 'debitAmount', 'toAmount', 'externalReference', 'externalAccountId', 'quoteId', 'refundOf'],
  'transactionId',
])

/** Phone and account numbers: the last digits stay. */
const numberFields = new Set(['phoneNumber', 'accountNumber', 'businessNumber'])

const hidden = '[hidden]'
const bytesMax = 4096
const textMax = 100
const cut = { cut: 'the rest is not kept' }

/** How much of a text the redactor sees: it recognises a token by its end. */
const redactedMax = 4096

/**
 * A request body as the log keeps it, as JSON of at most 4 KiB. Only fields that are known to be harmless keep their values. Every
 * other value is hidden, so a field that is new, misspelt or in the wrong place is hidden too. Each value that remains passes the
 * redactor; the JSON as a whole does not, because what it hides may span quotes and braces.
 */
export function maskBody(body: unknown): string | undefined {
  if (typeof body !== 'object' || body === null) return undefined
  const text = JSON.stringify(masked(body, '', { bytes: bytesMax - 400 }))
  return Buffer.byteLength(text) <= bytesMax ? text : JSON.stringify(cut)
}

/** The bytes left. */
interface Room {
  bytes: number
}

function masked(value: unknown, name: string, room: Room): unknown {
  if (Array.isArray(value)) return maskedList(value, name, room)
  if (typeof value === 'object' && value !== null) return maskedFields(value, room)
  const shown = maskedValue(value, name)
  room.bytes -= Buffer.byteLength(String(shown)) + 3
  return shown
}

function maskedList(list: readonly unknown[], name: string, room: Room): unknown[] {
  const shown: unknown[] = []
  for (const each of list) {
    if (room.bytes <= 0) return [...shown, cut]
    shown.push(masked(each, name, room))
  }
  return shown
}

function maskedFields(fields: object, room: Room): Record<string, unknown> {
  const shown: Record<string, unknown> = {}
  for (const name of Object.keys(fields)) {
    if (room.bytes <= 0) return { ...shown, ...cut }
    room.bytes -= Math.min(name.length, nameMax) + 3
    shown[shownName(name)] = masked((fields as Record<string, unknown>)[name], name, room)
  }
  return shown
}

const nameMax = 40

/** A name may be data too, in a body that is not as the route expects. */
const shownName = (name: string) =>
  name.length <= nameMax && /^[A-Za-z]\w*$/.test(name) && !/\d{4}/.test(name) ? name : hidden

function maskedValue(value: unknown, name: string): unknown {
  if (value === null || typeof value === 'boolean') return value
  if (numberFields.has(name)) return maskNumber(String(value))
  if (!plainFields.has(name)) return hidden
  const text = redact(String(value).slice(0, redactedMax))
  if (!digitFields.has(name) && isLikeCode(text, name)) return hidden
  if (typeof value !== 'number') return text.slice(0, textMax)
  return text === String(value) ? value : hidden // The redactor changes a number only if it is that of a card.
}

/** PINs have four digits or more. Codes of banks and branches have up to five; longer ones may be something else. */
function isLikeCode(text: string, name: string): boolean {
  const digits = text.replaceAll(/[\s.-]/g, '')
  return name === 'bankCode' || name === 'branchCode' ? /\d{6}/.test(digits) : /\d{4}/.test(digits)
}
