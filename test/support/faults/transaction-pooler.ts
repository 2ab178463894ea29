import assert from 'node:assert/strict'
import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'

/**
 * A pooler on loopback that gives a session back after each transaction, as PgBouncer with pool_mode = transaction. Each client logs in
 * through a session of its own, which then belongs to all. Only the first `sessionsMax` are used; without a free one a client waits for
 * ever.
 */
export async function startTransactionPooler(
  url: string,
  { sessionsMax = Number.POSITIVE_INFINITY } = {},
): Promise<{ url: string; close(): Promise<void> }> {
  const target = new URL(url)
  const sockets = new Set<Socket>()
  const pool: Pool = { free: [], used: new Set(), sessionsMax }
  const server = createServer((client) => {
    const socket = connect(Number(target.port), target.hostname)
    for (const each of [client, socket]) {
      sockets.add(each)
      each.on('error', () => undefined).on('close', () => sockets.delete(each))
    }
    serve(client, openSession(socket, pool), pool)
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const pooled = new URL(url)
  pooled.port = String((server.address() as AddressInfo).port)
  const close = async () => {
    for (const socket of sockets) socket.destroy()
    await once(server.close(), 'close')
  }
  return { url: pooled.href, close }
}

/** A session of the server, and the client that uses it now. */
interface Session {
  readonly socket: Socket
  user: Socket | undefined
}

interface Pool {
  readonly free: Session[]
  /** Sessions that belong to all. */
  readonly used: Set<Session>
  readonly sessionsMax: number
}

/** A session is free again when the server is ready and no transaction is open. */
function openSession(socket: Socket, { free, used, sessionsMax }: Pool): Session {
  const session: Session = { socket, user: undefined }
  const read = messageReader()
  socket.on('data', (bytes) => {
    session.user?.write(bytes)
    const isIdle = read(bytes).some(({ type, body }) => type === 'Z' && body.toString() === 'I')
    if (!isIdle) return
    session.user = undefined
    if (used.size < sessionsMax) used.add(session)
    if (used.has(session)) free.push(session)
  })
  return session
}

/** Login bytes pass as they are; then each request goes to the session that was used last. */
function serve(client: Socket, own: Session, { free, sessionsMax }: Pool): void {
  own.user = client
  let session: Session | undefined = own
  const read = messageReader()
  const pass = (bytes: Buffer) => {
    if (session?.user !== client) session = free.pop()
    assert(session || sessionsMax < Number.POSITIVE_INFINITY, 'no session is free')
    if (!session) return
    session.user = client
    session.socket.write(bytes)
  }
  client.on('data', (bytes) => {
    const isLogin = bytes[0] === 0 || bytes[0] === 'p'.charCodeAt(0)
    if (isLogin) own.socket.write(bytes)
    else if (read(bytes).some(({ type }) => type === 'X')) client.end()
    else pass(bytes)
  })
}

interface Message {
  readonly type: string
  readonly body: Buffer
}

/** Splits a stream into the messages of PostgreSQL's protocol: a letter, the length, the body. */
function messageReader(): (bytes: Buffer) => Message[] {
  let rest = Buffer.alloc(0)
  return (bytes) => {
    rest = Buffer.concat([rest, bytes])
    const messages: Message[] = []
    while (rest.length >= 5 && rest.length > rest.readUInt32BE(1)) {
      const end = 1 + rest.readUInt32BE(1)
      messages.push({ type: String.fromCharCode(rest[0] ?? 0), body: rest.subarray(5, end) })
      rest = rest.subarray(end)
    }
    return messages
  }
}
