/**
 * npm run simulate -- [--lives N] [--seed S] [--planted NAME|all] [--workers W]: simulates payments from seeds, with everything
 * that may go wrong, and prints the first seed with a violation. See test/simulation.
 */
import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { findOrStartServers } from '../packages/server/src/dev-stack/servers.ts'
import { offerServers } from '../packages/server/src/dev-stack/servers-on-request.ts'
import { plantedInPayments, searchPlanted } from '../test/simulation/planted.ts'
import { livesPerWorld, root, runWorlds, type WorldsResult } from '../test/simulation/runner.ts'
import { proofSize } from '../test/support/cluster/proof.ts'

const { values } = parseArgs({
  options: {
    lives: { type: 'string', default: String(proofSize('LIVES', 2000)) },
    seed: { type: 'string', default: '1' },
    planted: { type: 'string' },
    workers: { type: 'string', default: '2' },
  },
})

const folder = mkdtempSync(join(tmpdir(), 'malipo-simulate-'))
const servers = await offerServers(folder, () => findOrStartServers(folder))
try {
  process.exitCode = (await (values.planted === undefined ? proveNone() : findAll(values.planted))) ? 0 : 1
} finally {
  await servers.stop()
}

/** Runs the wanted number of lives, in as many processes, each with its own seeds. */
async function proveNone(): Promise<boolean> {
  const [lives, seed, workers] = [Number(values.lives), Number(values.seed), Number(values.workers)]
  const worlds = Math.ceil(lives / livesPerWorld / workers)
  const startedAt = performance.now()
  const all = await Promise.all(
    Array.from({ length: workers }, (_, place) =>
      runWorlds(root, { first: seed + place * worlds, worlds, env: servers.exports }),
    ),
  )
  const seconds = (performance.now() - startedAt) / 1000
  const sum = (of: (result: WorldsResult) => number) => all.reduce((total, result) => total + of(result), 0)
  const failures = all.flatMap(({ failure }) => failure ?? [])
  for (const { seed: failed, violations, trace } of failures)
    console.log([...trace, '', `seed ${failed}:`, ...violations].join('\n'))
  const lived = sum((each) => each.lives)
  console.log(
    `${lived} lives in ${sum((each) => each.steps)} steps, ${seconds.toFixed(0)} s, ` +
      `${(lived / seconds).toFixed(1)} lives a second, ${sum((each) => each.givenUp)} requests given up; ${failures.length === 0 ? 'no violations' : 'violations found'}`,
  )
  return failures.length === 0
}

/** Plants bugs, one after another, and prints the seed that finds each. */
async function findAll(name: string): Promise<boolean> {
  const wanted = plantedInPayments.filter((bug) => name === 'all' || bug.name === name)
  if (wanted.length === 0)
    throw new Error(`unknown bug ${name}; use one of: ${plantedInPayments.map((bug) => bug.name).join(', ')}, all`)
  let isEachFound = true
  for (const bug of wanted) {
    const { lives, failure } = await searchPlanted(bug, {
      first: Number(values.seed),
      worlds: 200,
      env: servers.exports,
    })
    const isRight = failure !== undefined && bug.complaint.test(failure.violations.join('\n'))
    isEachFound &&= isRight
    const how = failure ? `found by seed ${failure.seed} after ${lives} lives: ${failure.violations[0]}` : 'NOT FOUND'
    console.log(`${bug.name}: ${how}`)
  }
  return isEachFound
}
