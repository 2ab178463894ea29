/**
 * Lets only so much work be done at a time, and the rest wait in line; when those in line wait for too long already, nobody else
 * may join. A crowd that comes at once is worked off so, and only lasting pressure turns anybody away.
 */
export interface Turnstile {
  /** Begins the work now or later. Nothing when it may not join; else what is to be called when it is over. */
  enter(begin: () => void): (() => void) | undefined
  /** Waits for somebody else: that costs nothing and keeps nobody out, so it does not count. */
  aside<Value>(wait: Promise<Value>): Promise<Value>
}

interface TurnstileOptions {
  /** Work at a time; more would only wait for each other. */
  readonly atOnce: number
  /** Work begun in one turn of the event loop: so much is done before anybody else hears anything. */
  readonly perTurn: number
  /** When the first in line waits for so long, nobody joins. */
  readonly patienceMs: number
  readonly inLineMax: number
  readonly now?: () => number
}

interface Waiting {
  readonly begin: () => void
  readonly since: number
  /** Whoever wanted it has left the line. */
  isGone: boolean
}

export function createTurnstile(options: TurnstileOptions): Turnstile {
  const { atOnce, perTurn, patienceMs, inLineMax, now = () => performance.now() } = options
  const line: Waiting[] = []
  let atWork = 0
  let begun = 0

  const nextTurn = () => {
    begun = 0
    advance()
  }
  const start = (begin: () => void) => {
    if (begun === 0) setImmediate(nextTurn)
    begun += 1
    atWork += 1
    begin()
  }
  const isFree = () => atWork < atOnce && begun < perTurn
  const advance = () => {
    while (line.length > 0 && isFree()) {
      const next = line.shift()
      if (next && !next.isGone) start(next.begin)
    }
  }
  const leave = () => {
    atWork -= 1
    advance()
  }
  return {
    enter: (begin) => {
      if (line.length === 0 && isFree()) {
        start(begin)
        return leave
      }
      const [first] = line
      if (line.length >= inLineMax || (first && now() - first.since > patienceMs)) return undefined
      let hasBegun = false
      const waiting: Waiting = {
        since: now(),
        isGone: false,
        begin: () => {
          hasBegun = true
          begin()
        },
      }
      line.push(waiting)
      return () => {
        waiting.isGone = true
        if (hasBegun) leave()
      }
    },
    aside: (wait) => {
      leave()
      return wait.finally(() => {
        atWork += 1
      })
    },
  }
}
