import type { ServerResponse } from 'node:http'
import type { Call, Dialect, Reply, Route } from './dialect.ts'
import { type DrawnFault, findFault } from './faults.ts'
import { sendReply } from './reply.ts'

export interface Exchange {
  readonly call: Call
  readonly response: ServerResponse
  readonly dialect: Dialect
  readonly route: Route
}

/** Responds to one request, or fails as a fault requires. */
export async function serveWithFaults(exchange: Exchange): Promise<void> {
  const { call, response, dialect, route } = exchange
  const { core } = call
  const subjects = route.subjects?.(call) ?? []
  const operation = operationOf(call, route)
  const faults = core.faults.draw('request', { provider: dialect.id, operation, subjects })
  const note = (status: number) => noteCall(exchange, { status, key: subjects[0]?.key, faults })
  const latency = findFault(faults, 'latency')
  if (latency) await core.clock.sleep(latency.delayMs ?? 1_000)
  if (findFault(faults, 'drop_before_processing')) {
    note(0)
    response.destroy()
    return
  }
  const early = replacement(faults, dialect, operation, 'before')
  const reply = early ?? (await route.handle(call))
  const last = early ?? replacement(faults, dialect, operation, 'after') ?? reply
  note(findFault(faults, 'drop_after_processing') ? 0 : last.status)
  sendBadly(response, last, faults)
}

/** The response that replaces the true one. After processing, it is the case that leaves the caller in doubt. */
function replacement(
  faults: readonly DrawnFault[],
  { words }: Dialect,
  operation: string,
  moment: 'before' | 'after',
): Reply | undefined {
  const find = (mode: DrawnFault['mode']) => {
    const fault = findFault(faults, mode)
    return (fault?.moment ?? 'before') === moment ? fault : undefined
  }
  if (find('token_expired')) return words.tokenExpired()
  if (find('account_not_allowed')) return words.notAllowed(operation)
  const limited = find('rate_limited')
  if (limited) return words.rateLimited(limited.seconds ?? 1)
  const unknown = find('unknown_words')
  if (unknown) return words.unknownWords(unknown.code ?? 'GREMLIN_IN_THE_SWITCH')
  const status = find('http_status')
  if (status) return { status: status.status ?? 500, body: status.body ?? words.broken().body }
  return find('html_503') ? unavailablePage : undefined
}

interface Outcome {
  readonly status: number
  readonly key?: string | undefined
  readonly faults?: readonly DrawnFault[]
}

/** Records the request and the status of its response, also for refusals. */
export function noteCall({ call, dialect, route }: Omit<Exchange, 'response'>, { status, key, faults = [] }: Outcome) {
  const { core, method, path, json } = call
  core.requests.add({
    at: new Date(core.clock.now()).toISOString(),
    method,
    path,
    provider: dialect.id,
    operation: operationOf(call, route),
    ...(key !== undefined && { key }),
    body: json,
    status,
    faults: faults.map(({ mode }) => mode),
  })
}

const operationOf = (call: Call, route: Route) => route.operationOf?.(call) ?? route.operation

const unavailablePage: Reply = {
  status: 503,
  body: '<html><head><title>503 Service Temporarily Unavailable</title></head><body><h1>503</h1></body></html>',
  headers: { 'content-type': 'text/html' },
}

function sendBadly(response: ServerResponse, reply: Reply, faults: readonly DrawnFault[]): void {
  if (findFault(faults, 'drop_after_processing')) response.destroy()
  else if (findFault(faults, 'half_response')) sendHalf(response, reply)
  else if (findFault(faults, 'malformed_json')) sendReply(response, { ...reply, body: cut(reply) })
  else sendReply(response, reply)
}

const textOf = ({ body }: Reply) => (typeof body === 'string' ? body : JSON.stringify(body))
const cut = (reply: Reply) => textOf(reply).slice(0, -2)

/** Announces the whole body, sends half, and disconnects once that half is on the wire. */
function sendHalf(response: ServerResponse, reply: Reply): void {
  const bytes = Buffer.from(textOf(reply))
  response.writeHead(reply.status, { 'content-type': 'application/json', 'content-length': String(bytes.length) })
  response.write(bytes.subarray(0, bytes.length >> 1), () => response.destroy())
}
