import { createPrivateKey, createSecretKey, type KeyObject } from 'node:crypto'
import { isRange } from './platform/addresses.ts'
import { parseNatsServers } from './platform/nats.ts'
import type { VaultKey, VaultKeys } from './platform/seal.ts'
import { Secret } from './platform/secret.ts'
import type { OperationRates } from './providers/contract.ts'

// Readers for the text of a setting. Each throws an error that describes the expected value.

/** How a value is written in malipo.toml. Lists may also be text, with commas as in the environment. */
export type FileForm = 'text' | 'whole number' | 'whole number or text' | 'list'

/** Parses the text of a setting; without a form it is written as text. */
export type Reader<Value> = ((text: string) => Value) & { readonly form?: FileForm }

const written = <Value>(form: FileForm, read: (text: string) => Value): Reader<Value> => Object.assign(read, { form })

export function nonEmpty(text: string): string {
  if (text === '') throw new Error('must not be empty')
  return text
}

export function whole(min: number, max: number): Reader<number> {
  return written('whole number', (text) => {
    const value = Number(text)
    if (!/^\d+$/.test(text) || value < min || value > max)
      throw new Error(`must be a whole number from ${min} to ${max}`)
    return value
  })
}

/** A total, then lower limits for single operations. */
export const requestRates = written('whole number or text', readRequestRates)

function readRequestRates(text: string) {
  const [total = '', ...limits] = text.trim().split(/\s+/)
  const problem =
    'must be requests per second, such as 50, then any limits per operation: 50 charge=20 payout=30 query=10'
  const requestsPerSecond = perSecond(total)
  const operations = limits.map((limit): [string, number] => {
    const [, operation = '', rate = ''] = /^(charge|payout|query)=(\d+)$/.exec(limit) ?? []
    return [operation, perSecond(rate)]
  })
  const rates = [requestsPerSecond, ...operations.map(([, rate]) => rate)]
  const isTwice = new Set(operations.map(([operation]) => operation)).size < operations.length
  if (isTwice || rates.some((rate) => rate < 1 || rate > requestsPerSecond)) throw new Error(problem)
  const operationsPerSecond: OperationRates = Object.fromEntries(operations)
  return { requestsPerSecond, operationsPerSecond }
}

/** Zero for text that cannot be a rate. */
function perSecond(text: string): number {
  return /^\d{1,6}$/.test(text) ? Number(text) : 0
}

export function oneOf<Word extends string>(...words: Word[]) {
  return (text: string): Word => {
    const found = words.find((word) => word === text)
    if (found === undefined) throw new Error(`must be one of ${words.join(', ')}`)
    return found
  }
}

export function optional<Value>(read: Reader<Value>): Reader<Value | undefined> {
  return written(read.form ?? 'text', (text) => (text === '' ? undefined : read(text)))
}

export function secret(text: string): Secret {
  if (text.length < 16) throw new Error('must have at least 16 characters')
  return new Secret(text)
}

export function cipherKey(text: string): Secret {
  if (!/^[\x21-\x7e]{24}$/.test(text)) throw new Error('must be 24 characters without spaces')
  return new Secret(text)
}

export function httpUrl(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined
  const isPlain =
    url && /^https?:$/.test(url.protocol) && url.pathname === '/' && url.search === '' && !hasCredentials(url)
  if (!isPlain) throw new Error('must be an http or https URL without a path, such as https://pay.example.com')
  return url.origin
}

/** A password may stand without a user. */
const hasCredentials = ({ username, password }: URL) => username !== '' || password !== ''

/** The base of a receiver's URLs: it may have a path, and has no secret. */
export function otlpUrl(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined
  const isPlain = url && /^https?:$/.test(url.protocol) && url.search === '' && url.hash === '' && !hasCredentials(url)
  if (!isPlain) throw new Error('must be an http or https URL without credentials, such as http://127.0.0.1:4318')
  return url.href.replace(/\/+$/, '')
}

/** Its error never repeats the text, which may be secret. */
export function otlpHeaders(text: string): Secret {
  const isHeader = (pair: string) => /^[\w-]+=(?:[!-$&-+\--~]|%[0-7][0-9a-fA-F])+$/.test(pair)
  const headers = text.split(',').map((pair) => pair.trim())
  if (!headers.every(isHeader))
    throw new Error('must be headers such as authorization=Bearer%20abc, comma-separated, with values percent-encoded')
  return new Secret(headers.join(','))
}

/** From 0 to 1. */
export function share(text: string): number {
  const value = Number(text)
  if (!/^(0|1|0?\.\d{1,9}|1\.0+)$/.test(text)) throw new Error('must be a number from 0 to 1, such as 0.05')
  return value
}

