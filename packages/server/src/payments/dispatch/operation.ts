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

const refundOperations: Readonly<Record<string, Operation | undefined>> = {
  momo: 'refund.momo',
  card: 'refund.card',
  bank: 'refund.bank-transfer',
}

type Kind = Pick<Promised, 'type'> & Partial<Pick<Promised, 'method'>>

/** The route query of a payment: what its provider must support. */
export function routeQueryOf(
  payment: Kind & Pick<Promised, 'destination' | 'country' | 'currency' | 'code'>,
): RouteQuery {
  const { type, method, destination, country, currency, code } = payment
  const operation =
    type === 'refund'
      ? refundOperations[method ?? '']
      : type === 'deposit'
        ? chargeOperations[method ?? '']
        : payoutOperations[destination]
  if (operation === undefined) throw new Error(`no operation serves ${method} to ${destination}`)
  const hasTarget = operation.endsWith('.momo') || operation === 'payout.bank'
  return { operation, country, currency, target: hasTarget ? code : '*' }
}

/** How long a provider may take with a payment of any kind. */
interface Delays {
  readonly notFoundWindowMs: number
  readonly deadAfterMs?: number
}

/** What a payment other than a refund needs from its provider after it was sent. */
interface Rail extends Delays {
  query(attempt: AttemptRef, signal: AbortSignal): Promise<QueryOutcome>
}

export const delaysOf = (connector: Connector, kind: Kind): Delays | undefined =>
  kind.type === 'refund' ? connector.refunds : railOf(connector, kind)

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
