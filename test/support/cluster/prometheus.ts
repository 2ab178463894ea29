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
}

interface PrometheusOptions {
  readonly folder: string
  readonly token: string
  /** Host and port of each process. */
  readonly targets: readonly string[]
  /** How long a condition must last, instead of the minutes and hours of the rules. */
  readonly lasting: string
}

const configuration = join(import.meta.dirname, '../../../deploy/prometheus')

/** Its files are those of the tree, but for how often it polls and how long a condition must last. */
export async function startPrometheus(t: Pick<TestContext, 'after'>, options: PrometheusOptions): Promise<Prometheus> {
  const folder = join(options.folder, 'prometheus')
  cpSync(configuration, folder, { recursive: true })
  change(join(folder, 'prometheus.yml'), (text) => text.replaceAll(': 15s', ': 1s'))
  change(join(folder, 'recording.yml'), (text) => text.replaceAll(/interval: \w+/g, 'interval: 1s'))
  change(join(folder, 'alerts.yml'), (text) => text.replaceAll(/for: \w+/g, `for: ${options.lasting}`))
  const targets = options.targets.map((target) => `'${target}'`).join(', ')
  writeFileSync(join(folder, 'targets/malipo.yml'), `- targets: [${targets}]\n  labels: { cell: '0' }\n`)
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
  return {
    firing,
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

function change(path: string, edit: (text: string) => string): void {
  writeFileSync(path, edit(readFileSync(path, 'utf8')))
}
