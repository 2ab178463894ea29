import { cellMetrics, float, provider } from './cell-metric-table.ts'

/** A metric of Malipo. Dashboards and alert rules depend on its name: add, do not rename. */
export interface MetricEntry {
  readonly name: `malipo_${string}`
  readonly type: 'counter' | 'gauge' | 'histogram'
  readonly help: string
  /** Each has few values. None is an id of a merchant, a payment or a person. */
  readonly labels?: readonly string[]
  readonly buckets?: readonly number[]
}

const requestSeconds = [0.005, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30] as const
const lifeSeconds = [1, 2, 5, 10, 30, 60, 120, 300, 900, 3600, 14_400, 86_400] as const

/** What each process knows by itself. */
const processMetrics = {
  build: {
    name: 'malipo_build_info',
    type: 'gauge',
    help: 'Always 1; the labels name the role, cell and version of the process',
    labels: ['role', 'cell', 'version'],
  },
  ready: {
    name: 'malipo_ready',
    type: 'gauge',
    help: '1 when the process is ready for work, as /health/ready reports it, else 0',
  },
  requestDuration: {
    name: 'malipo_http_request_duration_seconds',
    type: 'histogram',
    help: 'Time from the last header of a request to the last byte of its response',
    labels: ['route', 'method', 'status'],
    buckets: [0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10],
  },
  requests: {
    name: 'malipo_requests',
    type: 'gauge',
    help: 'Requests that are being handled or wait to be, by kind',
    labels: ['kind', 'state'],
  },
  rejected: {
    name: 'malipo_http_requests_rejected_total',
    type: 'counter',
    help: 'Requests refused before any work because the process was at its limit. A client over its own rate limit does not count',
  },
  authFailures: {
    name: 'malipo_auth_failures_total',
    type: 'counter',
    help: 'Refused token exchanges, tokens, sessions, sign-ins and callbacks',
    labels: ['at'],
  },
  requestsNotLogged: {
    name: 'malipo_request_log_dropped_total',
    type: 'counter',
    help: 'Requests without an entry in the request log of their merchant, because the buffer was full',
    labels: ['env'],
  },
  batchSize: {
    name: 'malipo_batch_size',
    type: 'histogram',
    help: 'Items that one transaction wrote together',
    labels: ['batch'],
    buckets: [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000],
  },
  batchDuration: {
    name: 'malipo_batch_duration_seconds',
    type: 'histogram',
    help: 'Time of one try of a batch, from its begin to the response to its commit',
    labels: ['batch'],
    buckets: requestSeconds,
  },
  batchRetries: {
    name: 'malipo_batch_retries_total',
    type: 'counter',
    help: 'Tries of a batch that wrote nothing: repeated, split because of a lock or a refused item, or with a lost commit',
    labels: ['batch', 'reason'],
  },
  batchRefused: {
    name: 'malipo_batch_items_refused_total',
    type: 'counter',
    help: 'Items of a batch that failed: the queue was full, the tries were used up, or the database refused them',
    labels: ['batch'],
  },
  commitDuration: {
    name: 'malipo_commit_duration_seconds',
    type: 'histogram',
    help: 'Time from sending the COMMIT of a batch to its response, including the synchronous standby',
    buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 5],
  },
  paymentsCreated: {
    name: 'malipo_payments_created_total',
    type: 'counter',
    help: 'Accepted payments',
    labels: ['env', 'type', 'method', 'provider'],
  },
  paymentsFinal: {
    name: 'malipo_payments_final_total',
    type: 'counter',
    help: 'Payments that ended, by status; code is the failure code, empty for a success',
    labels: ['env', 'type', 'method', 'provider', 'status', 'code'],
  },
  timeToFinal: {
    name: 'malipo_payment_time_to_final_seconds',
    type: 'histogram',
    help: 'Time from acceptance, or from the approval of a payout, to the end of a payment',
    labels: ['env', 'type', 'method', 'provider', 'status'],
    buckets: lifeSeconds,
  },
  laneQueue: {
    name: 'malipo_lane_queue',
    type: 'gauge',
    help: 'Due payments that this worker has in memory, by lane and kind of work',
    labels: [...provider, 'kind'],
  },
  laneCalls: {
    name: 'malipo_lane_calls_in_flight',
    type: 'gauge',
    help: 'Calls to a provider that this worker has under way, by kind of work',
    labels: [...provider, 'kind'],
  },
  providerDuration: {
    name: 'malipo_provider_request_duration_seconds',
    type: 'histogram',
    help: 'Time of a request to a provider, by operation and outcome',
    labels: [...provider, 'operation', 'outcome'],
    buckets: requestSeconds,
  },
  callbacks: {
    name: 'malipo_callbacks_total',
    type: 'counter',
    help: 'Callbacks of providers, by what became of them',
    labels: [...provider, 'outcome'],
  },
  webhookAttempts: {
    name: 'malipo_webhook_attempts_total',
    type: 'counter',
    help: 'Attempts to deliver a webhook, by result',
    labels: ['env', 'result'],
  },
  webhookDuration: {
    name: 'malipo_webhook_attempt_duration_seconds',
    type: 'histogram',
    help: 'Time of an attempt to deliver a webhook',
    labels: ['env'],
    buckets: requestSeconds,
  },
  webhookFirstAttempt: {
    name: 'malipo_webhook_time_to_first_attempt_seconds',
    type: 'histogram',
    help: 'Time from an event to the start of its first delivery, whatever the receiver responds',
    labels: ['env'],
    buckets: [0.1, 0.25, 0.5, 1, 2, 5, 10, 30, 60, 300, 3600],
  },
  floatSpent: {
    name: 'malipo_float_spent_total',
    type: 'counter',
    help: 'Successful payouts and refunds from a float, in major units; malipo:float_runway:seconds is computed from it',
    labels: float,
  },
  ratesHeld: {
    name: 'malipo_rates_held',
    type: 'gauge',
    help: 'Currency pairs whose newest rate jumped and waits for confirmation. Reported by workers only',
    labels: ['env'],
  },
  ratesTooOld: {
    name: 'malipo_rates_too_old',
    type: 'gauge',
    help: 'Currency pairs whose last accepted rate is too old to be used. Reported by workers only',
    labels: ['env'],
  },
  spansDropped: {
    name: 'malipo_trace_spans_dropped_total',
    type: 'counter',
    help: 'Spans that were not exported: the queue was full, or the receiver refused them or did not respond in time',
  },
  hoursLeft: {
    name: 'malipo_partition_hours_left',
    type: 'gauge',
    help: 'Whole hours ahead that have a partition, by table',
    labels: ['table'],
  },
  monthsLeft: {
    name: 'malipo_partition_months_left',
    type: 'gauge',
    help: 'Whole months ahead that have a partition, by table',
    labels: ['table'],
  },
  poolWaiting: {
    name: 'malipo_db_pool_waiting',
    type: 'gauge',
    help: 'Requests that wait for a database connection',
  },
  poolConnections: {
    name: 'malipo_db_pool_connections',
    type: 'gauge',
    help: 'Database connections of the process, by pool and state; the limit of each pool has the state max',
    labels: ['pool', 'state'],
  },
  natsConnected: {
    name: 'malipo_nats_connected',
    type: 'gauge',
    help: '1 while the process is connected to NATS, else 0: it polls for work. Absent without NATS',
  },
  jobSuccess: {
    name: 'malipo_job_success_timestamp_seconds',
    type: 'gauge',
    help: 'When a background job of this process last succeeded',
    labels: ['task'],
  },
  jobFailures: {
    name: 'malipo_job_failures_total',
    type: 'counter',
    help: 'Runs of a background job that failed and will be repeated',
    labels: ['task'],
  },
} as const satisfies Record<string, MetricEntry>

/** Every metric of Malipo. docs/reference/metrics.md is generated from this. */
export const metricTable = { ...processMetrics, ...cellMetrics } as const
