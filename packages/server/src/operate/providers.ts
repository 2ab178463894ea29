import { floatLevels } from '../ledger/float-marks.ts'
import { lanesTopic } from '../payments/dispatch/lane-health.ts'
import { type LaneState, listLanes, pauseLane, resumeLane, wakeHeld } from '../payments/dispatch/lanes.ts'
import { laneOf } from '../payments/dispatch/timers.ts'
import { mayRead } from '../people/principal.ts'
import type { Environment, Tx } from '../platform/db.ts'
import { type FloatView, viewOfFloat } from './float-marks.ts'
import { requireProvider } from './known-provider.ts'
import { countCases, countOpen, countRecent, type OpenCount, type OutcomeCount, recentMax } from './open-payments.ts'
import { audited, type OperatorContext, OperatorError, readScope } from './operator-context.ts'

export interface LaneOrder {
  readonly env: Environment
  readonly reason: string
}

export interface LaneView {
  readonly provider: string
  readonly env: Environment
  readonly state: 'running' | 'paused'
  /** Held payments that continue at once; any others follow within a minute. */
  readonly woken: number
}

/** Sends nothing to the provider and queries nothing. Payments of its queue are accepted and wait; charges that a request sends are refused. */
export async function pauseProvider(
  context: OperatorContext,
  provider: string,
  { env, reason }: LaneOrder,
): Promise<LaneView> {
  const paused = await change(context, provider, { env, reason, action: 'provider.pause' }, async (tx, lane) => {
    if (!(await pauseLane(tx, lane, reason))) throw new OperatorError(`${provider} is paused in ${env} already`)
    return { provider, env, state: 'paused', woken: 0 }
  })
  context.wakeups.wake(lanesTopic)
  return paused
}

/** Waiting payments continue at once. */
export async function resumeProvider(
  context: OperatorContext,
  provider: string,
  { env, reason }: LaneOrder,
): Promise<LaneView> {
  const resumed = await change(context, provider, { env, reason, action: 'provider.resume' }, async (tx, lane) => {
    if (!(await resumeLane(tx, lane))) throw new OperatorError(`${provider} is not paused in ${env}`)
    const [woken] = await wakeHeld(tx, { env, provider })
    return { provider, env, state: 'running', woken: woken?.payments ?? 0 }
  })
  for (const topic of [laneOf(env, provider), lanesTopic]) context.wakeups.wake(topic)
  return resumed
}

function change(
  context: OperatorContext,
  provider: string,
  { env, reason, action }: LaneOrder & { readonly action: string },
  work: (tx: Tx, lane: string) => Promise<LaneView>,
): Promise<LaneView> {
  requireProvider(provider)
  if (reason.trim() === '') throw new OperatorError('the reason must not be empty: auditors read it')
  const lane = laneOf(env, provider)
  return audited(context, async (tx) => {
    const before = (await listLanes(tx)).find((each) => each.lane === lane)
    const result = await work(tx, lane)
    return { result, entry: { action, env, subject: lane, reason }, ground: before?.paused_at }
  })
}

interface ProviderStatus {
  readonly provider: string
  readonly env: Environment
  readonly state: 'running' | 'paused'
  readonly pausedAt?: string
  readonly pauseReason?: string
  /** New payments are routed to other providers until it responds. */
  readonly isUnhealthy?: true
  /** The number of open payments in each state. */
  readonly open: Readonly<Record<string, number>>
  readonly oldestOpenSeconds?: number
  readonly inDoubt: number
  /** Open cases about money in suspense that it reported. */
  readonly suspenseCases: number
  /** Among the payments accepted in the last hour. */
  readonly lastHour: { readonly successful: number; readonly failed: number }
}

export interface ProvidersView {
  readonly providers: readonly ProviderStatus[]
  readonly floats: readonly FloatView[]
  /** Whether the last hour had more payments than were counted. */
  readonly isHourCut: boolean
}

/** Every provider with present or past work, or with our money. Only processes know which of them are configured. */
export function providersStatus(context: OperatorContext): Promise<ProvidersView> {
  return context.db.write.snapshot(async (tx) => {
    const lanes = new Map((await listLanes(tx)).map((lane) => [lane.lane, lane]))
    const scope = readScope(context, 'providers:read')
    const open = Map.groupBy(await countOpen(tx, scope), nameOf)
    const counted = await countRecent(tx, scope)
    const recent = new Map(counted.map((row) => [nameOf(row), row]))
    const cases = new Map((await countCases(tx, scope)).map((row) => [nameOf(row), row.cases]))
    const floats = (await floatLevels(tx)).filter((float) => mayRead(context.principal, 'providers:read', float))
    const names = [...lanes.keys(), ...open.keys(), ...recent.keys(), ...cases.keys(), ...floats.map(nameOf)]
    return {
      providers: [...new Set(names)].sort().map((name) => ({
        ...statusOf(name, lanes.get(name), open.get(name) ?? [], recent.get(name)),
        suspenseCases: cases.get(name) ?? 0,
      })),
      floats: floats.map(viewOfFloat),
      isHourCut: counted[0]?.looked === recentMax,
    }
  })
}

const nameOf = ({ env, provider }: { readonly env: string; readonly provider: string }) => laneOf(env, provider)

function statusOf(
  name: string,
  lane: LaneState | undefined,
  open: readonly OpenCount[],
  recent: OutcomeCount | undefined,
): Omit<ProviderStatus, 'suspenseCases'> {
  const [env = '', provider = ''] = name.split('/')
  return {
    provider,
    env: env as Environment,
    state: lane?.paused_at ? 'paused' : 'running',
    ...(lane?.is_unhealthy && { isUnhealthy: true as const }),
    ...(lane?.paused_at && { pausedAt: lane.paused_at.toISOString(), pauseReason: lane.reason }),
    open: Object.fromEntries(open.map(({ state, payments }) => [state, payments])),
    ...(open.length > 0 && { oldestOpenSeconds: Math.max(...open.map(({ oldest_seconds }) => oldest_seconds)) }),
    inDoubt: open.reduce((sum, { in_doubt }) => sum + in_doubt, 0),
    lastHour: { successful: recent?.successful ?? 0, failed: recent?.failed ?? 0 },
  }
}
