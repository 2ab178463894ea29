import { createServer, type IncomingMessage, type RequestListener, type Server, type ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { allowing, countedAs } from '../platform/addresses.ts'
import { createFloodGuard } from './flood-guard.ts'

export interface ConnectionLimits {
  readonly connectionsMax: number
  readonly perAddressMax: number
  /** They carry the requests of many clients, so address limits do not apply to them. */
  readonly trustedProxies: readonly string[]
  /** Called when a request's body takes too long. It must end the connection. */
  readonly onSlowBody: (socket: Socket) => void
  /** For CONNECT, which is only for proxies. */
  readonly onConnect: (request: IncomingMessage, socket: Duplex) => void
  /** The time until a body's first bytes are due; after that a minimum rate applies. */
  readonly bodyGraceMs?: number
  /** An idle connection ends after this, unless a request waits for its response. */
  readonly silenceMs?: number
  /** The clock by which an address recovers from its block, in milliseconds. */
  readonly now?: () => number
}

const options = {
  maxHeaderSize: 16 * 1024,
  requireHostHeader: false, // Malipo refuses it in its own error format.
  // The timeout includes the wait for the first byte: clients open connections ahead. A client that opens many without using them
  // makes room for others.
  headersTimeout: 15_000,
  requestTimeout: 15_000,
  keepAliveTimeout: 65_000,
  connectionsCheckingInterval: 1000,
}

/** A request with more headers is refused unread: 800 headers cost as much as five requests. */
const headersMax = 100

/** Requests that may wait for their responses on one connection. No known client pipelines even two. */
const pipelinedMax = 16

interface Connection {
  readonly address: string
  readonly isProxy: boolean
  /** The responses of requests in progress. */
  readonly responses: Set<ServerResponse>
  /** Since when a request body is incomplete, and how many bytes the connection had received by then. */
  body: { readonly since: number; readonly bytesBefore: number } | undefined
}

/** Whether a request is complete and has no response yet. A client that does not read its response counts as idle. */
const isHandling = (connection: Connection | undefined) =>
  connection !== undefined && !connection.body && [...connection.responses].some(isUnsent)

const isUnsent = (response: ServerResponse) =>
  (!response.headersSent && !postponed.has(response)) || isStreaming(response)

/** An export, which is sent as a file, and whose client has read everything so far: the silence is our own. */
const isStreaming = (response: ServerResponse) =>
  response.headersSent &&
  !response.writableEnded &&
  response.writableLength === 0 &&
  response.hasHeader('content-disposition')

/** Refusals that are delayed on purpose. */
const postponed = new WeakSet<ServerResponse>()

/** Delays a refusal. Meanwhile its connection makes room for others, as an idle one does. */
export function postpone(response: ServerResponse, ms: number, refuse: () => void): void {
  postponed.add(response)
  const timer = setTimeout(refuse, ms)
  response.once('close', () => clearTimeout(timer))
}

/** The merchant of each connection that carried a request with a valid token. */
const merchants = new WeakMap<Socket, string>()

/** Records that this connection carried a valid token of this merchant. */
export function proveConnection(socket: Socket, merchantId: string): void {
  merchants.set(socket, merchantId)
}

/**
 * An HTTP server with limits on connections: per process, per address, on how slowly a request may arrive, and on how many may be
 * pipelined. At the limit, the merchant or address with the most idle connections loses its oldest one. An address that floods is
 * cut off.
 */
export function createLimitedServer(limits: ConnectionLimits, handle: RequestListener): Server {
  const connections = createConnections(limits)
  const take: RequestListener = (request, response) => {
    const connection = connections.all.get(request.socket)
    if (!connection) return // The connection is closing: what else had arrived on it is ignored.
    if (connection.responses.size >= pipelinedMax) return connections.cutOff(request.socket, connection, sentAheadMs)
    watchRequest(connection, request, response)
    if (isChunked(request))
      watchChunks(request, response, () => connections.cutOff(request.socket, connection, chunksMs))
    handle(request, response)
  }
  const server = createServer(options, take)
  server.maxHeadersCount = headersMax
  server.on('checkExpectation', take)
  server.on('connect', limits.onConnect)
  serveOnly(server, connections.isAdded)
  server.setTimeout(limits.silenceMs ?? 20_000, (socket) => {
    const { responses = [] } = connections.all.get(socket) ?? {}
    if (![...responses].some(isUnsent)) socket.destroy() // No response is due, or the client does not read it.
  })
  const sweep = setInterval(createSlowBodySweep(connections.all, limits), sweepMs).unref()
  server.once('close', () => clearInterval(sweep))
  return server
}

/** Refuses a connection before the server allocates anything for it. */
function serveOnly(server: Server, isAdmitted: (socket: Socket) => boolean): void {
  const serve = server.listeners('connection') as ((socket: Socket) => void)[]
  server.removeAllListeners('connection')
  server.on('connection', (socket: Socket) => {
    if (!isAdmitted(socket)) return void socket.destroy()
    for (const listener of serve) listener.call(server, socket)
  })
}

function createConnections({ connectionsMax, perAddressMax, trustedProxies, now }: ConnectionLimits) {
  const floodGuard = createFloodGuard(now)
  const all = new Map<Socket, Connection>()
  const byAddress = new Map<string, Set<Socket>>()
  const isTrusted = trustedProxies.length === 0 ? () => false : allowing(trustedProxies)

  const remove = (socket: Socket) => {
    const { address = '' } = all.get(socket) ?? {}
    all.delete(socket)
    const others = byAddress.get(address)
    others?.delete(socket)
    if (others?.size === 0) byAddress.delete(address)
  }
  const close = (socket: Socket) => {
    remove(socket)
    stopParsing(socket)
    socket.destroy()
  }
  const spare = createSpare(all)
  /** Closes one of the candidates, if one can be spared. */
  const isRoomMade = (candidates: Candidates): boolean => {
    const dispensable = spare(candidates)
    if (dispensable) close(dispensable)
    return dispensable !== undefined
  }
  const isRoom = (address: string, isProxy: boolean): boolean => {
    if (!isProxy && floodGuard.isBlocked(address)) return false
    const siblings = byAddress.get(address) ?? new Set<Socket>()
    if (siblings.size < perAddressMax || isProxy) return all.size < connectionsMax || isRoomMade(all)
    floodGuard.count(address, openedMs)
    return isRoomMade(siblings)
  }
  return {
    all: all as ReadonlyMap<Socket, Connection>,
    isAdded: (socket: Socket): boolean => {
      const { remoteAddress: sender } = socket
      if (sender === undefined) return false // The client reset the connection before it was accepted.
      const [address, isProxy] = [countedAs(sender), isTrusted(sender)]
      if (!isRoom(address, isProxy)) return false
      all.set(socket, { address, isProxy, responses: new Set(), body: undefined })
      byAddress.set(address, (byAddress.get(address) ?? new Set()).add(socket))
      socket.once('close', () => remove(socket))
      return true
    },
    /**
     * Closes a connection that pipelines too much or sends tiny chunks. Once its address floods, also closes the address's other
     * connections that may hold as much unread data: those without a valid token, or with one of the same merchant.
     */
    cutOff: (socket: Socket, { address, isProxy }: Connection, costMs: number): void => {
      close(socket)
      floodGuard.count(address, costMs)
      if (isProxy || !floodGuard.isBlocked(address)) return
      const merchant = merchants.get(socket)
      for (const other of [...(byAddress.get(address) ?? [])])
        if ([undefined, merchant].includes(merchants.get(other))) close(other)
    },
  }
}

/**
 * Node reads 64 KiB at a time and handles all of it, even after the connection is closed: 2,500 requests cost 100 ms, and 10,000
 * chunks 40 ms. For the parser an upgrade ends HTTP, so the next request gets an upgrade; without a request the parser skips
 * chunks.
 */
function stopParsing(socket: Socket): void {
  const { parser } = socket as Socket & { readonly parser?: { onIncoming: unknown; incoming: unknown } | null }
  if (!parser) return
  parser.onIncoming = () => isUpgrade
  parser.incoming = null
}

/** What Node's own listener returns to its parser for a request that asks for another protocol. */
const isUpgrade = 2

type Candidates = ReadonlySet<Socket> | ReadonlyMap<Socket, Connection>

/**
 * Returns the oldest idle connection of the merchant with the most among the candidates. Connections without a merchant count as
 * one; among those the address with the most loses its oldest, so that a new connection lives until its first request. The search
 * runs once for a quarter of the owner's connections, because with thousands of connections it costs as much as many requests.
 */
function createSpare(all: ReadonlyMap<Socket, Connection>): (candidates: Candidates) => Socket | undefined {
  const found = new WeakMap<Candidates, { readonly owner: string | undefined; readonly sockets: Socket[] }>()
  const isIdle = (socket: Socket) => !isHandling(all.get(socket))
  const ownerOf = (socket: Socket) => merchants.get(socket) ?? all.get(socket)?.address
  const find = (candidates: Candidates) => {
    const idle = [...candidates.keys().filter(isIdle)]
    const most = largestOf(Map.groupBy(idle, (socket) => merchants.get(socket)))
    const oldest = largestOf(Map.groupBy(most, ownerOf))
    const sockets = oldest.slice(0, Math.ceil(oldest.length / 4)).toReversed()
    return { owner: oldest[0] && ownerOf(oldest[0]), sockets }
  }
  const next = (candidates: Candidates): Socket | undefined => {
    const { owner, sockets = [] } = found.get(candidates) ?? {}
    for (let socket = sockets.pop(); socket; socket = sockets.pop())
      if (all.has(socket) && isIdle(socket) && ownerOf(socket) === owner) return socket
    return undefined
  }
  return (candidates) => {
    const known = next(candidates)
    if (known) return known
    found.set(candidates, find(candidates))
    return next(candidates)
  }
}

/** Among equal groups the first wins. */
function largestOf(groups: ReadonlyMap<string | undefined, readonly Socket[]>): readonly Socket[] {
  return groups.values().reduce<readonly Socket[]>((most, some) => (some.length > most.length ? some : most), [])
}

function watchRequest(connection: Connection, request: IncomingMessage, response: ServerResponse): void {
  connection.responses.add(response)
  response.once('close', () => connection.responses.delete(response))
  if (!hasBody(request)) return
  connection.body = { since: performance.now(), bytesBefore: request.socket.bytesRead }
  request.once('end', () => {
    connection.body = undefined
  })
}

/** CPU time spent before a connection is cut off: on pipelined requests, and on the chunks that had arrived. */
const [sentAheadMs, chunksMs] = [2, 25]

/** CPU time spent on closing a connection to make room for another of its address. */
const openedMs = 0.1

/** More chunks than this with fewer bytes each are an attack: every chunk costs as much as a kilobyte. */
const [chunksMax, chunkBytesMin] = [256, 16]

/**
 * Cuts off a client that sends a body in tiny chunks. Closes the connection when the response is sent before the body is
 * complete, because the rest of that body is never read.
 */
function watchChunks(request: IncomingMessage, response: ServerResponse, cutOff: () => void): void {
  const push = request.push.bind(request)
  let [chunks, bytes] = [0, 0]
  request.push = (chunk: Buffer | null, encoding?: BufferEncoding) => {
    chunks += 1
    bytes += chunk?.length ?? 0
    if (chunks > chunksMax && bytes < chunks * chunkBytesMin) cutOff()
    return push(chunk, encoding)
  }
  response.once('finish', () => {
    if (request.complete) return
    stopParsing(request.socket)
    request.socket.destroySoon()
  })
}

const isChunked = ({ headers }: IncomingMessage) => headers['transfer-encoding'] !== undefined

const sweepMs = 500
const bodyBytesPerMs = 16

/** Ends requests whose bodies arrive too slowly. After this process itself hung, it first reads what has arrived meanwhile. */
function createSlowBodySweep(
  connections: ReadonlyMap<Socket, Connection>,
  { onSlowBody, bodyGraceMs = 5000 }: ConnectionLimits,
): () => void {
  let sweptAt = performance.now()
  const isTooSlow = ({ bytesRead }: Socket, { body }: Connection, now: number) =>
    body !== undefined && now - body.since > bodyGraceMs + (bytesRead - body.bytesBefore) / bodyBytesPerMs
  const end = (socket: Socket, { responses }: Connection) => {
    if (responses.size > 0) onSlowBody(socket)
    else socket.destroy() // The response was already sent.
  }
  return () => {
    const now = performance.now()
    const isLate = now - sweptAt > 2 * sweepMs
    sweptAt = now
    if (isLate) return
    for (const [socket, connection] of connections) if (isTooSlow(socket, connection, now)) end(socket, connection)
  }
}

const hasBody = ({ headers }: IncomingMessage) =>
  headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0
