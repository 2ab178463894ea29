import { once } from 'node:events'
import { createServer, type IncomingHttpHeaders } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { TestContext } from 'node:test'
import { until } from './until.ts'

export interface Received {
  readonly path: string
  readonly host: string
  readonly headers: IncomingHttpHeaders
  readonly raw: string
  readonly body: Readonly<Record<string, unknown>>
}

export interface Receiver {
  readonly base: string
  readonly received: Received[]
  /** Statuses for the next callbacks; 200 when it is empty. */
  readonly statuses: number[]
  /** Waits until this many have arrived. */
  take(count: number): Promise<Received[]>
}

/** The merchant's side: receives callbacks and responds as the test sets. */
export async function startReceiver(t: TestContext): Promise<Receiver> {
  const received: Received[] = []
  const statuses: number[] = []
  const server = createServer((request, response) => {
    const parts: Buffer[] = []
    request.on('data', (part: Buffer) => parts.push(part))
    request.on('end', () => {
      const raw = Buffer.concat(parts).toString('utf8')
      const { url = '', headers } = request
      const body = JSON.parse(raw) as Received['body']
      received.push({ path: url, host: headers.host ?? '', headers, raw, body })
      response.writeHead(statuses.shift() ?? 200).end()
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.after(() => {
    server.close()
    server.closeAllConnections()
  })
  const { port } = server.address() as AddressInfo
  const take = (count: number) => until(`${count} callbacks`, () => received.length >= count && received)
  return { base: `http://127.0.0.1:${port}/callbacks`, received, statuses, take }
}
