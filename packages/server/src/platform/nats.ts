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

/** How a connection is secured and who it is for, beside what the URL says. The names are those of the configuration. */
export interface NatsAccess {
  /** PEM of the authorities that may have signed the server's certificate. */
  readonly natsCa?: Secret | undefined
  /** PEM of our own certificate and of its private key. */
  readonly natsCertificate?: Secret | undefined
  readonly natsKey?: Secret | undefined
  /** An nkey seed, or the content of a credentials file. */
  readonly natsCredentials?: Secret | undefined
}

/** The servers of a cluster, of which any will do, and how they are reached. */
export interface NatsServers {
  readonly servers: readonly URL[]
  /** Never in clear, whatever the server offers. */
  readonly isTls: boolean
}

const answerMs = 1000

/** `nats://` or `tls://` URLs, comma-separated; one `tls://` demands TLS of all of them. */
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
 * Connects once, to the first server that can be reached, beginning with any; who loses the connection connects again. The client
 * itself would try again for ever, but keeps the socket of every try that was not answered in time, so a server that is deaf for
 * an hour would fill the process with them. For the same reason a server is heard before the client is let at it.
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

const patience = { timeout: 10 * answerMs, pingInterval: 5 * answerMs, maxPingOut: 2, reconnect: false }

const hostOf = ({ hostname, port }: URL) => `${hostname}:${port || 4222}`

/** A user name and password in the URL are for the server, which gets them apart from its address; a name alone is a token. */
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

/** With `tls` the client refuses a server that speaks in clear, before it says who it is. */
function security(isTls: boolean, { natsCa, natsCertificate, natsKey }: NatsAccess): object {
  if (!isTls && !natsCa && !natsCertificate) return {}
  const ca = natsCa && { ca: natsCa.reveal() }
  const own = natsCertificate && natsKey && { cert: natsCertificate.reveal(), key: natsKey.reveal() }
  return { tls: { ...ca, ...own } }
}

/** A NATS server speaks first. */
async function hear({ hostname, port }: URL): Promise<void> {
  const socket = connectSocket(Number(port) || 4222, hostname.replaceAll(/[[\]]/g, ''))
  try {
    await once(socket, 'data', { signal: AbortSignal.timeout(answerMs) })
  } finally {
    socket.destroy()
  }
}
