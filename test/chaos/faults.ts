import { readFileSync } from 'node:fs'
import { until } from '../../packages/server/src/dev-stack/until.ts'
import type { Random } from '../support/cluster/random.ts'
import type { FaultRequest } from '../support/cluster/simulator-control.ts'
import type { Conditions } from './fault-proxy.ts'
import type { Merchant } from './merchants.ts'
import { isAlive, type Part, type Place, places, type Site } from './site.ts'
import { anotherTime, canCutPower, type Volume } from './volume.ts'

/** What faults act on. */
export interface Scene {
  readonly site: Site
  readonly merchants: readonly Merchant[]
  readonly random: Random
}

/** Undoes a fault; the part runs again when it returns. */
type Undo = () => Promise<void>

export interface Fault {
  readonly name: string
  /** The part it acts on; no other fault acts on it meanwhile. */
  readonly part: string
  /** Shortest and longest duration. */
  readonly lastsMs: readonly [number, number]
  readonly strike: (scene: Scene) => Promise<Undo>
}

/** All faults possible on this machine, and the reasons for those that are not. */
export function listFaults(site: Site, pauseMaxMs: number): { readonly faults: Fault[]; readonly skipped: string[] } {
  const { volume } = site
  const skipped: string[] = []
  const disk = typeof volume === 'string' ? [] : diskFaults(site, volume)
  if (typeof volume === 'string') skipped.push(`disk full and power cut: ${volume}`)
  else if (!canCutPower()) skipped.push('power cut: python3 is not installed')
  const clocks = anotherTime('+0') ? clockFaults(site) : []
  if (clocks.length === 0)
    skipped.push('clocks: libfaketime is not installed (Debian and Ubuntu: apt-get install libfaketime)')
  const faults = [
    ...killFaults(site),
    ...pauseFaults(site, [2000, pauseMaxMs]),
    ...networkFaults(),
    ...providerFaults(),
    ...disk,
    ...clocks,
  ]
  return { faults, skipped }
}

const partsOf = (site: Site): [string, Part][] => [
  ...site.seats.all.map((seat): [string, Part] => [seat.name, seat]),
  ['simulator', site.simulator],
  ['postgres', site.postgres],
  ['nats', site.nats],
]

const kindOf = (name: string) => name.replace(/-\d$/, '')

function killFaults(site: Site): Fault[] {
  const kills = partsOf(site).map(
    ([name, part]): Fault => ({
      name: `kill ${kindOf(name)}`,
      part: name,
      lastsMs: [0, 1500],
      strike: async () => {
        await part.kill()
        return () => part.revive()
      },
    }),
  )
  const wipe: Fault = {
    name: 'wipe nats',
    part: 'nats',
    lastsMs: [0, 1500],
    strike: async () => {
      await site.nats.kill()
      site.nats.wipe()
      return () => site.nats.revive()
    },
  }
  return [...kills, wipe]
}

/** A paused PostgreSQL includes all its backends. */
function pauseFaults(site: Site, lastsMs: readonly [number, number]): Fault[] {
  const pauses = partsOf(site).map(
    ([name, part]): Fault => ({
      name: `pause ${kindOf(name)}`,
      part: name,
      lastsMs,
      strike: async () => pause(name === 'postgres' ? [part.pid(), ...childrenOf(part.pid())] : [part.pid()]),
    }),
  )
  const backend: Fault = {
    name: 'pause backend',
    part: 'postgres',
    lastsMs,
    strike: async ({ random }) => {
      const found = await site.ask<{ pid: number }>(`select pid from pg_stat_activity where usename = 'malipo'`)
      return pause(found.length === 0 ? [] : [random.pick(found).pid])
    },
  }
  return [...pauses, backend, endSessions(site)]
}

/** Ends every database session of the service, whatever it is doing. */
const endSessions = (site: Site): Fault => ({
  name: 'end sessions',
  part: 'postgres',
  lastsMs: [0, 500],
  strike: async () => {
    await site.ask(`select pg_terminate_backend(pid) from pg_stat_activity where usename = 'malipo'`)
    return async () => undefined
  },
})

function pause(pids: readonly number[]): Undo {
  const signal = (name: NodeJS.Signals) => {
    for (const pid of pids) if (isAlive(pid)) process.kill(pid, name)
  }
  signal('SIGSTOP')
  return async () => signal('SIGCONT')
}

