import type { Vault } from '../../platform/seal.ts'
import type { PayoutTarget } from '../../providers/contract.ts'

/** The other side of a payment: who is paid, or who pays. Kept sealed, since it holds account and phone numbers. */
export type Party =
  | { readonly role: 'payee'; readonly to: PayoutTarget }
  | {
      readonly role: 'payer'
      readonly operator: string
      readonly phone: string
      readonly successUrl?: string
      readonly failureUrl?: string
    }
  | {
      readonly role: 'cardholder'
      readonly email: string
      readonly firstName: string
      readonly lastName: string
      readonly ipAddress: string
      readonly card: KnownCard
    }
  | { readonly role: 'depositor'; readonly email: string }

/** As much of a card as may be kept. */
interface KnownCard {
  readonly brand: string
  readonly first6: string
  readonly last4: string
  /** Such as 09/2030. */
  readonly expiry: string
  /** The same for the same number, and of no use to anybody else. */
  readonly fingerprint: string
}

export const partyContext = (transactionId: string) => `transactions.party ${transactionId}`

export function sealParty(vault: Vault, transactionId: string, party: Party): string {
  return vault.seal(JSON.stringify(party), partyContext(transactionId))
}

export function openParty(vault: Vault, { id, party }: { readonly id: string; readonly party: string }): Party {
  return JSON.parse(vault.open(party, partyContext(id))) as Party
}

/** The number a person knows the other side by. */
export function numberOf(party: Party): string {
  if (party.role === 'payer') return party.phone
  if (party.role === 'cardholder') return `${party.card.first6}******${party.card.last4}`
  if (party.role === 'depositor') return ''
  switch (party.to.kind) {
    case 'momo':
      return party.to.phone
    case 'till':
      return party.to.tillNumber
    default:
      return party.to.accountNumber
  }
}
