/** An entry that waits for its turn. */
export interface Entry {
  /** What it counts for, such as a merchant. */
  readonly key: string
  readonly begin: () => void
  readonly reject: () => void
  /** Whether its client has disconnected, so that it need not be handled. */
  readonly isGone: () => boolean
}

/**
 * A queue controlled by delay, as in CoDel: a burst waits, but a persistent queue accepts nothing more while its first entry
 * waits longer than the target.
 */
export interface DelayQueue {
  /** Whether it accepts no entry now. */
  isClosed(): boolean
  /** Returns whether the entry was accepted. */
  join(entry: Entry): boolean
  /** The next entry to start. Rejects overdue entries before it. */
  next(): Entry | undefined
  /** Rejects overdue entries when no caller takes the next one. */
  rejectOverdue(): void
  length(): number
  /** Whether it is empty and had no recent backlog: a new queue would be the same. */
  isIdle(): boolean
}

export interface DelayLimits {
  /** A queue whose entries wait longer than this is backlogged. */
  readonly targetMs: number
  /** A queue backlogged for this long is shed, until for as long no entry waits beyond the target. */
  readonly intervalMs: number
  /** An entry that waited this long is always rejected. */
  readonly waitMaxMs: number
}

interface Waiting extends Entry {
  readonly since: number
}

export function createDelayQueue(limits: DelayLimits, lengthMax: number, now: () => number): DelayQueue {
  const { targetMs, waitMaxMs } = limits
  const waiting: Waiting[] = []
  const pressure = watchPressure(limits, now)
  const ageOf = ({ since }: Waiting) => now() - since
  const isClosed = () => {
    const [first] = waiting
    if (waiting.length >= lengthMax) return true
    return first !== undefined && pressure.isHigh() && ageOf(first) >= targetMs
  }
  /** An accepted entry is handled if possible: rejected late, it would have waited in vain. */
  const isOverdue = (entry: Waiting) => ageOf(entry) >= waitMaxMs
  return {
    isClosed,
    length: () => waiting.length,
    isIdle: () => waiting.length === 0 && !pressure.isBacklogged(),
    join: (entry) => {
      if (isClosed()) {
        pressure.note(targetMs)
        return false
      }
      waiting.push({ ...entry, since: now() })
      return true
    },
    next: () => {
      for (let first = waiting.shift(); first; first = waiting.shift()) {
        pressure.note(ageOf(first))
        if (!first.isGone() && !isOverdue(first)) return first
        first.reject()
      }
      pressure.note(0)
      return undefined
    },
    rejectOverdue: () => {
      while (waiting[0] && ageOf(waiting[0]) >= waitMaxMs) waiting.shift()?.reject()
    },
  }
}

/** Whether a queue has been backlogged long enough to be shed, by how long its entries waited. */
function watchPressure({ targetMs, intervalMs }: DelayLimits, now: () => number) {
  let standsSince: number | undefined
  let overAt = Number.NEGATIVE_INFINITY
  let isHigh = false
  const updateHigh = () => {
    if (standsSince === undefined) return false
    isHigh = isHigh ? now() - overAt < intervalMs : now() - standsSince >= intervalMs
    if (!isHigh && now() - overAt >= intervalMs) standsSince = undefined
    return isHigh
  }
  return {
    note: (waitedMs: number) => {
      if (waitedMs >= targetMs) {
        overAt = now()
        standsSince ??= now()
      } else if (waitedMs < targetMs / 2 && !isHigh) standsSince = undefined
    },
    isHigh: updateHigh,
    isBacklogged: () => updateHigh() || standsSince !== undefined,
  }
}
