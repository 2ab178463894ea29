import { randomBytes } from 'node:crypto'
import { crc32 } from 'node:zlib'
import type { Environment } from '../platform/db.ts'

const words = { live: 'live', sandbox: 'test' } as const satisfies Record<Environment, string>
const alphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
const randomLength = 43 // 32 bytes in base 62
const checksumLength = 6
const cellLength = 3

/** `pk_…` identifies the pair and is public; `sk_…` is the secret half. */
export type KeyKind = 'pk' | 'sk'

/**
 * The cell in three hexadecimal digits, by which a router finds it; 32 random bytes in base 62; a checksum. With the checksum a
 * secret scanner can recognise a leaked key, and Malipo rejects a mistyped key without a database query.
 */
export function makeKey(kind: KeyKind, env: Environment, cell: number): string {
  const head = `${kind}_${words[env]}_${cell.toString(16).padStart(cellLength, '0')}${base62(BigInt(`0x${randomBytes(32).toString('hex')}`), randomLength)}`
  return head + checksum(head)
}

/** Whether the text has the form and the checksum of a key of this kind. */
export function isKey(kind: KeyKind, text: string): boolean {
  const head = text.slice(0, -checksumLength)
  return patterns[kind].test(text) && checksum(head) === text.slice(-checksumLength)
}

/** `opk_…` identifies a machine of the operator and is public; `osk_…` is its secret. They belong to no environment. */
export type OperatorKeyKind = 'opk' | 'osk'

export function makeOperatorKey(kind: OperatorKeyKind): string {
  const head = `${kind}_${base62(BigInt(`0x${randomBytes(32).toString('hex')}`), randomLength)}`
  return head + checksum(head)
}

export function isOperatorKey(kind: OperatorKeyKind, text: string): boolean {
  const isForm = text.startsWith(`${kind}_`) && /^[0-9A-Za-z_]{53}$/.test(text)
  return isForm && checksum(text.slice(0, -checksumLength)) === text.slice(-checksumLength)
}

/** Keys of earlier releases name no cell. */
const pattern = (kind: KeyKind) =>
  new RegExp(`^${kind}_(live|test)_([0-9a-f]{${cellLength}})?[0-9A-Za-z]{${randomLength + checksumLength}}$`)
const patterns = { pk: pattern('pk'), sk: pattern('sk') }

const checksum = (head: string) => base62(BigInt(crc32(head)), checksumLength)

function base62(value: bigint, length: number): string {
  const digits: string[] = []
  for (let rest = value; digits.length < length; rest /= 62n) digits.unshift(alphabet.charAt(Number(rest % 62n)))
  return digits.join('')
}
