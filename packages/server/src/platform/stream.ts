import {
  JetStreamApiCodes,
  JetStreamApiError,
  type JetStreamManager,
  jetstream,
  jetstreamManager,
  RetentionPolicy,
  StorageType,
} from '@nats-io/jetstream'
import type { NatsConnection } from '@nats-io/transport-node'
import { connectNats, type NatsAccess } from './nats.ts'

/** An event for the operator's other systems. A repeated id is stored once. */
interface Message {
  readonly id: string
  /** After the stream's own prefix, such as `sandbox.transaction_created`. */
  readonly subject: string
  readonly body: object
}

/** A durable stream in NATS for subscribers. It carries copies: the truth is in PostgreSQL. */
export interface Stream {
  /** Returns when the stream has stored them all; throws when it is unavailable. */
  publish(messages: readonly Message[]): Promise<void>
  close(): Promise<void>
}

const name = 'EVENTS'
const keptNs = 7 * 24 * 3600 * 1_000_000_000
const repeatNs = 120 * 1_000_000_000
const storeMs = 5000

export interface StreamOptions {
  readonly url: string
  readonly access?: NatsAccess
  /** How many servers of a cluster keep the stream. */
  readonly replicas?: number
  readonly cell: number
}

export function openStream(options: StreamOptions): Stream {
  const { cell } = options
  const root = `malipo.${cell}.events`
  let opened: Promise<NatsConnection> | undefined

  const connection = () => {
    opened ??= open(options)
    opened.catch(() => {
      opened = undefined
    })
    return opened
  }
  return {
    publish: async (messages) => {
      const nats = await connection()
      const js = jetstream(nats, { timeout: storeMs })
      try {
        await Promise.all(
          messages.map(({ id, subject, body }) =>
            js.publish(`${root}.${subject}`, JSON.stringify(body), { msgID: id }),
          ),
        )
      } catch (error) {
        opened = undefined // The stream itself may be gone: the next try creates it again.
        await nats.close().catch(() => undefined)
        throw error
      }
    },
    close: async () => {
      const nats = await opened?.catch(() => undefined)
      await nats?.close().catch(() => undefined)
    },
  }
}

async function open({ url, access, replicas = 1 }: StreamOptions): Promise<NatsConnection> {
  const nats = await connectNats(url, access)
  try {
    await keepStream(nats, replicas)
  } catch (error) {
    await nats.close().catch(() => undefined)
    throw error
  }
  return nats
}

/** Cells that share a NATS share the stream, and differ by their subjects. */
async function keepStream(nats: NatsConnection, replicas: number): Promise<void> {
  const manager = await jetstreamManager(nats)
  const limits = { max_age: keptNs, duplicate_window: repeatNs }
  const config = { subjects: ['malipo.*.events.>'], ...limits, num_replicas: replicas }
  const fixed = { name, storage: StorageType.File, retention: RetentionPolicy.Limits }
  await manager.streams.info(name).then(
    () => manager.streams.update(name, config),
    () => manager.streams.add({ ...fixed, ...config }),
  )
}

/** How durable the stream is, for the doctor. */
export interface StreamFacts {
  readonly version: string
  readonly isEncrypted: boolean
  /** Why no stream can be stored there. */
  readonly jetStreamProblem?: string
  /** Undefined before the first worker creates it. */
  readonly stream?: { readonly isInMemory: boolean; readonly replicas: number } | undefined
}

/** Changes nothing. Throws when NATS does not respond. */
export async function readStreamFacts(url: string, access: NatsAccess): Promise<StreamFacts> {
  const nats = await connectNats(url, access)
  try {
    const { version = '', tls_required: isEncrypted = false } = nats.info ?? {}
    try {
      return { version, isEncrypted, stream: await findStream(await jetstreamManager(nats)) }
    } catch (error) {
      return { version, isEncrypted, jetStreamProblem: (error as Error).message }
    }
  } finally {
    await nats.close().catch(() => undefined)
  }
}

async function findStream(manager: JetStreamManager): Promise<StreamFacts['stream']> {
  try {
    const { config } = await manager.streams.info(name)
    return { isInMemory: config.storage === StorageType.Memory, replicas: config.num_replicas }
  } catch (error) {
    if (error instanceof JetStreamApiError && error.code === JetStreamApiCodes.StreamNotFound) return undefined
    throw error
  }
}
