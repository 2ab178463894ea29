import assert from 'node:assert/strict'
import type { TestContext } from 'node:test'
import { until } from '../dev-stack/until.ts'
import { providerKeyOf, readId } from '../platform/ids.ts'
import type { ApiResponse, Malipo } from './malipo.ts'
import { type PayingMalipo, payingMalipo } from './paying.ts'

/** The cards of the sandbox, and the codes their owners know. */
export const cards = {
  succeeds: '4242424242424242',
  asksPin: '5531886652142950',
  asksAddress: '4556052704172643',
  redirects: '4000002760003184',
  declined: '4000000000000002',
} as const
export const codes = { cvv: '739', pin: '1234', otp: '123456', wrongPin: '9078', wrongOtp: '904178' } as const

/** A transaction as a merchant reads it. */
interface ReadCharge {
  readonly transactionId: string
  readonly status: string
  readonly stage: string
  readonly fee: number
  readonly senderAmount: number
  readonly receiverAmount: number
  readonly amountReceived?: number
  readonly nextAction: { readonly type: string; readonly redirectUrl?: string }
  readonly failureReason?: { readonly failureCode: string }
  readonly timeline: readonly { readonly message: string }[]
}

/** A merchant that charges in the sandbox. */
export interface ChargingMerchant {
  readonly id: string
  /** Returns the response, whatever its status. */
  send(path: string, body: object, headers?: Record<string, string>): Promise<ApiResponse>
  chargeCard(number: string, over?: object): Promise<StartedCharge>
  authorise(id: string, type: string, value: unknown, headers?: Record<string, string>): Promise<ApiResponse>
  read(id: string): Promise<ReadCharge>
  /** Waits until a transaction meets a condition, and returns it. */
  becomes(id: string, what: string, is: (charge: ReadCharge) => boolean): Promise<ReadCharge>
  ends(id: string): Promise<ReadCharge>
  asks(id: string, type: string): Promise<ReadCharge>
}

interface StartedCharge {
  readonly id: string
  /** The provider key of its attempt. */
  readonly key: string
  readonly nextAction: ReadCharge['nextAction']
  readonly status: string
}

type Step = 'charge' | 'authorise'

export interface ChargingMalipo extends PayingMalipo {
  /** The card provider acts on the next request, and its response is lost. */
  loseNext(step: Step): Promise<void>
  /** The card provider takes this long for the next request. */
  slowNext(step: Step, delayMs: number): Promise<void>
  charging(): Promise<ChargingMerchant>
}

/** A running Malipo that gets the simulator's callbacks. */
export async function chargingMalipo(t: TestContext, settings: Record<string, string> = {}): Promise<ChargingMalipo> {
  const malipo = await payingMalipo(t, settings)
  await malipo.simulator.set({ callbackBase: `${malipo.url}/callbacks/sandbox` })
  malipo.work()
  const next = (operation: Step) => ({ provider: 'flutterwave', operation, times: 1 }) as const
  return {
    ...malipo,
    charging: () => chargingMerchant(malipo),
    loseNext: (step) => malipo.simulator.setFault({ ...next(step), mode: 'drop_after_processing' }),
    slowNext: (step, delayMs) => malipo.simulator.setFault({ ...next(step), mode: 'latency', delayMs }),
  }
}

let references = 0

export const nextReference = () => {
  references += 1
  return `charge-${process.pid}-${references}`
}

const customer = { email: 'amina@example.com', firstName: 'Amina', lastName: 'Otieno', ipAddress: '102.89.23.10' }
const nextYear = new Date().getUTCFullYear() + 1

export const cardBody = (number: string, over: object = {}) => ({
  amount: 1200,
  currency: 'NGN',
  ...customer,
  externalReference: nextReference(),
  cardDetails: { number, cvv: codes.cvv, expMonth: '09', expYear: String(nextYear) },
  successRedirectUrl: 'https://shop.example/paid',
  ...over,
})

export const transferBody = (over: object = {}) => ({
  amount: 1500,
  currency: 'NGN',
  email: customer.email,
  externalReference: nextReference(),
  ...over,
})

export const keyOf = (id: string) => providerKeyOf(readId('transaction', id) ?? '', 1)

async function chargingMerchant(malipo: Malipo): Promise<ChargingMerchant> {
  const { id: merchantId, token } = await malipo.merchant()
  const authorization = `Bearer ${await token()}`
  const send = (path: string, body: object, headers: Record<string, string> = {}) =>
    malipo.call('POST', `/api/b2b/fiat/deposit/${path}`, { authorization, ...headers }, body)
  const read = async (id: string) => {
    const { body } = await malipo.call('GET', `/api/b2b/transactions/${id}`, { authorization })
    return body['data'] as ReadCharge
  }
  const becomes = async (id: string, what: string, is: (charge: ReadCharge) => boolean) => {
    const found = await until(`${id} ${what}`, async () => {
      const charge = await read(id)
      return is(charge) && charge
    })
    return found
  }
  return {
    id: merchantId,
    send,
    read,
    becomes,
    chargeCard: async (number, over = {}) => {
      const { status, body } = await send('card', cardBody(number, over))
      assert.equal(status, 200, JSON.stringify(body))
      const data = body['data'] as Omit<StartedCharge, 'id' | 'key'> & { transactionId: string }
      return { ...data, id: data.transactionId, key: keyOf(data.transactionId) }
    },
    authorise: (id, type, value, headers) => send(`${id}/authorise`, { type, value }, headers),
    ends: (id) => becomes(id, 'to end', ({ status }) => status !== 'PENDING'),
    asks: (id, type) => becomes(id, `to ask for ${type}`, ({ nextAction }) => nextAction.type === type),
  }
}

/** A merchant's sandbox balance in a currency, in minor units. */
export async function balanceOf(malipo: Malipo, merchantId: string, currency: string): Promise<bigint> {
  const [row] = await malipo.ask<{ balance: string }>(
    `select coalesce(sum(credits_posted - debits_posted), 0)::text as balance from wallets
     where merchant_id = $1 and env = 'sandbox' and currency = $2`,
    [readId('merchant', merchantId), currency],
  )
  return BigInt(row?.balance ?? '0')
}
