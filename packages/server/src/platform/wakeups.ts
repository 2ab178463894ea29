import { setTimeout as pause } from 'node:timers/promises'
import type { NatsConnection } from '@nats-io/transport-node'
import type { Log } from './log.ts'
import { connectNats, type NatsAccess } from './nats.ts'
import { withoutWorkIds } from './work-ids.ts'

/**
 * Wakes other processes. A wakeup carries no data, only "poll now": the truth is in PostgreSQL, so a lost wakeup only costs the
 * time until the next poll, and NATS may be unavailable for any time.
 */
export interface Wakeups {
  wake(topic: string): void
  /** Calls `poll` at once, on each wakeup, and at least every `everyMs`; never two at a time. A failed poll is retried. */
  onWake(topic: string, everyMs: number, poll: () => Promise<void>): WakeWatch
  isConnected(): boolean
  close(): Promise<void>
}

export interface Watch {
  stop(): Promise<void>
}

export interface WakeWatch extends Watch {
  /** Polls now, in this process only. */
  wake(): void
}

export interface WakeupsOptions {
  /** Without one a wakeup reaches only this process, and the others find work by polling. */
  readonly url: string | undefined
  readonly access?: NatsAccess
  readonly log: Log
  /** Subjects start with the cell's number, so that cells may share a NATS. */
  readonly cell: number
  /** Called after each poll. */
  readonly onPolled?: (topic: string, hasFailed: boolean) => void
}

const reconnectMs = 1000
const closeMs = 1000
/** A failed poll is repeated after this, however long its interval is. */
const retryMs = 5000

export function openWakeups({ url, access, log, cell, onPolled }: WakeupsOptions): Wakeups {
  const subject = (topic: string) => `malipo.${cell}.${topic}`
  const watches = new Map<string, Set<() => void>>()
  let connection: NatsConnection | undefined
  let retry: NodeJS.Timeout | undefined
  let isClosed = false
  let isOnline = false
  const queue = createWakeQueue((topic) => {
    if (url === undefined) return wakeAll(watches.get(topic))
    if (connection?.isClosed() !== false || connection.isDraining()) return false
    connection.publish(subject(topic))
    return true
  })
  const subscribe = (topic: string) =>
    connection?.subscribe(subject(topic), { callback: () => void wakeAll(watches.get(topic)) })
  const tryLater = () => {
    isOnline = false
    if (!isClosed) retry = setTimeout(tryConnect, reconnectMs)
  }
  const tryConnect = async () => {
    if (url === undefined) return
    try {
      connection = await connectNats(url, access)
    } catch (err) {
      log.warn({ err }, 'NATS unavailable, polling')
      return tryLater()
    }
    for (const topic of watches.keys()) subscribe(topic)
    queue.flush()
    if (isClosed) return void connection.close().catch(() => undefined)
    isOnline = true
    void connection.closed().then(tryLater)
  }
  const firstTry = tryConnect()

  return {
    wake: queue.wake,
    onWake: (topic, everyMs, poll) => {
      const watch = watching(everyMs, poll, (failed) => {
        onPolled?.(topic, failed !== undefined)
        if (failed) log.warn({ err: failed.error, topic }, 'poll failed, retrying')
      })
      const others = watches.get(topic)
      watches.set(topic, (others ?? new Set()).add(watch.wake))
      if (!others) subscribe(topic)
      return {
        wake: watch.wake,
        stop: () => {
          watches.get(topic)?.delete(watch.wake)
          return watch.stop()
        },
      }
    },
    isConnected: () => isOnline,
    close: async () => {
      isClosed = true
      clearTimeout(retry)
      const drained = firstTry.then(queue.flush).then(() => connection?.drain())
      await withinMs(closeMs, drained)
      await withinMs(closeMs, connection?.close())
    },
  }
}

/** Under load a topic is woken for every payment; one wakeup per turn of the event loop is enough. */
function createWakeQueue(publish: (topic: string) => boolean) {
  const unsent = new Set<string>()
  let isDue = false
  const flush = () => {
    isDue = false
    for (const topic of unsent) if (publish(topic)) unsent.delete(topic)
  }
  return {
    flush,
    wake: (topic: string) => {
      unsent.add(topic)
      if (isDue) return
      isDue = true
      setImmediate(flush)
    },
  }
}

function wakeAll(wakes: ReadonlySet<() => void> | undefined): true {
  for (const wake of wakes ?? []) wake()
  return true
}

/** NATS may be unreachable or hang: a call to it times out and never fails the caller. */
async function withinMs(ms: number, work: Promise<unknown> | undefined): Promise<void> {
  const patience = new AbortController()
  await Promise.race([work?.catch(() => undefined), pause(ms, undefined, patience)])
  patience.abort()
}

/** Runs `poll` one at a time. A wake during a poll causes one more poll right after it. */
function watching(
  everyMs: number,
  poll: () => Promise<void>,
  onPolled: (failed?: { readonly error: unknown }) => void,
) {
  let timer: NodeJS.Timeout | undefined
  let running: Promise<void> | undefined
  let isWanted = false
  let isStopped = false
  let hasFailed = false

  const run = async () => {
    while (isWanted && !isStopped) {
      isWanted = false
      const failed = await poll().then(
        () => undefined,
        (error: unknown) => ({ error }),
      )
      hasFailed = failed !== undefined
      onPolled(failed)
    }
    running = undefined
    if (!isStopped) timer = setTimeout(wake, hasFailed ? Math.min(everyMs, retryMs) : everyMs)
  }
  const wake = () => {
    isWanted = true
    if (running || isStopped) return
    clearTimeout(timer)
    running = withoutWorkIds(run)
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
