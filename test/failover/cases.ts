import { setTimeout as pause } from 'node:timers/promises'
import { until } from '../../packages/server/src/dev-stack/until.ts'
import type { Cluster } from './cluster.ts'

/** A fault on a cluster under load. It returns when everything runs again, or stays down on purpose. */
export type Strike = (cluster: Cluster) => Promise<void>

const others = (place: number) => [0, 1, 2].filter((each) => each !== place)

const isWhole = (cluster: Cluster) =>
  until(
    'a primary and its synchronous standby',
    async () => {
      return (await cluster.primary()) >= 0 && (await cluster.synchronous()) >= 0
    },
    { timeoutMs: 120_000 },
  )

/** Until another machine is the primary. */
const promoted = (cluster: Cluster, before: number) =>
  until(
    'another primary',
    async () => {
      const now = await cluster.primary()
      return now >= 0 && now !== before
    },
    { timeoutMs: 120_000 },
  )

/** Long enough for each case, however busy the machine is. */
const holdMs = 15_000

export const cases: Readonly<Record<string, Strike>> = {
  /** kill -9 of the primary's postmaster: Patroni restarts it in place. */
  restart: async (cluster) => {
    cluster.killPostmaster(await cluster.primary())
    await pause(holdMs)
  },
  /** The primary's machine loses power; a standby is promoted. */
  'node-lost': async (cluster) => {
    const before = await cluster.primary()
    cluster.killNode(before)
    await promoted(cluster, before)
    await pause(holdMs)
    await cluster.startNode(before)
  },
  switchover: async (cluster) => {
    const before = await cluster.primary()
    await cluster.switchover(before, await cluster.synchronous())
    await promoted(cluster, before)
    await pause(holdMs)
  },
  /** The synchronous standby is lost: another standby takes its place. */
  'standby-lost': async (cluster) => {
    const lost = await cluster.synchronous()
    cluster.killNode(lost)
    await pause(2 * holdMs)
    await cluster.startNode(lost)
  },
  /** Both standbys are lost: nothing is accepted until one is back. */
  'standbys-lost': async (cluster) => {
    const lost = others(await cluster.primary())
    for (const place of lost) cluster.killNode(place)
    await pause(2 * holdMs)
    for (const place of lost) await cluster.startNode(place)
  },
  /** The primary's machine is cut off from all others, and still runs. */
  partition: async (cluster) => {
    const before = await cluster.primary()
    cluster.network.cut(before)
    await promoted(cluster, before)
    await pause(holdMs)
    cluster.network.join(before)
  },
  /** One NATS after another is lost, until none is left. */
  nats: async (cluster) => {
    for (const place of [0, 1, 2]) {
      await cluster.killNats(place)
      await pause(holdMs / 3)
    }
    for (const place of [0, 1, 2]) await cluster.startNats(place)
    await pause(holdMs / 3)
  },
}

export async function strike(cluster: Cluster, name: string): Promise<void> {
  const work = cases[name]
  if (!work) throw new Error(`unknown case ${name}; use one of ${Object.keys(cases).join(', ')}`)
  await isWhole(cluster)
  await work(cluster)
  await isWhole(cluster)
}
