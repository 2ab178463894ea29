import type { Vault } from '../../platform/seal.ts'
import { nameOf, openCounterparty } from './counterparty.ts'
import type { Transaction } from './store.ts'

/** The payer of a charge, as far as the method reveals it. */
export interface Customer {
  readonly phoneNumber?: string
  readonly name?: string
  readonly card?: { readonly brand: string; readonly first6: string; readonly last4: string }
  /** Of a bank transfer. No provider reports the sender's account today, so these are not set yet. */
  readonly accountNumber?: string
  readonly bankName?: string
}

type Charge = Pick<Transaction, 'id' | 'type' | 'counterparty'>

/** Undefined for a transaction that is not a charge. Empty where the provider does not report the payer. */
export function customerOf(vault: Vault, charge: Charge): Customer | undefined {
  if (charge.type !== 'deposit') return undefined
  const counterparty = openCounterparty(vault, charge)
  if (counterparty.role === 'payer') return { phoneNumber: counterparty.phone }
  if (counterparty.role !== 'cardholder') return {}
  const { brand, first6, last4 } = counterparty.card
  const name = nameOf(counterparty)
  return { ...(name !== '' && { name }), card: { brand, first6, last4 } }
}
