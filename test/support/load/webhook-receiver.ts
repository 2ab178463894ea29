import { once } from 'node:events'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { TestContext } from 'node:test'
import { until } from '../../../packages/server/src/dev-stack/until.ts'
import { breakOff } from '../faults/break-off.ts'

/** What a receiver does with a request. A held request gets no response until it is released. */
export type Reaction = 'held' | 'reset' | { readonly status: number; readonly headers?: Record<string, string> }

/** One request, as received. */
export interface Got {
  readonly id: string
  readonly body: string
  readonly headers: Readonly<Record<string, string | undefined>>
  /** Set once a response was written. */
  status?: number
}

/** A merchant's server that reacts as configured and records every request. */
export interface Receiver {
  readonly url: string
  readonly got: readonly Got[]
  /** Requests neither responded to nor reset, now and at the peak. */
  readonly open: number
  readonly mostOpen: number
  react: (got: Got) => Reaction
  /** Responds to everything that is held. */
  release(reaction: Exclude<Reaction, 'held'>): void
  /** Resets open connections and refuses new ones until it listens again. */
  shut(): Promise<void>
  listen(): Promise<void>
  forgetMost(): void
}

export async function openReceiver(t: Pick<TestContext, 'after'>, react: Receiver['react']): Promise<Receiver> {
  const got: Got[] = []
  const held = new Map<ServerResponse, Got>()
  let [open, mostOpen, port] = [0, 0, 0]
  const take = async (request: IncomingMessage, response: ServerResponse) => {
    open += 1
    mostOpen = Math.max(mostOpen, open)
    response.once('close', () => {
      open -= 1
      held.delete(response)
    })
    const body = await request.toArray().catch(() => undefined)
    if (!body) return
    const headers = request.headers as Got['headers']
    const arrived: Got = { id: headers['webhook-id'] ?? '', body: Buffer.concat(body).toString(), headers }
    got.push(arrived)
    const reaction = receiver.react(arrived)
    if (reaction === 'held') held.set(response, arrived)
    else respond(arrived, response, reaction)
  }
  let server: Server | undefined
  const receiver = {
    url: '',
    got,
    react,
    get open() {
      return open
    },
    get mostOpen() {
      return mostOpen
    },
    release: (reaction: Exclude<Reaction, 'held'>) => {
      for (const [response, request] of held) respond(request, response, reaction)
      held.clear()
    },
    listen: async () => {
      server = createServer((request, response) => void take(request, response)).listen(port, '127.0.0.1')
      await once(server, 'listening')
      port = (server.address() as { port: number }).port
    },
    shut: async () => {
      const closing = server
      server = undefined
      if (!closing) return
      const closed = once(closing.close(), 'close')
      closing.closeAllConnections()
      await closed
      await until('the last request to be broken off', () => open === 0)
    },
    forgetMost: () => {
      mostOpen = open
    },
  }
  await receiver.listen()
  t.after(receiver.shut)
  receiver.url = `http://127.0.0.1:${port}/hooks`
  return receiver
}

function respond(request: Got, response: ServerResponse, reaction: Exclude<Reaction, 'held'>): void {
  if (reaction === 'reset') return void breakOff(response.socket)
  request.status = reaction.status
  response.writeHead(reaction.status, reaction.headers).end('kept')
}
