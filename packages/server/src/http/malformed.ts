import { randomUUID } from 'node:crypto'
import { type IncomingMessage, type RequestListener, type ServerResponse, STATUS_CODES } from 'node:http'
import type { Duplex } from 'node:stream'
import type { Config } from '../config.ts'
import { AppError, catalogue } from '../errors.ts'
import { envelope } from './refuse.ts'
import { guards, requestId } from './response-headers.ts'
import { methodNotAllowed } from './routes.ts'

/** Browsers that reached the service by https do not use http for a year. */
const secureOnly = { 'strict-transport-security': 'max-age=31536000' }

/** Refuses what HTTP forbids and Node allows, before the framework sees the request. */
export function refuseMalformed({ publicUrl }: Config, handle: RequestListener): RequestListener {
  const isSecure = publicUrl.startsWith('https:')
  return (request, response) => {
    if (isSecure) response.setHeaders(new Map(Object.entries(secureOnly)))
    const flaw = flawOf(request)
    if (flaw === undefined) handle(request, response)
    else refuse(request, response, flaw)
  }
}

function flawOf({ rawHeaders, httpVersion, headers }: IncomingMessage): string | undefined {
  const hosts = rawHeaders.filter(
    (name, index) => index % 2 === 0 && name.length === 4 && name.toLowerCase() === 'host',
  )
  if (hosts.length > 1) return 'the Host header is sent twice'
  if (hosts.length === 0 && httpVersion === '1.1') return 'the Host header is missing'
  const { expect = '100-continue' } = headers
  return expect.toLowerCase() === '100-continue' ? undefined : 'the Expect header has a value that is not supported'
}

function refuse(request: IncomingMessage, response: ServerResponse, flaw: string): void {
  const id = requestId(request)
  const body = JSON.stringify(envelope(malformed(flaw), id))
  const headers = { ...guards, 'x-request-id': id, 'content-type': 'application/json; charset=utf-8' }
  response.writeHead(400, { ...headers, 'content-length': Buffer.byteLength(body), connection: 'close' }).end(body)
}

/**
 * Bytes that are not an HTTP request get a response in the usual error format, and the connection ends. Bytes after a complete
 * request that waits for its response get none: the client would take it for that response, and the request may have had its
 * effect.
 */
export function refuseUnreadable(error: ParseError, socket: BusySocket): void {
  const { _httpMessage: response, writable, bytesRead } = socket
  const isFree = !response || !(response.req.complete || response.headersSent)
  const isUnused = bytesRead === 0 // The client would take a response for that of its first request.
  if (error.code === 'ECONNRESET' || !writable || !isFree || isUnused) return void socket.destroy()
  const start = Buffer.isBuffer(error.rawPacket) ? error.rawPacket.toString('latin1') : ''
  endWith(socket, unreadableAs(error.code, start), { isHead: start.startsWith('HEAD ') })
}

export function refuseSlowBody(socket: BusySocket): void {
  refuseUnreadable(
    Object.assign(new Error('the body arrived too slowly'), { code: 'ERR_HTTP_REQUEST_TIMEOUT' }),
    socket,
  )
}

/** Node keeps the response in progress here, and reads it for the same purpose. */
type BusySocket = Duplex & { readonly _httpMessage?: ServerResponse | null; readonly bytesRead?: number }

/** CONNECT is only for proxies. */
export function refuseConnect(_: IncomingMessage, socket: Duplex): void {
  endWith(socket, methodNotAllowed())
}

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

function endWith(socket: Duplex, refusal: AppError, { isHead = false } = {}): void {
  const { status } = catalogue[refusal.key]
  const id = `req_${randomUUID()}`
  const body = JSON.stringify(envelope(refusal, id))
  const headers = {
    ...guards,
    'x-request-id': id,
    'content-type': 'application/json; charset=utf-8',
    'content-length': Buffer.byteLength(body),
    connection: 'close',
    ...(status === 503 && { 'retry-after': '1' }),
    ...refusal.headers,
  }
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`)
  socket.end(`HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${lines.join('')}\r\n${isHead ? '' : body}`)
}
