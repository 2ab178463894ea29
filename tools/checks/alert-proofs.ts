/** Which test fires each alert by its real cause. alerting.test.ts compares this with the rules, the tests and the runbooks. */

/** By test file and test name. */
export const firedBy: Readonly<Record<string, Readonly<Record<string, readonly string[]>>>> = {
  'test/alerts-fire.test.ts': {
    'a new cell fires until its first backup and its first ledger check, and then no more': [
      'MalipoBackupOld',
      'MalipoLedgerCheckOld',
    ],
    'the alert on a float below its mark fires until the top-up is recorded': ['MalipoFloatLow'],
    'the alert on a paused provider fires until it is resumed': ['MalipoProviderPaused'],
    'a lane that its rate limit holds back fires until the backlog is gone': ['MalipoLaneBacklog'],
    'a charge reported with another amount opens a case, and its alert fires': ['MalipoSuspenseOpen'],
    'a receiver of webhooks that is down fires': ['MalipoWebhookEndpointFailing'],
    'webhooks that the database does not let a worker take fire until it does': ['MalipoWebhookBacklog'],
    'a ledger that was changed fires when the check finds it, and ends with a good check': ['MalipoLedgerDifference'],
    'batches of the ledger that an open transaction keeps from being sealed fire until it ends': [
      'MalipoLedgerUnsealed',
    ],
    'a backup that was recorded days ago fires until the next good one': ['MalipoBackupOld'],
    'an archive of the log that refuses files fires until it takes them': ['MalipoWalArchiveFailing'],
    'requests that wait for database connections fire until the lock that they wait for is released': [
      'MalipoPoolWaiting',
    ],
    'a rate that jumped fires until it is rejected, and rates that no provider quotes until one does': [
      'MalipoRatesHeld',
      'MalipoRatesTooOld',
    ],
    'a payment of a paused provider and a case that wait for days fire until they are handled': [
      'MalipoSuspenseOld',
      'MalipoSuspenseOpen',
      'MalipoOpenPaymentOld',
    ],
    'without NATS each process fires, and so does the relay, until it is back': [
      'MalipoNatsDisconnected',
      'MalipoRelayLag',
    ],
    'a process of another version fires until it is gone': ['MalipoVersionsDiffer'],
    'a read-only database fires for every process, and the cell': ['MalipoCellDown', 'MalipoNotReady'],
    'partitions that a lock keeps from being attached run out, until its session has ended and a process starts': [
      'MalipoHoursRunOut',
      'MalipoMonthsRunOut',
    ],
    'a stopped worker fires the alerts on its process, its role and the unread state, until it runs': [
      'MalipoProcessDown',
      'MalipoNoWorker',
      'MalipoStateUnknown',
    ],
    'a provider that is down fires, and so do its payments in doubt, until they are resolved': [
      'MalipoProviderUnhealthy',
      'MalipoDoubtOld',
    ],
    'without an api, or without a database, no process reports what only they know': [
      'MalipoNoApi',
      'MalipoPartitionsUnknown',
    ],
  },
  'test/alerts-fire-in-time.test.ts': {
    'live payouts that a read-only database refuses burn the budget of accept': ['MalipoSloAcceptFast'],
    'strangers who try credentials and send callbacks fire, and so do requests that cannot be logged': [
      'MalipoAuthFailures',
      'MalipoCallbacksRefused',
      'MalipoRequestLogIncomplete',
    ],
    'batches that wait for a locked wallet are retried until the lock is released': ['MalipoBatchesRetried'],
    'live webhooks whose delivery the database refuses are late, and their job fails': [
      'MalipoJobFailing',
      'MalipoSloWebhookFast',
    ],
    'live payouts that no worker sends for minutes end late': ['MalipoSloPayoutFinalFast'],
    'requests that wait for a locked database are refused, until the lock is released': ['MalipoRequestsRejected'],
    'commits that wait for a standby are slow until it is back': ['MalipoCommitSlow'],
    'payouts that a provider cannot make fail, and those that it makes drain its float': [
      'MalipoFloatRunwayShort',
      'MalipoPaymentsFailing',
    ],
    'an endpoint that responds that it is gone is disabled': ['MalipoWebhookEndpointDisabled'],
    'a provider that responds with errors fires until it responds again': ['MalipoProviderFailing'],
    'payouts that find no money at the provider are in doubt, until the float is topped up': ['MalipoDoubtMany'],
    'a worker that is killed again and again fires': ['MalipoRestarts'],
    'slow burn alerts fire, and what is over has ended': [
      'MalipoSloAcceptSlow',
      'MalipoSloPayoutFinalSlow',
      'MalipoSloWebhookSlow',
    ],
  },
}

/** Alerts that no test fires, with the reason. */
export const notFired: Readonly<Record<string, string>> = {}

/** Alerts whose runbook names commands of malipo that the test does not run, with the reason. */
export const notFollowed: Readonly<Record<string, string>> = {
  MalipoProcessDown: 'malipo doctor finds the cause, as test/doctor.test.ts proves; the test starts the process again',
  MalipoNoWorker: 'malipo doctor finds the cause, as test/doctor.test.ts proves; the test starts a worker',
  MalipoNoApi: 'malipo doctor finds the cause, as test/doctor.test.ts proves; the test starts an api',
  MalipoBackupOld: 'test/restore.test.ts takes backups with the commands of the page; the test records one',
  MalipoNatsDisconnected: 'malipo doctor finds the cause, as test/doctor.test.ts proves; the test starts NATS again',
  MalipoLaneBacklog: 'malipo providers status only shows the provider; the backlog of the test ends by itself',
  MalipoWebhookEndpointFailing: 'the merchant fixes its receiver; malipo merchants show only shows it to staff',
}