const childrenOf = (pid: number) =>
  readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ').filter(Boolean).map(Number)

const badConditions = ['slow', 'cut', 'half-open', 'forgotten'] as const satisfies readonly Conditions[]

/** Only the database loses connections silently: only there do callers wait on long-lived connections. */
function networkFaults(): Fault[] {
  const isFelt = (place: string, conditions: Conditions) => conditions !== 'forgotten' || place.startsWith('database')
  const between = places.flatMap((place) =>
    badConditions
      .filter((conditions) => isFelt(place, conditions))
      .map((conditions) => networkFault(place, conditions, ({ site }) => [site.proxies[place as Place]])),
  )
  const receivers = badConditions
    .filter((conditions) => isFelt('receivers', conditions))
    .map((conditions) =>
      networkFault('receivers', conditions, ({ merchants, random }) => [random.pick(merchants).proxy]),
    )
  return [...between, ...receivers]
}

function networkFault(
  place: string,
  conditions: Conditions,
  proxiesOf: (scene: Scene) => readonly { change(conditions: Conditions): void }[],
): Fault {
  return {
    name: `${conditions} ${kindOf(place)}`,
    part: place,
    lastsMs: [500, 4000],
    strike: async (scene) => {
      const proxies = proxiesOf(scene)
      for (const proxy of proxies) proxy.change(conditions)
      return async () => {
        for (const proxy of proxies) proxy.change('clear')
      }
    },
  }
}

/**
 * Faults of the provider during the whole load, each for one request or payment in twenty: a short fault of this kind would strike
 * no payment in a short run. A lost request is one that the provider never processed.
 */
export const steadyFaults: readonly FaultRequest[] = [
  ...['payout', 'charge', 'payout_status', 'charge_status'].map((operation) => {
    return { operation, mode: 'drop_before_processing', probability: 0.05 }
  }),
  ...['payout', 'charge'].flatMap((operation) =>
    [
      { mode: 'callback_duplicate', count: 3 },
      { mode: 'callback_late', delayMs: 4000 },
      { mode: 'callback_never' },
      { mode: 'callback_reorder' },
    ].map((fault) => ({ operation, probability: 0.05, ...fault })),
  ),
]

/** Faults of the provider itself, for half of the requests. */
function providerFaults(): Fault[] {
  const modes = [
    { name: 'providers return 503', mode: 'html_503' },
    { name: 'providers drop responses', mode: 'drop_after_processing' },
  ]
  return modes.map(({ name, mode }) => ({
    name,
    part: 'simulator',
    lastsMs: [500, 3000],
    strike: async ({ site }) => {
      const id = await site.simulatorControl().fault({ operation: '*', mode, probability: 0.5 })
      return () => site.simulatorControl().removeFault(id)
    },
  }))
}

function diskFaults(site: Site, volume: Volume): Fault[] {
  const full: Fault = {
    name: 'fill disk',
    part: 'postgres',
    lastsMs: [500, 4000],
    strike: async () => {
      await volume.fill()
      return async () => {
        volume.drain()
        await standUp(site)
      }
    },
  }
  const cut: Fault = {
    name: 'cut power',
    part: 'postgres',
    lastsMs: [0, 500],
    strike: async () => {
      await volume.cutPower()
      await site.postgres.kill()
      return async () => {
        await volume.remount()
        await site.postgres.revive()
      }
    },
  }
  return canCutPower() ? [full, cut] : [full]
}

/** A server that cannot write its log exits, now or during recovery, and must be started again. */
async function standUp(site: Site): Promise<void> {
  const isUp = () =>
    site.ask('select 1').then(
      () => true,
      () => false,
    )
  await until(
    'PostgreSQL to be back',
    async () => {
      await site.postgres.revive()
      return isUp()
    },
    { timeoutMs: 60_000 },
  )
}

/** One process has a clock an hour early or late. The database's clock stays right. */
function clockFaults(site: Site): Fault[] {
  return site.seats.all.map((seat) => ({
    name: `wrong clock of ${seat.role}`,
    part: seat.name,
    lastsMs: [1500, 5000],
    strike: async ({ random }) => {
      await seat.kill()
      await seat.revive(anotherTime(random.pick(['+1h', '-1h'])))
      return async () => {
        await seat.kill()
        await seat.revive()
      }
    },
  }))
}
