/**
 * npm run bench -- NAME [--json]: measures one workload, both sides in one run. Load goes to loopback only. A full-size run is
 * stored in bench/results; a run that BENCH_ variables made smaller is not.
 */
import { execFileSync } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { accept } from './accept.ts'
import { age } from './age.ts'
import { archive } from './archive.ts'
import type { Bench } from './bench.ts'
import { dashboard } from './dashboard.ts'
import { deliver } from './deliver.ts'
import { deliverFairness } from './deliver-fairness.ts'
import { find } from './find.ts'
import { growth } from './growth.ts'
import { idle } from './idle.ts'
import { journey } from './journey.ts'
import { lanes } from './lanes.ts'
import { ledger } from './ledger.ts'
import { read } from './read.ts'
import { reference } from './reference.ts'
import { describeRig } from './rig.ts'
import { search } from './search.ts'
import { tokens } from './tokens.ts'
import { tracing } from './tracing.ts'

const benches: Record<string, Bench> = {
  accept,
  age,
  archive,
  dashboard,
  deliver,
  'deliver-fairness': deliverFairness,
  find,
  growth,
  idle,
  journey,
  lanes,
  ledger,
  read,
  reference,
  search,
  tokens,
  tracing,
}

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { json: { type: 'boolean', default: false } },
})
const [name = ''] = positionals
const bench = benches[name]
if (bench) {
  const rig = describeRig()
  console.log(
    `${rig.cores} cores of ${rig.processor}, ${rig.memoryGiB} GiB, Node ${rig.node}, PostgreSQL ${rig.postgres}, NATS ${rig.nats}, ${rig.fsyncMicroseconds} µs to write 8 KiB to disk`,
  )
  const { figures, ratios } = await bench((line) => console.log(line))
  const commit = execFileSync('git', ['rev-parse', '--short=12', 'HEAD'], { encoding: 'utf8' }).trim()
  const result = { name, at: new Date().toISOString(), commit, rig, figures, ratios }
  const isWhole = !Object.keys(process.env).some((variable) => variable.startsWith('BENCH_'))
  if (isWhole) {
    const folder = join(import.meta.dirname, 'results')
    mkdirSync(folder, { recursive: true })
    writeFileSync(join(folder, `${name}.json`), `${JSON.stringify(result, undefined, 2)}\n`)
  }
  if (values.json) console.log(JSON.stringify(result))
} else {
  console.error(`usage: npm run bench -- ${Object.keys(benches).join('|')} [--json]`)
  process.exitCode = 2
}
