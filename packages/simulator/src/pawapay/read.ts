import type { OrderOperation } from '../entries.ts'
import type { Rejection } from './words.ts'

/** A deposit or payout in a valid form. A later check decides whether it can be made. */
export interface Order {
  readonly id: string
  readonly amount: string
  readonly currency: string
  readonly phone: string
  readonly provider: string
  readonly customerMessage?: string
  readonly clientReferenceId?: string
  readonly preAuthorisationCode?: string
  readonly successfulUrl?: string
  readonly failedUrl?: string
  readonly metadata?: readonly Readonly<Record<string, unknown>>[]
}

export type Read = { readonly order: Order } | { readonly refusal: Rejection }

const required = {
  charge: ['depositId', 'amount', 'currency', 'payer'],
  payout: ['payoutId', 'amount', 'currency', 'recipient'],
} as const
const optional = {
  charge: ['customerMessage', 'clientReferenceId', 'metadata', 'preAuthorisationCode', 'successfulUrl', 'failedUrl'],
  payout: ['customerMessage', 'clientReferenceId', 'metadata'],
} as const
const refundFields = {
  needed: ['refundId', 'depositId'],
  allowed: ['amount', 'currency', 'clientReferenceId', 'metadata'],
}
const metadataMax = 10

type Fields = Readonly<Record<string, unknown>>

/** Reads a body as strictly as the provider does: a missing, unknown or malformed field refuses the whole request. */
export function readOrder(operation: OrderOperation, body: unknown): Read {
  if (!isFields(body)) return refuse('INVALID_INPUT', 'The payload could not be parsed.')
  const counterpartyName = operation === 'charge' ? 'payer' : 'recipient'
  const counterparty = fieldsOf(body, counterpartyName)
  const account = fieldsOf(counterparty, 'accountDetails')
  const refusal =
    findUnfit(body, '', required[operation], optional[operation]) ??
    findUnfit(counterparty, `${counterpartyName}.`, ['type', 'accountDetails'], []) ??
    findUnfit(account, `${counterpartyName}.accountDetails.`, ['phoneNumber', 'provider'], []) ??
    findMalformed(operation, { ...body, ...account, type: counterparty['type'] }) ??
    findMetadataProblem(body['metadata'])
  return refusal ? { refusal } : { order: orderOf(operation, body, account) }
}

/** A refund in a valid form. It names its deposit and no recipient. */
export interface RefundRequest {
  readonly id: string
  readonly depositId: string
  /** Undefined for the whole rest. */
  readonly amount?: string
  readonly currency?: string
  readonly order: Pick<Order, 'clientReferenceId' | 'metadata'>
}

/** An amount needs its currency. A currency alone is ignored. */
export function readRefund(body: unknown): { readonly refund: RefundRequest } | { readonly refusal: Rejection } {
  if (!isFields(body)) return refuse('INVALID_INPUT', 'The payload could not be parsed.')
  const { needed, allowed } = refundFields
  const isAlone = body['amount'] !== undefined && body['currency'] === undefined
  const refusal =
    findUnfit(body, '', isAlone ? [...needed, 'currency'] : needed, allowed) ??
    findMalformedIn([...needed, ...allowed], body) ??
    findMetadataProblem(body['metadata'])
  if (refusal) return { refusal }
  const money = body['amount'] !== undefined && { amount: String(body['amount']), currency: String(body['currency']) }
  const [id, depositId] = needed.map((name) => String(body[name]).toLowerCase()) as [string, string]
  return { refund: { id, depositId, ...money, order: extrasOf(['clientReferenceId', 'metadata'], body) } }
}

const isFields = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const fieldsOf = (body: Fields, name: string): Fields => {
  const value = body[name]
  return isFields(value) ? value : {}
}

const refuse = (code: string, message: string) => ({ refusal: { code, message } })

