import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client'
import type { PartitionsLeft } from './partitions.ts'

/** The metrics of a process, for `/metrics`. Dashboards depend on the names: add, do not rename. */
export type Metrics = ReturnType<typeof createMetrics>

/** Values read at each scrape. */
interface Sources {
  readonly poolWaiting: () => number
  readonly partitionsLeft: () => Promise<PartitionsLeft>
  /** By kind of request. */
  readonly requests: () => Readonly<Record<string, { readonly handled: number; readonly queued: number }>>
}

export function createMetrics({ poolWaiting, partitionsLeft, requests }: Sources) {
  const registry = new Registry()
  const registers = [registry]
  collectDefaultMetrics({ register: registry })
  countPartitions(registry, partitionsLeft)
  countRequests(registry, requests)
  new Gauge({
    name: 'malipo_db_pool_waiting',
    help: 'Requests that wait for a database connection',
    registers,
    collect() {
      this.set(poolWaiting())
    },
  })
  return {
    registry,
    requestDuration: new Histogram({
      name: 'malipo_http_request_duration_seconds',
      help: 'Time from the last header of a request to the last byte of its response',
      labelNames: ['route', 'method', 'status'] as const,
      buckets: [0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10],
      registers,
    }),
    rejected: new Counter({
      name: 'malipo_http_requests_rejected_total',
      help: 'Requests refused early, before any work, because the process was at its limit',
      registers,
    }),
    ratesHeld: new Gauge({
      name: 'malipo_rates_held',
      help: 'Currency pairs whose newest rate jumped and waits for confirmation. Reported by workers only',
      labelNames: ['env'] as const,
      registers,
    }),
    ratesTooOld: new Gauge({
      name: 'malipo_rates_too_old',
      help: 'Currency pairs whose last accepted rate is too old to be used. Reported by workers only',
      labelNames: ['env'] as const,
      registers,
    }),
    floatBelowMark: new Gauge({
      name: 'malipo_float_below_mark',
      help: '1 when a float is below its low-water mark, else 0; floats without a mark are absent. Reported by workers only',
      labelNames: ['env', 'provider', 'country', 'currency'] as const,
      registers,
    }),
    requestsNotLogged: new Counter({
      name: 'malipo_request_log_dropped_total',
      help: 'Requests without an entry in the request log of their merchant, because the buffer was full',
      labelNames: ['env'] as const,
      registers,
    }),
    authFailures: new Counter({
      name: 'malipo_auth_failures_total',
      help: 'Refused token exchanges and refused tokens',
      labelNames: ['at'] as const,
      registers,
    }),
  }
}

function countRequests(registry: Registry, requests: Sources['requests']): void {
  new Gauge({
    name: 'malipo_requests',
    help: 'Requests that are being handled or wait to be, by kind',
    labelNames: ['kind', 'state'] as const,
    registers: [registry],
    collect() {
      for (const [kind, counts] of Object.entries(requests()))
        for (const [state, count] of Object.entries(counts)) this.set({ kind, state }, count)
    },
  })
}

/** Without a database the series is absent: an alert on absence fires, one on a stale value would not. */
function countPartitions(registry: Registry, partitionsLeft: Sources['partitionsLeft']): void {
  const labels = { labelNames: ['table'] as const, registers: [registry] }
  const left = () => partitionsLeft().catch(() => undefined)
  new Gauge({
    name: 'malipo_partition_hours_left',
    help: 'Whole hours ahead that have a partition, by table',
    ...labels,
    async collect() {
      const found = await left()
      this.reset()
      if (found) this.set({ table: 'timers' }, found.hours)
    },
  })
  new Gauge({
    name: 'malipo_partition_months_left',
    help: 'Whole months ahead that have a partition, by table',
    ...labels,
    async collect() {
      const found = await left()
      this.reset()
      for (const [table, months] of found?.months ?? []) this.set({ table }, months)
    },
  })
}
