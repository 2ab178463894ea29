import { AsyncLocalStorage } from 'node:async_hooks'
import { setImmediate as settled } from 'node:timers/promises'
import type { Random } from '../support/cluster/random.ts'

/** An operation that waits for its turn: a transaction, a message in transit, a timer. */
interface Op {
  readonly label: string
  readonly kind: OpKind
  /** The process that waits for it; none when its sender has died. */
  process: Process | undefined
  readonly notBefore: number
  run(): Promise<void>
}

type OpKind = 'database' | 'batch' | 'request' | 'response' | 'timer'

/** A process as the schedule sees it. A dead one never continues: another takes its name. */
export interface Process {
  readonly name: string
  pausedUntil: number
  isDead: boolean
}

interface Doing {
  readonly process: Process
  readonly task: string
}

/** One operation runs at a time, and the seed chooses which. */
export interface Schedule {
  readonly random: Random
  readonly trace: string[]
  nowMs(): number
  advance(ms: number): void
  /** Runs a task as a process; everything it waits for from then on belongs to that process. */
  as<Value>(process: Process, task: string, work: () => Value): Value
  /** Waits for its turn. Operations of a dead process never run. */
  gate<Value>(what: Gate, work: () => Value | Promise<Value>): Promise<Value>
  doing(): Doing | undefined
  hasChance(probability: number): boolean
  note(line: string): void
  /** Count of operations that may run now. */
  ready(): number
  runOne(): Promise<void>
  /** When the next operation that waits only for time may run. */
  nextAt(): number | undefined
  kill(process: Process): void
  isFaulty: boolean
}

interface Gate {
  readonly label: string
  readonly kind: OpKind
  readonly process: Process | undefined
  readonly inMs?: number
}

/** Batch work waits a little longer than the rest, so that batches fill. */
const patience: Record<OpKind, number> = { database: 4, batch: 0.4, request: 4, response: 4, timer: 4 }

export function createSchedule(random: Random, startMs: number): Schedule {
  const storage = new AsyncLocalStorage<Doing>()
  const trace: string[] = []
  let ops: Op[] = []
  let now = startMs
  const isReady = ({ process, notBefore }: Op) => notBefore <= now && (process?.pausedUntil ?? 0) <= now
  const readyOps = () => ops.filter(isReady).sort(byLabel)
  const note = (line: string) => trace.push(`${((now - startMs) / 1000).toFixed(3).padStart(10)}  ${line}`)
  const schedule: Schedule = {
    random,
    trace,
    nowMs: () => now,
    advance: (ms) => {
      now += ms
    },
    as: (process, task, work) => storage.run({ process, task }, work),
    doing: () => storage.getStore(),
    hasChance: (probability) => schedule.isFaulty && random() < probability,
    note,
    gate: ({ label, kind, process, inMs = 0 }, work) =>
      new Promise((resolve, reject) => {
        if (process?.isDead) return
        const run = async () => {
          await Promise.resolve().then(work).then(resolve, reject)
          await settled()
        }
        ops.push({ label, kind, process, notBefore: now + inMs, run })
      }),
    ready: () => ops.filter(isReady).length,
    nextAt: () => nextOf(ops),
    runOne: async () => {
      const op = pickOp(readyOps(), random)
      if (!op) return
      ops.splice(ops.indexOf(op), 1)
      note(`${op.process?.name ?? 'the network'}: ${op.label}`)
      await op.run()
    },
    kill: (process) => {
      process.isDead = true
      for (const op of ops)
        if (op.process === process && op.kind === 'request' && random() < 0.5) op.process = undefined
      ops = ops.filter((op) => op.process !== process)
    },
    isFaulty: true,
  }
  return schedule
}

/** Operations under one label keep their order; otherwise the row order would decide. */
function byLabel(one: Op, other: Op): number {
  if (one.label === other.label) return 0
  return one.label < other.label ? -1 : 1
}

function nextOf(ops: readonly Op[]): number | undefined {
  const times = ops.map(({ notBefore, process }) => Math.max(notBefore, process?.pausedUntil ?? 0))
  return times.length === 0 ? undefined : Math.min(...times)
}

function pickOp(ops: readonly Op[], random: Random): Op | undefined {
  let left = random() * ops.reduce((sum, { kind }) => sum + patience[kind], 0)
  for (const op of ops) {
    left -= patience[op.kind]
    if (left < 0) return op
  }
  return ops.at(-1)
}
