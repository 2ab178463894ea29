import { type TestContext, test } from 'node:test'
import type { Bench, Case, Flow } from './bench.suite.ts'
import { callbackCases } from './callbacks.suite.ts'
import { cardCases } from './cards.suite.ts'
import { flowsOf } from './flows.suite.ts'
import { queryCases } from './query.suite.ts'
import { refundFlowsOf } from './refund-bench.suite.ts'
import { refundCases } from './refunds.suite.ts'
import { keylessRefundCases } from './refunds-without-key.suite.ts'
import { reversalCases } from './reversals.suite.ts'
import { submitCases } from './submit.suite.ts'
import { transferCases } from './transfers.suite.ts'

const commonCases = [...submitCases, ...queryCases, ...callbackCases, ...reversalCases]
const ownCases: Readonly<Partial<Record<Flow['name'], readonly Case[]>>> = {
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
    for (const flow of flowsOf(bench))
      for (const each of [...commonCases, ...(ownCases[flow.name] ?? [])]) await runCase(t, bench, flow, each)
    await runRefundCases(t, bench)
  })
}

async function runRefundCases(t: TestContext, bench: Bench): Promise<void> {
  for (const flow of refundFlowsOf(bench))
    for (const { guarantee, needs, run } of [...refundCases, ...keylessRefundCases]) {
      const skip = needs && !needs(flow) ? 'refunds of this connector do not support this' : false
      await t.test(`${flow.name}: ${guarantee}`, { skip }, async () => {
        await bench.control.clearFaults()
        await run(flow)
      })
    }
}

async function runCase(t: TestContext, bench: Bench, flow: Flow, { guarantee, needs, run }: Case): Promise<void> {
  const skip = needs && !needs(flow, bench) ? `${flow.name}s of this connector do not support this` : false
  await t.test(`${flow.name}: ${guarantee}`, { skip }, async () => {
    await bench.control.clearFaults()
    await run(flow, bench)
  })
}
