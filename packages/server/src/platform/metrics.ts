import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client'

/** What a process counts, for `/metrics`. Names are promises to the operator's dashboards: add, do not rename. */
export type Metrics = ReturnType<typeof createMetrics>

export function createMetrics({ poolWaiting }: { poolWaiting: () => number }) {
  const registry = new Registry()
  const registers = [registry]
  collectDefaultMetrics({ register: registry })
  new Gauge({
    name: 'db_pool_waiting',
    help: 'Requests that wait for a database connection',
    registers,
    collect() {
      this.set(poolWaiting())
    },
  })
  return {
    registry,
    requestDuration: new Histogram({
      name: 'http_request_duration_seconds',
      help: 'Time from the last header of a request to the last byte of its answer',
      labelNames: ['route', 'method', 'status'] as const,
      buckets: [0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10],
      registers,
    }),
    turnedAway: new Counter({
      name: 'http_requests_turned_away_total',
      help: 'Requests refused before anything was done for them, because the process had enough to do',
      registers,
    }),
    authFailures: new Counter({
      name: 'auth_failures_total',
      help: 'Refused token exchanges and refused tokens',
      labelNames: ['at'] as const,
      registers,
    }),
  }
}
