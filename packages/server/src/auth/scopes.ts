/** What a key pair can be allowed to do. By default a new pair may do everything. */
export const scopes = [
  'charges:write',
  'payouts:write',
  'refunds:write',
  'external-accounts:write',
  'transactions:read',
  'webhooks:read',
  'webhooks:write',
  'reference:read',
  'profile:read',
  'profile:write',
] as const

export type Scope = (typeof scopes)[number]
