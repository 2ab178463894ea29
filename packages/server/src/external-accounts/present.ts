import { showId } from '../platform/ids.ts'
import type { ExternalAccount } from './store.ts'

export function presentExternalAccount(account: ExternalAccount) {
  const { id, type, country, currency, destination, created_at, business_number } = account
  return {
    externalAccountId: showId('external account', id),
    country,
    currency,
    destination,
    type,
    createdAt: Math.floor(created_at.getTime() / 1000),
    payoutMethod: {
      accountName: account.account_name,
      accountNumber: account.account_number,
      code: account.code,
      branchCode: account.branch_code,
      ...(business_number !== '' && { businessNumber: business_number }),
    },
  }
}
