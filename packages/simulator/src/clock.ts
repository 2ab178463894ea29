/** A timer on the simulator's clock. Cancelling one that has run does nothing. */
export interface Timer {
  cancel(): void
}

interface Task {
  readonly due: number
  readonly number: number
  /** A caller waits for it, so it must end even when all timers are cleared. */
  readonly isSleep: boolean
  run: (() => void) | undefined
}

/** A Node timer waits at most 2^31 ms. A later timer is checked again then. */
const waitMax = 2_000_000_000

/** The wall clock plus the time it was advanced by, and every timer on it. */
export class Clock {
  readonly #tasks: Task[] = []
  #offset = 0
  #count = 0
  #timer: NodeJS.Timeout | undefined
  #armedFor = Number.POSITIVE_INFINITY
  #isAdvancing: boolean = false

  now(): number {
    return Date.now() + this.#offset
  }

  offset(): number {
    return this.#offset
  }

  /** After a restart the clock continues from where it was. */
  restore(offset: number): void {
    this.#offset = offset
  }

  at(due: number, run: () => void): Timer {
    const task: Task = { due, number: this.#count++, isSleep: false, run }
    this.#put(task)
    const cancel = () => {
      task.run = undefined
    }
    return { cancel }
  }

  /** Resolves once the clock has moved this far, by waiting or by being advanced. */
  sleep(ms: number): Promise<void> {
    return new Promise((run) => this.#put({ due: this.now() + ms, number: this.#count++, isSleep: true, run }))
  }

  /** Runs every timer due on the way, in order, each at its own time. Returns how many ran. */
  advance(ms: number): number {
    const target = this.now() + ms
    this.#isAdvancing = true
    const ran = this.#runUntil(target, (moment) => this.#reach(moment))
    this.#reach(target)
    this.#isAdvancing = false
    this.#armedFor = Number.NaN
    this.#arm()
    return ran
  }

  /** Clears every timer. Sleepers wake up. */
  clear(): void {
    const sleepers = this.#tasks.filter(({ isSleep }) => isSleep)
    this.#tasks.length = 0
    this.#arm()
    for (const { run } of sleepers) run?.()
  }

  #put(task: Task): void {
    put(this.#tasks, task)
    this.#arm()
  }

  #reach(moment: number): void {
    this.#offset += Math.max(moment - this.now(), 0)
  }

  #arm(): void {
    const due = this.#tasks[0]?.due ?? Number.POSITIVE_INFINITY
    if (this.#isAdvancing || due === this.#armedFor) return
    clearTimeout(this.#timer)
    this.#armedFor = due
    if (due === Number.POSITIVE_INFINITY) return
    this.#timer = setTimeout(() => this.#wake(), Math.min(Math.max(due - this.now(), 0), waitMax))
  }

  #wake(): void {
    this.#armedFor = Number.NaN
    this.#runUntil(this.now(), () => undefined)
    this.#arm()
  }

  #runUntil(target: number, reach: (moment: number) => void): number {
    let ran = 0
    for (let next = this.#tasks[0]; next !== undefined && next.due <= target; next = this.#tasks[0]) {
      take(this.#tasks)
      if (next.run === undefined) continue
      reach(next.due)
      next.run()
      ran++
    }
    return ran
  }
}

const isBefore = (one: Task, other: Task) => one.due < other.due || (one.due === other.due && one.number < other.number)

function put(heap: Task[], task: Task): void {
  let index = heap.push(task) - 1
  while (index > 0) {
    const above = (index - 1) >> 1
    const parent = heap[above]
    if (parent === undefined || !isBefore(task, parent)) break
    heap[index] = parent
    index = above
  }
  heap[index] = task
}

function take(heap: Task[]): void {
  const last = heap.pop()
  if (last === undefined || heap.length === 0) return
  let index = 0
  for (;;) {
    let below = 2 * index + 1
    let child = heap[below]
    if (child === undefined) break
    const right = heap[below + 1]
    if (right !== undefined && isBefore(right, child)) {
      below += 1
      child = right
    }
    if (!isBefore(child, last)) break
    heap[index] = child
    index = below
  }
  heap[index] = last
}
