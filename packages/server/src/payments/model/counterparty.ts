import type { Vault } from '../../platform/seal.ts'
import type { PayoutTarget } from '../../providers/contract.ts'

/** The other side of a payment: the payee or the payer. Stored sealed, because it holds account and phone numbers. */
export type Counterparty =
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

/** The part of a card that may be stored. */
interface KnownCard {
  readonly brand: string
  readonly first6: string
  readonly last4: string
  /** Such as 09/2030. */
  readonly expiry: string
  /** The same for the same card number, and useless outside this installation. */
  readonly fingerprint: string
}

export const counterpartyContext = (transactionId: string) => `transactions.counterparty ${transactionId}`

export function sealCounterparty(vault: Vault, transactionId: string, counterparty: Counterparty): string {
  return vault.seal(JSON.stringify(counterparty), counterpartyContext(transactionId))
}

export function openCounterparty(
  vault: Vault,
  { id, counterparty }: { readonly id: string; readonly counterparty: string },
): Counterparty {
  return JSON.parse(vault.open(counterparty, counterpartyContext(id))) as Counterparty
}

/** The name of the payee or the cardholder; empty where only a number or an address is known. */
export function nameOf(counterparty: Counterparty): string {
  if (counterparty.role === 'cardholder') return `${counterparty.firstName} ${counterparty.lastName}`.trim()
  if (counterparty.role !== 'payee') return ''
  const { to } = counterparty
  return to.kind === 'momo' ? to.name : to.accountName
}

/** The number by which a person knows the counterparty. */
export function numberOf(counterparty: Counterparty): string {
  if (counterparty.role === 'payer') return counterparty.phone
  if (counterparty.role === 'cardholder') return `${counterparty.card.first6}******${counterparty.card.last4}`
  if (counterparty.role === 'depositor') return ''
  switch (counterparty.to.kind) {
    case 'momo':
      return counterparty.to.phone
    case 'till':
      return counterparty.to.tillNumber
    default:
      return counterparty.to.accountNumber
  }
}
