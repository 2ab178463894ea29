/**
 * The rights of people. A route names the permission that it needs, and a role is a list of permissions. The API's description,
 * docs/reference/roles.md and the test that calls every route as every role are made from these tables.
 */
export const merchantPermissions = {
  'payments:read': 'See payments, balances and statements',
  'personal-data:read': 'See phone and account numbers in full',
  'payments:export': 'Export payments and statements',
  'payouts:create': 'Create and cancel payouts, and refund charges',
  'payouts:approve': 'Approve and reject payouts of others',
  'beneficiaries:write': 'Create, change and delete beneficiaries',
  'webhooks:read': 'See webhooks, the event feed and the request log',
  'webhooks:resend': 'Send a webhook again',
  'developers:write': 'Create, rotate and revoke key pairs; set webhook URLs and secrets',
  'controls:write': 'Set payout limits and approval rules',
  'people:read': 'See people and their roles',
  'people:write': 'Invite people, and grant and end roles',
  'audit:read': 'Read the audit trail',
} as const

export const operatorPermissions = {
  'payments:read': 'Find and see payments of every merchant',
  'personal-data:read': 'See phone and account numbers in full; each read is audited',
  'payments:retry': 'Send a payout again under the same provider key',
  'payments:resolve': 'Propose the outcome of a payment in doubt, and what happens to money in suspense',
  'payments:approve': 'Approve such a proposal',
  'webhooks:resend': 'Send a webhook again',
  'merchants:read': 'See merchants, wallets, key pairs, fees and limits',
  'merchants:write': 'Create merchants, and turn currencies on and off',
  'merchants:freeze': 'Freeze and unfreeze merchants',
  'keys:create': 'Create and rotate key pairs of merchants',
  'keys:revoke': 'Revoke key pairs of merchants',
  'keys:approve': 'Approve key pairs that can move money',
  'money:move': 'Propose to fund a wallet or adjust a float',
  'money:approve': 'Approve such a proposal',
  'fees:write': 'Propose fees',
  'fees:approve': 'Approve fees',
  'limits:write': 'Propose payout limits, approval rules and thresholds',
  'limits:approve': 'Approve such a proposal',
  'providers:read': 'See providers, floats, rates and callbacks',
  'providers:pause': 'Pause and resume providers',
  'providers:approve': 'Approve the pause of a live provider',
  'rates:decide': 'Confirm and reject exchange rates that jumped',
  'ledger:read': 'See ledger entries and check the books',
  'people:read': 'See people and their roles',
  'people:write': 'Invite people, and grant and end roles',
  'people:approve': 'Approve roles of operator staff',
  'audit:read': 'Read the audit trail',
} as const

export type MerchantPermission = keyof typeof merchantPermissions
export type OperatorPermission = keyof typeof operatorPermissions

interface Role<Permission extends string> {
  readonly summary: string
  readonly permissions: readonly Permission[]
  /** Permissions that the role has in the sandbox only. */
  readonly sandbox?: readonly Permission[]
}

/** Roles of a merchant's people, within that merchant. */
export const merchantRoles = {
  viewer: { summary: 'Sees payments and balances', permissions: ['payments:read', 'personal-data:read'] },
  support: {
    summary: 'Answers customers; sees masked numbers',
    permissions: ['payments:read', 'webhooks:read', 'webhooks:resend'],
  },
  developer: {
    summary: 'Integrates: key pairs, webhooks, and payments of the sandbox',
    permissions: ['webhooks:read', 'webhooks:resend', 'developers:write'],
    sandbox: ['payments:read', 'personal-data:read', 'payouts:create', 'beneficiaries:write'],
  },
  finance: {
    summary: 'Creates payouts and exports statements',
    permissions: ['payments:read', 'personal-data:read', 'payments:export', 'payouts:create', 'beneficiaries:write'],
  },
  approver: {
    summary: 'Finance, and approves payouts of others',
    permissions: [
      'payments:read',
      'personal-data:read',
      'payments:export',
      'payouts:create',
      'payouts:approve',
      'beneficiaries:write',
    ],
  },
  owner: { summary: 'Everything within the merchant', permissions: keysOf(merchantPermissions) },
} as const satisfies Record<string, Role<MerchantPermission>>

/** Roles of the operator's staff, over all merchants. */
export const operatorRoles = {
  support: {
    summary: 'Finds payments for merchants; sees masked numbers',
    permissions: ['payments:read', 'webhooks:resend', 'merchants:read', 'providers:read'],
  },
  operations: {
    summary: 'Keeps payments moving: resolves, retries, pauses providers',
    permissions: [
      'payments:read',
      'personal-data:read',
      'payments:retry',
      'payments:resolve',
      'webhooks:resend',
      'merchants:read',
      'merchants:write',
      'providers:read',
      'providers:pause',
      'providers:approve',
      'rates:decide',
      'ledger:read',
    ],
  },
  finance: {
    summary: 'Moves and approves money, sets fees, checks the books',
    permissions: [
      'payments:read',
      'personal-data:read',
      'payments:approve',
      'merchants:read',
      'money:move',
      'money:approve',
      'fees:write',
      'fees:approve',
      'providers:read',
      'rates:decide',
      'ledger:read',
      'audit:read',
    ],
  },
  risk: {
    summary: 'Sets limits, freezes merchants, approves resolutions',
    permissions: [
      'payments:read',
      'personal-data:read',
      'payments:approve',
      'merchants:read',
      'merchants:freeze',
      'keys:revoke',
      'keys:approve',
      'limits:write',
      'limits:approve',
      'providers:read',
      'providers:approve',
      'ledger:read',
      'audit:read',
    ],
  },
  admin: {
    summary: 'Everything of the operator, except approving its own proposals',
    permissions: keysOf(operatorPermissions),
  },
  auditor: {
    summary: 'Reads everything and changes nothing',
    permissions: [
      'payments:read',
      'personal-data:read',
      'merchants:read',
      'providers:read',
      'ledger:read',
      'people:read',
      'audit:read',
    ],
  },
} as const satisfies Record<string, Role<OperatorPermission>>

export type MerchantRole = keyof typeof merchantRoles
export type OperatorRole = keyof typeof operatorRoles

function keysOf<Key extends string>(table: Readonly<Record<Key, string>>): readonly Key[] {
  return Object.keys(table) as Key[]
}
