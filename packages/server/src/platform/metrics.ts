import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client'
import type { BatchObserver } from './batch.ts'
import { cellMetrics } from './cell-metric-table.ts'
import { type MetricEntry, metricTable } from './metric-table.ts'

export type { Gauge } from 'prom-client'

type Table = typeof metricTable
type LabelsOf<Entry> = Entry extends { readonly labels: readonly (infer Label extends string)[] } ? Label : never
type MetricOf<Entry extends MetricEntry> = {
  readonly counter: Counter<LabelsOf<Entry>>
  readonly gauge: Gauge<LabelsOf<Entry>>
  readonly histogram: Histogram<LabelsOf<Entry>>
}[Entry['type']]

/** The metrics of a process, for `/metrics`: those of the table, and Node's own. */
export type Metrics = { readonly [Key in keyof Table]: MetricOf<Table[Key]> } & {
  readonly registry: Registry
  /** Adds what is read at each scrape. Without what it reads it must remove its series: an alert on absence then fires. */
  beforeScrape(read: () => void | Promise<void>): void
  /** The text of a scrape. */
  scrape(): Promise<string>
}

export function createMetrics(): Metrics {
  const registry = new Registry()
  collectDefaultMetrics({ register: registry })
  const own = Object.entries(metricTable).map(([key, entry]) => [key, createMetric(entry, registry)])
  clearCell(Object.fromEntries(own))
  const reads: (() => void | Promise<void>)[] = []
  return {
    ...(Object.fromEntries(own) as { readonly [Key in keyof Table]: MetricOf<Table[Key]> }),
    registry,
    beforeScrape: (read) => void reads.push(read),
    scrape: async () => {
      await Promise.all(reads.map((read) => read()))
      return registry.metrics()
    },
  }
}

function createMetric({ name, help, type, labels = [], buckets }: MetricEntry, registry: Registry) {
  const options = { name, help, labelNames: [...labels], registers: [registry] }
  if (type === 'histogram') return new Histogram({ ...options, ...(buckets && { buckets: [...buckets] }) })
  return type === 'counter' ? new Counter(options) : new Gauge(options)
}

/** Removes the series of the metrics of the cell: those without labels too, which the library starts at 0. */
export function clearCell(metrics: Readonly<Record<keyof typeof cellMetrics, Gauge>>): void {
  for (const key of Object.keys(cellMetrics) as (keyof typeof cellMetrics)[]) clear(metrics[key])
}

export function clear(gauge: Gauge): void {
  gauge.reset()
  gauge.remove({})
}

/** Counts the batches of one batcher. */
export function observeBatches(metrics: Metrics, batch: string): BatchObserver {
  return {
    written: (items, seconds) => {
      metrics.batchSize.observe({ batch }, items)
      metrics.batchDuration.observe({ batch }, seconds)
    },
    retried: (reason) => metrics.batchRetries.inc({ batch, reason }),
    refused: (items) => metrics.batchRefused.inc({ batch }, items),
  }
}
