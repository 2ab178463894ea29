import { randomUUID } from 'node:crypto'
import { type IncomingMessage, type RequestListener, type ServerResponse, STATUS_CODES } from 'node:http'
import type { Duplex } from 'node:stream'
import type { Context } from '../context.ts'
import { AppError, catalogue } from '../errors.ts'
import { createTokenBuckets } from '../platform/token-buckets.ts'
import { envelope, helpLink } from './refuse.ts'
import { guards, requestId } from './response-headers.ts'
import { methodNotAllowed } from './routes.ts'

/** Browsers that reached the service by https do not use http for a year. */
const secureOnly = { 'strict-transport-security': 'max-age=31536000' }

/** Lines a second about malformed requests: enough to find a client's mistake, too few to fill a disk. */
const logged = { perSecond: 5, burst: 50 }

/** Refuses what is not a request, before the framework sees it, and logs it so that its request id can be found. */
export function createMalformedRefusals({ config, log }: Pick<Context, 'config' | 'log'>) {
  const isSecure = config.publicUrl.startsWith('https:')
  const buckets = createTokenBuckets()
  const onRefused: OnRefused = (requestId, { key, message }) => {
    const { status } = catalogue[key]
    if (buckets.take('malformed', logged)) log.info({ requestId, status, reason: message }, 'malformed request refused')
  }
  const refuseUnreadable = (error: ParseError, socket: BusySocket) => refuseBytes(error, socket, onRefused)
  return {
    /** Refuses what HTTP forbids and Node allows. */
    refuseMalformed:
      (handle: RequestListener): RequestListener =>
      (request, response) => {
        if (isSecure) response.setHeaders(new Map(Object.entries(secureOnly)))
        const flaw = flawOf(request)
        if (flaw === undefined) handle(request, response)
        else refuse(request, response, malformed(flaw), onRefused)
      },
    refuseUnreadable,
    refuseSlowBody: (socket: BusySocket) => refuseUnreadable(slowBody(), socket),
    /** CONNECT is only for proxies. */
    refuseConnect: (_: IncomingMessage, socket: Duplex) => endWith(socket, methodNotAllowed(), onRefused),
  }
}

type OnRefused = (requestId: string, refusal: AppError) => void

const slowBody = () => Object.assign(new Error('the body arrived too slowly'), { code: 'ERR_HTTP_REQUEST_TIMEOUT' })

function flawOf({ rawHeaders, httpVersion, headers }: IncomingMessage): string | undefined {
  const hosts = rawHeaders.filter(
    (name, index) => index % 2 === 0 && name.length === 4 && name.toLowerCase() === 'host',
  )
  if (hosts.length > 1) return 'the Host header is sent twice'
  if (hosts.length === 0 && httpVersion === '1.1') return 'the Host header is missing'
  const { expect = '100-continue' } = headers
  return expect.toLowerCase() === '100-continue' ? undefined : 'the Expect header has a value that is not supported'
}

function refuse(request: IncomingMessage, response: ServerResponse, refusal: AppError, onRefused: OnRefused): void {
  const id = requestId(request)
  const body = JSON.stringify(envelope(refusal, id))
  response.writeHead(400, { ...headersOf(refusal, id), 'content-length': Buffer.byteLength(body) }).end(body)
  onRefused(id, refusal)
}

const headersOf = (refusal: AppError, id: string) => ({
  ...guards,
  ...helpLink(refusal),
  'x-request-id': id,
  'content-type': 'application/json; charset=utf-8',
  connection: 'close',
})

/**
 * Bytes that are not an HTTP request get a response in the usual error format, and the connection ends. Bytes after a complete
 * request that waits for its response get none: the client would take it for that response, and the request may have had its
 * effect.
 */
function refuseBytes(error: ParseError, socket: BusySocket, onRefused: OnRefused): void {
  const { _httpMessage: response, writable, bytesRead } = socket
  const isFree = !response || !(response.req.complete || response.headersSent)
  const isUnused = bytesRead === 0 // The client would take a response for that of its first request.
  if (error.code === 'ECONNRESET' || !writable || !isFree || isUnused) return void socket.destroy()
  const start = Buffer.isBuffer(error.rawPacket) ? error.rawPacket.toString('latin1') : ''
  endWith(socket, unreadableAs(error.code, start), onRefused, { isHead: start.startsWith('HEAD ') })
}

/** Node keeps the response in progress here, and reads it for the same purpose. */
type BusySocket = Duplex & { readonly _httpMessage?: ServerResponse | null; readonly bytesRead?: number }

interface ParseError extends Error {
  readonly code?: string
  readonly rawPacket?: unknown
}

/**
 * A request that did not arrive in time may have been delayed by this process, which hung and then read half of it. The sender
 * must not take that for a refusal of its content.
 */
function unreadableAs(code: string | undefined, start: string): AppError {
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') return new AppError('OVERLOADED')
  if (code === 'HPE_INVALID_METHOD' && isRequestLine.test(start)) return methodNotAllowed()
  return malformed(
    code === 'HPE_HEADER_OVERFLOW' ? 'the headers are larger than 16 KiB' : 'this is not an HTTP request',
  )
}

const isRequestLine = /^[A-Z-]{1,32} \/[\x21-\x7e]{0,2000} HTTP\/1\.[01]\r\n/

const malformed = (why: string) => new AppError('VALIDATION', { message: `Validation error: ${why}` })

function endWith(socket: Duplex, refusal: AppError, onRefused: OnRefused, { isHead = false } = {}): void {
  const { status } = catalogue[refusal.key]
  const id = `req_${randomUUID()}`
  const body = JSON.stringify(envelope(refusal, id))
  const headers = {
    ...headersOf(refusal, id),
    'content-length': Buffer.byteLength(body),
    ...(status === 503 && { 'retry-after': '1' }),
    ...refusal.headers,
  }
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`)
  socket.end(`HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${lines.join('')}\r\n${isHead ? '' : body}`)
  onRefused(id, refusal)
}
