import { setTimeout as pause } from 'node:timers/promises'
import type { NatsConnection } from '@nats-io/transport-node'
import type { Log } from './log.ts'
import { connectNats, type NatsAccess } from './nats.ts'

/**
 * Wakes other processes. A ring carries no news, only "look now": the truth is in PostgreSQL, so a lost ring costs the
 * time until the next look and nothing else, and NATS may be away for as long as it likes.
 */
export interface Bell {
  ring(topic: string): void
  /** Calls `look` at once, when rung, and at least every `everyMs`; never two at a time. A failed look is tried again. */
  onRing(topic: string, everyMs: number, look: () => Promise<void>): RungWatch
  isConnected(): boolean
  close(): Promise<void>
}

export interface Watch {
  stop(): Promise<void>
}

interface RungWatch extends Watch {
  /** Has it look now, in this process alone. */
  wake(): void
}

export interface BellOptions {
  /** Without one a ring is heard in this process alone, and the others find work by looking. */
  readonly url: string | undefined
  readonly access?: NatsAccess
  readonly log: Log
  /** Subjects begin with the cell's number, so that cells may share a NATS. */
  readonly cell: number
}

const reconnectMs = 1000
const closeMs = 1000

export function openBell({ url, access, log, cell }: BellOptions): Bell {
  const subject = (topic: string) => `malipo.${cell}.${topic}`
  const looks = new Map<string, Set<() => void>>()
  let connection: NatsConnection | undefined
  let retry: NodeJS.Timeout | undefined
  let isClosed = false
  let isHeard = false
  const rings = createRings((topic) => {
    if (url === undefined) return wakeAll(looks.get(topic))
    if (connection?.isClosed() !== false || connection.isDraining()) return false
    connection.publish(subject(topic))
    return true
  })
  const subscribe = (topic: string) =>
    connection?.subscribe(subject(topic), { callback: () => void wakeAll(looks.get(topic)) })
  const tryLater = () => {
    isHeard = false
    if (!isClosed) retry = setTimeout(tryConnect, reconnectMs)
  }
  const tryConnect = async () => {
    if (url === undefined) return
    try {
      connection = await connectNats(url, access)
    } catch (err) {
      log.warn({ err }, 'the bell is not reached; work is found by looking until it is')
      return tryLater()
    }
    for (const topic of looks.keys()) subscribe(topic)
    rings.ringAll()
    if (isClosed) return void connection.close().catch(() => undefined)
    isHeard = true
    void connection.closed().then(tryLater)
  }
  const firstTry = tryConnect()

  return {
    ring: rings.ring,
    onRing: (topic, everyMs, look) => {
      const watch = watching(everyMs, look, (err) => log.warn({ err, topic }, 'a look failed and is tried again'))
      const others = looks.get(topic)
      looks.set(topic, (others ?? new Set()).add(watch.wake))
      if (!others) subscribe(topic)
      return {
        wake: watch.wake,
        stop: () => {
          looks.get(topic)?.delete(watch.wake)
          return watch.stop()
        },
      }
    },
    isConnected: () => isHeard,
    close: async () => {
      isClosed = true
      clearTimeout(retry)
      const drained = firstTry.then(rings.ringAll).then(() => connection?.drain())
      await withinMs(closeMs, drained)
      await withinMs(closeMs, connection?.close())
    },
  }
}

/** Under load a topic is rung for every payment; one ring in a turn of the event loop says the same. */
function createRings(publish: (topic: string) => boolean) {
  const unrung = new Set<string>()
  let isDue = false
  const ringAll = () => {
    isDue = false
    for (const topic of unrung) if (publish(topic)) unrung.delete(topic)
  }
  return {
    ringAll,
    ring: (topic: string) => {
      unrung.add(topic)
      if (isDue) return
      isDue = true
      setImmediate(ringAll)
    },
  }
}

function wakeAll(wakes: ReadonlySet<() => void> | undefined): true {
  for (const wake of wakes ?? []) wake()
  return true
}

/** NATS may be gone or deaf: what is asked of it is given up after a while, and never fails who asks. */
async function withinMs(ms: number, work: Promise<unknown> | undefined): Promise<void> {
  const patience = new AbortController()
  await Promise.race([work?.catch(() => undefined), pause(ms, undefined, patience)])
  patience.abort()
}

/** Runs `look` one at a time. A wake during a look means one more look right after it. */
function watching(everyMs: number, look: () => Promise<void>, onError: (error: unknown) => void) {
  let timer: NodeJS.Timeout | undefined
  let running: Promise<void> | undefined
  let isWanted = false
  let isStopped = false

  const run = async () => {
    while (isWanted && !isStopped) {
      isWanted = false
      await look().catch(onError)
    }
    running = undefined
    if (!isStopped) timer = setTimeout(wake, everyMs)
  }
  const wake = () => {
    isWanted = true
    if (running || isStopped) return
    clearTimeout(timer)
    running = run()
  }
  wake()
  return {
    wake,
    stop: async () => {
      isStopped = true
      clearTimeout(timer)
      await running
    },
  }
}
