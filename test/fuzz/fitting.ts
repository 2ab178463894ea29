import type { Schema } from '../../packages/server/src/http/reference/document.ts'
import type { Random } from '../support/cluster/random.ts'
import type { World } from './world.ts'

interface Around {
  /** Name of the field that the value is for. */
  readonly name: string
  readonly world: World
  readonly random: Random
}

/** A value that fits the schema, and most often the sandbox too. */
export function fittingValue(schema: Schema, around: Around): unknown {
  const { name, random } = around
  const known = knownValues(around)[name]
  if (known !== undefined && random() < 0.95) return random.pick(known)
  if ('const' in schema) return schema.const
  if (schema.enum) return random.pick(schema.enum)
  if (schema.anyOf) return fittingValue(random.pick(schema.anyOf), around)
  switch (schema.type) {
    case 'object':
      return fittingObject(schema, around)
    case 'array':
      return Array.from({ length: 1 + random.below(4) }, () => fittingValue(schema.items ?? {}, around))
    case 'boolean':
      return random() < 0.5
    case 'integer':
    case 'number':
      return fittingNumber(schema, random)
    case 'string':
      return fittingText(schema, random)
    default:
      return fittingItem(around)
  }
}

function fittingObject({ properties = {}, required = [] }: Schema, around: Around): Record<string, unknown> {
  const wanted = Object.entries(properties).filter(([name]) => required.includes(name) || around.random() < 0.5)
  return Object.fromEntries(wanted.map(([name, each]) => [name, fittingValue(each, { ...around, name })]))
}

function fittingNumber({ type, minimum = 0, maximum = 100_000 }: Schema, random: Random): number {
  const most = Math.min(maximum, minimum + 100_000)
  const value = random.pick([minimum, most, minimum + random() * (most - minimum)])
  return type === 'integer' ? Math.round(value) : Math.round(value * 100) / 100
}

function fittingText({ pattern, minLength = 0, maxLength = 20 }: Schema, random: Random): string {
  const usual = ['KE', 'KES', '2026-11-16', '7', 'a-b_c.1', 'a@example.com']
  if (pattern !== undefined) return usual.find((text) => new RegExp(pattern, 'u').test(text)) ?? 'x'
  const length = Math.max(minLength, random.pick([0, 1, maxLength, random.below(maxLength + 1)]))
  return 'Aé 0'.repeat(Math.ceil(length / 4)).slice(0, length)
}

/** An item of a list that the document leaves open: a bulk payout. */
function fittingItem(around: Around): unknown {
  const { world, random } = around
  const body = world.document.operations.find(({ id }) => id === 'postFiatPayout')?.body
  return body && random() < 0.8 ? fittingValue(body, { ...around, name: '' }) : random.pick([null, 7, 'x', {}, []])
}

const day = (daysAgo: number) => new Date(Date.now() - daysAgo * 86_400_000).toISOString().slice(0, 10)

/** By field name. */
function knownValues({ world, random }: Around): Readonly<Record<string, readonly unknown[]>> {
  const currencies = ['KES', 'KES', 'NGN', 'UGX', 'GHS', 'ZAR', 'USD', 'XOF', 'TZS']
  const countries = ['KE', 'KE', 'NG', 'UG', 'GH', 'ZA', 'CI']
  const operators = ['MPESA_KE', 'AIRTEL_KE', 'MTN_UG', 'MTN_GH', '']
  const reference = `fuzz-${world.seed}-${Math.floor(random() * 2 ** 40)}`
  const references = [...Array<string>(6).fill(reference), ...world.references]
  const accounts = world.accounts
  return {
    amount: [1, 50, 100, 100, 1500, 2500, 0.01, 150_000, 1e9],
    currency: currencies,
    walletCurrency: currencies,
    debitCurrency: currencies,
    from: currencies,
    to: currencies,
    country: countries,
    debitCountry: countries,
    externalReference: references,
    reference: references,
    transactionId: [...world.transactions, ...world.references],
    externalAccountId: accounts,
    id: world.webhooks,
    phoneNumber: ['+254703456789', '+254703456129', '254703456789', '+2348031234567', '+256772123456'],
    accountNumber: ['+254703456789', '0690000031', '1234567890', '174379'],
    code: ['MPESA_KE', '', '044', '01'],
    bankCode: ['044', '01', '000'],
    momoOperatorId: operators,
    momoOperator: operators,
    number: ['5531886652142950', '4242424242424242', '4000000000000002'],
    cvv: ['123', '1234'],
    expMonth: ['09', '12', '1'],
    expYear: ['2032', '32'],
    email: ['amina@example.com'],
    ipAddress: ['196.201.214.1'],
    successRedirectUrl: ['https://shop.example.com/done'],
    redirectUrl: ['https://shop.example.com/done'],
    failureRedirectUrl: ['https://shop.example.com/failed'],
    sandboxWebhookUrl: ['http://127.0.0.1:9/hooks', ''],
    webhookUrl: ['https://shop.example.com/hooks', ''],
    webhookStatus: ['successful', 'failed', 'pending'],
    startDate: [day(0), day(30), '2024-02-29'],
    endDate: [day(0), day(-1)],
    type: ['deposit', 'withdrew', 'payout', 'pin', 'otp', 'address'],
    value: ['1234', '12345', '123456'],
    cursor: ['', ...accounts],
    bankId: [1, 31, 999],
    seconds: [1, 60, 3600],
  }
}
