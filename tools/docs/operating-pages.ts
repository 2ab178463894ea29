/** docs/reference/metrics.md and docs/operating/alerts.md, from the table of metrics and the alert rules. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { cellMetrics } from '../../packages/server/src/platform/cell-metric-table.ts'
import { type MetricEntry, metricTable } from '../../packages/server/src/platform/metric-table.ts'
import { readAlerts } from './alert-rules.ts'
import { note } from './reference-pages.ts'

const root = join(import.meta.dirname, '../..')

export function metricsPage(): string {
  const rows = (own: readonly MetricEntry[]) =>
    own.map(({ name, type, labels = [], help }) => {
      return `| \`${name}\` | ${type} | ${labels.map((label) => `\`${label}\``).join(', ')} | ${help}. |`
    })
  const cell: readonly MetricEntry[] = Object.values(cellMetrics)
  const names = new Set(cell.map(({ name }) => name))
  const process = (Object.values(metricTable) as readonly MetricEntry[]).filter(({ name }) => !names.has(name))
  return `${note}

# Metrics

Every process serves these at \`/metrics\` to the holder of \`MALIPO_METRICS_TOKEN\`, with those of Node (\`nodejs_…\`, \`process_…\`).
[Alerts](../operating/alerts.md) and dashboards are in \`deploy\`. No label is an id of a merchant, a payment or a person.

## Of each process

| metric | type | labels | what it is |
|---|---|---|---|
${rows(process).join('\n')}

## Of the cell

One worker reads these from the database every 15 seconds. The other processes do not report them, and neither does that worker when
it cannot read: aggregate them with \`max\` or \`sum\`, and alert on their absence.

| metric | type | labels | what it is |
|---|---|---|---|
${rows(cell).join('\n')}
`
}

export function alertsPage(): string {
  const alerts = readAlerts(readFileSync(join(root, 'deploy/prometheus/alerts.yml'), 'utf8'))
  const rows = alerts.map(({ name, severity, for: since, summary, runbook }) => {
    const link = runbook.replace('docs/operating/', '')
    const words = summary.replaceAll(/\{\{ \$labels\.(\w+) \}\}/g, '*$1*').replaceAll(/\{\{ \$value[^}]*\}\}/g, '*n*')
    return `| [${name}](${link}) | ${/live/.test(severity) ? 'page in live, else ticket' : severity} | ${since} | ${words}. |`
  })
  return `${note.replace('the table in the code', 'deploy/prometheus/alerts.yml')}

# Alerts

The rules are in \`deploy/prometheus/alerts.yml\`; what they count is in [Metrics](../reference/metrics.md). A *page* wakes a person, a
*ticket* waits for working hours. Each alert has its runbook: what it means, what to check, what to do. Its commands take the labels of
the alert as shell variables, such as \`env=live provider=pawapay\`; tests fire the alerts by their causes and run these commands. The
objectives behind the last group are in [Service levels](slo.md).

| alert | severity | after | meaning |
|---|---|---|---|
${rows.join('\n')}
`
}
