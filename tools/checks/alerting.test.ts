import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { buildProgram } from '../../packages/cli/src/program.ts'
import { metricTable } from '../../packages/server/src/platform/metric-table.ts'
import { readAlerts, seriesIn } from '../docs/alert-rules.ts'
import { firedBy, notFired, notFollowed } from './alert-proofs.ts'
import {
  dashboardProblems,
  expressionsOf,
  lostRunbooks,
  unknownCommands,
  unknownSeries,
  unprovenAlerts,
} from './alerting.ts'
import { readTree } from './tidy.ts'

const root = join(import.meta.dirname, '../..')
const tree = readTree(root)
const read = (path: string) => readFileSync(join(root, path), 'utf8')
const alertRules = read('deploy/prometheus/alerts.yml')
const rules = read('deploy/prometheus/recording.yml')
const alerts = readAlerts(alertRules)
const runbooks = tree.filter(({ path }) => path.startsWith('docs/operating/'))
const dashboards = ['payments', 'system'].map((name) => `deploy/grafana/${name}.json`)
const planted = (text: string) => ({ path: 'planted', text })

test('rules and dashboards name only metrics of the table, their labels, and recorded series', () => {
  for (const path of ['deploy/prometheus/alerts.yml', 'deploy/prometheus/recording.yml', ...dashboards])
    assert.deepEqual(unknownSeries({ path, text: read(path) }, rules), [])

  for (const wrong of [
    'malipo_nothing > 0',
    'malipo:nothing:ratio > 0',
    'malipo_ready{merchant="mer_1"} == 0',
    'malipo_ready_count == 0',
    'malipo_batch_size > 5',
  ])
    assert.equal(unknownSeries(planted(wrong), rules).length, 1, wrong)
  assert.deepEqual(unknownSeries(planted('rate(malipo_batch_size_bucket{le="10",batch="accept_live"}[5m])'), rules), [])
})

test('every metric is in a rule or on a dashboard', () => {
  const shown = new Set([alertRules, rules, ...dashboards.map(read)].flatMap((text) => seriesIn(text).metrics))

  const unused = Object.values(metricTable).filter(({ name }) => !shown.has(name))

  assert.deepEqual(
    unused.map(({ name }) => name),
    [],
  )
})

test('every alert has its runbook, and every runbook its alert', () => {
  assert.ok(alerts.length > 40)
  assert.deepEqual(lostRunbooks(alerts, runbooks), [])

  const [first] = alerts
  assert.ok(first)
  assert.equal(lostRunbooks([...alerts, { ...first, name: 'MalipoNew' }], runbooks).length, 1)
  const stale = { path: 'docs/operating/runbooks/nats.md', text: '## MalipoGone\n' }
  assert.deepEqual(lostRunbooks([], [stale]), ['docs/operating/runbooks/nats.md MalipoGone is not an alert'])
})

test('every alert is fired by its cause in a test that follows its runbook, or the table says why not', () => {
  const proofs = { firedBy, notFired, notFollowed }
  assert.deepEqual(unprovenAlerts(alerts, proofs, tree), [])

  const [first] = alerts
  assert.ok(first)
  const added = { ...first, name: 'MalipoNew', runbook: 'docs/operating/runbooks/nats.md#maliponew' }
  assert.equal(unprovenAlerts([...alerts, added], proofs, tree).length, 1)
  const untrue = { 'test/alerts-fire.test.ts': { 'no such test': ['MalipoNoApi'] } }
  assert.equal(unprovenAlerts(alerts, { ...proofs, firedBy: { ...firedBy, ...untrue } }, tree).length > 1, true)
  const reasons = { MalipoNoApi: 'a reason that is not true' }
  assert.equal(unprovenAlerts(alerts, { ...proofs, notFired: reasons }, tree).length, 1)
  assert.equal(unprovenAlerts(alerts, { ...proofs, notFollowed: {} }, tree).length, Object.keys(notFollowed).length)
})

test('every alert has a severity that Alertmanager routes', () => {
  for (const { name, severity } of alerts) assert.match(severity, /^(page|ticket|\{\{ if .*page.*ticket.* \}\})$/, name)
})

test('runbooks name only commands that exist', () => {
  const environment = { variables: {}, actor: 'a', write: () => undefined, writeError: () => undefined }
  const commands = new Set(pathsOf(buildProgram(environment)))

  for (const page of runbooks.filter(({ path }) => path.includes('/runbooks/')))
    assert.deepEqual(unknownCommands(page, commands), [])

  assert.ok(commands.has('providers pause'))
  assert.equal(unknownCommands(planted('Run `malipo providers stop --env live`.'), commands).length, 1)
})

type Command = ReturnType<typeof buildProgram>

/** The words of each command that does something. */
function pathsOf(command: Command, words: readonly string[] = []): string[] {
  if (command.commands.length === 0) return [words.join(' ')]
  return command.commands.flatMap((each) => pathsOf(each, [...words, each.name()]))
}

test('dashboards have a form that Grafana accepts, and expressions that Prometheus parses', (t) => {
  for (const path of dashboards) {
    const dashboard = JSON.parse(read(path)) as Parameters<typeof dashboardProblems>[0]

    assert.deepEqual(dashboardProblems(dashboard), [], path)
    assert.deepEqual(faultsOf(t, expressionsOf(dashboard)), '', path)
  }

  const panel = { id: 1, type: 'stat', title: 'one', gridPos: { x: 20, y: 0, w: 8, h: 4 }, targets: [] }
  const problems = dashboardProblems({ uid: 'a', title: '', schemaVersion: 39, panels: [panel, panel] })
  assert.equal(problems.length, 1 + 1 + 2 + 1 + 2, problems.join('; '))
  assert.notEqual(faultsOf(t, ['sum by malipo_ready']), '')
})

/** What promtool says of expressions; empty when it can parse them all. */
function faultsOf(t: TestContext, expressions: readonly string[]): string {
  const file = join(folderFor(t), 'expressions.yml')
  const written = expressions.map((expr, index) => `    - record: expression_${index}\n      expr: '${expr}'\n`)
  writeFileSync(file, `groups:\n  - name: a\n    rules:\n${written.join('')}`)
  return run('promtool', ['check', 'rules', file])
}

test('promtool and amtool accept the configuration, and the rules pass their tests', (t) => {
  const folder = folderFor(t)
  cpSync(join(root, 'deploy/prometheus'), folder, { recursive: true })
  writeFileSync(join(folder, 'malipo-metrics-token'), 'a-token')

  assert.equal(run('promtool', ['check', 'config', join(folder, 'prometheus.yml')]), '')
  assert.equal(run('promtool', ['test', 'rules', join(folder, 'alerts.test.yml')]), '')
  assert.equal(run('amtool', ['check-config', join(root, 'deploy/alertmanager/alertmanager.yml')]), '')

  writeFileSync(join(folder, 'alerts.yml'), alertRules.replaceAll('> 60', '> 6000'))
  assert.match(run('promtool', ['test', 'rules', join(folder, 'alerts.test.yml')]), /MalipoLaneBacklog/)
})

/** The output of a program that failed; empty when it succeeded. */
function run(program: string, args: readonly string[]): string {
  const { status, stdout, stderr, error } = spawnSync(program, args, { encoding: 'utf8' })
  return status === 0 ? '' : `${error ?? ''}${stdout}${stderr}`
}

function folderFor(t: TestContext): string {
  const folder = mkdtempSync(join(tmpdir(), 'malipo-alerting-'))
  t.after(() => rmSync(folder, { recursive: true }))
  return folder
}
