import { type Owner, sql } from '../../packages/server/src/platform/db.ts'
import { createRandom, type Random } from '../support/cluster/random.ts'
import { useChance } from './chance.ts'
import { type Approver, type Ground, startMs } from './ground.ts'
import { type Life, planLives } from './lives.ts'
import { type ProcessOptions, type SimulatedProcess, startProcess, type Watcher } from './processes.ts'
import { createProviderBooks, type ProviderBooks } from './provider-book.ts'
import { createSchedule, type Schedule } from './schedule.ts'

/** Everything under one seed: merchants with their lives, processes, providers, and the schedule of all of them. */
export interface World {
  readonly ground: Ground
  readonly schedule: Schedule
  readonly random: Random
  readonly books: ProviderBooks
  readonly owners: readonly Owner[]
  /** People who decide about the payouts of the second merchant. */
  readonly approvers: readonly Approver[]
  /** Opening balance of each merchant. */
  readonly funds: readonly bigint[]
  readonly lives: Life[]
  readonly processes: SimulatedProcess[]
  /** Rate limit of each provider; where it is low, merchants share it. */
  readonly requestsPerSecond: number
  /** Errors where none may happen. */
  readonly violations: string[]
  /** Decisions about payouts that a response confirmed. */
  readonly decisions: Map<string, 'approved' | 'rejected'>
  /** Merchants' requests by the process that works on them. */
  readonly asking: Map<SimulatedProcess, Life[]>
  steps: number
}

const processesMax = 3
/** Requests a second of a provider that merchants compete for. */
export const scarce = 5

/** Less than half of the payouts of the second merchant need approval. */
const approvalAbove = 60_000n

export async function createWorld(ground: Ground, seed: number, size: number): Promise<World> {
  const random = createRandom(seed * 7919 + 17)
  const schedule = createSchedule(random, startMs)
  useChance({
    nowMs: schedule.nowMs,
    random,
    pause: (ms) => {
      const { process, task } = schedule.doing() ?? { process: undefined, task: 'no task' }
      return schedule.gate({ label: `${task}, pause`, kind: 'timer', process, inMs: ms }, () => undefined)
    },
  })
  await ground.clear()
  const requestsPerSecond = random.pick([1000, 1000, scarce])
  const funds = [30_000n, 100_000n + BigInt(random.below(20)) * 50_000n, 1_000_000n]
  const owners: Owner[] = []
  for (const [place, sum] of funds.entries())
    owners.push(
      await ground.merchant({
        funds: sum,
        url: place === 0 ? '' : 'https://shop.example/hook',
        ...(place === 1 && { approvalAbove }),
      }),
    )
  const second = owners[1] as Owner
  const approvers = [await ground.approver(second, 'Amina'), await ground.approver(second, 'Juma')]
  const books = createProviderBooks(schedule)
  const processes: SimulatedProcess[] = []
  const world: World = {
    ground,
    schedule,
    random,
    books,
    owners,
    approvers,
    funds,
    lives: planLives(random, owners.slice(0, 2), size),
    processes,
    requestsPerSecond,
    violations: [],
    decisions: new Map(),
    asking: new Map(),
    steps: 0,
  }
  for (let place = 1; place <= 1 + random.below(processesMax); place += 1)
    processes.push(startProcess(`process ${place}`, optionsOf(world)))
  return world
}

function optionsOf(world: World): ProcessOptions {
  const { ground, schedule, books, requestsPerSecond } = world
  const wake = (topic: string) => {
    for (const watcher of watchersOf(world)) if (watcher.topic === topic) watcher.isWoken = true
  }
  return { base: ground.base, schedule, books, requestsPerSecond, wake }
}

export function watchersOf({ processes }: World): Watcher[] {
  return processes.flatMap(({ watchers }) => watchers)
}

/** A process loses its memory, and another starts in its place. Its requests get no response. */
export function crash(world: World, process: SimulatedProcess): void {
  const { schedule, processes, asking } = world
  schedule.note(`${process.name} dies`)
  schedule.kill(process)
  for (const life of asking.get(process) ?? []) life.underWay -= 1
  asking.delete(process)
  processes[processes.indexOf(process)] = startProcess(process.name, optionsOf(world))
}

let clockAt = 0

/** Runs one waiting operation, with the database's clock at the schedule's time. */
export async function runOne({ ground, schedule }: World): Promise<void> {
  const aheadMs = schedule.nowMs() - startMs
  if (aheadMs !== clockAt || aheadMs === 0) await ground.setClock(aheadMs)
  clockAt = aheadMs
  await schedule.runOne()
}

export interface OpenPayment {
  readonly id: string
  readonly merchant_id: string
  readonly state: string
  readonly doubt: string
  readonly wake_at: Date | null
  readonly has_timer: boolean
}

/** Payments that have not ended, and whether a worker will poll them. */
export function openPayments({ ground, owners }: World): Promise<OpenPayment[]> {
  return ground.base.db.write.query<OpenPayment>(sql`
    select t.id, t.merchant_id, t.state, t.doubt, t.wake_at, exists (
        select from timers a
        where a.transaction_id = t.id
          and a.lane = t.env || '/' || t.provider
          and a.due = t.wake_at
      ) as has_timer
    from transactions t
    where t.merchant_id = any(${owners.map(({ merchant_id }) => merchant_id)}::uuid[])
      and t.state not in ('successful', 'failed')
    order by t.id`)
}

/** Every open payment has a wake time, and a timer for it, unless it waits for a person's approval: then it has neither. */
export async function checkTimers(world: World): Promise<OpenPayment[]> {
  const open = await openPayments(world)
  // A refund that waits for an earlier one has no timer of its own.
  for (const { id, state, doubt, wake_at, has_timer } of open)
    if (doubt !== 'earlier_refund' && (state === 'unapproved' ? wake_at || has_timer : !wake_at || !has_timer))
      world.violations.push(`${state === 'unapproved' ? 'a' : 'no'} worker will poll ${id}, which is ${state}`)
  return open
}
