/** The shop's systems that get webhooks: the shop and its accounting respond, the old warehouse does not. */
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { buffer } from 'node:stream/consumers'

export interface Receiver {
  readonly url: string
  /** Resolves with the final status when the shop gets the webhook of the payment's end. */
  ended(transactionId: string): Promise<string>
  close(): void
}

interface Webhook {
  readonly data?: { readonly transactionId?: string; readonly status?: string }
}

/** On the given port, so that endpoints of an earlier start still work; on another one if it is taken. */
export async function startReceiver(port = 0): Promise<Receiver> {
  const ends = new Map<string, string>()
  const waiting = new Map<string, (status: string) => void>()
  const note = ({ data: { transactionId = '', status = '' } = {} }: Webhook) => {
    if (status !== 'successful' && status !== 'failed') return
    ends.set(transactionId, status)
    waiting.get(transactionId)?.(status)
    waiting.delete(transactionId)
  }
  const server = createServer(async (request, response) => {
    const text = (await buffer(request)).toString()
    response.statusCode = request.url === '/warehouse' ? 503 : 200
    response.end()
    if (request.url === '/shop') note(JSON.parse(text) as Webhook)
  })
  await new Promise<void>((resolve) => {
    server.once('error', () => server.listen(0, '127.0.0.1'))
    server.listen(port, '127.0.0.1', resolve)
  })
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    ended: async (id) => ends.get(id) ?? new Promise((resolve) => waiting.set(id, resolve)),
    close: () => {
      server.close()
      server.closeAllConnections()
    },
  }
}
