import type { MetricEntry } from './metric-table.ts'

export const provider = ['env', 'provider'] as const
export const float = ['env', 'provider', 'country', 'currency'] as const

/** What one worker reads from the database for the whole cell. The others do not report these. */
export const cellMetrics = {
  openPayments: {
    name: 'malipo_open_payments',
    type: 'gauge',
    help: 'Payments that have not ended, by state',
    labels: ['env', 'provider', 'type', 'state'],
  },
  openOldest: {
    name: 'malipo_open_payments_oldest_age_seconds',
    type: 'gauge',
    help: 'Age of the oldest payment that has not ended, by state',
    labels: ['env', 'provider', 'type', 'state'],
  },
  doubtPayments: {
    name: 'malipo_payments_in_doubt',
    type: 'gauge',
    help: 'Payments in doubt, or that wait for a named reason. The reason unknown has no name yet',
    labels: [...provider, 'reason'],
  },
  doubtOldest: {
    name: 'malipo_payments_in_doubt_oldest_age_seconds',
    type: 'gauge',
    help: 'Age of the oldest payment in doubt, by reason',
    labels: [...provider, 'reason'],
  },
  laneDue: {
    name: 'malipo_lane_due_payments',
    type: 'gauge',
    help: 'Payments that a worker should handle now. Those of paused providers and frozen merchants do not count',
    labels: provider,
  },
  laneOldestDue: {
    name: 'malipo_lane_oldest_due_seconds',
    type: 'gauge',
    help: 'How long the longest waiting of the due payments of a lane has been due',
    labels: provider,
  },
  laneBudget: {
    name: 'malipo_lane_budget_requests',
    type: 'gauge',
    help: 'Requests that a lane may make at once within the rate limit of its provider; below 0 when it is behind',
    labels: [...provider, 'operation'],
  },
  providerUnhealthy: {
    name: 'malipo_provider_unhealthy',
    type: 'gauge',
    help: '1 while new payments go to other providers because this one does not respond, else 0',
    labels: provider,
  },
  providerPaused: {
    name: 'malipo_provider_paused',
    type: 'gauge',
    help: '1 while staff have paused the provider, else 0',
    labels: provider,
  },
  webhooksWaiting: {
    name: 'malipo_webhooks_waiting',
    type: 'gauge',
    help: 'Webhooks that are not delivered and will be tried again; at most 100000 are counted',
    labels: ['env'],
  },
  webhookOldestDue: {
    name: 'malipo_webhook_oldest_due_seconds',
    type: 'gauge',
    help: 'How long the longest waiting endpoint has had work that no worker took; resting and disabled endpoints do not count',
    labels: ['env'],
  },
  webhookEndpoints: {
    name: 'malipo_webhook_endpoints',
    type: 'gauge',
    help: 'Endpoints of merchants that fail, and those that are disabled because they failed for too long',
    labels: ['env', 'state'],
  },
  floatBalance: {
    name: 'malipo_float_balance',
    type: 'gauge',
    help: 'Our money at a provider as the books have it, in major units',
    labels: float,
  },
  floatBelowMark: {
    name: 'malipo_float_below_mark',
    type: 'gauge',
    help: '1 when a float is below its low-water mark, else 0; floats without a mark are absent',
    labels: float,
  },
  suspenseCases: {
    name: 'malipo_suspense_cases',
    type: 'gauge',
    help: 'Open cases about money in suspense, by kind',
    labels: [...provider, 'kind'],
  },
  suspenseAmount: {
    name: 'malipo_suspense_amount',
    type: 'gauge',
    help: 'Money of open cases in major units; below 0, the operator must recover it',
    labels: ['env', 'currency'],
  },
  suspenseOldest: {
    name: 'malipo_suspense_oldest_age_seconds',
    type: 'gauge',
    help: 'Age of the oldest open case',
    labels: ['env'],
  },
  ledgerDifferences: {
    name: 'malipo_ledger_differences',
    type: 'gauge',
    help: '1 when the last ledger check, or the last full one, found a difference, else 0. Must be 0; absent before the first check',
  },
  ledgerChecked: {
    name: 'malipo_ledger_check_timestamp_seconds',
    type: 'gauge',
    help: 'When the last ledger check ended, whatever it found',
  },
  ledgerUnsealed: {
    name: 'malipo_ledger_unsealed_age_seconds',
    type: 'gauge',
    help: 'Age of the oldest batch of the ledger that no seal covers; 0 when all are sealed',
  },
  relayLag: {
    name: 'malipo_relay_lag_seconds',
    type: 'gauge',
    help: 'Age of the oldest event that is not in the stream for other systems; 0 when all are. Absent without NATS',
  },
  backupTime: {
    name: 'malipo_backup_timestamp_seconds',
    type: 'gauge',
    help: 'When the last good backup ended, as recorded in command_results; absent before the first',
  },
  walArchived: {
    name: 'malipo_wal_archived_timestamp_seconds',
    type: 'gauge',
    help: 'When PostgreSQL last archived a file of its log; absent when it archives nothing',
  },
  walFailing: {
    name: 'malipo_wal_archive_failing',
    type: 'gauge',
    help: '1 when the last try to archive a file of the log failed, else 0',
  },
  monthsOverdue: {
    name: 'malipo_retention_months_overdue',
    type: 'gauge',
    help: 'Months that should be empty by their retention and are not: a row is still needed, or a long reader uses the month',
    labels: ['table'],
  },
  stateRead: {
    name: 'malipo_state_read_timestamp_seconds',
    type: 'gauge',
    help: 'When this worker last read the metrics of the whole cell from the database',
  },
  stateReadDuration: {
    name: 'malipo_state_read_duration_seconds',
    type: 'gauge',
    help: 'How long that read took',
  },
} as const satisfies Record<string, MetricEntry>
