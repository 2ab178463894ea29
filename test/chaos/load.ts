import { type Floor, flows } from './flows.ts'

/** Results of the arrivals. */
export interface LoadReport {
  readonly arrivals: number
  /** Arrivals dropped here because too many were in progress. */
  readonly dropped: number
}

interface LoadOptions {
  readonly seconds: number
  /** Average arrivals a second; the intervals are random. */
  readonly rate: number
  readonly atOnceMax: number
}

/** Open-loop arrivals: a slow service gets no less load. */
export async function runLoad(floor: Floor, { seconds, rate, atOnceMax }: LoadOptions): Promise<LoadReport> {
  const { random, merchants, client } = floor
  const deck = flows.flatMap(([weight, flow]) => Array.from({ length: weight }, () => flow))
  const flights = new Set<Promise<unknown>>()
  const startedAt = performance.now()
  const endsAt = startedAt + seconds * 1000
  let [arrivals, dropped] = [0, 0]
  for (let dueAt = startedAt; dueAt < endsAt; dueAt += (-Math.log(1 - random()) * 1000) / rate) {
    const waitMs = dueAt - performance.now()
    if (waitMs > 1) await new Promise((resolve) => setTimeout(resolve, waitMs))
    arrivals += 1
    const [flow, merchant] = [random.pick(deck), random.pick(merchants)]
    if (flights.size >= atOnceMax) dropped += 1
    else {
      const flight: Promise<unknown> = flow(floor, merchant).finally(() => flights.delete(flight))
      flights.add(flight)
    }
  }
  client.giveUpAt(performance.now() + lingerMs)
  await Promise.all(flights)
  return { arrivals, dropped }
}

/** How long clients without a response keep retrying after the load ends. */
const lingerMs = 15_000
