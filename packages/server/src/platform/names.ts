import { Resolver } from 'node:dns/promises'
import { readFile } from 'node:fs/promises'
import { isIP } from 'node:net'

/** Returns every address of a name, IPv4 and IPv6. An existing name without an address returns none; a failed lookup throws. */
export type Lookup = (name: string) => Promise<readonly string[]>

/**
 * Looks names up without the system's resolver, which has four threads: a merchant's slow name server would block them, and with
 * them files and connections of all other work. Nothing is cached and no search domain is added. The hosts file is read, because
 * containers find their host there.
 */
export function createLookup({
  servers,
  hostsPath = '/etc/hosts',
}: {
  /** Replaces the system's name servers, such as `127.0.0.1:5353`. */
  readonly servers?: readonly string[]
  readonly hostsPath?: string
} = {}): Lookup {
  const resolver = new Resolver({ timeout: 1500, tries: 2 })
  if (servers) resolver.setServers(servers)
  return async (name) => {
    const written = await writtenFor(name, hostsPath)
    if (written.length > 0) return written
    return merge(await Promise.allSettled([resolver.resolve4(name), resolver.resolve6(name)]))
  }
}

/** One family's addresses are used when the other's query fails: many name servers break on IPv6 queries. */
function merge(results: readonly PromiseSettledResult<string[]>[]): readonly string[] {
  const found = results.flatMap((result) => (result.status === 'fulfilled' ? result.value : []))
  const failures = results.flatMap((result) => (result.status === 'rejected' ? [result.reason] : []))
  const failure = failures.find(({ code }) => code !== 'ENODATA')
  if (found.length === 0 && failure) throw failure
  return found
}

async function writtenFor(name: string, hostsPath: string): Promise<string[]> {
  const text = await readFile(hostsPath, 'utf8').catch(() => '')
  const lines = text.split('\n').map((line) => (line.split('#')[0] ?? '').trim().split(/\s+/))
  const fitting = lines.filter(([, ...names]) => names.some((each) => each.toLowerCase() === name))
  return fitting.flatMap(([address = '']) => (isIP(address) ? [address] : []))
}
