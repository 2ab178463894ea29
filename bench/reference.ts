import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { startStack } from '../packages/server/src/dev-stack/stack.ts'
import { type Bench, rounded } from './bench.ts'
import { tokenOf } from './stack-token.ts'

const perSecond = 200
const seconds = 20
const paths = ['countries', 'banks?country=KE', 'branches?bankId=1001', 'momo-operators']

/** The reference lists, each in turn, at a steady rate, open loop; the load comes from this process. */
export const reference: Bench = async (print) => {
  const stack = await startStack(mkdtempSync(join(tmpdir(), 'malipo-bench-')), { isKept: false })
  try {
    const headers = { authorization: `Bearer ${await tokenOf(stack.exports)}` }
    const ask = async (path: string) => {
      const startedAt = performance.now()
      const response = await fetch(`${stack.exports['MALIPO_URL']}/api/b2b/utilities/${path}`, { headers })
      await response.arrayBuffer()
      if (!response.ok) throw new Error(`${path} returned ${response.status}`)
      return performance.now() - startedAt
    }
    for (let warm = 0; warm < 200; warm += 1) await ask(paths[warm % paths.length] ?? '')
    const times = (await steadily(ask)).toSorted((left, right) => left - right)
    const at = (share: number) => rounded(times[Math.floor(times.length * share)] ?? Number.NaN)
    const figures = { requests: times.length, medianMs: at(0.5), p99Ms: at(0.99), mostMs: at(0.99999) }
    print(`${times.length} requests at ${perSecond}/s: median ${figures.medianMs} ms, p99 ${figures.p99Ms} ms`)
    return { figures, ratios: {} }
  } finally {
    await stack.stop()
  }
}

/** Every request leaves at its own time, measured from the start, so that a slow one delays no other. */
async function steadily(ask: (path: string) => Promise<number>): Promise<number[]> {
  const startedAt = performance.now()
  const asked: Promise<number>[] = []
  for (let index = 0; index < perSecond * seconds; index += 1) {
    const wait = startedAt + (index * 1000) / perSecond - performance.now()
    if (wait > 0) await pause(wait)
    asked.push(ask(paths[index % paths.length] ?? ''))
  }
  return Promise.all(asked)
}
