import { randomUUID } from 'node:crypto'
import type { CellMerchant } from '../cluster/cell.ts'
import type { Random } from '../cluster/random.ts'

/** A payment that a merchant requested, and the responses. */
export interface Order {
  readonly merchant: CellMerchant
  readonly kind: 'payout' | 'charge'
  /** In whole KES. */
  readonly amount: number
  readonly reference: string
  readonly phone: string
  id?: string
}

const failing = { payout: ['089', '099', '109', '119'], charge: ['019', '029', '039', '049', '059', '069'] } as const

/** One in ten has a number that fails. */
export function makeOrder(random: Random, merchant: CellMerchant, kind: Order['kind']): Order {
  const ending = random.below(10) === 0 ? random.pick<string>(failing[kind]) : `${random.below(10)}0${random.below(9)}`
  const phone = `+2547${10 + random.below(19)}${String(random.below(1000)).padStart(3, '0')}${ending}`
  return { merchant, kind, amount: 10 + random.below(390), reference: randomUUID(), phone }
}

export const pathOf = ({ kind }: Order) => (kind === 'payout' ? '/fiat/payout' : '/fiat/deposit/momo')

export function bodyOf({ kind, amount, reference, phone }: Order): object {
  const common = { amount, currency: 'KES', externalReference: reference }
  if (kind === 'charge') return { ...common, phoneNumber: phone, momoOperatorId: 'MPESA_KE' }
  const payoutMethod = { accountName: 'Juma', accountNumber: phone, code: 'MPESA_KE' }
  return { ...common, country: 'KE', destination: 'MoMo', payoutMethod }
}
