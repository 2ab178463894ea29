import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { readId } from '../../../packages/server/src/platform/ids.ts'
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
  /** Statuses of retryable responses. */
  readonly setbacks: number[]
  id?: string
}

const failing = { payout: ['089', '099', '109', '119'], charge: ['019', '029', '039', '049', '059', '069'] } as const

/** One in ten has a number that fails. */
export function makeOrder(random: Random, merchant: CellMerchant, kind: Order['kind']): Order {
  const ending = random.below(10) === 0 ? random.pick<string>(failing[kind]) : `${random.below(10)}0${random.below(9)}`
  const phone = `+2547${10 + random.below(19)}${String(random.below(1000)).padStart(3, '0')}${ending}`
  return { merchant, kind, amount: 10 + random.below(390), reference: randomUUID(), phone, setbacks: [] }
}

/** Sends orders, this many at once; retries each under its key until it gets a response. */
export async function sendAll(orders: readonly Order[], url: string, atOnce: number): Promise<void> {
  const waiting = [...orders]
  const send = async () => {
    for (let order = waiting.pop(); order; order = waiting.pop()) await sendOne(order, url)
  }
  await Promise.all(Array.from({ length: atOnce }, send))
}

async function sendOne(order: Order, url: string): Promise<void> {
  const { merchant, kind } = order
  for (;;) {
    const response = await merchant
      .call(url, 'POST', pathOf(order), bodyOf(order), { 'idempotency-key': order.reference })
      .catch(() => undefined)
    if (response && response.status >= 500) order.setbacks.push(response.status)
    if (response === undefined || response.status >= 500) continue
    const id = readId('transaction', String(response.body['transactionId']))
    assert.ok(id, `${kind} was refused: ${JSON.stringify(response.body)}`)
    order.id = id
    return
  }
}

export const pathOf = ({ kind }: Order) => (kind === 'payout' ? '/fiat/payout' : '/fiat/deposit/momo')

export function bodyOf({ kind, amount, reference, phone }: Order): object {
  const common = { amount, currency: 'KES', externalReference: reference }
  if (kind === 'charge') return { ...common, phoneNumber: phone, momoOperatorId: 'MPESA_KE' }
  const payoutMethod = { accountName: 'Juma', accountNumber: phone, code: 'MPESA_KE' }
  return { ...common, country: 'KE', destination: 'MoMo', payoutMethod }
}
