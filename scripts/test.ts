/**
 * npm test [-- FILE… | --stage=pure|packages|systems|nightly] [--all]: runs tests. A PostgreSQL and a NATS are started when the
 * first test asks for them, unless `npm run test:servers` keeps some running. With files, the arguments are those of `node --test`:
 * --watch, --test-name-pattern=…. Without files, a nightly proof runs only if its sources changed, or with --all.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import { run as runTests } from 'node:test'
import { spec } from 'node:test/reporters'
import { testFolder } from '../packages/server/src/dev-stack/kept-servers.ts'
import { offerServers } from '../packages/server/src/dev-stack/servers-on-request.ts'
import { machineTime } from '../packages/server/src/dev-stack/until.ts'
import { type Durations, longestFirst, readDurations, recordDurations, slowestLines } from '../tools/tests/durations.ts'
import { failureLines } from '../tools/tests/failures.ts'
import { changedPaths, dueProofs, nightlyProofs } from '../tools/tests/nightly.ts'
import { isStage, type Round, roundsOf, type Stage } from '../tools/tests/rounds.ts'

const root = join(import.meta.dirname, '..')
const fileTimeoutMs = 300_000
const lastRun = join(testFolder, 'durations.json')
const inRepository = join(root, 'tools/tests/durations.json')

const args = process.argv.slice(2)
const stage = args.find((arg) => arg.startsWith('--stage='))?.slice('--stage='.length)
const isAll = args.includes('--all')
const named = args.filter((arg) => arg !== '--all' && !arg.startsWith('--stage='))

const folder = mkdtempSync(join(tmpdir(), 'malipo-test-'))
const servers = await offerServers(folder, async () => {
  if (stage === 'pure') throw new Error('a test of this stage asked for servers; it must load nothing that starts one')
  const { findOrStartServers } = await import('../packages/server/src/dev-stack/servers.ts')
  return findOrStartServers(folder)
})
const stopping = new AbortController()
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => stopping.abort())
try {
  process.exitCode = named.length > 0 ? await runNamed() : await runStages()
} finally {
  await servers.stop()
}

/** Compiled code is kept between runs of a few files, and shared in a whole run, which starts hundreds of processes. */
function environment(compiled: string): NodeJS.ProcessEnv {
  return { ...process.env, ...servers.exports, NODE_COMPILE_CACHE: compiled }
}

async function runNamed(): Promise<number> {
  const all = ['--test', '--test-reporter=spec', `--test-timeout=${fileTimeoutMs}`, ...named]
  const env = environment(join(testFolder, 'compiled'))
  const runner = spawn(process.execPath, all, { stdio: 'inherit', env })
  stopping.signal.addEventListener('abort', () => runner.kill('SIGTERM'))
  const [code] = (await once(runner, 'exit')) as [number | null]
  return code ?? 1
}

async function runStages(): Promise<number> {
  if (stage !== undefined && !isStage(stage)) {
    console.error(`There is no stage ${stage}.`)
    return 2
  }
  const due = isAll ? nightlyProofs : dueProofs(changedPaths(root, process.env['MALIPO_CI_BASE']))
  const [startedAt, startedAtMachine] = [performance.now(), machineTime()]
  const durations: Record<string, number> = {}
  const failures: string[] = []
  const failed: string[] = []
  for (const round of chosenStages(stage).flatMap((each) => roundsOf(root, each, due)))
    if (!stopping.signal.aborted && !(await runRound(round, durations, failures))) failed.push(round.name)
  report(durations, (machineTime() - startedAtMachine) / (performance.now() - startedAt))
  const left = nightlyProofs.filter((proof) => !due.includes(proof)).map(({ name }) => name)
  if (left.length > 0) console.log(`Their sources did not change, so only the nightly run has: ${left.join(', ')}.`)
  for (const line of failures) console.log(line)
  if (failed.length > 0) console.log(`FAILED: ${failed.join(', ')}`)
  return failed.length > 0 || stopping.signal.aborted ? 1 : 0
}

function chosenStages(stage: Stage | undefined): readonly Stage[] {
  return stage === undefined ? ['packages', 'systems'] : [stage]
}

/** Runs the files of a round, the longest first, and adds their durations and failures. */
async function runRound(round: Round, durations: Record<string, number>, failures: string[]): Promise<boolean> {
  console.log(`\n── ${round.name}: ${round.files.length} files`)
  const signal = AbortSignal.any([stopping.signal, AbortSignal.timeout(round.minutesMax * 60_000)])
  Object.assign(process.env, environment(join(folder, 'compiled')), round.env) // Test processes inherit it.
  let isPassed = true
  const events = runTests({
    cwd: root,
    files: longestFirst(round.files, readDurations(lastRun, inRepository)).map((file) => join(root, file)),
    concurrency: round.atOnce,
    timeout: fileTimeoutMs,
    signal,
    ...(round.skip && { testSkipPatterns: [...round.skip] }),
  })
  events.on('test:fail', ({ todo, name, file = '', details }) => {
    if (todo !== undefined) return
    isPassed = false
    failures.push(...failureLines({ name, file: relative(root, file), error: details.error }))
  })
  events.on('test:summary', ({ file, duration_ms }) => {
    if (file !== undefined) durations[relative(root, file)] = Math.round(duration_ms)
  })
  events.compose(spec).pipe(process.stdout, { end: false })
  await once(events, 'end')
  return isPassed
}

function report(durations: Durations, share: number): void {
  recordDurations(lastRun, durations, share)
  console.log(`\nThe slowest files; all are in ${relative(root, lastRun)}:`)
  for (const line of slowestLines(durations, 20)) console.log(line)
  console.log(`The processors were given to this machine for ${Math.round(share * 100)} % of the time.`)
}
