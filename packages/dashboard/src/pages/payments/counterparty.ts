import type { Schemas } from '../../generated/merchant-api.ts'

type Payment = Schemas['FoundTransaction']

const outgoing = new Set(['withdrew', 'refund'])

/** Money leaves the wallet. */
export const isOut = ({ type, direction }: Pick<Payment, 'type' | 'direction'>): boolean =>
  outgoing.has(type) || direction === 'debit'

/** Who paid or is paid, as far as the person may see it. */
export function counterpartyOf({ customer, beneficiary, type }: Payment): string {
  if (type === 'conversion') return 'Between your wallets'
  if (customer?.phoneNumber) return customer.phoneNumber
  if (customer?.card) return `${customer.card.brand} •••• ${customer.card.last4}`
  if (customer?.accountNumber) return `${customer.bankName ?? 'Bank'} ${customer.accountNumber}`
  return [beneficiary.accountName, beneficiary.accountNumber].filter(Boolean).join(' ') || '–'
}

/** The fee that was or will be charged, in the wallet's currency. A payment that failed has none: what was held for it is back. */
export const feeOf = ({ fee, status }: Pick<Payment, 'fee' | 'status'>): number => (status === 'FAILED' ? 0 : fee)

const kinds: Readonly<Record<string, string>> = {
  deposit: 'Charge',
  withdrew: 'Payout',
  refund: 'Refund',
  conversion: 'Conversion',
  adjustment: 'Adjustment',
}

export const kindOf = ({ type }: Pick<Payment, 'type'>): string => kinds[type] ?? type

const methods: Readonly<Record<string, string>> = {
  momo: 'Mobile money',
  card: 'Card',
  'bank-transfer': 'Bank transfer',
  bank: 'Bank',
  conversion: 'Conversion',
}

export const methodOf = ({ method }: Pick<Payment, 'method'>): string => methods[method] ?? method
