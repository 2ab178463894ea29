/**
 * Every table of the schema: what makes it grow, and what ends its rows. docs/operating/retention.md is generated from it, and its
 * test compares it with the migrated schema, so that no table grows without a plan.
 */
export interface TableRetention {
  readonly plan: RetentionPlan
  /** What adds a row. */
  readonly grows: string
  /** How long a row is kept, or why it is kept. */
  readonly kept?: string
  /** The variable of the setting that decides. */
  readonly setting?: string
  /** What removes rows. */
  readonly removedBy?: string
  /** How the schema divides it. */
  readonly parts?: 'months' | 'days' | 'hours' | 'turns' | 'hash'
}

export const retentionPlans = {
  expires: 'Removed when their time is over',
  archive: 'Kept until their month is archived',
  permanent: 'Kept permanently',
  standing: 'Limited by merchants, people and configuration',
  fixed: 'Of fixed size',
} as const

export type RetentionPlan = keyof typeof retentionPlans

const fixed = (grows: string): TableRetention => ({ plan: 'fixed', grows })
const standing = (grows: string): TableRetention => ({ plan: 'standing', grows })
const months = (grows: string, kept?: string): TableRetention => ({
  plan: 'archive',
  grows,
  parts: 'months',
  ...(kept !== undefined && { kept }),
})

const keeper = 'the retention keeper'
const forgets = 'the worker, every 30 seconds'
const untilArchive =
  'needed by `malipo ledger check --full` and by the entries of an account, like the transfers of its batch'

