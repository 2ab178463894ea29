/** npm run bench -- NAME [--json]: measures one workload, both sides in one run. Load goes to loopback only. */
import { cpus, totalmem } from 'node:os'
import { parseArgs } from 'node:util'
import type { Bench } from './bench.ts'
import { deliverFairness } from './deliver-fairness.ts'
import { ledger } from './ledger.ts'
import { profile } from './profile.ts'
import { reference } from './reference.ts'
import { tokens } from './tokens.ts'

const benches: Record<string, Bench> = { 'deliver-fairness': deliverFairness, ledger, profile, reference, tokens }

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { json: { type: 'boolean', default: false } },
})
const [name = ''] = positionals
const bench = benches[name]
if (bench) {
  const { figures, ratios } = await bench((line) => console.log(line))
  const rig = {
    cores: cpus().length,
    processor: cpus()[0]?.model,
    memoryGiB: Math.round(totalmem() / 2 ** 30),
    node: process.version,
  }
  if (values.json) console.log(JSON.stringify({ name, rig, figures, ratios }))
} else {
  console.error(`usage: npm run bench -- ${Object.keys(benches).join('|')} [--json]`)
  process.exitCode = 2
}
