import { platformTiming } from '../../platform/timing.ts'
import type { Connector } from '../../providers/contract.ts'
import type { Connectors } from '../../providers/routing.ts'

export const minuteMs = 60_000
export const hourMs = 60 * minuteMs
export const dayMs = 24 * hourMs

/**
 * Every time limit in the life of a payment. Many of them depend on each other: timing.test.ts names each guarantee that a change
 * here could break. The limits of the platform are part of the table.
 */
export const timing = {
  ...platformTiming,

  // Sending and querying.

  /** How long a caller waits for the customer's next step. The call to the provider may take longer. */
  callerWaitMs: 8000,
  /** How long a sender may take to start sending, from the moment it is entitled to send. */
  sendDeadlineMs: 10_000,
  /** The timeout of a provider call. After it the provider may still act, so it is queried. */
  submitTimeoutMs: 35_000,
  queryTimeoutMs: 15_000,
  /** Minimum assumed age of a query response when the caller did not measure it. */
  queryAgeMinMs: 20_000,
  /** How long a claim to query or to end a payment lasts. If no process reports back by then, another one claims it. */
  queryClaimMs: 20_000,
  /** By then the customer's answer is sent and the provider has responded; otherwise the provider is queried. */
  answerClaimMs: 50_000,
  /** How long after its send deadline a customer's answer may still be under way. */
  answerUnderWayMs: 40_000,
  /** How often a waiting caller's charge is queried for its page, and read while another request sends it. */
  pageQueryEveryMs: 300,
  sendingPollEveryMs: 200,

  // Trying again. Each step is spread by up to a fifth in both directions.

  /** Between polls of a payment, by the number of polls made. */
  pollStepsMs: [5000, 15_000, 30_000, minuteMs, 2 * minuteMs, 5 * minuteMs],
  lastPollMs: 15 * minuteMs,
  /** Before a payment that the provider could not take is sent again, by the number of refusals in a row. */
  refusalStepsMs: [2000, 5000, 15_000, 30_000],
  lastRefusalMs: minuteMs,
  /** How long a payout waits for our float at the provider, by the number of attempts that found too little. */
  shortfallStepsMs: [minuteMs, 2 * minuteMs, 5 * minuteMs, 15 * minuteMs, 30 * minuteMs],
  lastShortfallMs: hourMs,

  // Expiry.

  /** How long a customer has to approve a prompt. A customer with less than the minimum left gets no prompt. */
  promptExpiryMs: 15 * minuteMs,
  promptLeftMinMs: minuteMs,
  /** How long a customer has for all steps of a card charge. */
  cardExpiryMs: hourMs,
  /** How long a card's continuation is stored. */
  continuationKeptMs: 15 * minuteMs,
  /** How long the account of a bank transfer charge accepts money, counted from acceptance; and the minimum. */
  accountOpenMs: 2 * hourMs,
  accountOpenMinMs: 10 * minuteMs,
  /** Transfers sent while the account was open have one more day to arrive. */
  transferExpiryMs: 26 * hourMs,
  /** How long a payout waits for approval, and how long a beneficiary counts as new. */
  approvalMs: 3 * dayMs,
  newBeneficiaryMs: dayMs,
  /** A payout that ends sooner did not wait long for a person: its time to final is counted from its acceptance. */
  approvalCountedMs: minuteMs,
  /** A paid account that its claimer did not query by then can be claimed again. */
  paidAccountClaimMs: 15 * minuteMs,

  // Lanes and the sweeper.

  /** Without wakeups, work is found this late. */
  lanePollEveryMs: 250,
  /** A transaction that sets a timer takes a while to commit, so a poll starts a little before the end of the last one. */
  laneOverlapMs: 250,
  /** At this interval a poll goes back further, for transactions that took longer than the overlap. */
  laneLookbackEveryMs: 5000,
  laneLookbackMs: 15_000,
  /** When no timers follow, the last ones read are skipped after this time, so that not every poll reads them. */
  laneSettleMs: 1000,
  /** The first poll of a process goes back to where the sweeper starts: work from before the process started is not late. */
  laneFirstLookbackMs: 90_000,
  /** A payment that is overdue by more than this is not in its lane's queue, or waits there for its turn. */
  sweepLateMs: minuteMs,
  sweepEveryMs: 10_000,
  healthPollEveryMs: 1000,
  /** After this time one payment is routed to an unhealthy provider again, unless it responded to a request before. */
  unhealthyMs: 30_000,

  // Callbacks and webhooks.

  /** The longest that a provider waits for its callback to be stored once the payment is durable. */
  callbackStoreWaitMs: 1000,
  webhookPollEveryMs: 250,
  webhookTimeoutMs: 15_000,
  /** After this the worker that claimed a webhook has died, and another one tries. */
  webhookLeaseMs: 30_000,
  /** A claim reads from this far below the time of the previous one, for records whose transaction took that long to commit. */
  webhookLookbackMs: 15_000,
  /** A claim reads all endpoints this often, for those that were locked, or uncommitted, for longer than that. */
  webhookReadAllEveryMs: 30_000,

  // Trying a payout without making it.

  /** A slow name service delays the response by no more than this. */
  nameWaitMs: 2000,

  // The sandbox clock.

  /** How long it waits for payments that are being sent, and how often it looks at them. */
  sandboxSendWaitMs: 3000,
  sandboxSendPollEveryMs: 50,
} as const

/** Spreads a wait by up to a fifth in both directions. `jitter` is between 0 and 1. */
export const spread = (ms: number, jitter: number): number => ms * (0.8 + 0.4 * jitter)

const rails = ['payouts', 'refunds', 'momoCharges', 'cardCharges', 'transferCharges'] as const

/**
 * Connectors whose window is shorter than a provider call. With one, "not found" could count while the first send is under way,
 * and a payout could be sent again meanwhile. The process must not start with it.
 */
export function windowProblems(connectors: Connectors): string[] {
  return [connectors.live, connectors.sandbox].flatMap((ofEnv) => [...ofEnv.values()].flatMap(problemsOf))
}

function problemsOf(connector: Connector): string[] {
  return rails.flatMap((rail) => {
    const windowMs = connector[rail]?.notFoundWindowMs ?? Number.POSITIVE_INFINITY
    if (windowMs >= timing.submitTimeoutMs) return []
    return [
      `The connector ${connector.id} is unsafe: notFoundWindowMs of its ${rail} is ${windowMs}, and must be at least the` +
        ` ${timing.submitTimeoutMs} ms that a call may take. Correct the connector.`,
    ]
  })
}
