import { once } from 'node:events'
import { connect, createServer, type Socket } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'
import { breakOff } from '../support/faults/break-off.ts'

/** The state of the network between two parts. */
export type Conditions =
  | 'clear'
  /** Every packet is delayed, in both directions. */
  | 'slow'
  /** Open connections are reset, and so are new ones. */
  | 'cut'
  /** Connections stay open, new ones too, but carry nothing; when it is over they are dead. */
  | 'half-open'
  /** Open connections carry nothing any more and neither side notices; new ones work. */
  | 'forgotten'

export interface FaultProxy {
  readonly port: number
  change(conditions: Conditions): void
  close(): Promise<void>
}

interface Link {
  readonly client: Socket
  readonly upstream: Socket
  /** Drops all bytes. */
  dropsBytes: boolean
}

/** A proxy on loopback before a server. The server may move: every new connection asks for its port. */
export async function startFaultProxy(target: () => number, slowMs: number): Promise<FaultProxy> {
  const links = new Set<Link>()
  let conditions: Conditions = 'clear'
  const server = createServer((client) => {
    client.on('error', () => undefined) // The close event follows.
    if (conditions === 'cut') return void breakOff(client)
    const link: Link = { client, upstream: connect(target(), '127.0.0.1'), dropsBytes: conditions === 'half-open' }
    links.add(link)
    carry(link, () => (conditions === 'slow' ? slowMs : 0))
    link.upstream.on('close', () => links.delete(link))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as { port: number }
  const breakAll = (found: Iterable<Link>) => {
    for (const { client, upstream } of found) for (const socket of [client, upstream]) breakOff(socket)
  }
  return {
    port,
    change: (next) => {
      if (conditions === 'half-open') breakAll([...links].filter(({ dropsBytes }) => dropsBytes))
      conditions = next
      if (next === 'cut') breakAll(links)
      if (next === 'half-open' || next === 'forgotten') for (const link of links) link.dropsBytes = true
    },
    close: async () => {
      server.close()
      for (const { client, upstream } of links) for (const socket of [client, upstream]) socket.destroy()
      await once(server, 'close')
    },
  }
}

/** Carries one connection. One that drops bytes does not report to one side that the other has closed. */
function carry(link: Link, delayMs: () => number): void {
  const { client, upstream } = link
  for (const [from, to] of [
    [client, upstream],
    [upstream, client],
  ] as const) {
    // One after another: a connection never reorders its bytes, even when the conditions change.
    let sent = Promise.resolve()
    const later = (work: () => void) => {
      const at = performance.now() + delayMs()
      const come = () => (at > performance.now() ? pause(at - performance.now()) : undefined)
      sent = sent.then(come).then(work)
    }
    from.setNoDelay(true)
    from.on('data', (chunk: Buffer) => {
      if (!link.dropsBytes) later(() => to.writable && to.write(chunk))
    })
    from.on('end', () => !link.dropsBytes && later(() => to.end()))
    from.on('error', () => undefined)
    from.on('close', () => !link.dropsBytes && later(() => to.destroy()))
  }
}
