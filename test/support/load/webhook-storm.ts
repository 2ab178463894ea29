import type { TestContext } from 'node:test'
import { testDatabase } from '../../../packages/server/src/dev-stack/servers.ts'
import { until } from '../../../packages/server/src/dev-stack/until.ts'
import type { NotifiedEvent } from '../../../packages/server/src/testing/notifying.ts'
import { openCell, type Role } from '../cluster/cell.ts'
import type { Random } from '../cluster/random.ts'
import { openReceiver, type Reaction, type Receiver } from './webhook-receiver.ts'
import { type HookedMerchant, hours, minutes, seconds, settings, type Webhooks } from './webhooks.ts'

/** A merchant, its server, and its notifications. */
export interface Shop {
  readonly merchant: HookedMerchant
  readonly receiver: Receiver
  readonly events: NotifiedEvent[]
  /** From then on it accepts everything. */
  readonly backAtMs: number
  /** Accepts a notification now and then before that; others accept none. */
  readonly isShaky: boolean
}

interface Storm {
  readonly shops: readonly Shop[]
  readonly kills: number
  /** Requests in progress when their worker died. */
  readonly cut: number
}

interface StormOptions {
  readonly hooks: Webhooks
  readonly random: Random
  readonly events: number
  readonly kills: number
  readonly shops: number
}

/** Three days, in steps that are short where the schedule is. */
const steps = [
  ...Array<number>(8).fill(seconds(1)),
  ...Array<number>(8).fill(seconds(7)),
  ...Array<number>(6).fill(seconds(40)),
  ...Array<number>(6).fill(minutes(5)),
  ...Array<number>(5).fill(minutes(30)),
  ...Array<number>(7).fill(hours(3)),
  ...Array<number>(8).fill(hours(6)),
]
const notifyingSteps = 16
/** Some die after the last event, when no new event would trigger another poll. */
const [firstKill, lastKill] = [4, 26]

/** 72 hours in which shops fail in every way, and workers are killed while they deliver. */
export async function runStorm(t: TestContext, options: StormOptions): Promise<Storm> {
  const { hooks, random, events, kills } = options
  const shops = await openShops(t, options)
  const crew = await openCrew(t, options)
  let [killed, cut] = [0, 0]
  for (const [index, step] of steps.entries()) {
    const isNotifying = index < notifyingSteps
    const isDeadly = isTimeToDie(index, killed, kills)
    for (const shop of shops) await changeMood(shop, random, hooks.aheadMs())
    if (isDeadly) for (const { receiver } of shops) holdHalf(receiver, random)
    if (isNotifying) await notifySome(shops, random, Math.ceil(events / notifyingSteps))
    await hooks.forward(step)
    if (isDeadly) {
      killed += 1
      cut += await crew.kill(shops)
    }
    await quiet(hooks, shops)
  }
  return { shops, kills: killed, cut }
}

/** Spreads the kills as evenly as the steps allow. */
function isTimeToDie(index: number, killed: number, kills: number): boolean {
  return killed < kills && index >= firstKill + ((killed + 0.5) * (lastKill - firstKill)) / kills
}

async function openShops(t: TestContext, { hooks, random, shops }: StormOptions): Promise<Shop[]> {
  const opened: Shop[] = []
  for (let index = 0; index < shops; index += 1) {
    const receiver = await openReceiver(t, () => ({ status: 200 }))
    const backAtMs = random() * hours(45)
    opened.push({
      receiver,
      merchant: await hooks.merchant(receiver.url),
      events: [],
      backAtMs,
      isShaky: index % 2 === 0,
    })
  }
  return opened
}

const failures: readonly Reaction[] = [{ status: 500 }, { status: 503 }, { status: 302 }, 'reset', 'reset', 'held']

/** Healthy, failing now and then, always failing, or down. */
async function changeMood({ receiver, backAtMs, isShaky }: Shop, random: Random, nowMs: number): Promise<void> {
  const moods = isShaky ? (['shaky', 'down', 'shut'] as const) : (['down', 'shut'] as const)
  const mood = nowMs >= backAtMs ? 'healthy' : random.pick<'shaky' | 'down' | 'shut'>(moods)
  await receiver.shut()
  if (mood !== 'shut') await receiver.listen()
  const failing = { healthy: 0, shaky: 0.3, down: 1, shut: 1 }[mood]
  receiver.react = () => (random() < failing ? random.pick(failures) : { status: random.pick([200, 202, 204]) })
}

/** So that requests are in progress when workers die. */
function holdHalf(receiver: Receiver, random: Random): void {
  const { react } = receiver
  receiver.react = (got) => (random() < 0.5 ? 'held' : react(got))
}

async function notifySome(shops: readonly Shop[], random: Random, count: number): Promise<void> {
  for (let left = count; left > 0; ) {
    const shop = random.pick(shops)
    const some = Math.min(left, 1 + random.below(Math.max(5, count / 10)))
    shop.events.push(...(await shop.merchant.notify(some)))
    left -= some
  }
}

/** Real worker processes, two at a time. */
async function openCrew(t: TestContext, { hooks, random }: StormOptions) {
  const cell = openCell(t, await testDatabase(), { ...hooks.malipo.secrets, ...settings })
  let hired = 0
  const hire = () => {
    hired += 1
    return cell.start('worker', `worker-${hired}`)
  }
  const workers: Role[] = await Promise.all([hire(), hire()])
  return {
    /** Lets deliveries run for a while, then kills the workers at a random moment; their claims are due again later. */
    kill: async (shops: readonly Shop[]) => {
      const open = () => shops.reduce((sum, { receiver }) => sum + receiver.open, 0)
      const enough = 1 + random.below(8)
      await until('deliveries under way, or none to come', async () => open() >= enough || (await isQuiet(hooks)), {
        timeoutMs: 1000,
      }).catch(() => undefined)
      const cut = open()
      for (const worker of workers.splice(0)) await worker.stop('SIGKILL')
      await until('broken connections', () => {
        for (const { receiver } of shops) receiver.release('reset')
        return shops.every(({ receiver }) => receiver.open === 0)
      })
      await hooks.forward(seconds(31))
      workers.push(...(await Promise.all([hire(), hire()])))
      return cut
    },
  }
}

/** Nothing is due and nothing in progress: the clock may be moved without ending a lease. */
async function quiet(hooks: Webhooks, shops: readonly Shop[]): Promise<void> {
  const sample = async () => {
    for (const { receiver } of shops) receiver.release('reset')
    hooks.malipo.ctx.wakeups.wake('webhooks')
    return isQuiet(hooks)
  }
  await until('deliveries to be quiet', sample, { timeoutMs: 120_000 })
}

async function isQuiet({ malipo }: Webhooks): Promise<boolean> {
  const busy = await malipo.ask(`
    select 1 from webhook_endpoints e, (select record_time() as now) moment
    where url <> '' and disabled_at is null
      and ((next_due <= now and rests_until <= now) or exists (
        select from webhook_records w where (w.merchant_id, w.env) = (e.merchant_id, e.env) and leased_until > now
      ))
    limit 1`)
  return busy.length === 0
}
