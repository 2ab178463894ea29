import { once } from 'node:events'
import { connect, createServer, type Socket } from 'node:net'
import { breakOff } from './break-off.ts'

/** Faults on a connection as a request passes. Each but the last ends it on both sides. */
export type Fault =
  /** The request never reaches the server. */
  | 'request lost'
  /** It reaches the server, and the client is gone when the response comes. */
  | 'cut at once'
  /** The server has responded, and no byte of it came through. */
  | 'response lost'
  /** Part of the response came through. */
  | 'half a response'
  /** The client sees the connection end; the server sees nothing, and gets the request when it is delivered. */
  | 'request late'

/** A request as it passes: a statement, or `connect`. */
export interface Request {
  readonly text: string
  /** The request before it on the same connection. */
  readonly before: string
  /** Earlier requests in the same transaction, in order; empty outside of one. */
  readonly within: string
}

export interface TcpProxy {
  /** The server's URL through the proxy. */
  readonly url: string
  /** Releases the late requests. */
  deliver(): void
  close(): Promise<void>
}

export interface TcpProxyOptions {
  readonly url: string
  /** Called for every request; the proxy applies the fault it returns. */
  readonly faultOf: (request: Request) => Fault | undefined
  readonly random: () => number
}

/** On loopback between a pool and PostgreSQL; knows enough of the protocol to separate requests. */
export async function startTcpProxy({ url, faultOf, random }: TcpProxyOptions): Promise<TcpProxy> {
  const target = new URL(url)
  const late: (() => void)[] = []
  const sockets = new Set<Socket>()
  const server = createServer((client) => {
    const upstream = connect(Number(target.port), target.hostname)
    for (const socket of [client, upstream]) keep(sockets, socket)
    carry({ client, upstream, faultOf, random, late })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  const own = new URL(url)
  own.host = `127.0.0.1:${typeof address === 'object' && address ? address.port : 0}`
  return {
    url: own.href,
    deliver: () => {
      for (const send of late.splice(0)) send()
    },
    close: async () => {
      server.close()
      for (const socket of sockets) socket.destroy()
      await once(server, 'close')
    },
  }
}

function keep(sockets: Set<Socket>, socket: Socket): void {
  sockets.add(socket)
  socket.setNoDelay(true)
  socket.on('error', () => undefined) // The close event follows.
  socket.on('close', () => sockets.delete(socket))
}

interface Carried extends Pick<TcpProxyOptions, 'faultOf' | 'random'> {
  readonly client: Socket
  readonly upstream: Socket
  readonly late: (() => void)[]
}

/** Carries one connection. Requests are passed on whole, so that none is cut by accident. */
function carry({ client, upstream, faultOf, random, late }: Carried): void {
  const requestsIn = createRequestReader()
  const messagesIn = createFramer({ firstHasLetter: true })
  let isLate = false
  let isConnecting = false
  let responding: { fault: Fault; parts: Buffer[] } | undefined

  const cut = () => {
    if (random() < 0.5) breakOff(client)
    else client.destroy()
    upstream.destroy()
  }
  const pass = (bytes: Buffer, fault: Fault | undefined) => {
    if (fault === 'request lost') cut()
    else if (fault === 'cut at once') upstream.end(bytes, () => breakOff(client))
    else if (fault === 'request late') {
      isLate = true
      late.push(() => upstream.end(bytes))
      breakOff(client)
    } else {
      if (fault) responding = { fault, parts: [] }
      upstream.write(bytes)
    }
  }
  client.on('data', (chunk: Buffer) => {
    for (const { bytes, request } of requestsIn(chunk)) {
      isConnecting = request?.text === 'connect'
      if (client.writable) pass(bytes, request && faultOf(request))
    }
  })
  upstream.on('data', (chunk: Buffer) => {
    const isWhole = messagesIn(chunk).some((message) => message[0] === readyForQuery) || isConnecting
    if (!responding) return void (client.writable && client.write(chunk))
    responding.parts.push(chunk)
    if (!isWhole) return
    const response = Buffer.concat(responding.parts)
    if (responding.fault === 'response lost') return cut()
    client.end(response.subarray(0, 1 + Math.floor(random() * (response.length - 1))))
    upstream.destroy()
  })
  client.on('close', () => !isLate && upstream.end())
  upstream.on('close', () => client.destroy())
}

const readyForQuery = 'Z'.charCodeAt(0)

interface ReadRequest {
  readonly bytes: Buffer
  /** Missing for the bytes of login and logout. */
  readonly request?: Request
}

/** Joins messages into requests: a simple query is one message, a prepared one ends with Sync. */
function createRequestReader(): (chunk: Buffer) => ReadRequest[] {
  const framer = createFramer({ firstHasLetter: false })
  const statements = new Map<string, string>()
  let parts: Buffer[] = []
  let text = ''
  let before = ''
  let within = ''
  let isFirst = true

  const finish = (message: Buffer, found: string): ReadRequest[] => {
    const read = { bytes: Buffer.concat([...parts, message]), request: { text: found, before, within } }
    parts = []
    before = found
    if (/^\s*begin\b/.test(found)) within = found
    else if (/\b(commit|rollback)$/.test(found)) within = ''
    else if (within !== '') within += `\n${found}`
    return [read]
  }
  const collect = (message: Buffer): ReadRequest[] => {
    parts.push(message)
    return []
  }
  const read = (message: Buffer): ReadRequest[] => {
    const letter = isFirst ? 'first' : String.fromCharCode(message[0] ?? 0)
    const [name = '', second = ''] = textsOf(message)
    isFirst = false
    switch (letter) {
      case 'first':
        return finish(message, 'connect')
      case 'p': // A password.
      case 'X': // Terminate.
        return [{ bytes: message }]
      case 'Q': // A simple query.
        return finish(message, name)
      case 'S': // Sync.
        return finish(message, text)
      case 'P': // Parse, which gives a statement its name.
        statements.set(name, second)
        return collect(message)
      case 'B': // Bind, which uses the name.
        text = statements.get(second) ?? ''
        return collect(message)
      default:
        return collect(message)
    }
  }
  return (chunk) => framer(chunk).flatMap(read)
}

/** The first two zero-terminated strings of a message. */
function textsOf(message: Buffer): string[] {
  const first = message.indexOf(0, 5)
  const second = message.indexOf(0, first + 1)
  return [message.toString('utf8', 5, first), message.toString('utf8', first + 1, second)]
}

/** Cuts a stream into messages: a type letter, a length that includes itself, a body. Only the very first has no letter. */
function createFramer({ firstHasLetter }: { firstHasLetter: boolean }): (chunk: Buffer) => Buffer[] {
  let rest: Buffer = Buffer.alloc(0)
  let letter = firstHasLetter ? 1 : 0
  return (chunk) => {
    rest = Buffer.concat([rest, chunk])
    const messages: Buffer[] = []
    while (rest.length >= letter + 4 && rest.length >= letter + rest.readUInt32BE(letter)) {
      const size = letter + rest.readUInt32BE(letter)
      messages.push(rest.subarray(0, size))
      rest = rest.subarray(size)
      letter = 1
    }
    return messages
  }
}
