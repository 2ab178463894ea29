import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { TestContext } from 'node:test'

/** What becomes of a request on its way to the provider. */
export type Passage =
  | 'pass'
  /** It is on its way until the gate is opened, and then arrives. */
  | 'hold'
  /** Somebody answers in the provider's place, once the gate is opened. */
  | { readonly status: number; readonly body: (request: { readonly path: string; readonly json: unknown }) => object }

export interface ProviderGate {
  readonly url: string
  /** Those that wait. */
  readonly held: readonly string[]
  open(): void
}

/** Stands between a connector and its provider, and decides when and whether a request arrives. */
export async function startProviderGate(
  t: TestContext,
  target: string,
  passageOf: (request: { readonly method: string; readonly path: string }) => Passage,
): Promise<ProviderGate> {
  const held: string[] = []
  let open: () => void = () => undefined
  const opened = new Promise<void>((resolve) => {
    open = resolve
  })
  const handle = async (request: IncomingMessage, response: ServerResponse) => {
    const { method = '', url: path = '', headers } = request
    const body = Buffer.concat(await request.toArray())
    const passage = passageOf({ method, path })
    if (passage !== 'pass') {
      held.push(`${method} ${path}`)
      await opened
    }
    if (typeof passage === 'object') {
      const told = passage.body({ path, json: JSON.parse(body.toString('utf8')) })
      return void response.writeHead(passage.status, { 'content-type': 'application/json' }).end(JSON.stringify(told))
    }
    const { host: _, connection: __, 'content-length': ___, ...rest } = headers as Record<string, string>
    const reply = await fetch(target + path, { method, headers: rest, ...(body.length > 0 && { body }) })
    response.writeHead(reply.status, { 'content-type': reply.headers.get('content-type') ?? '' })
    response.end(Buffer.from(await reply.arrayBuffer()))
  }
  const server = createServer((request, response) => {
    handle(request, response).catch(() => response.destroy())
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.after(() => {
    open()
    server.closeAllConnections()
    server.close()
  })
  const { port } = server.address() as { port: number }
  return { url: `http://127.0.0.1:${port}`, held, open }
}
