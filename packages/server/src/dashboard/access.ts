import type { MerchantPermission } from '../people/roles.ts'
import type { Owner } from '../platform/db.ts'
import { readId } from '../platform/ids.ts'

/** The API of merchants' people: the same use cases as the merchant API, for one merchant in one environment. */
export const dashboardRoot = '/dashboard/v1/merchants/:merchantId/:env'

/** The merchant and environment of a path; undefined when it names none. */
export function readOwner(params: unknown): Owner | undefined {
  const { merchantId = '', env } = params as { readonly merchantId?: string; readonly env?: string }
  const merchant_id = readId('merchant', merchantId)
  return merchant_id !== undefined && (env === 'live' || env === 'sandbox') ? { merchant_id, env } : undefined
}

/** What a route asks of a person of the merchant. */
export interface MemberAccess {
  /** `member`: any role within the merchant. */
  readonly member: MerchantPermission | 'member'
  /** The person must have proved presence within the last 5 minutes: money, keys, people, limits. */
  readonly isSteppedUp?: true
  /**
   * Open to roles that are limited to countries or currencies, because the route compares them itself or changes nothing. A
   * change without this needs a role without limits.
   */
  readonly isForLimited?: true
  /** Takes the zone of its days. */
  readonly hasZone?: true
}

const read = (member: MemberAccess['member']): MemberAccess => ({ member, isForLimited: true })
/** Reads days of the person's own zone. */
const readDays = (member: MemberAccess['member']): MemberAccess => ({ ...read(member), hasZone: true })
const money = (member: MerchantPermission): MemberAccess => ({ member, isSteppedUp: true, isForLimited: true })
const setting = (member: MerchantPermission): MemberAccess => ({ member, isSteppedUp: true })

/** The permission of every route, by method and path below the root. A route that is missing here prevents the start. */
export const memberAccess: Readonly<Record<string, MemberAccess>> = {
  'GET /users': read('payments:read'),
  'POST /users/webhook-secret/rotate': setting('developers:write'),
  'GET /webhook-url': read('webhooks:read'),
  'PUT /webhook-url': setting('developers:write'),

  'GET /wallets/statement': readDays('payments:read'),
  'GET /transactions': readDays('payments:read'),
  'GET /transactions/:transactionId': read('payments:read'),
  'GET /transactions/:transactionId/entries': read('payments:read'),
  'GET /summary': read('payments:read'),
  'GET /money-flow': readDays('payments:read'),
  'GET /saved-views': read('payments:read'),
  'POST /saved-views': read('payments:read'),
  'PUT /saved-views/:viewId': read('payments:read'),
  'DELETE /saved-views/:viewId': read('payments:read'),
  'GET /stream': read('payments:read'),
  'GET /search/transactions': readDays('payments:read'),
  'POST /search/transactions': readDays('payments:read'),
  'GET /exports/transactions': readDays('payments:export'),
  'POST /exports/transactions': readDays('payments:export'),
  'GET /exports/statement': readDays('payments:export'),

  'POST /fiat/payout': money('payouts:create'),
  'POST /fiat/payouts/bulk': money('payouts:create'),
  'POST /quotes': read('payouts:create'),
  'POST /fiat/payout/validate': read('payouts:create'),
  'POST /fiat/payouts/bulk/validate': read('payouts:create'),
  'POST /conversions': money('payouts:create'),
  'POST /fiat/payout/:transactionId/cancel': { member: 'payouts:create', isForLimited: true },
  'POST /transactions/:transactionId/refunds': money('payouts:create'),
  'GET /refunds': readDays('payments:read'),
  'GET /approvals': read('payments:read'),
  'GET /approvals/decided': read('payments:read'),
  'POST /approvals/:transactionId/approve': money('payouts:approve'),
  'POST /approvals/:transactionId/reject': money('payouts:approve'),

  'GET /external-accounts': read('payments:read'),
  'GET /external-accounts/:externalAccountId': read('payments:read'),
  'POST /external-accounts': money('beneficiaries:write'),
  'PUT /external-accounts/:externalAccountId': money('beneficiaries:write'),
  'DELETE /external-accounts/:externalAccountId': money('beneficiaries:write'),

  'GET /webhooks': readDays('webhooks:read'),
  'GET /webhook/:id': read('webhooks:read'),
  'GET /webhooks/:id': read('webhooks:read'),
  'GET /events': read('webhooks:read'),
  'POST /webhooks/:id/resend': { member: 'webhooks:resend', isForLimited: true },
  'GET /request-log': readDays('webhooks:read'),
  'GET /webhook-endpoints': read('webhooks:read'),
  'GET /webhook-endpoints/:id': read('webhooks:read'),
  'POST /webhook-endpoints': setting('developers:write'),
  'PUT /webhook-endpoints/:id': setting('developers:write'),
  'DELETE /webhook-endpoints/:id': setting('developers:write'),
  'POST /webhook-endpoints/:id/rotate-secret': setting('developers:write'),

  'GET /utilities/countries': read('member'),
  'GET /utilities/banks': read('member'),
  'GET /utilities/branches': read('member'),
  'GET /utilities/momo-operators': read('member'),
  'GET /utilities/rates': read('member'),
  'GET /utilities/rates/historical': read('member'),
  'POST /utilities/account/resolve': read('beneficiaries:write'),

  'GET /utilities/scenarios': read('webhooks:read'),
  'PUT /utilities/scenarios/:externalReference': { member: 'developers:write' },
  'DELETE /utilities/scenarios/:externalReference': { member: 'developers:write' },
  'POST /utilities/clock/advance': { member: 'developers:write' },

  'GET /keys': read('developers:write'),
  'POST /keys': setting('developers:write'),
  'POST /keys/:publicKey/rotate': setting('developers:write'),
  'POST /keys/:publicKey/revoke': setting('developers:write'),

  'GET /payout-controls': read('payments:read'),
  'PUT /payout-controls/limits': money('controls:write'),
  'PUT /payout-controls/approvals': setting('controls:write'),

  'GET /people': read('people:read'),
  'POST /people/invitations': setting('people:write'),
  'POST /people/invitations/:invitationId/code': setting('people:write'),
  'POST /people/invitations/:invitationId/revoke': setting('people:write'),
  'POST /people/roles/:roleId/end': setting('people:write'),

  'GET /audit': read('audit:read'),
}
