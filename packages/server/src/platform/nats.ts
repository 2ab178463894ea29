import { once } from 'node:events'
import { connect as connectSocket } from 'node:net'
import {
  type Authenticator,
  connect,
  credsAuthenticator,
  type NatsConnection,
  nkeyAuthenticator,
} from '@nats-io/transport-node'
import type { Secret } from './secret.ts'

/** Security and identity of a connection, beside the URL. The names are those of the configuration. */
export interface NatsAccess {
  /** PEM of the authorities that may have signed the server's certificate. */
  readonly natsCa?: Secret | undefined
  /** PEM of Malipo's own certificate and its private key. */
  readonly natsCertificate?: Secret | undefined
  readonly natsKey?: Secret | undefined
  /** An nkey seed, or the content of a credentials file. */
  readonly natsCredentials?: Secret | undefined
}

/** The servers of a cluster, of which any will do, and how they are reached. */
export interface NatsServers {
  readonly servers: readonly URL[]
  /** Never without TLS, whatever the server offers. */
  readonly isTls: boolean
}

const responseMs = 1000

/** `nats://` or `tls://` URLs, comma-separated; one `tls://` requires TLS for all of them. */
export function parseNatsServers(text: string): NatsServers {
  const servers = text.split(',').map((entry) => {
    const trimmed = entry.trim()
    const url = trimmed.includes('://') ? trimmed : `nats://${trimmed}`
    const parsed = URL.canParse(url) ? new URL(url) : undefined
    if (!parsed || !/^(nats|tls):$/.test(parsed.protocol) || parsed.hostname === '' || !/^\/?$/.test(parsed.pathname))
      throw new Error('must be URLs such as nats://host:4222 or tls://host:4222, comma-separated')
    return parsed
  })
  return { servers, isTls: servers.some(({ protocol }) => protocol === 'tls:') }
}

/**
 * Connects once, to the first reachable server from a random start; the caller reconnects when the connection is lost. The client
 * itself would retry forever, but it keeps the socket of every try that timed out, so a server that hangs for an hour would fill
 * the process with sockets. For the same reason this code waits for the server's first bytes before it starts the client.
 */
export async function connectNats(text: string, access: NatsAccess = {}): Promise<NatsConnection> {
  const { servers, isTls } = parseNatsServers(text)
  const start = Math.floor(Math.random() * servers.length)
  const failures: unknown[] = []
  for (const url of [...servers.slice(start), ...servers.slice(0, start)]) {
    try {
      await hear(url)
      return await connect({ servers: hostOf(url), ...patience, ...identity(url, access), ...security(isTls, access) })
    } catch (error) {
      failures.push(error)
    }
  }
  throw failures.length === 1 ? failures[0] : new AggregateError(failures, 'no NATS server can be reached')
}

const patience = { timeout: 10 * responseMs, pingInterval: 5 * responseMs, maxPingOut: 2, reconnect: false }

const hostOf = ({ hostname, port }: URL) => `${hostname}:${port || 4222}`

/** A user name and password in the URL go to the server separately from its address; a name alone is a token. */
function identity({ username, password }: URL, { natsCredentials }: NatsAccess): object {
  if (natsCredentials) return { authenticator: authenticatorOf(natsCredentials.reveal()) }
  if (username === '') return {}
  const [user, pass] = [decodeURIComponent(username), decodeURIComponent(password)]
  return pass === '' ? { token: user } : { user, pass }
}

function authenticatorOf(text: string): Authenticator {
  const bytes = new TextEncoder().encode(text)
  return text.includes('-----BEGIN') ? credsAuthenticator(bytes) : nkeyAuthenticator(bytes)
}

/** With `tls` the client refuses a server without TLS before it sends credentials. */
function security(isTls: boolean, { natsCa, natsCertificate, natsKey }: NatsAccess): object {
  if (!isTls && !natsCa && !natsCertificate) return {}
  const ca = natsCa && { ca: natsCa.reveal() }
  const own = natsCertificate && natsKey && { cert: natsCertificate.reveal(), key: natsKey.reveal() }
  return { tls: { ...ca, ...own } }
}

/** A NATS server sends first. */
async function hear({ hostname, port }: URL): Promise<void> {
  const socket = connectSocket(Number(port) || 4222, hostname.replaceAll(/[[\]]/g, ''))
  try {
    await once(socket, 'data', { signal: AbortSignal.timeout(responseMs) })
  } finally {
    socket.destroy()
  }
}
