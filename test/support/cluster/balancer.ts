import { once } from 'node:events'
import { connect, createServer, type Socket } from 'node:net'
import type { TestContext } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'

/** A load balancer at connection level before processes of one role. */
export interface Balancer {
  readonly url: string
  /** From now on this process gets connections whenever it reports ready. */
  add(url: string): void
  remove(url: string): void
  isReady(url: string): boolean
  /** Connections reset because no process was ready, and the last replies of the processes. */
  readonly refused: readonly string[]
}

/** The last readiness reply of a process, and how many polls in a row had no reply. */
interface Target {
  isReady: boolean
  missedPolls: number
  words: string
}

const pollEveryMs = 200
/** A process that reports not ready is left out at once; one that does not reply, after this many polls. */
const missedPollsMax = 3
/** One way. */
const wireMs = 10

/**
 * Polls every process for readiness and gives new connections to the ready ones in turn. It leaves open connections alone: ending
 * one during a request would fail that request.
 */
export async function startBalancer(t: TestContext): Promise<Balancer> {
  const targets = new Map<string, Target>()
  const sockets = new Set<Socket>()
  const refused: string[] = []
  let turn = 0
  const next = (): URL | undefined => {
    const ready = [...targets].filter(([, { isReady }]) => isReady).map(([url]) => url)
    turn += 1
    const url = ready[turn % Math.max(1, ready.length)]
    if (url === undefined) refused.push([...targets.values()].map(({ words }) => words).join(' | '))
    return url === undefined ? undefined : new URL(url)
  }
  const server = createServer((client) => join(client, next(), sockets))
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const over = new AbortController()
  const polling = look(targets, over.signal)
  t.after(async () => {
    over.abort()
    await polling
    for (const socket of sockets) socket.destroy()
    server.close()
  })
  const address = server.address()
  return {
    url: `http://127.0.0.1:${typeof address === 'object' && address ? address.port : 0}`,
    add: (url) => void targets.set(url, { isReady: false, missedPolls: 0, words: 'not polled yet' }),
    remove: (url) => void targets.delete(url),
    isReady: (url) => targets.get(url)?.isReady === true,
    refused,
  }
}

async function look(targets: Map<string, Target>, over: AbortSignal): Promise<void> {
  while (!over.aborted) {
    await Promise.all([...targets].map(([url, target]) => ask(url, target)))
    await pause(pollEveryMs, undefined, { signal: over }).catch(() => undefined)
  }
}

async function ask(url: string, target: Target): Promise<void> {
  const request = { headers: { connection: 'close' }, signal: AbortSignal.timeout(2000) }
  try {
    const reply = await fetch(`${url}/health/ready`, request)
    target.words = `${reply.status} ${await reply.text()}`
    target.missedPolls = 0
    target.isReady = reply.ok
  } catch (error) {
    target.words = String(error)
    target.missedPolls += 1
    target.isReady &&= target.missedPolls < missedPollsMax
  }
}

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

/** Everything is delayed on the wire, the close too: a request can be in transit when the other side closes. */
function carry(from: Socket, to: Socket): void {
  const later = (then: () => void) => setTimeout(() => to.writable && then(), wireMs)
  from.on('data', (bytes: Buffer) => later(() => to.write(bytes)))
  from.on('end', () => later(() => to.end()))
  from.on('error', () => later(() => to.resetAndDestroy()))
}
