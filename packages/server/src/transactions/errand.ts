import type { Operation } from '../providers/contract.ts'
import type { Errand } from '../providers/routing.ts'
import type { Promised } from './store.ts'

const payoutOperations: Readonly<Record<string, Operation | undefined>> = {
  MoMo: 'payout.momo',
  'Bank Account': 'payout.bank',
  Paybill: 'payout.paybill',
  Till: 'payout.till',
}

/** What a provider is asked to do for a payment. */
export function errandOf(payment: Pick<Promised, 'type' | 'destination' | 'country' | 'currency' | 'code'>): Errand {
  const { type, destination, country, currency, code } = payment
  const operation = type === 'deposit' ? 'charge.momo' : payoutOperations[destination]
  if (operation === undefined) throw new Error(`nobody pays out to ${destination}`)
  return { operation, country, currency, target: operation.endsWith('.momo') ? code : '*' }
}
