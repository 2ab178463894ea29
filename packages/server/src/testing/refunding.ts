import assert from 'node:assert/strict'
import type { TestContext } from 'node:test'
import { until } from '../dev-stack/until.ts'
import { providerKeyOf, readId } from '../platform/ids.ts'
import { cardBody, cards, chargingMalipo, nextReference } from './charging.ts'
import type { ApiResponse } from './malipo.ts'
import { type PayingMalipo, walletOf } from './paying.ts'

/** A transaction as a merchant reads it. */
type ReadTransaction = Record<string, unknown> & {
  readonly transactionId: string
  readonly status: string
  readonly refunded?: number
  readonly refundable?: number
}

/** A merchant with paid charges to refund. */
export interface RefundingMerchant {
  readonly id: string
  token(): Promise<string>
  call(method: string, path: string, body?: unknown): Promise<ApiResponse>
  /** A successful charge in KES by mobile money at pawaPay. */
  paid(amount?: number): Promise<Paid>
  /** A successful card charge in NGN at Flutterwave. */
  paidByCard(amount?: number): Promise<Paid>
  /** A successful charge in KES by bank transfer at house. */
  paidByTransfer(amount?: number): Promise<Paid>
  refund(charge: string, over?: object): Promise<ApiResponse>
  /** Refunds, and returns the id of the accepted refund. */
  refunded(charge: string, over?: object): Promise<string>
  read(id: string): Promise<ReadTransaction>
}

interface Paid {
  readonly id: string
  /** The provider key of its attempt. */
  readonly key: string
}

export interface RefundingMalipo extends PayingMalipo {
  refunding(): Promise<RefundingMerchant>
  /** The check throws at the first difference. */
  assertBooks(): Promise<void>
}

/** A running Malipo that gets the simulator's callbacks. */
export async function refundingMalipo(t: TestContext, settings: Record<string, string> = {}): Promise<RefundingMalipo> {
  const malipo = await chargingMalipo(t, settings)
  return {
    ...malipo,
    refunding: () => refundingMerchant(malipo),
    assertBooks: async () => {
      assert.ok((await malipo.operator.ledger.check({ isFull: true })).transfers > 0)
    },
  }
}

let phones = 0

export const keyOf = (id: string, attempt = 1) => providerKeyOf(readId('transaction', id) ?? '', attempt)

async function refundingMerchant(malipo: PayingMalipo): Promise<RefundingMerchant> {
  const { id, token, call } = await malipo.merchant()
  const post = async (path: string, body: object): Promise<Record<string, unknown>> => {
    const response = await call('POST', `/api/b2b${path}`, body)
    assert.equal(response.status, 200, JSON.stringify(response.body))
    return response.body
  }
  const ended = async (transactionId: unknown): Promise<Paid> => {
    await malipo.comesTo(String(transactionId), 'successful')
    return { id: String(transactionId), key: keyOf(String(transactionId)) }
  }
  const read = async (transactionId: string) => {
    const { status, body } = await call('GET', `/api/b2b/transactions/${transactionId}`)
    assert.equal(status, 200, JSON.stringify(body))
    return body['data'] as ReadTransaction
  }
  const refund = (charge: string, over: object = {}) =>
    call('POST', `/api/b2b/transactions/${charge}/refunds`, { externalReference: nextReference(), ...over })
  return {
    id,
    token,
    call,
    read,
    refund,
    paid: async (amount = 1000) => {
      phones += 1
      const phoneNumber = `+25470${String(phones).padStart(4, '0')}678`
      const body = { amount, currency: 'KES', phoneNumber, externalReference: nextReference() }
      return ended((await post('/fiat/deposit/momo', body))['transactionId'])
    },
    paidByCard: async (amount = 1000) => {
      const { data } = await post('/fiat/deposit/card', cardBody(cards.succeeds, { amount }))
      return ended((data as { transactionId: string }).transactionId)
    },
    paidByTransfer: async (amount = 1000) => {
      const body = { amount, currency: 'KES', email: 'amina@example.com', externalReference: nextReference() }
      const { data } = await post('/fiat/deposit/bank-transfer', body)
      const { transactionId } = data as { transactionId: string }
      await malipo.simulator.pay(keyOf(transactionId), String(amount))
      return ended(transactionId)
    },
    refunded: async (charge, over = {}) => {
      const { status, body } = await refund(charge, over)
      assert.equal(status, 200, JSON.stringify(body))
      return String(body['transactionId'])
    },
  }
}

export const available = async (malipo: PayingMalipo, merchantId: string): Promise<bigint> =>
  (await walletOf(malipo, merchantId)).available

/** The charge's fee is 3.33 % and comes back with its refunds. */
export async function returnsFees(malipo: PayingMalipo, merchant: Pick<RefundingMerchant, 'id'>): Promise<void> {
  const scope = { env: 'sandbox', merchant: merchant.id, operation: 'charge' } as const
  await malipo.operator.fees.set({ ...scope, basisPoints: 333, isReturned: true, reason: 'a test' })
  await until('the fee rule to be in force', async () => {
    const { fee } = await malipo.operator.fees.show({ ...scope, method: 'momo', currency: 'KES', amount: '1000' })
    return String(fee).includes('33.3')
  })
}
