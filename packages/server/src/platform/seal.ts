import assert from 'node:assert/strict'
import {
  createCipheriv,
  createDecipheriv,
  createHmac,
  createSecretKey,
  hkdfSync,
  type KeyObject,
  timingSafeEqual,
} from 'node:crypto'
import { BoundedMap } from './bounded-map.ts'
import { randomBytesFor } from './random.ts'

/** Protects values that must be read back (sealed) or only recognised (hashed), with keys that the database never sees. */
export interface Vault {
  /**
   * Encrypts with AES-256-GCM. `context` names the place (table, column, row): sealed text moved elsewhere does not open. The
   * table and the column are its purpose: with a key of version 2 each purpose has its own data key every day, so that none comes
   * near the 2^32 values that random nonces allow.
   */
  seal(plain: string, context: string): string
  open(sealed: string, context: string): string
  /** A keyed hash, so that a copy of the database alone recognises nothing. */
  hash(plain: string, purpose: string): string
  /** The hash under every key, the current first: it includes hashes made with an earlier key. */
  hashes(plain: string, purpose: string): string[]
  /** Compares in constant time, with the key that made the hash. */
  matches(plain: string, purpose: string, hash: string): boolean
  /** The names of its keys, the newest first. */
  readonly keyIds: readonly [string, ...string[]]
  /** Whether the key that sealed or hashed this is configured. */
  knows(text: string): boolean
  /** Matches text that the newest key sealed in its current format, in PostgreSQL too. */
  readonly newestPattern: string
  /** Whether the newest key hashed this. */
  isHashedNewest(hash: string): boolean
}

/**
 * A key and the name that its results carry. The first of a list writes; all of them read, so that keys can be rotated gradually.
 */
export interface VaultKey {
  readonly id: string
  readonly key: KeyObject
  /** How it seals: 1 with one data key, 2 with one per day and purpose. It opens both. */
  readonly version: 1 | 2
}

export type VaultKeys = readonly [VaultKey, ...VaultKey[]]

/** The name of the key that sealed or hashed a text. */
const keyIdOf = (text: string) => text.slice(0, text.indexOf('.'))

export function createVault(keys: VaultKeys, now: () => number = Date.now): Vault {
  const [current, ...older] = keys
  const hashUnder = (key: VaultKey, plain: string, purpose: string) =>
    `${key.id}.${keyedHash(derive(key, purpose), plain).toString('base64url')}`
  const find = (text: string) => keys.find(({ id }) => id === keyIdOf(text))
  const keyOf = (text: string) => {
    const key = find(text)
    if (!key) throw new Error(`no secret key called ${keyIdOf(text)} is configured`)
    return key
  }
  return {
    seal: (plain, context) => sealUnder(current, plain, context, now()),
    open: (sealed, context) => openUnder(keyOf(sealed), sealed, context),
    hash: (plain, purpose) => hashUnder(current, plain, purpose),
    hashes: (plain, purpose) => keys.map((key) => hashUnder(key, plain, purpose)),
    matches: (plain, purpose, hash) =>
      isEqual(keyedHash(derive(keyOf(hash), purpose), plain), Buffer.from(body(hash), 'base64url')),
    keyIds: [current.id, ...older.map(({ id }) => id)],
    knows: (text) => find(text) !== undefined,
    newestPattern: current.version === 1 ? `^${current.id}[.][^.]+$` : `^${current.id}[.][0-9]{8}[.][^.]+$`,
    isHashedNewest: (hash) => keyIdOf(hash) === current.id,
  }
}

/**
 * Version 1 is `key.sealed`. Version 2 is `key.day.sealed`, as in `2026-11.20261116.…`. No part contains a dot, so the two cannot
 * be confused.
 */
function sealUnder(key: VaultKey, plain: string, context: string, nowMs: number): string {
  if (key.version === 1) return `${key.id}.${encrypt(derive(key, 'seal'), plain, context)}`
  const day = dayOf(nowMs)
  return `${key.id}.${day}.${encrypt(dataKeyOf(key, day, context), plain, context)}`
}

function openUnder(key: VaultKey, sealed: string, context: string): string {
  const [, first = '', second] = sealed.split('.')
  if (second === undefined) return decrypt(derive(key, 'seal'), first, context)
  return decrypt(dataKeyOf(key, first, context), second, context)
}

const dayMs = 86_400_000
let today = { number: -1, text: '' }

/** In UTC, such as 20261116. */
function dayOf(nowMs: number): string {
  const number = Math.floor(nowMs / dayMs)
  if (number !== today.number) today = { number, text: new Date(nowMs).toISOString().slice(0, 10).replaceAll('-', '') }
  return today.text
}

const dataKeyOf = (key: VaultKey, day: string, context: string) => derive(key, `seal ${day} ${purposeOf(context)}`)

/** The table and the column at the start of a context, without the row. */
function purposeOf(context: string): string {
  const purpose = /^[a-z_]+(?:[.|][a-z_]+)?(?=[ |])/.exec(context)?.[0]
  assert(purpose, 'a context starts with its table')
  return purpose
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

/** Enough for days that are opened together, as in a list of old payments; beyond that a key is derived again, in about 10 µs. */
const derivedMax = 1000
const derived = new WeakMap<VaultKey, BoundedMap<string, KeyObject>>()

/**
 * Each purpose has its own key, so that a hash of one kind reveals nothing about another. Cached, because deriving costs most.
 */
function derive(key: VaultKey, purpose: string): KeyObject {
  const known = derived.get(key) ?? new BoundedMap<string, KeyObject>(derivedMax)
  const found = known.get(purpose)
  if (found) return found
  const made = createSecretKey(Buffer.from(hkdfSync('sha256', key.key, '', `malipo ${purpose}`, 32)))
  derived.set(key, known.set(purpose, made))
  return made
}
