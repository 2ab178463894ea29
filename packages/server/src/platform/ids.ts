import { randomBytesFor } from './random.ts'

/**
 * Ids are UUIDv7: 48 bits of milliseconds, so that rows of one month are in one partition, then 12 bits for the cell that created
 * the id, then 62 random bits. `atMs` is the database's clock wherever the id belongs to a record.
 */
export function newId(atMs: number, cell: number): string {
  const bytes = randomBytesFor(16)
  bytes.writeUIntBE(atMs, 0, 6)
  bytes.writeUInt16BE(0x7000 | cell, 6)
  bytes.writeUInt8(0x80 | (bytes.readUInt8(8) & 0x3f), 8)
  return dashed(bytes.toString('hex'))
}

/** A transaction's id: its last byte is 0, and its attempts have the same id ending in their number. */
export function newTransactionId(atMs: number, cell: number): string {
  return `${newId(atMs, cell).slice(0, -2)}00`
}

/** The key that identifies an attempt at a provider: its id in the form of version 4, because providers require that. */
export function providerKeyOf(transactionId: string, attempt: number): string {
  return `${transactionId.slice(0, 14)}4${transactionId.slice(15, -2)}${attempt.toString(16).padStart(2, '0')}`
}

/** The attempt that a key identifies, computed without a query; undefined when Malipo did not make the key. */
export function attemptOfKey(key: string): { transactionId: string; attempt: number } | undefined {
  if (!/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/.test(key)) return undefined
  const attempt = Number.parseInt(key.slice(-2), 16)
  return { transactionId: `${key.slice(0, 14)}7${key.slice(15, -2)}00`, attempt }
}

/** When the row of an id was written, by the database's clock. */
export const timeOfId = (id: string): number => Number.parseInt(id.replace('-', '').slice(0, 12), 16)

/** Greater than every id. */
export const lastId = 'ffffffff-ffff-ffff-ffff-ffffffffffff'

/** The smallest id that can be made at this time: `id_at` of the database. No id is from before 1970. */
export function firstIdAt(atMs: number): string {
  const hex = Math.max(0, atMs).toString(16).padStart(12, '0')
  return hex.length > 12 ? lastId : dashed(hex.padEnd(32, '0'))
}

/** The earliest time of an id, in this code's first year: random keys of other systems are older or far ahead. */
const firstIdMs = Date.UTC(2025, 0)

/** The cell that created a key, if the key can be one that a cell created by `atMs`. */
export function cellOfKey(key: string, atMs: number): number | undefined {
  const id = attemptOfKey(key)?.transactionId
  const madeMs = id === undefined ? 0 : timeOfId(id)
  return id !== undefined && madeMs >= firstIdMs && madeMs <= atMs ? cellOf(id) : undefined
}

/** The prefix of each kind of id outside the database. */
const prefixes = {
  merchant: 'mer',
  credential: 'cred',
  transaction: 'txn',
  account: 'acc',
  'external account': 'ea',
  webhook: 'wh',
  'webhook endpoint': 'we',
  request: 'req',
  case: 'case',
  callback: 'cb',
  proposal: 'prp',
  person: 'person',
  membership: 'role',
  invitation: 'inv',
  session: 'ses',
  'saved view': 'view',
  machine: 'machine',
  'audit entry': 'aud',
  quote: 'qt',
} as const
type Kind = keyof typeof prefixes

/** The trace of a payment is its id, so every process knows it and no table stores it. */
export const traceIdOfPayment = (id: string): string => id.replaceAll('-', '')

export function showId(kind: Kind, id: string): string {
  return `${prefixes[kind]}_${id.replaceAll('-', '')}`
}

/** The id from its shown form; undefined when the text is not an id of this kind. */
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
