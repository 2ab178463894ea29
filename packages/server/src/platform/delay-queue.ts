/** Something that waits for its turn. */
export interface Entry {
  /** Whom it counts for, such as a merchant. */
  readonly key: string
  readonly begin: () => void
  readonly reject: () => void
  /** Whether its client has disconnected, so that it need not be handled. */
  readonly isGone: () => boolean
}

/**
 * A queue that is controlled by delay, as in CoDel: a burst waits, and a queue that stands takes nothing more while its first entry
 * waits for longer than the target.
 */
export interface DelayQueue {
  /** Whether it takes no more now. */
  isClosed(): boolean
  /** Whether the entry was taken. */
  join(entry: Entry): boolean
  /** The next entry to begin. Rejects those that waited for too long on the way to it. */
  next(): Entry | undefined
  /** Rejects entries that waited for too long, where nothing asks for the next. */
  rejectOverdue(): void
  length(): number
  /** Whether it is empty, and was not standing lately: a new one would be the same. */
  isIdle(): boolean
}

export interface DelayLimits {
  /** A queue whose entries wait for longer than this stands. */
  readonly targetMs: number
  /** A queue that stood for this long is shed, until for as long no entry waited for longer than the target. */
  readonly intervalMs: number
  /** An entry that waited for this long is rejected in any case. */
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
  /** What was let in is handled if it can be: rejected late, it would have waited in vain. */
  const isOverdue = (entry: Waiting) => ageOf(entry) >= waitMaxMs
  return {
    isClosed,
    length: () => waiting.length,
    isIdle: () => waiting.length === 0 && !pressure.isStanding(),
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

/** Whether a queue has stood for long enough to be shed, judged by how long its entries waited when they left it. */
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
    isStanding: () => updateHigh() || standsSince !== undefined,
  }
}
