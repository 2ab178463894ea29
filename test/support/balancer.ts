import { once } from 'node:events'
import { connect, createServer, type Socket } from 'node:net'
import type { TestContext } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'

/** Stands before processes of one role, as a load balancer does that only knows connections. */
export interface Balancer {
  readonly url: string
  /** From now on this process gets connections whenever it says it is ready. */
  add(url: string): void
  remove(url: string): void
  isReady(url: string): boolean
}

const lookEveryMs = 200
/** One way. */
const wireMs = 10

/**
 * Asks every process whether it is ready and gives new connections to those that are, in turn. Connections that there are
 * it leaves alone: whoever ends one under a request has failed that request.
 */
export async function startBalancer(t: TestContext): Promise<Balancer> {
  const targets = new Map<string, boolean>()
  const sockets = new Set<Socket>()
  let turn = 0
  const next = (): URL | undefined => {
    const ready = [...targets].filter(([, isReady]) => isReady).map(([url]) => url)
    turn += 1
    const url = ready[turn % Math.max(1, ready.length)]
    return url === undefined ? undefined : new URL(url)
  }
  const server = createServer((client) => join(client, next(), sockets))
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const over = new AbortController()
  const looking = look(targets, over.signal)
  t.after(async () => {
    over.abort()
    await looking
    for (const socket of sockets) socket.destroy()
    server.close()
  })
  const address = server.address()
  return {
    url: `http://127.0.0.1:${typeof address === 'object' && address ? address.port : 0}`,
    add: (url) => void targets.set(url, false),
    remove: (url) => void targets.delete(url),
    isReady: (url) => targets.get(url) === true,
  }
}

async function look(targets: Map<string, boolean>, over: AbortSignal): Promise<void> {
  while (!over.aborted) {
    const found = await Promise.all([...targets.keys()].map(async (url) => [url, await isReady(url)] as const))
    for (const [url, isNow] of found) if (targets.has(url)) targets.set(url, isNow)
    await pause(lookEveryMs, undefined, { signal: over }).catch(() => undefined)
  }
}

const isReady = (url: string) =>
  fetch(`${url}/health/ready`, { headers: { connection: 'close' }, signal: AbortSignal.timeout(2000) }).then(
    ({ ok }) => ok,
    () => false,
  )

function join(client: Socket, target: URL | undefined, sockets: Set<Socket>): void {
  if (!target) return void client.resetAndDestroy()
  const upstream = connect({ port: Number(target.port), host: target.hostname, noDelay: true })
  client.setNoDelay(true)
  for (const socket of [client, upstream]) {
    sockets.add(socket)
    socket.on('close', () => sockets.delete(socket))
  }
  carry(client, upstream)
  carry(upstream, client)
}

/** Everything takes its time on the wire, the end too: a request can be on its way when the other side hangs up. */
function carry(from: Socket, to: Socket): void {
  const later = (then: () => void) => setTimeout(() => to.writable && then(), wireMs)
  from.on('data', (bytes: Buffer) => later(() => to.write(bytes)))
  from.on('end', () => later(() => to.end()))
  from.on('error', () => later(() => to.resetAndDestroy()))
}
