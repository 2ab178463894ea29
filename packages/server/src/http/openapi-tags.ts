/** What each group of operations is about, by the name of its tag. */

export const merchantTags: Record<string, string> = {
  Authentication: 'Exchange a key pair for a token. Every other request needs it.',
  Charges: 'Collect money by card, mobile money or bank transfer.',
  Payouts: 'Send money to mobile money, banks, paybills and tills.',
  Refunds: 'Give back all or a part of a charge.',
  'Quotes and conversions': 'Learn the price before you pay, and convert between your wallets.',
  Transactions: 'Read the status and history of charges, payouts and refunds.',
  Exports: 'All transactions, or all lines of a wallet, as CSV or NDJSON.',
  Webhooks: 'Delivery records of your webhooks, and the feed of all events.',
  'External accounts': 'Stored beneficiaries: accounts that are paid, or that pay.',
  'Reference data': 'Countries, banks, operators and their limits, exchange rates, names of account holders.',
  Sandbox: 'Tools for integrators: test values, scenarios, and a clock that moves.',
  Wallets: 'Statements of your wallets, line by line.',
  User: 'Your profile, wallets and webhook URLs.',
}

export const operatorTags: Record<string, string> = {
  merchants: 'Create, list, freeze and unfreeze merchants.',
  keys: "Merchants' key pairs.",
  operations: 'What may need a person now.',
  payments: 'Find, resolve and retry payments.',
  suspense: 'Money whose owner is not clear, and its cases.',
  webhooks: "Merchants' webhooks.",
  callbacks: 'Notifications of providers, as they were received.',
  wallets: "Merchants' wallets.",
  floats: 'Our money at providers.',
  fees: 'Fee rules with their history.',
  providers: 'Health and pauses of providers.',
  rates: 'Exchange rates, and those that wait for confirmation.',
  ledger: 'Ledger entries.',
  thresholds: 'Amounts below which one person may move live money.',
  proposals: 'Actions that one person proposed and another approves or rejects.',
  audit: 'The audit trail.',
  Authentication: 'Exchange the key pair of a machine for a token.',
  People: 'Sign in, prove presence, and see your own sessions and passkeys.',
  people: 'People, their roles and sessions.',
  payoutControls: 'Payout limits and approval rules of merchants.',
  machines: "The operator's own machines.",
}

/** Of the routes of merchants' people, beside those of the merchant API. */
export const dashboardTags: Record<string, string> = {
  Approvals: 'Payouts that wait for approval.',
  'Key pairs': 'Key pairs of the environment.',
  'Payout controls': 'Payout limits and approval rules of the environment.',
  People: 'People of the merchant, their roles, and invitations.',
  'Saved views': 'Lists under a name.',
  'Audit trail': 'Who did what, and what was refused.',
}
