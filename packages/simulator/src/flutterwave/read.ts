import { decimalsOf } from '../money.ts'

/** Reads bodies as strictly as the provider does. The whole request is refused with one sentence. */
export type Fields = Readonly<Record<string, unknown>>
export type Form = Readonly<Record<string, Field>>

interface Field {
  readonly test: (value: unknown) => boolean
  readonly isOptional?: true
}

export const isFields = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const pattern = (form: RegExp): Field => ({ test: (value) => typeof value === 'string' && form.test(value) })
const optional = ({ test }: Field): Field => ({ test, isOptional: true })
const isNumberText = (value: unknown) => /^(0|[1-9]\d{0,14})(\.\d{1,4})?$/.test(String(value))

const text = pattern(/^\S.{0,99}$/su)
const reference = pattern(/^\S{1,100}$/)
const email = pattern(/^[^\s@]+@[^\s@]+\.[^\s@]+$/)
const url: Field = { test: (value) => typeof value === 'string' && /^https?:\/\//.test(value) && URL.canParse(value) }
const object: Field = { test: isFields }
const amount: Field = {
  test: (value) => (typeof value === 'number' || typeof value === 'string') && isNumberText(value),
}
const currency: Field = { test: (value) => typeof value === 'string' && Object.hasOwn(decimals, value) }

const payerFields = {
  tx_ref: reference,
  amount,
  currency: optional(currency),
  email,
  fullname: optional(text),
  phone_number: optional(pattern(/^\+?\d{6,15}$/)),
  client_ip: optional(pattern(/^[0-9a-fA-F.:]{2,45}$/)),
  device_fingerprint: optional(text),
} as const

export const cardForm: Form = {
  ...payerFields,
  card_number: pattern(/^\d{12,19}$/),
  cvv: pattern(/^\d{3,4}$/),
  expiry_month: pattern(/^(0[1-9]|1[0-2])$/),
  expiry_year: pattern(/^\d{2}$/),
  redirect_url: optional(url),
  meta: optional(object),
  payment_plan: optional({ test: (value) => Number.isInteger(value) }),
  subaccounts: optional({ test: Array.isArray }),
  preauthorize: optional({ test: (value) => typeof value === 'boolean' }),
  authorization: optional(object),
}

/** The outer body of a card charge: the encrypted payload. */
export const clientForm: Form = { client: pattern(/^[A-Za-z0-9+/]+={0,2}$/), public_key: optional(text) }

export const authorizationForms = {
  pin: { mode: text, pin: pattern(/^\d{4,6}$/) },
  avs_noauth: { mode: text, city: text, address: text, state: text, country: pattern(/^[A-Z]{2}$/), zipcode: text },
} as const satisfies Record<string, Form>

export const validateForm: Form = {
  otp: pattern(/^\d{4,7}$/),
  flw_ref: reference,
  type: { test: (value) => value === 'card' },
}

const yearSeconds = 31_536_000

export const bankTransferForm: Form = {
  ...payerFields,
  currency: { test: (value) => value === 'NGN' },
  narration: optional(text),
  is_permanent: optional({ test: (value) => value === false }),
  expires: optional({ test: (value) => Number.isInteger(value) && Number(value) > 0 && Number(value) <= yearSeconds }),
}

export const transferForm: Form = {
  account_bank: pattern(/^[A-Za-z0-9]{1,20}$/),
  account_number: pattern(/^[A-Za-z0-9]{5,34}$/),
  amount: { test: (value) => typeof value === 'number' && isNumberText(value) },
  currency,
  narration: text,
  reference,
  beneficiary_name: text,
  debit_currency: optional(currency),
  destination_branch_code: optional(pattern(/^[A-Za-z0-9]{1,20}$/)),
  meta: optional({ test: (value) => isFields(value) || Array.isArray(value) }),
}

export const refundForm: Form = { amount: optional(amount), comments: optional(text) }

export const resolveForm: Form = {
  account_number: pattern(/^\d{10}$/),
  account_bank: pattern(/^[A-Za-z0-9]{1,20}$/),
}

/** What is wrong with a body. Undefined when its form is valid. */
export function findProblem(body: unknown, form: Form): string | undefined {
  if (!isFields(body)) return 'The request body must be a JSON object'
  const unknown = Object.keys(body).find((name) => !Object.hasOwn(form, name))
  if (unknown !== undefined) return `${unknown} is not allowed`
  for (const [name, { test, isOptional }] of Object.entries(form)) {
    if (body[name] === undefined && isOptional) continue
    if (body[name] === undefined) return `${name} is required`
    if (!test(body[name])) return `${name} is invalid`
  }
  return undefined
}

/** The number of decimals of each currency. */
const decimals: Readonly<Record<string, number>> = {
  NGN: 2,
  KES: 2,
  GHS: 2,
  ZAR: 2,
  TZS: 2,
  ZMW: 2,
  MWK: 2,
  SLE: 2,
  ETB: 2,
  EGP: 2,
  CDF: 2,
  USD: 2,
  EUR: 2,
  GBP: 2,
  UGX: 0,
  RWF: 0,
  XOF: 0,
  XAF: 0,
}

export const currencies = Object.keys(decimals)

/** An amount is more than zero and has no more decimals than its currency. */
export function findAmountProblem({ amount: given, currency: code = 'NGN' }: Fields): string | undefined {
  const shown = String(given)
  const isFine = /[1-9]/.test(shown) && decimalsOf(shown) <= (decimals[String(code)] ?? 0)
  return isFine ? undefined : 'amount is invalid'
}

/** The wallet's country, which the provider does not report: the first two letters of the currency. */
export const countryOf = (code: string): string => code.slice(0, 2)
