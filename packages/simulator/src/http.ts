import { timingSafeEqual } from 'node:crypto'
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http'
import type { Core } from './core.ts'
import type { Call, Dialect, Reply, Route } from './dialect.ts'
import { sendReply } from './reply.ts'
import { noteCall, serveWithFaults } from './wire.ts'

const bodyBytesMax = 1024 * 1024

export type Control = (call: Call) => Reply | Promise<Reply>

/** The first path segment chooses the handler: a dialect, or the control API. */
export function createHandler(core: Core, control: Control): RequestListener {
  const tables = new Map([...core.dialects].map(([id, dialect]) => [id, { dialect, find: createFinder(dialect) }]))
  return (incoming, response) => {
    const work = async () => {
      const raw = await readBody(incoming)
      if (raw === undefined) return sendReply(response, { status: 413, body: { error: 'The body is too large.' } })
      const call = callOf(core, incoming, raw)
      const [, first = ''] = call.path.split('/', 2)
      const table = tables.get(first)
      if (first === '__sim') sendReply(response, await control(call))
      else if (table) await serve(call, response, table.dialect, table.find(call))
      else sendReply(response, { status: 404, body: { error: 'Path not found.' } })
    }
    work().catch((error: unknown) => {
      // The caller disconnected before it sent the whole request: not an error of the simulator.
      if (!incoming.complete) return
      process.stderr.write(
        `${JSON.stringify({ msg: 'request failed', error: String((error as Error).stack ?? error) })}\n`,
      )
      if (!response.headersSent)
        sendReply(response, { status: 500, body: { error: 'The simulator failed to process the request.' } })
    })
  }
}

/** Compares in constant time, although a simulator does not need it. */
export function hasToken(call: Call, token: string): 'right' | 'wrong' | 'none' {
  const { authorization } = call.headers
  if (authorization === undefined) return 'none'
  const given = Buffer.from(authorization)
  const wanted = Buffer.from(`Bearer ${token}`)
  return given.length === wanted.length && timingSafeEqual(given, wanted) ? 'right' : 'wrong'
}

interface Found {
  readonly route: Route
  readonly parameters: Readonly<Record<string, string>>
}

async function serve(call: Call, response: ServerResponse, dialect: Dialect, found: Found | undefined) {
  if (found === undefined) return sendReply(response, dialect.words.notFound())
  const { route, parameters } = found
  const known = { ...call, parameters }
  const refusal = findTokenProblem(known, dialect, route) ?? route.check?.(known)
  if (refusal === undefined) return serveWithFaults({ call: known, response, dialect, route })
  noteCall({ call: known, dialect, route }, { status: refusal.status })
  sendReply(response, refusal)
}

function findTokenProblem(call: Call, { token, words }: Dialect, { isOpen }: Route): Reply | undefined {
  const found = isOpen ? 'right' : hasToken(call, token)
  if (found === 'right') return undefined
  return found === 'none' ? words.noToken() : words.wrongToken()
}

function createFinder({ id, routes }: Dialect): (call: Call) => Found | undefined {
  const table = routes.map((route) => ({ route, parts: `/${id}${route.path}`.split('/') }))
  return ({ method, path }) => {
    const segments = path.split('/')
    for (const { route, parts } of table) {
      if (route.method !== method || parts.length !== segments.length) continue
      if (!parts.every((part, index) => part.startsWith(':') || part === segments[index])) continue
      const names = parts.flatMap((part, index) =>
        part.startsWith(':') ? [[part.slice(1), segments[index] ?? '']] : [],
      )
      return { route, parameters: Object.fromEntries(names) as Record<string, string> }
    }
    return undefined
  }
}

function callOf(core: Core, { url = '/', method = 'GET', headers }: IncomingMessage, raw: Buffer): Call {
  const mark = url.indexOf('?')
  const path = mark === -1 ? url : url.slice(0, mark)
  const query = new URLSearchParams(mark === -1 ? '' : url.slice(mark + 1))
  return { core, method, path, query, headers, raw, json: parse(raw), parameters: {} }
}

function parse(raw: Buffer): unknown {
  if (raw.length === 0) return undefined
  try {
    return JSON.parse(raw.toString('utf8')) as unknown
  } catch {
    return undefined
  }
}

/** Undefined when the body is too large. The rest is still read, so that the response arrives. */
async function readBody(incoming: IncomingMessage): Promise<Buffer | undefined> {
  const parts: Buffer[] = []
  let length = 0
  for await (const part of incoming as AsyncIterable<Buffer>) {
    length += part.length
    if (length <= bodyBytesMax) parts.push(part)
  }
  return length > bodyBytesMax ? undefined : Buffer.concat(parts)
}
