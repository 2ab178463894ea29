import type { Result } from './report.ts'

const wanted = 0.8

/** How much of each workload's speed is left on a full database, and the size of a payment there. */
export function growthTable({ figures, ratios }: Pick<Result, 'figures' | 'ratios'>): string {
  const cells = Object.entries(ratios).flatMap(([name, ratio]) => {
    const [, workload, size] = /^([a-z]+)(\d+M)$/.exec(name) ?? []
    return workload !== undefined && size !== undefined ? [{ workload, size, ratio }] : []
  })
  const sizes = [...new Set(cells.map(({ size }) => size))]
  const workloads = [...new Set(cells.map(({ workload }) => workload))]
  const line = (name: string, shown: readonly string[], goal = '') => `| ${name} | ${shown.join(' | ')} | ${goal} |`
  const rows = workloads.map((workload) =>
    line(
      workload,
      sizes.map((size) => `**${ratios[`${workload}${size}`]}** (${say(figures[`${workload}${size}PerSecond`])}/s)`),
      String(wanted),
    ),
  )
  return [
    line('share of the speed of an empty database', sizes, 'target'),
    `|---|${sizes.map(() => '---|').join('')}---|`,
    ...rows,
    line(
      'bytes per payment',
      sizes.map((size) => say(figures[`bytesPerPayment${size}`])),
    ),
    line(
      'dead rows not yet vacuumed',
      sizes.map((size) => `${say((figures[`deadShare${size}`] ?? Number.NaN) * 100)} %`),
    ),
    '',
  ].join('\n')
}

const say = (value = Number.NaN) => value.toLocaleString('en', { maximumSignificantDigits: 3 })
