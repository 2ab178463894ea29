import { AsyncLocalStorage } from 'node:async_hooks'
import { setImmediate as settled } from 'node:timers/promises'
import type { Random } from '../support/cluster/random.ts'

/** Something that waits for its turn: a transaction, a message on its way, a timer. */
interface Op {
  readonly label: string
  readonly kind: OpKind
  /** Whoever waits for it; nobody, when it is on its way from a process that died. */
  process: Process | undefined
  readonly notBefore: number
  run(): Promise<void>
}

type OpKind = 'database' | 'batch' | 'request' | 'answer' | 'timer'

/** A process as the schedule sees it. One that died never goes on: another takes its name. */
export interface Process {
  readonly name: string
  pausedUntil: number
  isDead: boolean
}

interface Doing {
  readonly process: Process
  readonly task: string
}

/** One thing at a time happens, and the seed says which. */
export interface Schedule {
  readonly random: Random
  readonly trace: string[]
  nowMs(): number
  advance(ms: number): void
  /** Runs a task as a process; whatever it waits for from then on is that process's. */
  as<Value>(process: Process, task: string, work: () => Value): Value
  /** Waits for its turn. What a dead process waits for never comes. */
  gate<Value>(what: Gate, work: () => Value | Promise<Value>): Promise<Value>
  doing(): Doing | undefined
  hasChance(probability: number): boolean
  note(line: string): void
  /** What may be run now. */
  ready(): number
  runOne(): Promise<void>
  /** When the next thing that waits for time alone may be run. */
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

/** Work that is done by batches waits a little longer than the rest, so that batches fill. */
const patience: Record<OpKind, number> = { database: 4, batch: 0.4, request: 4, answer: 4, timer: 4 }

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

/** What waits under one label stays in the order it came; else the order rows came in would decide. */
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
