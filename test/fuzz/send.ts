import { Agent, request as httpRequest } from 'node:http'
import { connect } from 'node:net'
import { setImmediate as nextTurn } from 'node:timers/promises'
import type { SentRequest } from './draft.ts'
import type { RawRequest } from './framing.ts'

export interface Received {
  readonly status: number
  readonly headers: Readonly<Record<string, string | undefined>>
  readonly text: string
  readonly tookMs: number
}

export interface Client {
  /** Throws without a response. */
  send(request: SentRequest): Promise<Received>
  /** All responses before the connection ended. */
  sendRaw(request: RawRequest): Promise<Received[]>
  close(): void
}

const timeoutMs = 30_000

export function openClient(url: string, connections: number): Client {
  const { hostname, port } = new URL(url)
  const agent = new Agent({ keepAlive: true, maxSockets: connections })
  return {
    send: ({ method, target, headers, body }) => {
      const startedAt = performance.now()
      return new Promise((resolve, reject) => {
        const options = { host: hostname, port, method, path: target, headers, agent, maxHeaderSize: 128 * 1024 }
        const request = httpRequest(options, (response) => {
          const parts: Buffer[] = []
          response.on('data', (part) => parts.push(part))
          response.on('error', reject)
          response.on('end', () =>
            resolve({
              status: response.statusCode ?? 0,
              headers: response.headers as Record<string, string>,
              text: Buffer.concat(parts).toString(),
              tookMs: performance.now() - startedAt,
            }),
          )
        })
        request.setTimeout(timeoutMs, () => request.destroy(new Error('no response in time')))
        request.on('error', reject)
        request.end(body)
      })
    },
    sendRaw: (request) => exchangeBytes(hostname, Number(port), request),
    close: () => agent.destroy(),
  }
}

async function exchangeBytes(hostname: string, port: number, { bytes, parts, isCut }: RawRequest): Promise<Received[]> {
  const startedAt = performance.now()
  const socket = connect(port, hostname)
  const received: Buffer[] = []
  socket.on('data', (part) => received.push(part))
  const ended = new Promise<void>((resolve) => {
    socket.on('close', () => resolve())
    socket.on('error', () => resolve())
    socket.setTimeout(timeoutMs, () => socket.destroy())
  })
  const size = Math.ceil(bytes.length / parts)
  for (let from = 0; from < bytes.length && !socket.destroyed; from += size) {
    socket.write(bytes.subarray(from, from + size))
    if (parts > 1) await nextTurn()
  }
  if (isCut) socket.end()
  await ended
  return responsesIn(Buffer.concat(received), performance.now() - startedAt)
}

function responsesIn(bytes: Buffer, tookMs: number): Received[] {
  const responses: Received[] = []
  let rest = bytes
  while (rest.length > 0) {
    const end = rest.indexOf('\r\n\r\n')
    const head = rest.subarray(0, end === -1 ? rest.length : end).toString('latin1')
    const headers = headersIn(head)
    const length = Number(headers['content-length'] ?? 0)
    const start = end === -1 ? rest.length : end + 4
    const text = rest.subarray(start, start + length).toString()
    responses.push({ status: Number(/^HTTP\/1\.1 (\d{3}) /.exec(head)?.[1] ?? 0), headers, text, tookMs })
    rest = rest.subarray(start + length)
  }
  return responses
}

function headersIn(head: string): Record<string, string | undefined> {
  const lines = head.split('\r\n').slice(1)
  return Object.fromEntries(
    lines.map((line) => [line.slice(0, line.indexOf(':')).toLowerCase(), line.slice(line.indexOf(':') + 1).trim()]),
  )
}
