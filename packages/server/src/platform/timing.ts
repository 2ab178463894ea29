/**
 * The time limits of the database, of outgoing calls and of the timers' partitions. payments/resolve/timing.ts adds those of a
 * payment, and its test asserts how they relate.
 */
export const platformTiming = {
  /** How long a database connection may take to become usable, including its login and first queries. */
  databaseConnectTimeoutMs: 2000,
  /** How much longer work waits for a connection that other work must release first. */
  databasePoolWaitMs: 3000,
  /** How long a statement waits for a lock. In a batch, blocked items are postponed sooner so that the others proceed. */
  lockTimeoutMs: 2000,
  batchLockWaitMs: 200,
  statementTimeoutMs: 5000,
  /** How long past its timeout a statement may go without a response before the connection counts as dead. */
  statementGraceMs: 5000,
  /** How long the server keeps a transaction whose process is silent, and a process an unused connection. */
  idleTransactionMs: 10_000,
  /** After a lost COMMIT response: how long the batch looks for its outcome before later batches start, and after that. */
  commitLookupMs: 1000,
  commitLookupLaterMs: 4000,
  /** How long the outcome of a batch can be looked up. */
  commitsKeptMs: 3_600_000,

  /** How long a connection to a provider may take. */
  outboundConnectTimeoutMs: 5000,
  /** Shorter than any provider's idle timeout, so that few calls meet a closing connection. */
  outboundIdleMs: 4000,

  /** Hours of timers attached ahead. One more than the 72 that are always there: the hour may change between two calls. */
  timersAheadHours: 73,
  /** With fewer hours ahead a process is not ready. */
  timersAheadMinHours: 2,
  /** A timer is due within moments, and a payment whose timer was lost is found by its own row. */
  timersKeptHours: 6,
} as const
