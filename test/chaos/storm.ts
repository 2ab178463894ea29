import type { Random } from '../support/cluster/random.ts'
import type { Fault, Scene } from './faults.ts'

/** A fault that happened, in times of this process's clock. */
export interface Struck {
  readonly name: string
  readonly part: string
  readonly struckAt: number
  readonly endedAt: number
  /** The error that stopped it from starting or ending. */
  readonly error?: string
}

interface StormOptions {
  readonly faults: readonly Fault[]
  readonly seconds: number
  /** Average faults a minute. */
  readonly pace: number
}

/** The second of two lanes pauses this often, so that one fault is alone about half of the time. */
const restOneIn = 2

/**
 * Runs faults in two lanes, so that one or two are active at a time, until the time is up. They are drawn like cards: each comes
 * once before any repeats.
 */
export async function runStorm(scene: Scene, options: StormOptions): Promise<Struck[]> {
  const { random } = scene
  const { faults, seconds, pace } = options
  const deck = createDeck(faults, random)
  const startedAt = performance.now()
  const endsAt = startedAt + seconds * 1000
  const struck: Struck[] = []
  const pauseFor = (ms: number) =>
    new Promise((resolve) => setTimeout(resolve, Math.max(0, Math.min(ms, endsAt - performance.now()))))
  const lane = async (isSecond: boolean) => {
    while (performance.now() < endsAt) {
      const isDue = struck.length < ((performance.now() - startedAt) * pace) / 60_000 + 1
      const isResting = isSecond && random.below(restOneIn) === 0
      const fault = isDue && !isResting ? deck.draw() : undefined
      if (fault) {
        struck.push(await suffer(fault, scene, endsAt - performance.now()))
        deck.release(fault)
      }
      await pauseFor(100 + random.below(300))
    }
  }
  if (faults.length > 0) await Promise.all([lane(false), lane(true)])
  return struck
}

async function suffer(fault: Fault, scene: Scene, longestMs: number): Promise<Struck> {
  const [least, most] = fault.lastsMs
  // Short ones are more common.
  const lastsMs = Math.min(least + (most - least) * scene.random() ** 2, Math.max(longestMs, 500))
  const struckAt = performance.now()
  const { name, part } = fault
  try {
    const undo = await fault.strike(scene)
    await new Promise((resolve) => setTimeout(resolve, lastsMs))
    await undo()
    return { name, part, struckAt, endedAt: performance.now() }
  } catch (error) {
    return { name, part, struckAt, endedAt: performance.now(), error: (error as Error).message }
  }
}

/** One card for each kind; the part is drawn too, and never has a fault already. */
function createDeck(faults: readonly Fault[], random: Random) {
  const kinds = Map.groupBy(faults, ({ name }) => name)
  const busy = new Set<string>()
  const isFree = ({ part }: Fault) => !busy.has(part)
  let left: string[] = []
  return {
    draw: (): Fault | undefined => {
      if (left.length === 0) left = shuffled([...kinds.keys()], random)
      const at = left.findIndex((name) => kinds.get(name)?.some(isFree))
      const [name] = at >= 0 ? left.splice(at, 1) : []
      const free = kinds.get(name ?? '')?.filter(isFree) ?? []
      const drawn = free.length > 0 ? random.pick(free) : undefined
      if (drawn) busy.add(drawn.part)
      return drawn
    },
    release: ({ part }: Fault) => busy.delete(part),
  }
}

function shuffled<Item>(items: readonly Item[], random: Random): Item[] {
  return items
    .map((item) => ({ item, at: random() }))
    .sort((one, other) => one.at - other.at)
    .map(({ item }) => item)
}
