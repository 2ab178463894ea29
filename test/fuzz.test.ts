import assert from 'node:assert/strict'
import { test } from 'node:test'
import { runFuzz } from './fuzz/run.ts'
import { showReport } from './fuzz/show.ts'
import { proofSize } from './support/cluster/proof.ts'

const requests = proofSize('REQUESTS', 5000)
const seed = proofSize('SEED', 1)

test(`${requests} mutated requests get documented responses that fit their schemas, and no 500`, {
  timeout: 180_000 + requests * 20,
}, async (t) => {
  const report = await runFuzz({ requests, seed, concurrency: 32, say: (line) => t.diagnostic(line) })

  const lines = showReport(report)
  for (const line of lines.slice(0, 30)) t.diagnostic(line)
  const isTimed = ({ kind }: { kind: string }) => kind === 'slow' // An ordinary run shares the machine with other programs.
  assert.equal(report.requests, requests)
  assert.deepEqual(
    report.findings.filter((finding) => !isTimed(finding)),
    [],
    lines.join('\n'),
  )
  assert.deepEqual(report.ledgerProblems, [])
  assert.ok(report.overloaded < requests / 100, `${report.overloaded} times overloaded`)
})
