import { type Failpoint, failpoints } from '../../../packages/server/src/platform/failpoints.ts'
import type { Random } from '../cluster/random.ts'
import type { Strike } from './armed-failpoints.ts'

/** Processes to strike: two of each role, and an operator's commands. */
const targets = ['api-1', 'api-2', 'worker-1', 'worker-2', 'operator'] as const
export type Target = (typeof targets)[number]

type AreaOf<Name> = Name extends `${infer Area}.${string}` ? Area : never
export type Area = AreaOf<Failpoint>

const [api, worker] = [
  ['api-1', 'api-2'],
  ['worker-1', 'worker-2'],
] as const satisfies readonly (readonly Target[])[]

/** Which processes reach the failpoints of an area. Callbacks go to the first api. */
const reachedIn = {
  accept: api,
  payout: api,
  bulk: api,
  cancel: api,
  callback: ['api-1'],
  momo: api,
  charge: api,
  transfer: api,
  authorise: api,
  continuation: api,
  claim_one: api,
  batch: [...api, ...worker, 'operator'],
  resolve: [...api, ...worker, 'operator'],
  send: [...api, ...worker],
  claim: worker,
  query: worker,
  dispatch: worker,
  webhook: worker,
  relay: worker,
  sweep: worker,
  deltas: worker,
  operator: ['operator'],
} as const satisfies Record<Area, readonly Target[]>

export const areaOf = (place: Failpoint) => place.slice(0, place.indexOf('.')) as Area

/** After a commit nothing called there can fail, so nothing is thrown there. */
const silent: readonly Failpoint[] = ['accept.committed', 'resolve.committed']

const kinds = ['kill', 'throw', 'kill', 'pause'] as const
const shortPauseMs = 1500
/** Longer than the send deadline, and than a transaction may stay idle. */
const longPauseMs = 11_000
const longOneIn = 5

/** Every failpoint this many times, by every kind in turn, shared among the processes that reach it. */
export function planStrikes(random: Random, times: number): Map<Target, Strike[]> {
  const plan = new Map<Target, Strike[]>(targets.map((target) => [target, []]))
  const places = Object.keys(failpoints) as Failpoint[]
  const strikes = places.flatMap((place, index) =>
    Array.from({ length: times }, (_, time) =>
      strikeOf(place, index + time, times > 1 && random.below(longOneIn) === 0 ? longPauseMs : shortPauseMs),
    ),
  )
  for (const { turn, ...strike } of strikes.sort(() => random() - 0.5)) {
    const among: readonly Target[] = reachedIn[areaOf(strike.place)]
    const target = among[Math.floor(turn / kinds.length) % among.length]
    if (target) plan.get(target)?.push(strike)
  }
  return plan
}

function strikeOf(place: Failpoint, turn: number, pauseMs: number): Strike & { readonly turn: number } {
  const wanted = kinds[turn % kinds.length] ?? 'kill'
  const kind = wanted === 'throw' && silent.includes(place) ? 'kill' : wanted
  return { place, kind, pauseMs, turn }
}
