import { isIP } from 'node:net'
import { errors, type Pool } from 'undici'
import { createPermit, type Permit } from './forbidden-addresses.ts'
import { createLookup, type Lookup } from './names.ts'
import { createPinnedPools, NoConnection, notAllowed, type PinnedPools, type Target } from './pinned-pools.ts'

/** Posts to URLs that merchants choose: only to the public internet. */
export interface Gate {
  /** One attempt. Every failure is in the result; it does not throw. */
  post(order: PostOrder): Promise<Posted>
  close(): Promise<void>
}

export interface GateOptions {
  /** Ranges that the operator allows although they are not public, such as 127.0.0.0/8 for a sandbox on one machine. */
  readonly allowedRanges: readonly string[]
  readonly lookup?: Lookup
  /** For the whole attempt: name, connection, TLS, headers and body. */
  readonly timeoutMs: number
}

export interface PostOrder {
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string | Uint8Array
  readonly isHttpAllowed?: boolean
}

/**
 * `refused` means that this side did not call, and `unreachable` that no connection was made: nothing was sent. With `timeout`
 * and `broken` the other side may have received it. A redirect is a response like any other, never followed. Details are fixed
 * sentences: they reveal nothing about an address except that it is not allowed, whether something listens there or not.
 */
export type Posted = Outcome & { readonly durationMs: number }

type Outcome =
  | {
      readonly kind: 'responded'
      readonly status: number
      /** The start of the reply, as text that can be stored and shown. */
      readonly body: string
      /** The header as received. */
      readonly retryAfter: string | undefined
    }
  | { readonly kind: 'refused' | 'unreachable' | 'timeout' | 'broken'; readonly detail: string }

const urlLengthMax = 2048
const replyBytesMax = 65_536
const keptBytesMax = 2048
/** A name may have thousands of addresses; all are checked, and this many are tried. */
const addressesMax = 16

/** Ports below 1024 belong to system services such as mail and file shares; of those only the web ports are called. */
const webPorts = [80, 443]

interface Means {
  readonly permit: Permit
  readonly lookup: Lookup
  readonly pools: PinnedPools
  readonly timeoutMs: number
}

export function openGate({ allowedRanges, lookup = createLookup(), timeoutMs }: GateOptions): Gate {
  const permit = createPermit(allowedRanges)
  const pools = createPinnedPools(permit)
  return {
    post: async (order) => {
      const startedAt = performance.now()
      const outcome = await attempt({ permit, lookup, pools, timeoutMs }, order)
      return { ...outcome, durationMs: Math.round(performance.now() - startedAt) }
    },
    close: () => pools.close(),
  }
}

async function attempt(means: Means, order: PostOrder): Promise<Outcome> {
  const url = readUrl(order)
  if (typeof url === 'string') return { kind: 'refused', detail: url }
  const target = targetOf(url)
  const deadline = startDeadline(means.timeoutMs)
  try {
    const addresses = await deadline.orEnd(resolve(means, target))
    const path = `${url.pathname}${url.search}`
    return await means.pools.use(target, addresses, (pool) => exchange(pool, path, order, deadline.signal))
  } catch (error) {
    return explain(error as Error, deadline)
  } finally {
    deadline.clear()
  }
}

/** The URL, or what is wrong with its text. Its destination is checked later, by address and never by text. */
function readUrl({ url: text, isHttpAllowed = false }: PostOrder): URL | string {
  if (text.length > urlLengthMax) return `the URL is longer than ${urlLengthMax} characters`
  const url = URL.parse(text)
  if (/[\s\p{Cc}]/u.test(text) || url === null) return 'the URL cannot be read'
  if (text.includes('#')) return 'the URL must not contain a fragment'
  const schemes = isHttpAllowed ? ['https:', 'http:'] : ['https:']
  if (!schemes.includes(url.protocol))
    return `the URL must start with ${schemes.map((each) => `${each}//`).join(' or ')}`
  if (`${url.username}${url.password}` !== '') return 'the URL must not contain a user name or password'
  return hostProblem(targetOf(url)) ?? url
}

function hostProblem({ hostname, port }: Target): string | undefined {
  if (hostname === '' || hostname.includes('..')) return 'the URL cannot be read'
  return port < 1024 && !webPorts.includes(port) ? 'the port is not allowed' : undefined
}

