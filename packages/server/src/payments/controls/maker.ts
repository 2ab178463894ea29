import type { AuditEntry } from '../../audit/record.ts'
import { type Bearer, personOf, requirePlace } from '../../auth/bearer.ts'
import { formatMinor } from '../../money/money.ts'
import type { Place } from '../../people/principal.ts'
import { showId } from '../../platform/ids.ts'
import type { Promised, Transaction } from '../model/store.ts'

/** Who makes or cancels a payout, or makes a refund. */
export interface PayoutMaker {
  /** The credential or person, as people see the id: `cred_…` or `person_…`. */
  readonly made_by: string
  /** What the day limit of a credential counts it under, if another: a key pair keeps its public key when its API key is replaced. */
  readonly counted_as?: string | undefined
  /** Set for a person, whose payouts are in the audit trail. */
  readonly person?: Pick<AuditEntry, 'actor' | 'origin'> | undefined
  /** Whether its roles include this country and currency; missing where there is no limit. */
  readonly mayActIn?: Bearer['mayActIn']
}

export const makerOf = (bearer: Bearer): PayoutMaker => ({
  made_by: bearer.actor.id,
  ...(bearer.kind === 'key pair' && { counted_as: bearer.public_key }),
  person: personOf(bearer),
  mayActIn: bearer.mayActIn,
})

/** Where a payout is paid, and where its wallet is. Both must be within the roles of the person who decides about it. */
export const placesOf = (payout: Pick<Promised, 'country' | 'currency' | 'wallet_country' | 'wallet_currency'>) => [
  { country: payout.country, currency: payout.currency },
  { country: payout.wallet_country, currency: payout.wallet_currency },
]

export function requirePlaces({ mayActIn }: Pick<PayoutMaker, 'mayActIn'>, places: readonly Place[]): void {
  if (mayActIn) for (const place of places) requirePlace({ mayActIn }, place)
}

/** What a person did with a payout or a refund, and of which charge, or by a conversion. */
export function auditOfPayout(
  action: 'payout.create' | 'payout.cancel' | 'refund.create' | 'conversion.create',
  person: Pick<AuditEntry, 'actor' | 'origin'>,
  { id, merchant_id, env, amount, currency, external_reference, related_transaction_id: charge }: Transaction,
): AuditEntry {
  const detail = {
    amount: formatMinor(amount, currency),
    currency,
    externalReference: external_reference,
    ...(charge !== null && { refundOf: showId('transaction', charge) }),
  }
  return { ...person, action, merchant_id, env, subject: showId('transaction', id), detail }
}
