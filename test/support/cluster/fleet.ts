import { until } from '../../../packages/server/src/dev-stack/until.ts'
import type { Balancer } from './balancer.ts'
import type { Cell, Role } from './cell.ts'

/** Two api processes behind a balancer and two workers, replaced one after another. */
export interface Fleet {
  readonly size: number
  urls(): readonly string[]
  /** Stops the next process in turn and starts a replacement. Returns which, and whether it ended by itself. */
  replaceNext(program?: string): Promise<{ readonly old: Role; readonly isClean: boolean }>
}

const places = ['api', 'worker', 'api', 'worker'] as const

/** Long enough for two polls of the balancer. */
const draining = { MALIPO_DRAIN_SECONDS: '1' }

export async function startFleet(cell: Cell, balancer: Balancer, program?: string): Promise<Fleet> {
  let starts = 0
  const start = async (role: 'api' | 'worker', code?: string): Promise<Role> => {
    starts += 1
    const started = await cell.start(role, `${role}-${starts}`, draining, code)
    if (role === 'worker') return started
    balancer.add(started.url)
    await until(`${started.name} to be ready`, () => balancer.isReady(started.url))
    return started
  }
  const running = await Promise.all(places.map((role) => start(role, program)))
  let turn = 0
  return {
    size: places.length,
    urls: () => running.filter((_, place) => places[place] === 'api').map(({ url }) => url),
    replaceNext: async (code) => {
      const place = turn % places.length
      turn += 1
      const [old, role] = [running[place], places[place]]
      if (!old || !role) throw new Error('no process runs in that place')
      await old.stop('SIGTERM')
      balancer.remove(old.url)
      running[place] = await start(role, code)
      return { old, isClean: old.log().includes('"msg":"stopped"') }
    },
  }
}
