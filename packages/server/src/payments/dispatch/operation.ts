import type { AttemptRef, Connector, Operation, QueryOutcome } from '../../providers/contract.ts'
import type { Errand } from '../../providers/routing.ts'
import type { Promised } from '../model/store.ts'

const chargeOperations: Readonly<Record<string, Operation | undefined>> = {
  momo: 'charge.momo',
  card: 'charge.card',
  'bank-transfer': 'charge.bank-transfer',
}

const payoutOperations: Readonly<Record<string, Operation | undefined>> = {
  MoMo: 'payout.momo',
  'Bank Account': 'payout.bank',
  Paybill: 'payout.paybill',
  Till: 'payout.till',
}

type Kind = Pick<Promised, 'type'> & Partial<Pick<Promised, 'method'>>

/** What a provider is asked to do for a payment. */
export function errandOf(payment: Kind & Pick<Promised, 'destination' | 'country' | 'currency' | 'code'>): Errand {
  const { type, method, destination, country, currency, code } = payment
  const operation = type === 'deposit' ? chargeOperations[method ?? ''] : payoutOperations[destination]
  if (operation === undefined) throw new Error(`nobody serves ${method} to ${destination}`)
  const hasTarget = operation.endsWith('.momo') || operation === 'payout.bank'
  return { operation, country, currency, target: hasTarget ? code : '*' }
}

/** What a payment of any kind needs of its provider after it was sent. */
interface Rail {
  readonly notFoundWindowMs: number
  readonly deadAfterMs?: number
  query(attempt: AttemptRef, signal: AbortSignal): Promise<QueryOutcome>
}

/** The part of a connector that does such payments; nothing when it has none. */
export function railOf(connector: Connector, { type, method }: Kind): Rail | undefined {
  if (type === 'withdrew') return connector.payouts
  switch (method) {
    case 'card':
      return connector.cardCharges
    case 'bank-transfer':
      return connector.transferCharges
    default:
      return connector.momoCharges
  }
}
