import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { jetstreamManager } from '@nats-io/jetstream'
import { connect, type NatsConnection } from '@nats-io/transport-node'
import { findProgram, freePort, isListening, type Service, startService, tryFindProgram } from './processes.ts'

/** Our own NATS server on a loopback port. */
export interface Nats extends Service {
  readonly url: string
}

/** Debian installs it outside the usual PATH. */
const places = ['/usr/sbin']

export function startNats(folder: string): Promise<Nats> {
  return startServer(folder, findProgram('nats-server', places, 'nats-server'))
}

/** Starts NATS if it is installed, or the program that the variable MALIPO_NATS_SERVER names. Undefined where there is none. */
export async function startNatsIfThere(folder: string): Promise<Nats | undefined> {
  const named = process.env['MALIPO_NATS_SERVER']
  const command = named === undefined ? tryFindProgram('nats-server', places) : tryFindProgram(named, [])
  return command === undefined ? undefined : startServer(folder, command)
}

async function startServer(folder: string, command: string): Promise<Nats> {
  const port = await freePort()
  const args = ['--addr', '127.0.0.1', '--port', String(port), '--jetstream', '--store_dir', join(folder, 'nats')]
  const service = await startService({ name: 'nats', command, args, folder, isReady: () => isListening(port), env: {} })
  return { ...service, url: `nats://127.0.0.1:${port}` }
}

/** A server with its own configuration and port. */
export async function startNatsWith(folder: string, config: string): Promise<Nats> {
  const port = await freePort()
  return startNatsNamed({ folder, name: `nats-${port}`, port, config })
}

/** A server with a given port and name, as in a cluster. */
export async function startNatsNamed(of: {
  readonly folder: string
  readonly name: string
  readonly port: number
  readonly config: string
}): Promise<Nats> {
  const { folder, name, port } = of
  const path = join(folder, `${name}.conf`)
  writeFileSync(path, `listen: "127.0.0.1:${port}"\n${of.config}\n`)
  const command = findProgram('nats-server', places, 'nats-server')
  const isReady = () => isListening(port)
  const service = await startService({ name, command, args: ['-c', path], folder, isReady, env: {} })
  return { ...service, url: `nats://127.0.0.1:${port}` }
}

/** Every message of a stream whose subject starts with this, in order. */
export function messagesOf<Body>(url: string, stream: string, subject: string): Promise<Body[]> {
  return connected(url, async (nats) => {
    const { streams } = await jetstreamManager(nats)
    const { state } = await streams.info(stream)
    const bodies: Body[] = []
    for (let seq = state.first_seq; seq <= state.last_seq; seq += 1) {
      const message = await streams.getMessage(stream, { seq })
      if (message?.subject.startsWith(subject)) bodies.push(message.json<Body>())
    }
    return bodies
  })
}

export function wipeStream(url: string, stream: string): Promise<boolean> {
  return connected(url, async (nats) => (await jetstreamManager(nats)).streams.delete(stream))
}

async function connected<Result>(url: string, work: (nats: NatsConnection) => Promise<Result>): Promise<Result> {
  const nats = await connect({ servers: new URL(url).host })
  try {
    return await work(nats)
  } finally {
    await nats.close()
  }
}
