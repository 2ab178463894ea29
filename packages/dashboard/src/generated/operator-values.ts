// Made by npm run generate from tables of the server; do not edit.

/** The permission that approves a proposal of each operation. */
export const approvals: Readonly<Record<string, string>> = {
  'merchants.unfreeze': 'limits:approve',
  'keys.create': 'keys:approve',
  'keys.rotate': 'keys:approve',
  'payments.resolve': 'payments:approve',
  'suspense.clear': 'payments:approve',
  'wallets.fund': 'money:approve',
  'floats.adjust': 'money:approve',
  'fees.set': 'fees:approve',
  'providers.pause': 'providers:approve',
  'providers.resume': 'providers:approve',
  'rates.confirm': 'money:approve',
  'payoutControls.setLimits': 'limits:approve',
  'payoutControls.setApprovals': 'limits:approve',
  'thresholds.set': 'limits:approve',
  'people.invite': 'people:approve',
  'people.grant': 'people:approve',
  'people.recover': 'people:approve',
  'machines.create': 'people:approve',
}

interface Role {
  readonly role: string
  readonly summary: string
  readonly permissions: readonly string[]
}

/** Roles of the operator's staff. */
export const operatorRoles: readonly Role[] = [
  {
    role: 'support',
    summary: 'Finds payments for merchants; sees masked numbers',
    permissions: ['payments:read', 'webhooks:resend', 'merchants:read', 'providers:read'],
  },
  {
    role: 'operations',
    summary: 'Keeps payments moving: resolves, retries, pauses providers',
    permissions: ['payments:read', 'personal-data:read', 'payments:retry', 'payments:resolve', 'webhooks:resend', 'merchants:read', 'merchants:write', 'providers:read', 'providers:pause', 'providers:approve', 'rates:decide', 'ledger:read'],
  },
  {
    role: 'finance',
    summary: 'Moves and approves money, sets fees, checks the books',
    permissions: ['payments:read', 'personal-data:read', 'payments:approve', 'merchants:read', 'money:move', 'money:approve', 'fees:write', 'fees:approve', 'providers:read', 'rates:decide', 'ledger:read', 'audit:read'],
  },
  {
    role: 'risk',
    summary: 'Sets limits, freezes merchants, approves resolutions',
    permissions: ['payments:read', 'personal-data:read', 'payments:approve', 'merchants:read', 'merchants:freeze', 'keys:revoke', 'keys:approve', 'limits:write', 'limits:approve', 'providers:read', 'providers:approve', 'ledger:read', 'audit:read'],
  },
  {
    role: 'admin',
    summary: 'Everything of the operator, except approving its own proposals',
    permissions: ['payments:read', 'personal-data:read', 'payments:retry', 'payments:resolve', 'payments:approve', 'webhooks:resend', 'merchants:read', 'merchants:write', 'merchants:freeze', 'keys:create', 'keys:revoke', 'keys:approve', 'money:move', 'money:approve', 'fees:write', 'fees:approve', 'limits:write', 'limits:approve', 'providers:read', 'providers:pause', 'providers:approve', 'rates:decide', 'ledger:read', 'people:read', 'people:write', 'people:approve', 'audit:read'],
  },
  {
    role: 'auditor',
    summary: 'Reads everything and changes nothing',
    permissions: ['payments:read', 'personal-data:read', 'merchants:read', 'providers:read', 'ledger:read', 'people:read', 'audit:read'],
  },
]

/** What people call each provider. */
export const providerNames: Readonly<Record<string, string>> = {
  flutterwave: 'Flutterwave',
  house: 'House',
  pawapay: 'pawaPay',
}
