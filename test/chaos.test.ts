import assert from 'node:assert/strict'
import { test } from 'node:test'
import { runChaos } from './chaos/run.ts'
import { showReport } from './chaos/show.ts'
import { proofSize } from './support/cluster/proof.ts'

const seconds = proofSize('SECONDS', 40)
const seed = proofSize('SEED', 1)

test(`${seconds} s of load under every fault: nothing is lost, doubled or stuck, and five books agree`, {
  timeout: 600_000 + seconds * 2000,
}, async (t) => {
  const report = await runChaos({
    seconds,
    seed,
    rate: 15,
    pace: 40,
    faults: [],
    isKept: false,
    say: (line) => t.diagnostic(line),
  })

  for (const line of showReport(report)) t.diagnostic(line)
  assert.deepEqual(
    report.violations.map(({ words, history }) => [words, ...history].join('\n')),
    [],
  )
  const unused = Object.keys(report.steadyFaults).filter((kind) => report.steadyFaults[kind] === 0)
  assert.deepEqual([Object.keys(report.steadyFaults).length, unused], [5, []], 'a fault of the provider struck nothing')
  assert.ok(report.struck.length > 0 && report.checked.movements > 0, 'nothing was proved: no faults, or no payments')
})
