/** Reads the bodies of the house protocol. Every field is listed; any other field is refused. */
export type Fields = Readonly<Record<string, unknown>>
export type Problem = { readonly code: string; readonly message: string }
export type Form = Readonly<Record<string, Field>>

interface Field {
  readonly test: (value: unknown) => boolean
  readonly isOptional?: true
}

const pattern = (form: RegExp): Field => ({ test: (value) => typeof value === 'string' && form.test(value) })
const optional = (field: Field): Field => ({ ...field, isOptional: true })

const key = pattern(/^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i)
const operator = pattern(/^[A-Z0-9]+(_[A-Z0-9]+)+$/)
const country = pattern(/^[A-Z]{2}$/)
const currency = pattern(/^[A-Z]{3}$/)
const amount = pattern(/^(0|[1-9]\d{0,17})(\.\d{1,4})?$/)
const phone = pattern(/^\+[1-9]\d{6,14}$/)
const name = pattern(/^\S.{0,99}$/u)
const number = pattern(/^[A-Za-z0-9-]{1,40}$/)
const url: Field = {
  test: (value) => typeof value === 'string' && /^https?:\/\//.test(value) && URL.canParse(value),
}
const kind = pattern(/^[a-z]+$/)

export const chargeForm: Form = {
  key,
  operator,
  country,
  currency,
  amount,
  phone,
  code: optional(pattern(/^\d{4,8}$/)),
  voucher: optional(pattern(/^(\d{12}|\d{16})$/)),
  successUrl: optional(url),
  failureUrl: optional(url),
}

/** A charge that waits for money in its own account. */
export const accountForm: Form = {
  key,
  country: { test: (value) => value === 'KE' },
  currency: { test: (value) => value === 'KES' },
  amount,
  kind: { test: (value) => value === 'bank-transfer' },
  email: pattern(/^[^\s@]+@[^\s@]+\.[^\s@]+$/),
  lifeSeconds: { test: (value) => Number.isInteger(value) && Number(value) > 0 && Number(value) <= 31_536_000 },
}

export const payoutForm: Form = {
  key,
  country,
  currency,
  amount,
  to: { test: (value) => isFields(value) },
}

/** A refund of the charge with this key. */
export const refundForm: Form = { key, charge: key, country, currency, amount }

export const destinationForms: Readonly<Record<string, Form>> = {
  momo: { kind, operator, phone, name: optional(name) },
  bank: { kind, bankCode: number, branchCode: optional(number), accountNumber: number, accountName: name },
  paybill: { kind, businessNumber: pattern(/^\d{5,7}$/), accountNumber: number, accountName: name },
  till: { kind, tillNumber: pattern(/^\d{5,9}$/), accountName: name },
}

export const resolveForms: Readonly<Record<string, Form>> = {
  momo: { kind, operator, phone, currency },
  bank: { kind, bankCode: number, branchCode: optional(number), accountNumber: number, currency },
}

/** What is wrong with a body. Undefined when its form is valid. */
export function findProblem(body: unknown, form: Form, where = ''): Problem | undefined {
  if (!isFields(body)) return { code: 'INVALID_BODY', message: 'The body must be a JSON object.' }
  const unknown = Object.keys(body).find((field) => !Object.hasOwn(form, field))
  if (unknown !== undefined) return { code: 'UNKNOWN_FIELD', message: `${where}${unknown} is not a known field.` }
  for (const [field, { test, isOptional }] of Object.entries(form)) {
    const value = body[field]
    if (value === undefined && isOptional) continue
    if (value === undefined) return { code: 'MISSING_FIELD', message: `${where}${field} is missing.` }
    if (!test(value)) return { code: 'INVALID_FIELD', message: `${where}${field} is not valid.` }
  }
  return undefined
}

/** Chooses the form by `kind`. */
export function findKindProblem(body: unknown, forms: Readonly<Record<string, Form>>, where: string) {
  const chosen = isFields(body) ? body['kind'] : undefined
  if (chosen === undefined) return { code: 'MISSING_FIELD', message: `${where}kind is missing.` }
  const form = typeof chosen === 'string' && Object.hasOwn(forms, chosen) ? forms[chosen] : undefined
  if (form === undefined) return { code: 'INVALID_FIELD', message: `${where}kind is not valid.` }
  return findProblem(body, form, where)
}

const wholeCurrencies = new Set(['UGX', 'RWF', 'XOF', 'XAF', 'GNF', 'BIF'])

/** An amount is positive and has no more decimals than its currency. */
export function findAmountProblem(amountText: string, currencyCode: string): Problem | undefined {
  const decimals = amountText.split('.')[1]?.length ?? 0
  const isFine = decimals <= (wholeCurrencies.has(currencyCode) ? 0 : 2) && /[1-9]/.test(amountText)
  return isFine ? undefined : { code: 'INVALID_FIELD', message: `amount is not valid for ${currencyCode}.` }
}

export const isFields = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
