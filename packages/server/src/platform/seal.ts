import {
  createCipheriv,
  createDecipheriv,
  createHmac,
  createSecretKey,
  hkdfSync,
  type KeyObject,
  timingSafeEqual,
} from 'node:crypto'
import { randomBytesFor } from './random.ts'

/** Keeps what must be read back (sealed) and what must only be recognised (hashed), under keys the database never sees. */
export interface Vault {
  /** Encrypts with AES-256-GCM. `context` names the place (table, column, row): sealed text moved elsewhere does not open. */
  seal(plain: string, context: string): string
  open(sealed: string, context: string): string
  /** A keyed hash, so that a copy of the database recognises nothing by itself. */
  hash(plain: string, purpose: string): string
  /** The hash under every key, the current first: what was kept under a key of before is among them. */
  hashes(plain: string, purpose: string): string[]
  /** Compares in constant time, under whichever key made the hash. */
  matches(plain: string, purpose: string, hash: string): boolean
}

/** A key and the name its results carry. The first of a list writes; all of them read, so keys can be changed at leisure. */
export interface VaultKey {
  readonly id: string
  readonly key: KeyObject
}

export function createVault(keys: readonly [VaultKey, ...VaultKey[]]): Vault {
  const [current] = keys
  const hashUnder = (key: VaultKey, plain: string, purpose: string) =>
    `${key.id}.${keyedHash(derive(key, purpose), plain).toString('base64url')}`
  const keyOf = (text: string) => {
    const id = text.slice(0, text.indexOf('.'))
    const key = keys.find((candidate) => candidate.id === id)
    if (!key) throw new Error(`no secret key called ${id} is configured`)
    return key
  }
  return {
    seal: (plain, context) => `${current.id}.${encrypt(derive(current, 'seal'), plain, context)}`,
    open: (sealed, context) => decrypt(derive(keyOf(sealed), 'seal'), body(sealed), context),
    hash: (plain, purpose) => hashUnder(current, plain, purpose),
    hashes: (plain, purpose) => keys.map((key) => hashUnder(key, plain, purpose)),
    matches: (plain, purpose, hash) =>
      isEqual(keyedHash(derive(keyOf(hash), purpose), plain), Buffer.from(body(hash), 'base64url')),
  }
}

const body = (text: string) => text.slice(text.indexOf('.') + 1)
const isEqual = (left: Buffer, right: Buffer) => left.length === right.length && timingSafeEqual(left, right)
const keyedHash = (key: KeyObject, plain: string) => createHmac('sha256', key).update(plain).digest()

const nonceLength = 12
const tagLength = 16

function encrypt(key: KeyObject, plain: string, context: string): string {
  const nonce = randomBytesFor(nonceLength)
  const cipher = createCipheriv('aes-256-gcm', key, nonce).setAAD(Buffer.from(context))
  const sealed = Buffer.concat([cipher.update(plain, 'utf8'), cipher.final()])
  return Buffer.concat([nonce, sealed, cipher.getAuthTag()]).toString('base64url')
}

function decrypt(key: KeyObject, text: string, context: string): string {
  const bytes = Buffer.from(text, 'base64url')
  const nonce = bytes.subarray(0, nonceLength)
  const sealed = bytes.subarray(nonceLength, -tagLength)
  const decipher = createDecipheriv('aes-256-gcm', key, nonce, { authTagLength: tagLength })
    .setAAD(Buffer.from(context))
    .setAuthTag(bytes.subarray(-tagLength))
  return decipher.update(sealed, undefined, 'utf8') + decipher.final('utf8')
}

const derived = new WeakMap<VaultKey, Map<string, KeyObject>>()

/** Each purpose has a key of its own, so that a hash of one kind says nothing about another. Made once: that costs most. */
function derive(key: VaultKey, purpose: string): KeyObject {
  const known = derived.get(key) ?? new Map<string, KeyObject>()
  derived.set(key, known)
  const made =
    known.get(purpose) ?? createSecretKey(Buffer.from(hkdfSync('sha256', key.key, '', `malipo ${purpose}`, 32)))
  known.set(purpose, made)
  return made
}
