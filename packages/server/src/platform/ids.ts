import { randomBytesFor } from './random.ts'

/**
 * Ids are UUIDv7: 48 bits of milliseconds, so that rows of one month lie in one partition, then 12 bits that name the
 * cell which made the id, then 62 random bits. `atMs` is the database's clock wherever the id belongs to a record.
 */
export function newId(atMs: number, cell: number): string {
  const bytes = randomBytesFor(16)
  bytes.writeUIntBE(atMs, 0, 6)
  bytes.writeUInt16BE(0x7000 | cell, 6)
  bytes.writeUInt8(0x80 | (bytes.readUInt8(8) & 0x3f), 8)
  return dashed(bytes.toString('hex'))
}

/** The id of a transaction: its last byte is 0, and its attempts are the same id ending in their number. */
export function newTransactionId(atMs: number, cell: number): string {
  return `${newId(atMs, cell).slice(0, -2)}00`
}

/** The key a provider knows an attempt by: its id in the form of version 4, since providers insist on that. */
export function providerKeyOf(transactionId: string, attempt: number): string {
  return `${transactionId.slice(0, 14)}4${transactionId.slice(15, -2)}${attempt.toString(16).padStart(2, '0')}`
}

/** Whose attempt a key names, by arithmetic alone; nothing when the text is no key of ours. */
export function attemptOfKey(key: string): { transactionId: string; attempt: number } | undefined {
  if (!/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/.test(key)) return undefined
  const attempt = Number.parseInt(key.slice(-2), 16)
  return { transactionId: `${key.slice(0, 14)}7${key.slice(15, -2)}00`, attempt }
}

/** The earliest time that an id can have, of this code's first year: random keys of other systems are older or far ahead. */
const firstIdMs = Date.UTC(2025, 0)

/** The cell that made a key, where the key looks like one that a cell made by `atMs`. */
export function cellOfKey(key: string, atMs: number): number | undefined {
  const id = attemptOfKey(key)?.transactionId
  const madeMs = id === undefined ? 0 : Number.parseInt(id.replace('-', '').slice(0, 12), 16)
  return id !== undefined && madeMs >= firstIdMs && madeMs <= atMs ? cellOf(id) : undefined
}

/** What an id is shown with to people and programs outside. */
const prefixes = {
  merchant: 'mer',
  credential: 'cred',
  transaction: 'txn',
  'external account': 'ea',
  webhook: 'wh',
  case: 'case',
  callback: 'cb',
} as const
type Kind = keyof typeof prefixes

export function showId(kind: Kind, id: string): string {
  return `${prefixes[kind]}_${id.replaceAll('-', '')}`
}

/** The id behind its shown form, or nothing when the text is no id of this kind. */
export function readId(kind: Kind, text: string): string | undefined {
  const [prefix, digits, ...rest] = text.split('_')
  const isShown = prefix === prefixes[kind] && rest.length === 0 && /^[0-9a-f]{32}$/.test(digits ?? '')
  return isShown && digits !== undefined ? dashed(digits) : undefined
}

export const cellMax = 0xfff

export function cellOf(id: string): number {
  return Number.parseInt(id.slice(15, 18), 16)
}

function dashed(hex: string): string {
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`
}
