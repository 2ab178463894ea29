import { type TestContext, test } from 'node:test'
import type { Bench, Case, Lane } from './bench.suite.ts'
import { callbackCases } from './callbacks.suite.ts'
import { cardCases } from './cards.suite.ts'
import { lanesOf } from './lanes.suite.ts'
import { queryCases } from './query.suite.ts'
import { reversalCases } from './reversals.suite.ts'
import { submitCases } from './submit.suite.ts'
import { transferCases } from './transfers.suite.ts'

const commonCases = [...submitCases, ...queryCases, ...callbackCases, ...reversalCases]
const ownCases: Readonly<Partial<Record<Lane['name'], readonly Case[]>>> = {
  'card charge': cardCases,
  'transfer charge': transferCases,
}

/**
 * Proves that a connector keeps the contract, against a provider that misbehaves in every known way. The suite skips
 * what a connector cannot do and runs everything else for every provider.
 */
export function runConformance(name: string, setup: (t: TestContext) => Promise<Bench>): void {
  test(`${name} keeps the connector contract`, async (t) => {
    const bench = await setup(t)
    for (const lane of lanesOf(bench))
      for (const each of [...commonCases, ...(ownCases[lane.name] ?? [])]) await runCase(t, bench, lane, each)
  })
}

async function runCase(t: TestContext, bench: Bench, lane: Lane, { guarantee, needs, run }: Case): Promise<void> {
  const skip = needs && !needs(lane, bench) ? `${lane.name}s of this connector do not support this` : false
  await t.test(`${lane.name}: ${guarantee}`, { skip }, async () => {
    await bench.control.clearFaults()
    await run(lane, bench)
  })
}
