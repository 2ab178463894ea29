/**
 * npm run chaos -- [--seconds N] [--seed S] [--faults LIST] [--rate N] [--pace N] [--json FILE] [--keep]: a separate whole Malipo
 * under load and every fault, and a comparison of five books at the end.
 */
import { writeFileSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { runChaos } from '../test/chaos/run.ts'
import { showReport } from '../test/chaos/show.ts'

const { values } = parseArgs({
  options: {
    seconds: { type: 'string', default: '60' },
    seed: { type: 'string', default: '1' },
    faults: { type: 'string', default: '' },
    rate: { type: 'string', default: '25' },
    pace: { type: 'string', default: '40' },
    json: { type: 'string' },
    keep: { type: 'boolean', default: false },
  },
})

const report = await runChaos({
  seconds: Number(values.seconds),
  seed: Number(values.seed),
  rate: Number(values.rate),
  pace: Number(values.pace),
  faults: values.faults.split(',').filter((word) => word !== ''),
  isKept: values.keep,
  say: (line) => console.log(line),
})
for (const line of showReport(report)) console.log(line)
if (values.json !== undefined) writeFileSync(values.json, `${JSON.stringify(report, undefined, 2)}\n`)
process.exitCode = report.violations.length === 0 ? 0 : 1