function targetOf({ protocol, hostname: written, port: given }: URL): Target {
  const host = written.replace(/(?<!\.)\.+$/, '')
  const isSecure = protocol === 'https:'
  return {
    origin: `${protocol}//${host}${given === '' ? '' : `:${given}`}`,
    hostname: host.replace(/^\[|\]$/g, ''),
    port: given === '' ? (isSecure ? 443 : 80) : Number(given),
    isSecure,
  }
}

/**
 * Every address of the host, all of them permitted: one forbidden address refuses them all, because it is a sign of an attack.
 */
async function resolve({ permit, lookup }: Means, { hostname }: Target): Promise<string[]> {
  const found = await addressesOf(hostname, permit, lookup)
  const permitted = found.flatMap((address) => permit(address) ?? [])
  if (permitted.length < found.length) throw new NoConnection(notAllowed, { isForbidden: true })
  if (permitted.length === 0) throw new NoConnection('the name has no address')
  return [...new Set(permitted)].slice(0, addressesMax)
}

async function addressesOf(hostname: string, permit: Permit, lookup: Lookup): Promise<readonly string[]> {
  if (isIP(hostname)) return [hostname]
  if (/(^|\.)localhost$/.test(hostname)) return loopback(permit)
  try {
    return await lookup(hostname)
  } catch (error) {
    const isMissing = (error as { code?: string }).code === 'ENOTFOUND'
    throw new NoConnection(isMissing ? 'the name does not exist' : 'the name could not be looked up', { cause: error })
  }
}

/** RFC 6761: localhost is never sent to a name server. It resolves to what the operator allows, which is usually nothing. */
function loopback(permit: Permit): string[] {
  const allowed = ['127.0.0.1', '::1'].filter((address) => permit(address) !== undefined)
  return allowed.length > 0 ? allowed : ['127.0.0.1']
}

async function exchange(pool: Pool, path: string, order: PostOrder, signal: AbortSignal): Promise<Outcome> {
  const { headers, body } = order
  const reply = await pool.request({ method: 'POST', path, headers, body, signal })
  const retryAfter = [reply.headers['retry-after']].flat()[0]
  return { kind: 'responded', status: reply.statusCode, body: await readStart(reply.body), retryAfter }
}

/** Stops at the limit, which closes the connection; after a shorter reply the connection can be reused. */
async function readStart(body: AsyncIterable<Buffer> & NodeJS.EventEmitter): Promise<string> {
  body.on('error', () => undefined) // Stopping counts as an error, which has no other listener.
  const parts: Buffer[] = []
  let size = 0
  for await (const part of body) {
    if (size < keptBytesMax) parts.push(part)
    size += part.length
    if (size >= replyBytesMax) break
  }
  return legible(Buffer.concat(parts).subarray(0, keptBytesMax))
}

/**
 * Valid text that cannot control a terminal or a page's direction, within the byte limit: a character cut in two is dropped, and
 * each replacement takes three bytes.
 */
function legible(bytes: Uint8Array): string {
  if (bytes.length === 0) return ''
  const text = new TextDecoder()
    .decode(bytes, { stream: true })
    .replaceAll('\r\n', '\n')
    .replaceAll(/[^\P{Cc}\n\t]|[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu, '\ufffd')
  const { read } = new TextEncoder().encodeInto(text, new Uint8Array(keptBytesMax))
  return text.slice(0, read)
}

interface Deadline {
  readonly signal: AbortSignal
  /** Waits for the work, but not past the deadline. */
  orEnd<Result>(work: Promise<Result>): Promise<Result>
  clear(): void
}

function startDeadline(timeoutMs: number): Deadline {
  const end = new AbortController()
  const timer = setTimeout(() => end.abort(), timeoutMs)
  return {
    signal: end.signal,
    orEnd: (work) =>
      new Promise((done, fail) => {
        end.signal.addEventListener('abort', () => fail(end.signal.reason))
        work.then(done, fail)
      }),
    clear: () => clearTimeout(timer),
  }
}

function explain(error: Error, deadline: Deadline): Outcome {
  if (deadline.signal.aborted) return { kind: 'timeout', detail: 'no complete response in time' }
  if (error instanceof NoConnection)
    return { kind: error.isForbidden ? 'refused' : 'unreachable', detail: error.detail }
  if (error instanceof errors.HeadersOverflowError) return { kind: 'broken', detail: 'the headers are too long' }
  if (error instanceof errors.HTTPParserError) return { kind: 'broken', detail: 'the response is not HTTP' }
  return { kind: 'broken', detail: 'the connection was closed before the response was complete' }
}
