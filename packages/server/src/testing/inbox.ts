import { once } from 'node:events'
import { createServer } from 'node:http'
import type { InboundRequest } from '../providers/contract.ts'

/** Receives callbacks like our service, or webhooks like a merchant, and stores them unchanged. */
export interface Inbox {
  readonly url: string
  /** In order of arrival. */
  readonly received: readonly InboundRequest[]
  /** The response status for each body; 200 by default. */
  statusOf: (body: string) => number
  close(): Promise<void>
}

export async function openInbox(): Promise<Inbox> {
  const received: InboundRequest[] = []
  const server = createServer(async (request, response) => {
    const { method = '', url: path = '', headers } = request
    const body = Buffer.concat(await request.toArray())
    received.push({ method, path, authority: headers.host ?? '', headers: headers as Record<string, string>, body })
    response.writeHead(inbox.statusOf(body.toString())).end()
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as { port: number }
  const inbox: Inbox = {
    url: `http://127.0.0.1:${port}`,
    received,
    statusOf: () => 200,
    close: async () => {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
  return inbox
}
