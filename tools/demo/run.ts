/** Plays the month of the demo through the API of a development stack: nothing is written beside it but the clock. */
import { setTimeout as pause } from 'node:timers/promises'
import { openRecordClock } from '../../packages/server/src/dev-stack/clock.ts'
import { openControl } from '../../packages/server/src/dev-stack/simulator.ts'
import { createLog } from '../../packages/server/src/platform/log.ts'
import { openWakeups } from '../../packages/server/src/platform/wakeups.ts'
import { playActivity } from './activities.ts'
import { leaveOpen, promptNow, setUpShop } from './edges.ts'
import { type Activity, type Group, planDemo } from './plan.ts'
import { chanceOf } from './random.ts'
import type { Receiver } from './receiver.ts'
import { openShop } from './shop.ts'
import type { Stage } from './stage.ts'

export const demoDays = 30
const hourMs = 3_600_000
/** The old warehouse's endpoint fails for the last day and a bit, long enough to be seen and too short to be disabled. */
const warehouseMs = 30 * hourMs

export interface DemoOptions {
  /** Those that the stack exports. */
  readonly variables: Readonly<Record<string, string>>
  readonly receiver: Receiver
  readonly seed: number
  /** Of the past that it makes; {@link demoDays} unless set. The stack must start a day before. */
  readonly days?: number
  readonly onStep: (step: string) => void
}

export async function runDemo(options: DemoOptions): Promise<{ payments: number }> {
  const { variables, receiver, seed, days = demoDays, onStep } = options
  const { DATABASE_URL = '', NATS_URL, MALIPO_SIMULATOR_URL = '', MALIPO_SIMULATOR_TOKEN = '' } = variables
  const clock = await openRecordClock(DATABASE_URL)
  const simulator = openControl(MALIPO_SIMULATOR_URL, MALIPO_SIMULATOR_TOKEN)
  const log = createLog({ level: 'error', write: (line) => void process.stderr.write(line) })
  const wakeups = openWakeups({ url: NATS_URL || undefined, log, cell: 0 })
  const groups = planDemo({ seed, endAt: Date.now(), days })
  const payments = groups.reduce((sum, { activities }) => sum + activities.length, 0)
  try {
    await simulator.set({ settleMs: '900000' }) // The demo decides when a payment ends.
    const shop = await openShop(variables)
    const refreshRates = NATS_URL ? () => wakeups.wake('rates') : undefined
    const stage: Stage = { shop, simulator, clock, receiver, refreshRates, chance: chanceOf(seed + 1) }
    onStep(`making ${days} days with ${payments} payments`)
    await setUpShop(stage)
    await playGroups(stage, groups, onStep)
    await clock.moveTo(Date.now() - hourMs / 2)
    await leaveOpen(stage)
    await clock.release()
    await convertNow(stage, groups)
    await promptNow(stage)
    return { payments }
  } finally {
    await simulator.set({ settleMs: '500' })
    await clock.release()
    await clock.close()
    await wakeups.close()
  }
}

async function playGroups(stage: Stage, groups: readonly Group[], onStep: (step: string) => void): Promise<void> {
  const [startAt = 0, endAt = 0] = [groups[0]?.at, groups.at(-1)?.at]
  let [hasWarehouse, weeks] = [false, 0]
  for (const group of groups) {
    await stage.clock.moveTo(group.at)
    if (!hasWarehouse && endAt - group.at < warehouseMs) {
      await stage.shop.send('POST', '/webhook-endpoints', {
        ...{ url: `${stage.receiver.url}/warehouse`, description: 'Old warehouse', events: ['transaction_updated'] },
      })
      hasWarehouse = true
    }
    await playGroup(stage, group)
    if (group.at - startAt < (weeks + 1) * 7 * 24 * hourMs) continue
    weeks += 1
    onStep(`week ${weeks} is made`)
  }
}

/** A rate serves money for five minutes of the database's own clock, so none serves in the past: the last two are made at the end. */
async function convertNow(stage: Stage, groups: readonly Group[]): Promise<void> {
  const conversions = groups.flatMap(({ activities }) => activities.filter(isConversion))
  for (const conversion of conversions.slice(-2)) await (await playActivity(stage, conversion)).finish()
}

const isConversion = ({ kind }: Activity) => kind === 'conversion'

/** All start, some seconds apart, then they end in turn: as long after their start as such payments take. */
async function playGroup(stage: Stage, { activities }: Group): Promise<void> {
  const started = []
  for (const activity of activities.filter((each) => !isConversion(each))) {
    started.push(await playActivity(stage, activity))
    await stage.clock.forward(stage.chance.between(400, 2_500))
  }
  await Promise.all(started.map(({ sent }) => sent()))
  await stage.clock.forward(stage.chance.between(2_000, 9_000))
  for (const { finish } of started) {
    await finish()
    await stage.clock.forward(stage.chance.between(200, 1_500))
  }
  const ended = Promise.all(started.map(({ ended }) => ended()))
  await Promise.race([ended, pause(60_000, undefined, { ref: false }).then(() => missing(activities.length))])
}

function missing(count: number): never {
  throw new Error(`One of ${count} payments of the demo did not end. The logs of api and worker say why.`)
}
