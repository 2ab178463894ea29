import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { TestContext } from 'node:test'

/** What happens to a request to the provider. */
export type Passage =
  | 'pass'
  /** It waits until the gate is opened, and then arrives. */
  | 'hold'
  /** The gate responds in the provider's place, once it is opened. */
  | { readonly status: number; readonly body: (request: { readonly path: string; readonly json: unknown }) => object }
  /** It passes, and the callbacks report when it leaves for the provider and when the response comes back. */
  | PassageHooks
  /** It never arrives and gets no response. */
  | 'lose'

interface PassageHooks {
  readonly going: () => void
  readonly responded: () => void
}

const noHooks: PassageHooks = { going: () => undefined, responded: () => undefined }

interface PassedRequest {
  readonly method: string
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: Buffer<ArrayBuffer>
}

export interface ProviderGate {
  readonly url: string
  /** Requests that wait. */
  readonly held: readonly string[]
  open(): void
}

/** Between a connector and its provider: decides when and whether a request arrives. */
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
  const pass = async (request: PassedRequest, { going, responded }: PassageHooks) => {
    const { host: _, connection: __, 'content-length': ___, ...headers } = request.headers
    const { method, path, body } = request
    const pending = fetch(target + path, { method, headers, ...(body.length > 0 && { body }) })
    going()
    const reply = await pending
    const content = Buffer.from(await reply.arrayBuffer())
    responded()
    return { status: reply.status, type: reply.headers.get('content-type') ?? '', content }
  }
  const handle = async (incoming: IncomingMessage, response: ServerResponse) => {
    const { method = '', url: path = '', headers } = incoming
    const body = Buffer.concat(await incoming.toArray())
    const passage = passageOf({ method, path })
    if (passage === 'lose') return
    const hooks = typeof passage === 'object' && 'going' in passage ? passage : noHooks
    if (passage !== 'pass' && hooks === noHooks) {
      held.push(`${method} ${path}`)
      await opened
    }
    if (typeof passage === 'object' && 'status' in passage) {
      const content = passage.body({ path, json: JSON.parse(body.toString('utf8')) })
      return void response
        .writeHead(passage.status, { 'content-type': 'application/json' })
        .end(JSON.stringify(content))
    }
    const passed = await pass({ method, path, headers: headers as Record<string, string>, body }, hooks)
    response.writeHead(passed.status, { 'content-type': passed.type }).end(passed.content)
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
