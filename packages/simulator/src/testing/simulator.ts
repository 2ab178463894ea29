import { createCipheriv, randomUUID } from 'node:crypto'
import type { TestContext } from 'node:test'
import { startSimulator } from '../server.ts'
import { readSettings } from '../settings.ts'
import { type Receiver, startReceiver } from './receiver.ts'

// biome-ignore lint/suspicious/noExplicitAny: tests read responses of many shapes, and an assertion checks each.
export type Body = any

interface Reply {
  readonly status: number
  readonly body: Body
  readonly headers: Headers
}

export interface TestSimulator {
  readonly url: string
  readonly receiver: Receiver
  pawapay(method: string, path: string, body?: unknown, headers?: Record<string, string>): Promise<Reply>
  house(method: string, path: string, body?: unknown, headers?: Record<string, string>): Promise<Reply>
  flutterwave(method: string, path: string, body?: unknown, headers?: Record<string, string>): Promise<Reply>
  control(method: string, path: string, body?: unknown): Promise<Reply>
  advance(ms: number): Promise<void>
  fault(order: Record<string, unknown>): Promise<string>
  movements(key: string): Promise<Body[]>
}

export const flutterwaveVariables = {
  SIMULATOR_FLUTTERWAVE_TOKEN: 'FLWSECK_TEST-simulator',
  SIMULATOR_FLUTTERWAVE_ENCRYPTION_KEY: 'FLWSECK_TEST0123456789ab',
  SIMULATOR_FLUTTERWAVE_HASH: 'flutterwave-hash',
} as const

/** No payment ends before a test moves the clock: 60 s is longer than any test runs. */
export const settleMs = 60_000

export async function startTestSimulator(
  t: TestContext,
  variables: Record<string, string> = {},
): Promise<TestSimulator> {
  const receiver = await startReceiver(t)
  const settings = readSettings({
    SIMULATOR_PORT: '0',
    SIMULATOR_CALLBACK_BASE: receiver.base,
    SIMULATOR_PAWAPAY_TOKEN: 'pawapay-token',
    SIMULATOR_HOUSE_TOKEN: 'house-token',
    SIMULATOR_HOUSE_SECRET: 'house-secret',
    ...flutterwaveVariables,
    SIMULATOR_CONTROL_TOKEN: 'control-token',
    SIMULATOR_SETTLE_MS: String(settleMs),
    ...variables,
  })
  const simulator = await startSimulator(settings)
  t.after(() => simulator.close())
  return { ...clientOf(simulator.url), receiver }
}

export function clientOf(url: string): Omit<TestSimulator, 'receiver'> {
  const caller =
    (prefix: string, token: string) =>
    (method: string, path: string, body?: unknown, headers: Record<string, string> = {}) =>
      ask(url + prefix + path, method, body, { authorization: `Bearer ${token}`, ...headers })
  const control = caller('/__sim', 'control-token')
  return {
    url,
    control,
    pawapay: caller('/pawapay', 'pawapay-token'),
    house: caller('/house', 'house-token'),
    flutterwave: caller('/flutterwave/v3', flutterwaveVariables.SIMULATOR_FLUTTERWAVE_TOKEN),
    advance: async (ms) => void (await control('POST', '/clock/advance', { ms })),
    fault: async (order) => {
      const { status, body } = await control('POST', '/faults', order)
      if (status !== 201) throw new Error(`the fault was refused: ${JSON.stringify(body)}`)
      return String(body.id)
    },
    movements: async (key) => (await control('GET', `/ledger?key=${key}`)).body.items as Body[],
  }
}

async function ask(url: string, method: string, body: unknown, headers: Record<string, string>): Promise<Reply> {
  const response = await fetch(url, {
    method,
    redirect: 'manual',
    signal: AbortSignal.timeout(15_000),
    headers: { ...(body !== undefined && { 'content-type': 'application/json' }), ...headers },
    ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
  })
  const text = await response.text()
  return { status: response.status, headers: response.headers, body: parse(text) }
}

function parse(text: string): Body {
  try {
    return JSON.parse(text) as Body
  } catch {
    return text
  }
}

export const deposit = (changes: Record<string, unknown> = {}, phone = '250783456789', provider = 'MTN_MOMO_RWA') => ({
  depositId: randomUUID(),
  amount: '100',
  currency: 'RWF',
  payer: { type: 'MMO', accountDetails: { phoneNumber: phone, provider } },
  ...changes,
})

export const payout = (changes: Record<string, unknown> = {}, phone = '250783456789', provider = 'MTN_MOMO_RWA') => ({
  payoutId: randomUUID(),
  amount: '100',
  currency: 'RWF',
  recipient: { type: 'MMO', accountDetails: { phoneNumber: phone, provider } },
  ...changes,
})

export const houseCharge = (changes: Record<string, unknown> = {}) => ({
  key: randomUUID(),
  operator: 'ORANGE_CI',
  country: 'CI',
  currency: 'XOF',
  amount: '500',
  phone: '+2250734567890',
  ...changes,
})

export const housePayout = (to: Record<string, unknown> = {}, changes: Record<string, unknown> = {}) => ({
  key: randomUUID(),
  country: 'KE',
  currency: 'KES',
  amount: '40.50',
  to: { kind: 'till', tillNumber: '123456', accountName: 'Mama Mboga', ...to },
  ...changes,
})

export const houseAccount = (changes: Record<string, unknown> = {}) => ({
  key: randomUUID(),
  country: 'KE',
  currency: 'KES',
  amount: '1500.00',
  kind: 'bank-transfer',
  email: 'amina@example.com',
  lifeSeconds: 7200,
  ...changes,
})

export const card = (number: string, changes: Record<string, unknown> = {}) => ({
  tx_ref: randomUUID(),
  card_number: number,
  cvv: '564',
  expiry_month: '09',
  expiry_year: '32',
  currency: 'NGN',
  amount: 100,
  email: 'amina@example.com',
  fullname: 'Amina Bello',
  ...changes,
})

/** As the merchant sends a card: 3DES, ECB, base64. */
export function sealed(payload: unknown, key: string = flutterwaveVariables.SIMULATOR_FLUTTERWAVE_ENCRYPTION_KEY) {
  const cipher = createCipheriv('des-ede3', Buffer.from(key), null)
  return { client: cipher.update(JSON.stringify(payload), 'utf8', 'base64') + cipher.final('base64') }
}

export const bankTransfer = (changes: Record<string, unknown> = {}) => ({
  tx_ref: randomUUID(),
  amount: 1500,
  currency: 'NGN',
  email: 'amina@example.com',
  expires: 7200,
  is_permanent: false,
  ...changes,
})

export const transfer = (changes: Record<string, unknown> = {}) => ({
  account_bank: '044',
  account_number: '0690000032',
  amount: 5500.5,
  currency: 'NGN',
  narration: 'Salary',
  reference: randomUUID(),
  beneficiary_name: 'Amina Bello',
  ...changes,
})
