import { setTimeout as pause } from 'node:timers/promises'
import { type Bench, rounded } from './bench.ts'
import { memoryOf, usedMs } from './processes.ts'
import { merchantsOf, onSite } from './site.ts'

const seconds = Number(process.env['BENCH_SECONDS'] ?? 60)
const settleMs = 10_000

/** Memory and processor time of each idle role, and of the simulator, over a minute without requests. */
export const idle: Bench = async (print) =>
  onSite({}, async ({ cell, simulator }) => {
    await merchantsOf(cell, 10, '')
    const roles = { api: await cell.start('api', 'api'), worker: await cell.start('worker', 'worker') }
    await simulator.tune({ callbackBase: `${roles.api.url}/callbacks/sandbox` })
    await pause(settleMs)
    const before = Object.values(roles).map(({ pid }) => usedMs(pid))
    await pause(seconds * 1000)
    const figures: Record<string, number> = {}
    for (const [index, [name, { pid }]] of Object.entries(roles).entries()) {
      const share = (usedMs(pid) - (before[index] ?? 0)) / (seconds * 1000)
      const { residentMiB, ownMiB } = memoryOf(pid)
      Object.assign(figures, {
        [`${name}ResidentMiB`]: residentMiB,
        [`${name}OwnMiB`]: ownMiB,
        [`${name}PercentOfCore`]: rounded(share * 100),
      })
      print(`${name}: ${residentMiB} MiB resident, ${ownMiB} MiB its own, ${rounded(share * 100)} % of a core`)
    }
    return { figures, ratios: {} }
  })
