import type { Config } from '../../config.ts'
import { isLoopback } from '../../platform/addresses.ts'
import { parseNatsServers } from '../../platform/nats.ts'
import { readStreamFacts, type StreamFacts } from '../../platform/stream.ts'
import { type Finding, failed, ok, reasonOf } from './checks.ts'

const versionMin = [2, 10, 27] as const

/** Every guarantee holds without NATS, so an unreachable one is bad only where it is configured. */
export async function natsFindings(config: Config, isConfigured: boolean): Promise<Finding[]> {
  if (config.natsUrl === undefined) return [ok('NATS', 'not configured: processes poll for work')]
  const { servers } = parseNatsServers(config.natsUrl.reveal())
  const where = servers.map(({ host }) => host).join(' or ')
  try {
    const facts = await readStreamFacts(config.natsUrl.reveal(), config)
    const isRemote = servers.some(({ hostname }) => !isLoopback(hostname))
    return [
      ok('NATS', `responds at ${where}`),
      facts.isEncrypted || !isRemote
        ? ok('NATS TLS', facts.isEncrypted ? 'encrypted' : 'not needed: the server is on this machine')
        : failed('NATS TLS', 'the connection is not encrypted'),
      isOld(facts.version) ? failed('NATS version', facts.version) : ok('NATS version', facts.version),
      ...events(facts, config.natsReplicas, servers.length),
    ]
  } catch (error) {
    const words = `does not respond at ${where}: ${reasonOf(error as Error)}`
    return [failed('NATS', words, { health: isConfigured ? 'bad' : 'poor' })]
  }
}

function isOld(version: string): boolean {
  const parts = version.split('.').map((part) => Number.parseInt(part, 10))
  const at = versionMin.findIndex((part, index) => parts[index] !== part)
  return at >= 0 && (parts[at] ?? 0) < (versionMin[at] ?? 0)
}

function events({ jetStreamProblem, stream }: StreamFacts, wanted: number, servers: number): Finding[] {
  if (jetStreamProblem !== undefined) return [failed('JetStream', jetStreamProblem)]
  const [storage, replicas] = ['EVENTS storage', 'EVENTS replicas'] as const
  const few =
    wanted < 3 && servers >= 3 ? `MALIPO_NATS_REPLICAS is ${wanted}, and NATS_URL names ${servers} servers` : undefined
  const fewer = stream && stream.replicas < wanted ? `the stream has ${stream.replicas} of ${wanted} copies` : undefined
  const missing = few ?? fewer
  return [
    ok('JetStream', 'on'),
    stream?.isInMemory ? failed(storage, 'the stream is in memory') : ok(storage, stream ? 'file' : 'not created yet'),
    missing === undefined ? ok(replicas, String(stream ? stream.replicas : wanted)) : failed(replicas, missing),
  ]
}
