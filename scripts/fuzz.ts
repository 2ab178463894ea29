/**
 * npm run fuzz -- [--requests N] [--seed S] [--concurrency N] [--only NUMBER] [--json FILE]: mutated requests against a separate
 * whole Malipo, every response compared with the OpenAPI document that it serves, and a ledger check at the end.
 */
import { writeFileSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { runFuzz } from '../test/fuzz/run.ts'
import { showReport } from '../test/fuzz/show.ts'

const { values } = parseArgs({
  options: {
    requests: { type: 'string', default: '10000' },
    seed: { type: 'string', default: '1' },
    concurrency: { type: 'string', default: '32' },
    only: { type: 'string' },
    json: { type: 'string' },
  },
})

const report = await runFuzz({
  requests: Number(values.requests),
  seed: Number(values.seed),
  concurrency: Number(values.concurrency),
  only: values.only === undefined ? undefined : Number(values.only),
  say: (line) => console.log(line),
})
for (const line of showReport(report)) console.log(line)
if (values.json !== undefined) writeFileSync(values.json, `${JSON.stringify(report, undefined, 2)}\n`)
process.exitCode = report.findings.length + report.ledgerProblems.length === 0 ? 0 : 1
