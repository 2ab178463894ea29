import assert from 'node:assert/strict'
import { test } from 'node:test'
import { findPlanted, plantedInPayments } from './simulation/planted.ts'
import { livesPerWorld, root, runWorlds, type WorldsResult } from './simulation/runner.ts'
import { proofSize } from './support/cluster/proof.ts'

const showFailure = ({ failure }: WorldsResult) =>
  failure ? [...failure.trace.slice(-80), `seed ${failure.seed}:`, ...failure.violations].join('\n') : ''

test('in any order of events every payment ends, its money moves once, and the books agree', async (t) => {
  const worlds = Math.ceil(proofSize('LIVES', 320) / livesPerWorld / 2)
  const first = proofSize('SEED', 1)
  // The seeds that find planted bugs must have no violation without them.
  const ofBugs = new Set(plantedInPayments.map(({ seed }) => seed))
  const others = [...ofBugs].filter((seed) => seed < first || seed >= first + 2 * worlds)

  const all = await Promise.all([0, 1].map((part) => runWorlds(root, { first: first + part * worlds, worlds })))
  for (const seed of others) all.push(await runWorlds(root, { first: seed, worlds: 1 }))

  for (const result of all) assert.equal(result.failure, undefined, showFailure(result))
  t.diagnostic(all.map(({ lives, steps, seconds }) => `${lives} lives, ${steps} steps, ${seconds} s`).join('; '))
})

test('a seed gives the same run every time', async () => {
  const [once, again] = await Promise.all([1, 2].map(() => runWorlds(root, { first: 7, worlds: 1 })))

  assert.equal(once?.digest, again?.digest)
})

for (const bug of plantedInPayments)
  test(`the simulation finds a planted bug: ${bug.name}`, async (t) => {
    const { failure } = await findPlanted(bug, 16)

    assert.match(String(failure?.violations), bug.complaint)
    if (failure?.seed !== bug.seed) t.diagnostic(`found by seed ${failure?.seed}: record it in simulation/planted.ts`)
  })
