import { once } from 'node:events'
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { TestContext } from 'node:test'

export interface Canary {
  readonly port: number
  /** The number of connections made to it, with or without a request. */
  connections(): number
  requests(): number
}

/** A server that counts its visitors. Without a host it listens on every address of the machine, IPv4 and IPv6. */
export async function startCanary(
  t: TestContext,
  { host = '::', port = 0, respond = (_, response) => response.end('secret of the house') }: CanaryOptions = {},
): Promise<Canary> {
  let [connections, requests] = [0, 0]
  const server = createServer((request, response) => {
    requests += 1
    respond(request, response)
  })
  server.on('connection', () => {
    connections += 1
  })
  server.listen(port, host)
  await once(server, 'listening')
  t.after(() => {
    server.closeAllConnections()
    server.close()
  })
  return {
    port: (server.address() as AddressInfo).port,
    connections: () => connections,
    requests: () => requests,
  }
}

interface CanaryOptions {
  readonly host?: string
  readonly port?: number
  readonly respond?: RequestListener
}
