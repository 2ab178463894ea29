import { fileURLToPath } from 'node:url'
import { freePort, type Service, startService } from '../../packages/server/src/dev-stack/processes.ts'
import { every } from './every.ts'

const main = fileURLToPath(new URL('../../packages/server/src/main.ts', import.meta.url))

/** A place for one process of the service, which may be killed and replaced. */
export interface Seat {
  readonly name: string
  readonly role: 'api' | 'worker'
  readonly port: number
  /** As its own readiness probe reports, polled as a load balancer does. */
  readonly isReady: boolean
  pid(): number
  kill(): Promise<void>
  /** Starts a process if none runs. `over` is part of its environment. */
  revive(over?: Readonly<Record<string, string>>): Promise<void>
}

export interface Seats {
  readonly all: readonly Seat[]
  /** Any healthy api, or any at all when none is. */
  api(turn: number): string
  stop(): Promise<void>
}

type Variables = Readonly<Record<string, string>>

/** Two of each role. The given list grows with them. */
export async function createSeats(folder: string, seats: Seat[], envOf: (side: 1 | 2) => Variables): Promise<Seats> {
  for (const role of ['api', 'worker'] as const)
    for (const side of [1, 2] as const) seats.push(await createSeat(folder, role, side, envOf(side)))
  await Promise.all(seats.map((seat) => seat.revive()))
  const watch = every(200, () => Promise.all(seats.map((seat) => (seat as KnownSeat).check())))
  return {
    all: seats,
    api: (turn) => {
      const apis = seats.filter(({ role }) => role === 'api')
      const healthy = apis.filter(({ isReady }) => isReady)
      const from = healthy.length > 0 ? healthy : apis
      return `http://127.0.0.1:${from[turn % from.length]?.port ?? 0}`
    },
    stop: async () => {
      await watch.stop()
      for (const seat of seats) await seat.kill()
    },
  }
}

interface KnownSeat extends Seat {
  check(): Promise<void>
}

async function createSeat(folder: string, role: Seat['role'], side: 1 | 2, env: Variables): Promise<KnownSeat> {
  const port = await freePort()
  const url = `http://127.0.0.1:${port}`
  const name = `${role}-${side}`
  let service: Service | undefined
  let [starts, isReady] = [0, false]
  return {
    name,
    role,
    port,
    get isReady() {
      return isReady
    },
    check: async () => {
      isReady = await responds(`${url}/health/ready`)
    },
    pid: () => service?.pid ?? 0,
    kill: async () => {
      isReady = false
      await service?.stop('SIGKILL')
      service = undefined
    },
    revive: async (over = {}) => {
      if (service) return
      starts += 1
      service = await startService({
        name: `${name}.${starts}`,
        command: process.execPath,
        args: [main, role],
        env: { ...env, ...over, MALIPO_PORT: String(port) },
        folder,
        isReady: () => responds(`${url}/health/live`),
      })
    },
  }
}

const patienceMs = 700

const responds = (url: string) =>
  fetch(url, { signal: AbortSignal.timeout(patienceMs) }).then(
    async (reply) => {
      await reply.arrayBuffer()
      return reply.ok
    },
    () => false,
  )