export const retentionTable: Readonly<Record<string, TableRetention>> = {
  // Removed.
  idempotency_keys: {
    plan: 'expires',
    grows: 'each request with an `Idempotency-Key`',
    kept: '30 days, as the API guarantees, and up to a day more',
    removedBy: `${keeper}, page by page`,
    parts: 'hash',
  },
  request_log: {
    plan: 'expires',
    grows: "each merchant's request",
    kept: 'the setting, in whole days',
    setting: 'MALIPO_KEEP_REQUEST_LOG_DAYS',
    removedBy: `${keeper}, which drops the day`,
    parts: 'days',
  },
  callbacks: {
    plan: 'expires',
    grows: "each provider's callback",
    kept: 'the setting, to the end of the month; longer while one names an open payment or case',
    setting: 'MALIPO_KEEP_CALLBACK_DAYS',
    removedBy: `${keeper}, which empties the month`,
    parts: 'months',
  },
  webhook_records: {
    plan: 'expires',
    grows: 'each event of a payment, for a merchant with a webhook URL',
    kept: 'the setting, to the end of the month; longer while one is still to be delivered',
    setting: 'MALIPO_KEEP_WEBHOOK_DAYS',
    removedBy: `${keeper}, which empties the month`,
    parts: 'months',
  },
  added_webhook_records: {
    plan: 'expires',
    grows: 'each event of a payment, for each added endpoint that gets it',
    kept: 'like `webhook_records`',
    setting: 'MALIPO_KEEP_WEBHOOK_DAYS',
    removedBy: `${keeper}, which empties the month`,
    parts: 'months',
  },
  timers: {
    plan: 'expires',
    grows: 'each next step of a payment',
    kept: '6 hours',
    removedBy: 'any process, which detaches the hour and drops it',
    parts: 'hours',
  },
  quotes: {
    plan: 'expires',
    grows: 'each quote',
    kept: '1 to 3 hours',
    removedBy: 'any process, which empties the part of the hour',
    parts: 'turns',
  },
  batch_commits: { plan: 'expires', grows: 'each batch', kept: '1 hour', removedBy: 'the worker, every 10 minutes' },
  card_continuations: {
    plan: 'expires',
    grows: 'each card charge that waits for its customer',
    kept: '15 minutes at most',
    removedBy: forgets,
  },
  card_tries: { plan: 'expires', grows: 'each card and hour', kept: 'the current hour', removedBy: forgets },
  scenarios: { plan: 'expires', grows: 'each armed scenario of the sandbox', kept: '7 days', removedBy: forgets },
  payout_days: {
    plan: 'expires',
    grows: 'each merchant, actor and beneficiary with payout limits, each day',
    kept: 'today and yesterday',
    removedBy: forgets,
  },
  paid_accounts: {
    plan: 'expires',
    grows: 'each paid bank transfer charge',
    kept: "until the bank was queried after the account's end",
    removedBy: 'the worker',
  },
  rates: {
    plan: 'expires',
    grows: 'each sampled rate of a pair',
    kept: '31 days: all of the last hour, then one of 10 minutes, and always the last',
    removedBy: 'the worker, every minute',
  },
  held_rates: {
    plan: 'expires',
    grows: 'each rate that jumped',
    kept: '31 days',
    removedBy: 'the worker, every minute',
  },
  challenges: {
    plan: 'expires',
    grows: 'each sign-in that was started',
    kept: 'minutes',
    removedBy: 'the answer, or the next sign-in',
  },
  device_codes: {
    plan: 'expires',
    grows: 'each command line that signs in',
    kept: '1 day',
    removedBy: 'the next command line that signs in',
  },
  sign_in_failures: {
    plan: 'expires',
    grows: 'each address and account with a failed sign-in',
    kept: '15 minutes after the last failure',
    removedBy: 'the next failure',
  },
  unindexed_payments: {
    plan: 'expires',
    grows: 'an upgrade, once for each month of payments',
    kept: 'until the month has its lookups',
    removedBy: 'the worker',
  },

  // With the payment.
  transactions: months('each charge, payout, refund, conversion and adjustment'),
  attempts: months('each attempt of a payment'),
  transfers: months(
    'each movement of money: the largest table',
    '`malipo archive` moves months to files, 13 months after their end by default: [Archive](archive.md)',
  ),
  events: months(
    'each change of a payment',
    "part of the payment's record. The feed of events promises 30 days; an event of an old payment is in the payment's month",
  ),
  receipts: months('each transfer into the account of a charge'),
  payment_lookups: months('each value by which staff find a payment'),
  merchant_lookups: months('each value by which a merchant finds a payment'),
  controlled_payouts: months('each payout that a limit or an approval concerns'),
  refund_reasons: months('each refund with a reason'),
  refunds_of_charges: months('each refund'),
  refund_totals: months('each refunded charge'),
  account_deltas: {
    plan: 'archive',
    grows: 'each batch, one row for each platform account that it moves: with batches, not with payments',
    kept: `folded into its account every second; after that ${untilArchive}`,
  },
  ledger_batches: {
    plan: 'archive',
    grows: 'each batch that moves money',
    kept: `the hash chains, whose heads are in the seals; ${untilArchive}`,
  },
  suspense_cases: { plan: 'archive', grows: 'each discrepancy that staff must decide', kept: 'with its evidence' },
  posting_evidence: {
    plan: 'archive',
    grows: "each of staff's postings",
    kept: 'keeps the same evidence from being posted twice',
  },
  wallet_day_sums: {
    plan: 'archive',
    grows: 'each wallet, kind of line and day with movements',
    kept: 'sums of the days whose transfers are archived',
  },

  // Permanently.
  external_references: {
    plan: 'permanent',
    grows: 'each payment',
    kept: 'a reference belongs to one payment permanently: about 100 bytes each',
    parts: 'hash',
  },
  audit_entries: {
    plan: 'permanent',
    grows: 'each action of staff, merchants and key pairs',
    kept: 'evidence; no role may delete it. `malipo audit export` copies it',
    parts: 'months',
  },
  audit_links: { plan: 'permanent', grows: 'each audit entry', kept: 'the hash chains of the audit trail' },
  ledger_seals: {
    plan: 'permanent',
    grows: 'each minute with movements: at most 525,600 rows a year',
    kept: 'proof against the copies outside the database',
  },
  fee_rules: {
    plan: 'permanent',
    grows: 'each change of a fee',
    kept: 'payments name the rule they were accepted with',
  },
  proposals: { plan: 'permanent', grows: 'each action that two people do', kept: 'evidence of who approved' },
  solo_movements: {
    plan: 'permanent',
    grows: 'each movement of live money by one person of the staff',
    kept: 'counted against thresholds, then evidence',
  },
  sessions: {
    plan: 'permanent',
    grows: 'each sign-in of a person',
    kept: 'ended rows say from where a person signs in',
  },
  invitations: { plan: 'permanent', grows: 'each invitation', kept: 'who gave a person access' },
  known_beneficiaries: {
    plan: 'permanent',
    grows: 'each account that a merchant first paid with approval',
    kept: 'the next payout to it needs none',
  },
  batch_epochs: { plan: 'permanent', grows: 'each move to another cluster', kept: 'batch numbers count from it' },

  // Standing data.
  merchants: standing('each merchant'),
  credentials: standing('each key pair; revoked ones stay, for the audit trail'),
  disabled_currencies: standing('each currency that is off for a merchant'),
  external_accounts: standing('each saved beneficiary; deleted ones stay, for the payouts that name them'),
  wallets: standing('each wallet in use'),
  platform_accounts: standing('each float, currency and receivable in use'),
  checked_accounts: standing('each account'),
  full_check_accounts: standing('each account, while `malipo ledger check --full` runs'),
  feed_counters: standing('each merchant and environment'),
  webhook_endpoints: standing('each merchant and environment'),
  added_webhook_endpoints: standing('each added endpoint, at most nine in an environment'),
  payout_controls: standing('each limit of a merchant'),
  approval_rules: standing('each merchant and environment with approvals'),
  approval_thresholds: standing('each currency'),
  saved_views: standing('each saved list of a person'),
  people: standing('each person'),
  memberships: standing('each role of a person; ended ones stay'),
  passkeys: standing('each passkey; removed ones stay'),
  oidc_subjects: standing('each identity of a person'),
  machines: standing("each of the operator's machines"),
  float_marks: standing('each float with a mark'),
  lanes: standing('each provider, environment and limited operation'),
  secret_keys: standing('each secret key that was in use'),

  // A row or a few.
  archived_months: fixed('one row for each archived month'),
  clock_offset: fixed('one row'),
  database_cell: fixed('one row'),
  write_probe: fixed('one row, updated every second'),
  delta_folds: fixed('one row'),
  ledger_checkpoints: fixed('one row'),
  full_checks: fixed('one row'),
  relays: fixed('one row'),
  audit_chains: fixed('eight rows'),
  audit_checkpoints: fixed('eight rows'),
  leases: fixed('one row for each work that one process does'),
  command_results: fixed('one row for each command'),
  schema_migrations: fixed('one row for each migration'),
}
