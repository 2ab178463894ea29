import { jetstreamManager, StorageType } from '@nats-io/jetstream'
import { connect } from '@nats-io/transport-node'
import pg from 'pg'
import { runStatements, withClient } from '../dev-stack/statements.ts'
import { until } from '../dev-stack/until.ts'

// Changes servers of a test as their administrator does.

/** Returns when a new session sees the changed settings. */
export async function reload(url: string, wanted: Readonly<Record<string, string>>): Promise<void> {
  const changes = Object.entries(wanted).map(([name, value]) => `alter system set ${name} = ${pg.escapeLiteral(value)}`)
  await runStatements(url, [...changes, 'select pg_reload_conf()'])
  for (const [name, value] of Object.entries(wanted)) await until(name, async () => (await shown(url, name)) === value)
}

const shown = (url: string, name: string) =>
  withClient(url, async (client) => {
    const { rows } = await client.query<{ value: string }>('select current_setting($1) as value', [name])
    return rows[0]?.value
  })

/** Returns when as many standbys follow the server. */
export const countStandbys = (url: string, count: number): Promise<boolean> =>
  withClient(url, (client) =>
    until(`${count} standbys`, async () => {
      const { rows } = await client.query(`select from pg_stat_replication where state = 'streaming'`)
      return rows.length === count
    }),
  )

/** Creates the stream of events with one copy. */
export const storeStream = (url: string, storage: 'file' | 'memory'): Promise<void> =>
  inStreams(url, (streams) =>
    streams.add({
      name: 'EVENTS',
      subjects: ['malipo.*.events.>'],
      storage: storage === 'file' ? StorageType.File : StorageType.Memory,
    }),
  )

export const dropStream = (url: string): Promise<void> => inStreams(url, (streams) => streams.delete('EVENTS'))

type Streams = Awaited<ReturnType<typeof jetstreamManager>>['streams']

async function inStreams(url: string, work: (streams: Streams) => Promise<unknown>): Promise<void> {
  const nats = await connect({ servers: new URL(url).host })
  try {
    await work((await jetstreamManager(nats)).streams)
  } finally {
    await nats.close()
  }
}
