import { createHash } from 'node:crypto'
import { useChance } from './chance.ts'
import { type Ground, openGround } from './ground.ts'
import { checkWorld } from './invariants.ts'
import { isGivenUp } from './lives.ts'
import { rush } from './rush.ts'
import { drain, runSteps } from './steps.ts'
import { createWorld, scarce, type World } from './world.ts'

interface SimulationOrder {
  readonly first: number
  readonly worlds: number
  /** Lives in each world. */
  readonly size: number
  readonly onFailure: (failure: Failure) => void
}

/** A world with a violation, with everything that happened. */
interface Failure {
  readonly seed: number
  readonly violations: readonly string[]
  readonly trace: readonly string[]
}

interface Summary {
  readonly lives: number
  readonly steps: number
  readonly failures: number
  /** Requests that were given up; see lives.ts. */
  readonly givenUp: number
  /** Equal for equal runs. */
  readonly digest: string
}

/** Runs one world after another on one database, each from its seed alone. */
export async function simulate({ first, worlds, size, onFailure }: SimulationOrder): Promise<Summary> {
  const ground = await openGround()
  const summary = { lives: 0, steps: 0, failures: 0, givenUp: 0 }
  const digest = createHash('sha256')
  for (let seed = first; seed < first + worlds; seed += 1) {
    const world = await runWorld(ground, seed, size)
    summary.lives += size
    summary.steps += world.steps
    summary.givenUp += world.lives.filter(isGivenUp).length
    digest.update(world.schedule.trace.join('\n'))
    if (world.violations.length === 0) continue
    summary.failures += 1
    onFailure({ seed, violations: world.violations, trace: world.schedule.trace })
    break // Its remains would disturb the next.
  }
  useChance(undefined)
  await ground.close()
  return { ...summary, digest: digest.digest('hex') }
}

async function runWorld(ground: Ground, seed: number, size: number): Promise<World> {
  const world = await createWorld(ground, seed, size)
  await runSteps(world)
  await drain(world)
  if (world.requestsPerSecond === scarce && world.violations.length === 0) {
    await rush(world)
    await drain(world)
  }
  if (world.violations.length === 0) await checkWorld(world)
  return world
}
