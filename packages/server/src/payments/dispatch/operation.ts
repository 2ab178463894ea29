import type { AttemptRef, Connector, Operation, QueryOutcome } from '../../providers/contract.ts'
import type { RouteQuery } from '../../providers/routing.ts'
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

/** The route query of a payment: what its provider must support. */
export function routeQueryOf(
  payment: Kind & Pick<Promised, 'destination' | 'country' | 'currency' | 'code'>,
): RouteQuery {
  const { type, method, destination, country, currency, code } = payment
  const operation = type === 'deposit' ? chargeOperations[method ?? ''] : payoutOperations[destination]
  if (operation === undefined) throw new Error(`no operation serves ${method} to ${destination}`)
  const hasTarget = operation.endsWith('.momo') || operation === 'payout.bank'
  return { operation, country, currency, target: hasTarget ? code : '*' }
}

/** What a payment of any kind needs from its provider after it was sent. */
interface Rail {
  readonly notFoundWindowMs: number
  readonly deadAfterMs?: number
  query(attempt: AttemptRef, signal: AbortSignal): Promise<QueryOutcome>
}

/** The part of a connector that handles this kind of payment; undefined when it has none. */
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
