import assert from 'node:assert/strict'
import { cpSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { findProgram, freePort, startService } from '../../../packages/server/src/dev-stack/processes.ts'
import { until } from '../../../packages/server/src/dev-stack/until.ts'

/** A Prometheus with the rules that operators use. */
export interface Prometheus {
  /** The names of the alerts that fire. */
  firing(): Promise<string[]>
  /** Waits until all of these fire. `before` runs before each poll. */
  fires(names: readonly string[], before?: () => void): Promise<void>
  /** Waits until none of these fires. */
  ends(names: readonly string[], before?: () => void): Promise<void>
  /** Scrapes these processes from now on. */
  scrape(targets: readonly string[]): void
  /** The value of an expression; undefined without a series. */
  query(expression: string): Promise<number | undefined>
}

interface PrometheusOptions {
  readonly folder: string
  readonly token: string
  /** Host and port of each process. */
  readonly targets: readonly string[]
  /** What of the rules is shorter here. Their expressions and thresholds are never changed. */
  readonly durations: RuleDurations
}

export type RuleDurations =
  /** Every condition fires when it has lasted this long; ranges keep their minutes and hours. */
  | { readonly lasting: string }
  /** Every duration of the rules, ranges included, is this many times shorter. */
  | { readonly timesShorter: number }

const configuration = join(import.meta.dirname, '../../../deploy/prometheus')

/** Its files are those of the tree, but for how often it polls and the durations of the rules. */
export async function startPrometheus(t: Pick<TestContext, 'after'>, options: PrometheusOptions): Promise<Prometheus> {
  const folder = join(options.folder, 'prometheus')
  cpSync(configuration, folder, { recursive: true })
  change(join(folder, 'prometheus.yml'), (text) => text.replaceAll(': 15s', ': 1s'))
  change(join(folder, 'recording.yml'), (text) => text.replaceAll(/interval: \w+/g, 'interval: 1s'))
  for (const file of ['recording.yml', 'alerts.yml'])
    change(join(folder, file), (text) => shorten(text, options.durations))
  const scrape: Prometheus['scrape'] = (targets) => {
    const quoted = targets.map((target) => `'${target}'`).join(', ')
    writeFileSync(join(folder, 'targets/malipo.yml'), `- targets: [${quoted}]\n  labels: { cell: '0' }\n`)
  }
  scrape(options.targets)
  writeFileSync(join(folder, 'malipo-metrics-token'), options.token)
  const address = `127.0.0.1:${await freePort()}`
  const command = findProgram('prometheus', ['/usr/bin'], 'prometheus')
  const args = [
    `--config.file=${join(folder, 'prometheus.yml')}`,
    `--storage.tsdb.path=${join(folder, 'data')}`,
    `--web.listen-address=${address}`,
  ]
  const isReady = () =>
    fetch(`http://${address}/-/ready`).then(
      ({ ok }) => ok,
      () => false,
    )
  const service = await startService({ name: 'prometheus', command, args, folder: options.folder, env: {}, isReady })
  t.after(() => service.stop('SIGKILL'))
  const firing = async () => {
    const { data } = (await (await fetch(`http://${address}/api/v1/alerts`)).json()) as Alerts
    return [
      ...new Set(data.alerts.filter(({ state }) => state === 'firing').map(({ labels }) => labels.alertname)),
    ].sort()
  }
  const wait = (what: string, isSo: (names: readonly string[]) => boolean, before: () => void = () => undefined) => {
    const poll = async () => {
      before()
      return isSo(await firing())
    }
    return until(what, poll, { timeoutMs: 120_000 }).then(
      () => undefined,
      async (error: Error) => {
        throw new Error(`${error.message}; firing: ${(await firing()).join(', ')}`)
      },
    )
  }
  const query: Prometheus['query'] = async (expression) => {
    const path = `/api/v1/query?query=${encodeURIComponent(expression)}`
    const { data } = (await (await fetch(`http://${address}${path}`)).json()) as Queried
    const [first] = data.result
    return first && Number(first.value[1])
  }
  return {
    firing,
    scrape,
    query,
    fires: (names, before) =>
      wait(`${names.join(', ')} to fire`, (found) => names.every((name) => found.includes(name)), before),
    ends: (names, before) =>
      wait(`${names.join(', ')} to end`, (found) => !names.some((name) => found.includes(name)), before),
  }
}

interface Alerts {
  readonly data: {
    readonly alerts: readonly { readonly state: string; readonly labels: { readonly alertname: string } }[]
  }
}

interface Queried {
  readonly data: { readonly result: readonly { readonly value: readonly [number, string] }[] }
}

function shorten(text: string, durations: RuleDurations): string {
  if ('lasting' in durations) return text.replaceAll(/for: \w+/g, `for: ${durations.lasting}`)
  const shorter = (duration: string) => `${Math.ceil(milliseconds(duration) / durations.timesShorter)}ms`
  return text
    .replaceAll(/for: (\d\w*)/g, (_, duration: string) => `for: ${shorter(duration)}`)
    .replaceAll(/\[(\d\w*)\]/g, (_, duration: string) => `[${shorter(duration)}]`)
}

const units = { s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 } as const

/** Of a duration with one unit, such as 15m. */
function milliseconds(duration: string): number {
  const unit = units[duration.at(-1) as keyof typeof units]
  assert.ok(unit !== undefined, `${duration} has another form than the rules have`)
  return Number(duration.slice(0, -1)) * unit
}

function change(path: string, edit: (text: string) => string): void {
  writeFileSync(path, edit(readFileSync(path, 'utf8')))
}
