import { join } from 'node:path'
import { findProgram, freePort, isListening, type Service, startService } from './processes.ts'

/** A NATS server of our own on a loopback port. */
export interface Nats extends Service {
  readonly url: string
}

export async function startNats(folder: string): Promise<Nats> {
  const command = findProgram('nats-server', ['/usr/sbin'], 'nats-server')
  const port = await freePort()
  const args = ['--addr', '127.0.0.1', '--port', String(port), '--jetstream', '--store_dir', join(folder, 'nats')]
  const service = await startService({ name: 'nats', command, args, folder, isReady: () => isListening(port), env: {} })
  return { ...service, url: `nats://127.0.0.1:${port}` }
}