/** An issuer may have a path. Its tokens are only as safe as its keys, so it must be https except on this machine. */
export function issuerUrl(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined
  const isLocal = url?.protocol === 'http:' && /^(localhost|127\.0\.0\.1|\[::1\])$/.test(url.hostname)
  if (!url || !(url.protocol === 'https:' || isLocal) || url.search !== '' || hasCredentials(url))
    throw new Error('must be an https URL, such as https://login.example.com')
  return text
}

export function databaseUrl(text: string): Secret {
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (!url || !/^postgres(ql)?:$/.test(url.protocol))
    throw new Error('must be a URL such as postgres://malipo@host/malipo')
  if (url.searchParams.has('options')) throw new Error('must not contain options: the service sets its own')
  return new Secret(text)
}

/** Its error never repeats the text, which may hold a password. */
export const natsUrl = written('list', (text) => {
  parseNatsServers(text)
  return new Secret(text)
})

export function zarContact(text: string): { readonly email: string; readonly phone: string; readonly address: string } {
  const [email = '', phone = '', address = '', ...rest] = text.split(';').map((part) => part.trim())
  const isGood = /^\S+@\S+$/.test(email) && /^\d{9,15}$/.test(phone) && address !== '' && rest.length === 0
  if (!isGood) throw new Error('must be an e-mail address, a phone number in digits and an address, separated by ;')
  return { email, phone, address }
}

/** Its error never repeats the text, which is secret even when it is wrong. */
export function signer(text: string): { readonly keyId: string; readonly privateKey: KeyObject } {
  const [, keyId, pem] = /^(\S+)\s+(-----BEGIN [\s\S]+)$/.exec(text.trim()) ?? []
  const problem = new Error('must be the id of the key, a space, and the PEM of a P-256 private key')
  if (keyId === undefined || pem === undefined) throw problem
  try {
    const privateKey = createPrivateKey(pem)
    if (privateKey.asymmetricKeyDetails?.namedCurve === 'prime256v1') return { keyId, privateKey }
  } catch {
    throw problem
  }
  throw problem
}

/** Its error never repeats the text, which is secret even when it is wrong. */
export const keys = written('list', readKeys)

function readKeys(text: string): VaultKeys {
  const [first, ...rest] = text.split(',').map((entry): VaultKey => {
    const [id = '', ...parts] = entry.trim().split(':')
    const [encoded = '', word] = parts.toReversed()
    const bytes = Buffer.from(encoded, 'base64url')
    const isForm = parts.length === 1 || (parts.length === 2 && word === 'v2')
    if (!keyName.test(id) || bytes.length !== 32 || !isForm)
      throw new Error('must be name:base64url of 32 bytes, or name:v2:base64url, comma-separated')
    return { id, key: createSecretKey(bytes), version: word === 'v2' ? 2 : 1 }
  })
  if (!first) throw new Error('must hold at least one key')
  requireOtherNames([first, ...rest])
  return [first, ...rest]
}

const keyName = /^[\w-]{1,32}$/

function requireOtherNames(named: readonly { readonly id: string }[]): void {
  if (new Set(named.map(({ id }) => id)).size < named.length) throw new Error('must not use a name twice')
}

/** A key that others verify with. */
export interface PublicKey {
  readonly id: string
  /** The point of an Ed25519 key, as in a JSON Web Key. */
  readonly x: string
}

/** A seed has another form, so that a private key in the wrong setting is refused and never published. */
export const publicKeys = written('list', (text): readonly PublicKey[] => {
  const found = text.split(',').map((entry): PublicKey => {
    const [id = '', word, x = '', ...rest] = entry.trim().split(':')
    if (!keyName.test(id) || word !== 'public' || !isPoint(x) || rest.length > 0)
      throw new Error(
        'must be name:public:base64url of 32 bytes, comma-separated, as docs/operating/cells.md prints them',
      )
    return { id, x }
  })
  requireOtherNames(found)
  return found
})

/** Only the canonical text is published. With the point of 32 zero bytes, anyone can make a valid signature. */
function isPoint(x: string): boolean {
  const bytes = Buffer.from(x, 'base64url')
  return bytes.length === 32 && bytes.toString('base64url') === x && bytes.some((byte) => byte !== 0)
}

export const ranges = written('list', readRanges)

function readRanges(text: string): readonly string[] {
  const entries = text.split(',').map((entry) => entry.trim())
  const given = entries.filter((entry) => entry !== '')
  if (!given.every(isRange)) throw new Error('must be addresses or ranges such as 10.0.0.0/8, comma-separated')
  return given
}
