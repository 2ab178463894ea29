import { once } from 'node:events'
import { connect as connectTcp, isIP, type LookupFunction, type Socket } from 'node:net'
import { checkServerIdentity, connect as connectTls } from 'node:tls'
import { Pool } from 'undici'
import type { Permit } from './forbidden-addresses.ts'

/** The destination of a call, from its URL. */
export interface Target {
  readonly origin: string
  /** Without brackets and trailing dots. */
  readonly hostname: string
  readonly port: number
  readonly isSecure: boolean
}

/** Connections of one origin to checked addresses. */
export interface PinnedPools {
  /** Lends connections that lead only to these addresses, all of them permitted. */
  use<Result>(target: Target, addresses: readonly string[], work: (pool: Pool) => Promise<Result>): Promise<Result>
  close(): Promise<void>
}

/** No usable connection was made: no part of the call was sent. */
export class NoConnection extends Error {
  readonly detail: string
  readonly isForbidden: boolean

  constructor(detail: string, { isForbidden = false, cause }: { isForbidden?: boolean; cause?: unknown } = {}) {
    super(detail, { cause })
    this.detail = detail
    this.isForbidden = isForbidden
  }
}

export const notAllowed = 'the address is not allowed'

const connectMs = 5000
/** Common servers close idle connections after 5 s or more; with a shorter time few calls meet a closing one. */
const idleMs = 4000
/** How long an unused pool is kept; its connections are closed long before. */
const rememberedMs = 30_000

interface Kept {
  readonly pool: Pool
  users: number
  usedAt: number
}

/**
 * Connections are kept by origin **and** the addresses its name had when they were made. Every call resolves the name again
 * before it asks for a pool, so a connection is reused only while the name still has exactly those addresses: it never outlives a
 * change of the name. An unused connection is closed after 4 seconds, whatever the server suggests.
 */
export function createPinnedPools(permit: Permit): PinnedPools {
  const kept = new Map<string, Kept>()
  return {
    use: async (target, addresses, work) => {
      forget(kept)
      const key = [target.origin, ...[...addresses].sort()].join(' ')
      const entry = kept.get(key) ?? { pool: openPool(target, addresses, permit), users: 0, usedAt: 0 }
      entry.users += 1
      entry.usedAt = performance.now()
      kept.delete(key) // Re-inserted at the end: the map is in order of use.
      kept.set(key, entry)
      try {
        return await work(entry.pool)
      } finally {
        entry.users -= 1
      }
    },
    close: async () => {
      await Promise.all([...kept.values()].map(({ pool }) => pool.destroy()))
      kept.clear()
    },
  }
}

function forget(kept: Map<string, Kept>): void {
  const longAgo = performance.now() - rememberedMs
  for (const [key, { pool, users, usedAt }] of kept) {
    if (usedAt > longAgo) return
    if (users > 0) continue
    kept.delete(key)
    pool.destroy().catch(() => undefined)
  }
}

function openPool(target: Target, addresses: readonly string[], permit: Permit): Pool {
  return new Pool(target.origin, {
    pipelining: 1,
    keepAliveTimeout: idleMs,
    keepAliveMaxTimeout: idleMs, // A server's own hint may shorten it, not lengthen it.
    headersTimeout: 0, // The caller's deadline covers all of it.
    bodyTimeout: 0,
    maxHeaderSize: 16_384,
    connect: (_, callback) => {
      open(target, addresses, permit).then(
        (socket) => callback(null, socket),
        (error) => callback(explained(error), null),
      )
    },
  })
}

/** Nothing is sent, not even a TLS ClientHello, before the remote address is checked again. */
async function open(target: Target, addresses: readonly string[], permit: Permit): Promise<Socket> {
  const { signal, clear } = timeLimit()
  const socket = connectTcp({
    host: 'pinned.invalid', // The socket gets no name, so it cannot resolve one itself.
    port: target.port,
    lookup: answering(addresses),
    autoSelectFamily: true,
    noDelay: true,
  })
  socket.on('error', () => undefined) // An error while no other listener is attached must not end the process.
  try {
    await once(socket, 'connect', { signal })
    const { remoteAddress = '' } = socket
    if (!addresses.includes(remoteAddress) || permit(remoteAddress) === undefined)
      throw new NoConnection(notAllowed, { isForbidden: true })
    return target.isSecure ? await secure(socket, target.hostname, signal) : socket
  } catch (error) {
    socket.destroy()
    throw signal.aborted ? new NoConnection(`no connection within ${connectMs / 1000} s`) : error
  } finally {
    clear()
  }
}

function timeLimit(): { signal: AbortSignal; clear(): void } {
  const limit = new AbortController()
  const timer = setTimeout(() => limit.abort(), connectMs)
  return { signal: limit.signal, clear: () => clearTimeout(timer) }
}

/** Has the signature of `dns.lookup` and always returns the checked addresses. */
function answering(addresses: readonly string[]): LookupFunction {
  const all = addresses.map((address) => ({ address, family: isIP(address) }))
  return (_, { all: isAllWanted }, callback) => {
    const [first] = all
    if (isAllWanted) process.nextTick(callback, null, all)
    else process.nextTick(callback, null, first?.address, first?.family)
  }
}

async function secure(socket: Socket, hostname: string, signal: AbortSignal): Promise<Socket> {
  const secured = connectTls({
    socket,
    servername: isIP(hostname) ? '' : hostname, // An address is not allowed as a TLS server name.
    checkServerIdentity: (_, certificate) => checkServerIdentity(hostname, certificate),
    rejectUnauthorized: true, // Set explicitly, so that no environment variable can disable it.
    minVersion: 'TLSv1.2',
    ALPNProtocols: ['http/1.1'],
  })
  secured.on('error', () => undefined)
  try {
    await once(secured, 'secureConnect', { signal })
    return secured
  } catch (error) {
    secured.destroy()
    throw new NoConnection(tlsFailures[(error as { code?: string }).code ?? ''] ?? 'the TLS handshake failed', {
      cause: error,
    })
  }
}

/** A system error may contain addresses; the result is one of these sentences instead. */
function explained(error: Error & { code?: string }): NoConnection {
  if (error instanceof NoConnection) return error
  return new NoConnection(tcpFailures[error.code ?? ''] ?? 'no connection could be made', { cause: error })
}

const tcpFailures: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'the connection was refused',
  ECONNRESET: 'the connection was closed at once',
  EHOSTUNREACH: 'the host cannot be reached',
  ENETUNREACH: 'the network cannot be reached',
  ETIMEDOUT: 'the host does not respond',
}

const tlsFailures: Readonly<Record<string, string>> = {
  CERT_HAS_EXPIRED: 'the certificate has expired',
  CERT_NOT_YET_VALID: 'the certificate is not valid yet',
  DEPTH_ZERO_SELF_SIGNED_CERT: 'the certificate is self-signed',
  ERR_TLS_CERT_ALTNAME_INVALID: 'the certificate is for another name',
  SELF_SIGNED_CERT_IN_CHAIN: 'the certificate is from an unknown authority',
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: 'the certificate is from an unknown authority',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: 'the certificate chain is incomplete',
}
