import type { DelayLimits, Entry } from './delay-queue.ts'
import { createFairQueue, type FairQueue } from './fair-queue.ts'
import { createShares, type Shares } from './shares.ts'

/**
 * Limits how many requests of each kind are handled at a time. The rest wait in a queue per kind, the most urgent kind first, and
 * within a kind each key in turn. One key gets at most three quarters of a kind's slots.
 */
export interface ConcurrencyLimiter<Kind extends string> {
  /** Calls `begin` now or later, or `reject` when the queue is shed. After `begin`, the caller must call `leave` once. */
  enter(kind: Kind, entry: Entry): void
  leave(kind: Kind, key: string): void
  /** Does not count a request of this kind while it waits for something outside this process. */
  outside<Value>(kind: Kind, key: string, wait: Promise<Value>): Promise<Value>
  /** Requests in progress and waiting, per kind. */
  counts(): Record<Kind, { readonly handled: number; readonly queued: number }>
  /** Whether a new request of this kind and key would be rejected: callers may refuse it before any work. */
  isShedding(kind: Kind, key: string): boolean
}

interface Budget<Kind extends string> {
  /** Concurrent requests. More would only wait for each other. */
  readonly atOnce: number
  /** Waiting requests of one key. */
  readonly queueMax: number
  /** The limit while a request of the other kind is in progress, or was in the last second. */
  readonly beside?: Readonly<Partial<Record<Kind, number>>>
}

interface LimiterOptions<Kind extends string> extends Partial<DelayLimits> {
  /** By kind, the most urgent first. */
  readonly budgets: Readonly<Record<Kind, Budget<Kind>>>
  /** Requests started in one turn of the event loop: other work waits for at most these. */
  readonly perTurn: number
  readonly now?: () => number
}

/** Requests of one kind, in progress and waiting. */
interface Line {
  readonly queue: FairQueue
  readonly handled: Shares
  endedAt: number
}

/** How long a kind counts as active after its last request. */
const activeMs = 1000
const sweepMs = 250

export function createConcurrencyLimiter<Kind extends string>(options: LimiterOptions<Kind>): ConcurrencyLimiter<Kind> {
  const { perTurn } = options
  const { kinds, lines, roomOf, ended } = openLines(options)
  let begun = 0
  let isSweepDue = false

  const hasRoom = (kind: Kind, key: string) => lines[kind].handled.hasRoom(key, roomOf(kind))
  const nextTurn = () => {
    begun = 0
    advance()
  }
  const start = (kind: Kind, { key, begin }: Entry) => {
    if (begun === 0) setImmediate(nextTurn)
    begun += 1
    lines[kind].handled.take(key)
    begin()
  }
  const advance = () => {
    for (const kind of kinds) {
      while (begun < perTurn) {
        const next = lines[kind].queue.next((key) => hasRoom(kind, key))
        if (!next) break
        start(kind, next)
      }
    }
  }
  const sweepLater = () => {
    if (isSweepDue) return
    isSweepDue = true
    setTimeout(sweep, sweepMs).unref()
  }
  const sweep = () => {
    isSweepDue = false
    const left = kinds.filter((kind) => lines[kind].queue.sweep())
    advance()
    if (left.length > 0) sweepLater()
  }
  const leave = (kind: Kind, key: string) => {
    ended(kind, key)
    advance()
  }
  return {
    enter: (kind, entry) => {
      const { queue } = lines[kind]
      const { key } = entry
      if (queue.isEmpty(key) && begun < perTurn && hasRoom(kind, key)) return start(kind, entry)
      if (!queue.join(entry)) return entry.reject()
      sweepLater()
    },
    leave,
    outside: (kind, key, wait) => {
      leave(kind, key)
      return wait.finally(() => lines[kind].handled.take(key))
    },
    isShedding: (kind, key) => lines[kind].queue.isClosed(key),
    counts: () => countsOf(kinds, lines),
  }
}

function openLines<Kind extends string>(options: LimiterOptions<Kind>) {
  const { budgets, targetMs = 100, intervalMs = 2000, waitMaxMs = 3000, now = () => performance.now() } = options
  const kinds = Object.keys(budgets) as Kind[]
  const lineOf = (kind: Kind): Line => ({
    queue: createFairQueue({ targetMs, intervalMs, waitMaxMs }, budgets[kind].queueMax, now),
    handled: createShares(),
    endedAt: Number.NEGATIVE_INFINITY,
  })
  const lines = Object.fromEntries(kinds.map((kind) => [kind, lineOf(kind)])) as Record<Kind, Line>
  const isActive = (kind: Kind) => lines[kind].handled.total() > 0 || now() - lines[kind].endedAt < activeMs
  return {
    kinds,
    lines,
    ended: (kind: Kind, key: string) => {
      lines[kind].handled.giveBack(key)
      lines[kind].endedAt = now()
    },
    /** How many requests of a kind may be handled at a time now. */
    roomOf: (kind: Kind): number => {
      const { atOnce, beside = {} } = budgets[kind]
      const limits = (Object.entries(beside) as [Kind, number][]).filter(([other]) => isActive(other))
      return Math.min(atOnce, ...limits.map(([, limit]) => limit))
    },
  }
}

function countsOf<Kind extends string>(kinds: readonly Kind[], lines: Record<Kind, Line>) {
  const counts = kinds.map((kind) => [
    kind,
    { handled: lines[kind].handled.total(), queued: lines[kind].queue.length() },
  ])
  return Object.fromEntries(counts) as Record<Kind, { readonly handled: number; readonly queued: number }>
}
