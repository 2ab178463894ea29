import type { Vault } from '../platform/seal.ts'
import type { PayoutTarget } from '../providers/contract.ts'

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

const contextOf = (transactionId: string) => `transactions.party ${transactionId}`

export function sealParty(vault: Vault, transactionId: string, party: Party): string {
  return vault.seal(JSON.stringify(party), contextOf(transactionId))
}

export function openParty(vault: Vault, { id, party }: { readonly id: string; readonly party: string }): Party {
  return JSON.parse(vault.open(party, contextOf(id))) as Party
}

/** The number a person knows the other side by. */
export function numberOf(party: Party): string {
  if (party.role === 'payer') return party.phone
  switch (party.to.kind) {
    case 'momo':
      return party.to.phone
    case 'till':
      return party.to.tillNumber
    default:
      return party.to.accountNumber
  }
}
