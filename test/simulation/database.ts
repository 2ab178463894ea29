import { type BatchTx, CommitUnknown, type Database } from '../../packages/server/src/platform/db.ts'
import type { Process, Schedule } from './schedule.ts'

/** Faults between a process and its database, apart from the process itself. */
const faults = { lostCommit: 0.015, lostBatch: 0.01, broken: 0.02 }

/**
 * The database as one process sees it: every transaction waits for its turn and then runs alone, and now and then its end gets
 * lost, before the commit or after.
 */
export function gatedDatabase(real: Database, schedule: Schedule, process: Process, purpose?: string): Database {
  const labelOf = (kind: string) => `${purpose ?? schedule.doing()?.task ?? 'no task'}, ${kind}`
  const turn = <Value>(kind: string, work: () => Promise<Value>) =>
    schedule.gate({ label: labelOf(kind), kind: kind === 'batch' ? 'batch' : 'database', process }, work)
  return {
    ...real,
    write: {
      query: (query) => turn('query', () => real.write.query(query)),
      snapshot: (work) => turn('snapshot', () => real.write.snapshot(work)),
      transaction: (work) =>
        turn('transaction', async () => {
          const end = endOf(schedule)
          const result = await real.write.transaction(async (tx) => {
            const done = await work(tx)
            if (end === 'before') throw broken()
            return done
          })
          if (end === 'after') throw broken()
          return result
        }),
      confirmed: (work) => turn('confirmed', () => real.write.confirmed(work)),
      batch: (lockTimeoutMs, work) => turn('batch', () => runBatch(real, schedule, lockTimeoutMs, work)),
    },
    read: {
      query: (owner, query) => turn('read', () => real.read.query(owner, query)),
      find: (owner, query) => turn('read', () => real.read.find(owner, query)),
      walk: (owner, query) => turn('read', () => real.read.walk(owner, query)),
      within: (owner, range, query) => turn('read', () => real.read.within(owner, range, query)),
    },
  }
}

const broken = () => Object.assign(new Error('Connection terminated unexpectedly'), { code: '08006' })

function endOf(schedule: Schedule): 'before' | 'after' | undefined {
  if (!schedule.hasChance(faults.broken)) return undefined
  const end = schedule.random.pick(['before', 'after'] as const)
  schedule.note(`  the connection breaks ${end} the commit`)
  return end
}

interface BatchEnd {
  /** It is committed, and the process does not see the result. */
  readonly isLost: boolean
  /** It is not committed, and the process does not see the result. */
  readonly isUndone: boolean
  /** It is not committed, and the process knows. */
  readonly isBroken: boolean
}

function batchEndOf(schedule: Schedule): BatchEnd {
  const isLost = schedule.hasChance(faults.lostCommit)
  const isUndone = !isLost && schedule.hasChance(faults.lostBatch)
  if (isLost || isUndone) schedule.note(`  the response to COMMIT is lost, and it was ${isLost ? 'done' : 'not done'}`)
  const isBroken = !isLost && !isUndone && schedule.hasChance(faults.broken)
  if (isBroken) schedule.note('  the connection breaks before the commit')
  return { isLost, isUndone, isBroken }
}

async function runBatch<Result>(
  { write }: Database,
  schedule: Schedule,
  lockTimeoutMs: number,
  work: (tx: BatchTx) => Promise<Result>,
): Promise<Result> {
  const { isLost, isUndone, isBroken } = batchEndOf(schedule)
  let lost: CommitUnknown<Result> | undefined
  const result = await write
    .batch(lockTimeoutMs, async (tx) => {
      const decided = await work(tx)
      if (isLost || isUndone) lost = new CommitUnknown(tx, decided, broken())
      if (isUndone || isBroken) throw broken()
      return decided
    })
    .catch((error: unknown) => {
      throw lost ?? error
    })
  if (lost) throw lost
  return result
}
