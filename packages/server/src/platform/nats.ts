import { once } from 'node:events'
import { connect as connectSocket } from 'node:net'
import { connect, type NatsConnection } from '@nats-io/transport-node'

const answerMs = 1000

/**
 * Connects to NATS once; who loses the connection connects anew. The client itself would try again for ever, but keeps
 * the socket of every try that was not answered in time, so a server that is deaf for an hour would fill the process with
 * them. For the same reason the server is heard before the client is let at it.
 */
export async function connectNats(text: string): Promise<NatsConnection> {
  const url = URL.canParse(text) ? new URL(text) : new URL(`nats://${text}`)
  await hear(url)
  // A user name and password in the URL are for the server, which is told them apart from its address.
  const known = url.username ? { user: decodeURIComponent(url.username), pass: decodeURIComponent(url.password) } : {}
  const patience = { timeout: 10 * answerMs, pingInterval: 5 * answerMs, maxPingOut: 2 }
  return connect({ servers: url.host, ...known, ...patience, reconnect: false })
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
