import { type LaneState, listLanes } from '../payments/dispatch/lanes.ts'
import { laneOf } from '../payments/dispatch/timers.ts'
import { mayRead, type Place } from '../people/principal.ts'
import type { Environment } from '../platform/db.ts'
import type { OperatorContext } from './operator-context.ts'
import {
  type OutcomeGroup,
  operationsOfTypes,
  type ProviderOperation,
  type Recent,
  secondsOf,
  slotsPerHour,
} from './recent-outcomes.ts'

/** How each provider does, for each thing that it is asked to do. Payments count at the time of their acceptance. */
export interface ProviderBoard {
  readonly env: Environment
  readonly at: string
  /** The lowest success rate of the last 24 hours first. */
  readonly rows: readonly BoardRow[]
}

interface BoardRow {
  readonly provider: string
  readonly operation: ProviderOperation
  readonly state: 'running' | 'paused'
  readonly pausedAt?: string
  readonly pauseReason?: string
  /** It does not respond: new payments are routed to other providers until it does. */
  readonly isUnhealthy?: true
  /** Payments that have not ended, of any age. */
  readonly open: number
  /** Payments accepted since the start of the 5 minutes that began at most 15 minutes ago. */
  readonly last15Minutes: Ended
  readonly last24Hours: Ended
  /** From acceptance to the end, of the payments of the last 24 hours; exact to about 6 %. */
  readonly p50Seconds?: number
  readonly p95Seconds?: number
  /** 24 points, the oldest first; the last one ends now. */
  readonly hours: readonly (Ended & { readonly at: string })[]
  /** The commonest failures of the last 24 hours. */
  readonly failures: readonly { readonly code: string; readonly payments: number }[]
}

interface Ended {
  readonly successful: number
  readonly failed: number
  /** Between 0 and 1; missing when nothing has ended. */
  readonly successRate?: number
}

const failuresMax = 5
const recentSlots = 3

export async function providerBoard(
  context: OperatorContext,
  { env }: { readonly env: Environment },
): Promise<ProviderBoard> {
  const recent = within(context, await context.recent.read())
  const lanes = new Map((await listLanes(context.db.write)).map((lane) => [lane.lane, lane]))
  const named = [...recent.open, ...recent.slots.flatMap(({ ended }) => ended)].filter((each) => each.env === env)
  const names = [...new Set([...named.map(nameOf), ...pausedNames(env, lanes, named)])].sort()
  const rows = names.map((name) => {
    const [provider = '', type = ''] = name.split(' ')
    return rowOf(recent, { env, provider, type: type as OutcomeGroup['type'] }, lanes.get(laneOf(env, provider)))
  })
  const rate = ({ last24Hours: { successRate = 1 } }: BoardRow) => successRate
  return { env, at: recent.at.toISOString(), rows: rows.sort((left, right) => rate(left) - rate(right)) }
}

const nameOf = ({ provider, type }: Pick<Wanted, 'provider' | 'type'>) => `${provider} ${type}`

/** A paused provider has a row even without payments, so that it can be resumed. The row's type says nothing: a pause is for all. */
function pausedNames(env: Environment, lanes: ReadonlyMap<string, LaneState>, named: readonly Wanted[]): string[] {
  const idle = [...lanes.values()].flatMap(({ lane, paused_at }) => {
    const [of, provider = ''] = lane.split('/')
    return of === env && paused_at && !named.some((each) => each.provider === provider) ? [provider] : []
  })
  return idle.map((provider) => nameOf({ provider, type: 'withdrew' }))
}

/** The part that the reader's countries and currencies include. */
function within({ principal }: OperatorContext, { at, slots, open }: Recent): Recent {
  const isSeen = (place: Place) => mayRead(principal, 'providers:read', place)
  return {
    at,
    slots: slots.map((slot) => ({ at: slot.at, ended: slot.ended.filter(isSeen) })),
    open: open.filter(isSeen),
  }
}

type Wanted = Pick<OutcomeGroup, 'env' | 'provider' | 'type'>

function rowOf({ slots, open }: Recent, wanted: Wanted, lane: LaneState | undefined): BoardRow {
  const isWanted = ({ env, provider, type }: Wanted) =>
    env === wanted.env && provider === wanted.provider && type === wanted.type
  const own = slots.map(({ at, ended }) => ({ at, ended: ended.filter(isWanted) }))
  const all = own.flatMap(({ ended }) => ended)
  const hours = Array.from({ length: own.length / slotsPerHour }, (_, index) =>
    own.slice(index * slotsPerHour, (index + 1) * slotsPerHour),
  )
  return {
    provider: wanted.provider,
    operation: operationsOfTypes[wanted.type],
    state: lane?.paused_at ? 'paused' : 'running',
    ...(lane?.paused_at && { pausedAt: lane.paused_at.toISOString(), pauseReason: lane.reason }),
    ...(lane?.is_unhealthy && { isUnhealthy: true as const }),
    open: sumOf(open.filter(isWanted)),
    last15Minutes: endedOf(own.slice(-recentSlots).flatMap(({ ended }) => ended)),
    last24Hours: endedOf(all),
    ...timesOf(all),
    hours: hours.map((each) => ({
      at: each[0]?.at.toISOString() ?? '',
      ...endedOf(each.flatMap(({ ended }) => ended)),
    })),
    failures: failuresOf(all),
  }
}

const sumOf = (groups: readonly { readonly payments: number }[]) =>
  groups.reduce((sum, { payments }) => sum + payments, 0)

function endedOf(groups: readonly OutcomeGroup[]): Ended {
  const successful = sumOf(groups.filter(({ state }) => state === 'successful'))
  const failed = sumOf(groups) - successful
  const rate = successful / (successful + failed)
  return { successful, failed, ...(!Number.isNaN(rate) && { successRate: Math.round(rate * 10_000) / 10_000 }) }
}

/** The times within which half and 95 % of the payments ended. */
function timesOf(groups: readonly OutcomeGroup[]): Pick<BoardRow, 'p50Seconds' | 'p95Seconds'> {
  const sorted = groups.toSorted((left, right) => left.step - right.step)
  const total = sumOf(sorted)
  if (total === 0) return {}
  return { p50Seconds: percentile(sorted, total * 0.5), p95Seconds: percentile(sorted, total * 0.95) }
}

function percentile(sorted: readonly OutcomeGroup[], rank: number): number {
  let passed = 0
  for (const { step, payments } of sorted) {
    passed += payments
    if (passed >= rank) return Number(secondsOf(step).toPrecision(3))
  }
  return 0
}

function failuresOf(groups: readonly OutcomeGroup[]): BoardRow['failures'] {
  const failed = Map.groupBy(
    groups.filter(({ state }) => state === 'failed'),
    ({ failure }) => failure,
  )
  return [...failed]
    .map(([code, same]) => ({ code, payments: sumOf(same) }))
    .sort((left, right) => right.payments - left.payments)
    .slice(0, failuresMax)
}

/** What left each float in the last 24 hours by payouts and refunds, in minor units, by {@link floatKey}. */
export function outflows({ slots }: Recent): ReadonlyMap<string, bigint> {
  const sums = new Map<string, bigint>()
  for (const { ended } of slots)
    for (const group of ended)
      if (group.type !== 'deposit' && group.state === 'successful')
        sums.set(floatKey(group), (sums.get(floatKey(group)) ?? 0n) + group.amount)
  return sums
}

export const floatKey = ({
  env,
  provider,
  country,
  currency,
}: Pick<OutcomeGroup, 'env' | 'provider' | 'country' | 'currency'>) => [env, provider, country, currency].join('/')
