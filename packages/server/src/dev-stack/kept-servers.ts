import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { isListening } from './processes.ts'
import type { Servers } from './servers-on-request.ts'

/** What test runs keep for the next one: servers, durations, compiled code. Git ignores it. */
export const testFolder = join(import.meta.dirname, '../../../../.malipo-test')

const keptFile = 'servers.json'

/** Reports running servers to later test runs. The file has passwords, so that only its owner may read it. */
export function keepServers(servers: Servers, folder = testFolder): { forget(): void } {
  const path = join(folder, keptFile)
  mkdirSync(folder, { recursive: true })
  rmSync(path, { force: true }) // An older file would keep its mode.
  writeFileSync(path, JSON.stringify(servers), { mode: 0o600 })
  return { forget: () => rmSync(path, { force: true }) }
}

/** The servers of `npm run test:servers`, if they run. */
export async function findKeptServers(folder = testFolder): Promise<Servers | undefined> {
  const servers = readKept(join(folder, keptFile))
  if (servers === undefined) return undefined
  const ports = [servers.adminUrl, servers.natsUrl].map((url) => Number(new URL(url).port))
  const listening = await Promise.all(ports.map(isListening))
  return listening.every(Boolean) ? servers : undefined
}

function readKept(path: string): Servers | undefined {
  try {
    return JSON.parse(readFileSync(path, 'utf8')) as Servers
  } catch {
    return undefined // Not kept, or being written.
  }
}