function findUnfit(
  body: Fields,
  where: string,
  needed: readonly string[],
  allowed: readonly string[],
): Rejection | undefined {
  const unknown = Object.keys(body).find((name) => !needed.includes(name) && !allowed.includes(name))
  if (unknown !== undefined)
    return { code: 'UNSUPPORTED_PARAMETER', message: `The parameter ${where}${unknown} is not supported.` }
  const missing = needed.find((name) => body[name] === undefined || body[name] === null || body[name] === '')
  return missing === undefined
    ? undefined
    : { code: 'MISSING_PARAMETER', message: `The parameter ${where}${missing} is missing.` }
}

const uuid4 = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/i
const isText = (value: unknown): value is string => typeof value === 'string'
const isUrl = (value: unknown) => isText(value) && /^https?:\/\//.test(value) && URL.canParse(value)

const forms: Readonly<Record<string, (value: unknown) => boolean>> = {
  depositId: (value) => isText(value) && uuid4.test(value),
  payoutId: (value) => isText(value) && uuid4.test(value),
  refundId: (value) => isText(value) && uuid4.test(value),
  amount: isText,
  currency: (value) => isText(value) && /^[A-Z]{3}$/.test(value),
  type: (value) => value === 'MMO',
  phoneNumber: isText,
  provider: isText,
  customerMessage: (value) => isText(value) && /^[a-zA-Z0-9 ]{4,22}$/.test(value),
  clientReferenceId: (value) => isText(value) && value.length <= 200,
  preAuthorisationCode: (value) => isText(value) && value.length > 0 && value.length <= 36,
  successfulUrl: isUrl,
  failedUrl: isUrl,
}

function findMalformed(operation: OrderOperation, values: Fields): Rejection | undefined {
  const names = ['type', 'phoneNumber', 'provider', ...required[operation], ...optional[operation]]
  return findMalformedIn(names, values)
}

function findMalformedIn(names: readonly string[], values: Fields): Rejection | undefined {
  const bad = names.find((name) => values[name] !== undefined && forms[name]?.(values[name]) === false)
  return bad === undefined
    ? undefined
    : { code: 'INVALID_PARAMETER', message: `The value of the parameter ${bad} is invalid.` }
}

/** At most ten objects, each with one field; `isPII` may be added. */
function findMetadataProblem(metadata: unknown): Rejection | undefined {
  if (metadata === undefined) return undefined
  const invalid = { code: 'INVALID_PARAMETER', message: 'The value of the parameter metadata is invalid.' }
  if (!Array.isArray(metadata) || metadata.length > metadataMax) return invalid
  if (!metadata.every(isMetadataItem)) return invalid
  const names = metadata.map(metadataName)
  const twice = names.find((name, index) => names.indexOf(name) !== index)
  return twice === undefined
    ? undefined
    : { code: 'DUPLICATE_METADATA_FIELD', message: `The metadata field ${twice} is given twice.` }
}

export const metadataName = (item: Fields): string => Object.keys(item).find((name) => name !== 'isPII') ?? ''

function isMetadataItem(item: unknown): item is Fields {
  if (!isFields(item)) return false
  const own = Object.keys(item).filter((name) => name !== 'isPII')
  const isFlag = item['isPII'] === undefined || typeof item['isPII'] === 'boolean'
  return own.length === 1 && isFlag && ['string', 'number', 'boolean'].includes(typeof item[own[0] ?? ''])
}

/** The forms were checked, so the casts are safe. */
function orderOf(operation: OrderOperation, body: Fields, account: Fields): Order {
  const names = operation === 'charge' ? optional.charge : optional.payout
  return {
    id: String(operation === 'charge' ? body['depositId'] : body['payoutId']).toLowerCase(),
    amount: String(body['amount']),
    currency: String(body['currency']),
    phone: String(account['phoneNumber']),
    provider: String(account['provider']),
    ...extrasOf(names, body),
  }
}

const extrasOf = (names: readonly string[], body: Fields) =>
  Object.fromEntries(names.flatMap((name) => (body[name] === undefined ? [] : [[name, body[name]]])))
