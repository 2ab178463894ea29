import { type Work, type WorkKind, workKinds } from './timers.ts'

/** A merchant with more due payments than the queue keeps, and where to continue reading its open payments. */
interface Overflow {
  readonly merchant_id: string
  readonly after: string
}

/**
 * What one process knows to be due in one lane. It remembers expired timers and stores nothing: another process may already have
 * done the work, and what is lost with the process is found by the sweeper of the next.
 */
export interface LaneQueue {
  /** Adds what is not queued yet, and returns how many payments were added. */
  add(work: readonly Work[]): number
  waiting(kind: WorkKind): number
  /** The next work of a kind: merchants in turn, and of each merchant no more than it has room for. */
  next(kind: WorkKind, limit: number, roomOf: (merchant_id: string) => number): Work[]
  /** Removes the examined work, and puts the served merchants behind the others. */
  remove(examined: readonly Work[], served: readonly Work[]): void
  /** Merchants whose open payments must be read, because some did not fit and there is room now. */
  overflows(): Overflow[]
  /** Adds a page of a merchant's due payments. `after` is where the next page starts; undefined after the last page. */
  refill(merchant_id: string, work: readonly Work[], after: string | undefined): void
}

/** Payments kept per kind and merchant. A page of open payments fits when half of them are gone. */
const keptMax = 2000
export const refillMax = keptMax / 2

const firstId = '00000000-0000-0000-0000-000000000000'

export function createLaneQueue(): LaneQueue {
  const kinds = new Map<string, WorkKind>()
  const lines = mapKinds((kind) => createLines((id) => kinds.get(id) === kind))
  const waiting = mapKinds(() => 0)
  const scans = createScans()
  const forget = (id: string) => {
    const kind = kinds.get(id)
    if (kind !== undefined) waiting[kind] -= 1
    kinds.delete(id)
  }
  const add = ({ id, merchant_id, kind }: Work): boolean => {
    if (kinds.get(id) === kind) return false
    if (lines[kind].lengthOf(merchant_id) >= keptMax) {
      scans.begin(merchant_id)
      return false
    }
    forget(id) // It was of another kind: for example, a payment to send is now one to query.
    kinds.set(id, kind)
    waiting[kind] += 1
    lines[kind].push(merchant_id, id)
    return true
  }
  const hasRoom = ({ merchant_id }: Overflow) =>
    workKinds.every((kind) => lines[kind].lengthOf(merchant_id) <= keptMax - refillMax)
  return {
    add: (work) => work.filter(add).length,
    waiting: (kind) => waiting[kind],
    next: (kind, limit, roomOf) => lines[kind].next(limit, roomOf).map((each) => ({ ...each, kind })),
    remove: (examined, served) => {
      for (const { id } of examined) forget(id)
      for (const { merchant_id, kind } of served) lines[kind].putBehind(merchant_id)
    },
    overflows: () => scans.list().filter(hasRoom),
    refill: (merchant_id, work, after) => {
      scans.advance(merchant_id, after)
      for (const each of work) add(each)
    },
  }
}

export function mapKinds<Value>(of: (kind: WorkKind) => Value): Record<WorkKind, Value> {
  return { prompt: of('prompt'), hint: of('hint'), payout: of('payout'), poll: of('poll') }
}

/** One queue of ids per merchant, with the merchants in the order of their turns. Ids that no longer wait are skipped. */
function createLines(isWaiting: (id: string) => boolean) {
  const lines = new Map<string, string[]>()
  return {
    lengthOf: (merchant_id: string) => lines.get(merchant_id)?.length ?? 0,
    push: (merchant_id: string, id: string) => {
      const line = lines.get(merchant_id)
      if (line) line.push(id)
      else lines.set(merchant_id, [id])
    },
    putBehind: (merchant_id: string) => {
      const line = lines.get(merchant_id)
      if (line && lines.delete(merchant_id)) lines.set(merchant_id, line)
    },
    next: (limit: number, roomOf: (merchant_id: string) => number) => {
      const hands: Hand[] = []
      for (const [merchant_id, line] of lines) {
        if (hands.length === limit) break
        const gone = line.findIndex(isWaiting)
        line.splice(0, gone === -1 ? line.length : gone)
        if (line.length === 0) lines.delete(merchant_id)
        else hands.push({ merchant_id, ids: line.slice(0, roomOf(merchant_id)).filter(isWaiting).values() })
      }
      return deal(hands, limit)
    },
  }
}

interface Hand {
  readonly merchant_id: string
  readonly ids: Iterator<string>
}

/** One of each merchant, then a second of each, and so on. */
function deal(hands: readonly Hand[], limit: number): { readonly id: string; readonly merchant_id: string }[] {
  const dealt: { id: string; merchant_id: string }[] = []
  let left = hands
  while (left.length > 0 && dealt.length < limit)
    left = left.filter(({ merchant_id, ids }) => {
      const { value: id, done } = ids.next()
      if (!done) dealt.push({ id, merchant_id })
      return !done
    })
  return dealt.slice(0, limit)
}

/**
 * Merchants whose open payments are being read, because some did not fit. A payment that does not fit during a read may be behind
 * the read position, so the read is repeated.
 */
function createScans() {
  const scans = new Map<string, { readonly after: string; readonly isRepeated: boolean }>()
  return {
    begin: (merchant_id: string) => {
      const { after } = scans.get(merchant_id) ?? { after: firstId }
      scans.set(merchant_id, { after, isRepeated: after !== firstId })
    },
    list: (): Overflow[] => [...scans].map(([merchant_id, { after }]) => ({ merchant_id, after })),
    advance: (merchant_id: string, after: string | undefined) => {
      const { isRepeated = false } = scans.get(merchant_id) ?? {}
      if (after === undefined && !isRepeated) scans.delete(merchant_id)
      else scans.set(merchant_id, { after: after ?? firstId, isRepeated: isRepeated && after !== undefined })
    },
  }
}
