import { type Charged, createFees } from '../ledger/fee-rules.ts'
import {
  type FeeOperation,
  type FeeScope,
  type FeeTableRow,
  feeMethods,
  insertFeeRule,
  listFeeRules,
  newestFeeRule,
} from '../ledger/fee-table.ts'
import { type Currency, isCurrency } from '../money/currencies.ts'
import { type FeeRule, feeOf, feeOn } from '../money/fees.ts'
import { formatMinor, parseMinor } from '../money/money.ts'
import { databaseTimeMs } from '../platform/clock.ts'
import type { Environment, Tx } from '../platform/db.ts'
import { showId } from '../platform/ids.ts'
import { existing, merchantId } from './merchants.ts'
import { audited, type OperatorContext, OperatorError } from './operator-context.ts'

export interface FeeOrder {
  readonly env: Environment
  /** Defaults to charges and payouts. */
  readonly operation?: FeeOperation
  readonly method?: string
  readonly currency?: string
  readonly merchant?: string
  readonly basisPoints: number
  /** Decimal texts in major units of the currency. */
  readonly fixed?: string
  readonly min?: string
  readonly max?: string
  readonly isReturned?: boolean
  /** A day or a time in UTC; defaults to now. */
  readonly from?: string
  readonly reason: string
}

export interface FeeRuleView {
  readonly id: string
  readonly env: Environment
  readonly operation: FeeOperation
  readonly method: string
  readonly currency: string
  /** Missing for a rule for all merchants. */
  readonly merchantId?: string
  readonly basisPoints: number
  readonly fixed: string
  readonly min?: string
  readonly max?: string
  readonly isReturned: boolean
  readonly effectiveFrom: string
  readonly setAt: string
  /** Empty for the sandbox default. */
  readonly setBy: string
  readonly status: FeeTableRow['status']
}

/** Sets fees from a date: one rule, or one each for charges and payouts. Payments accepted before keep their own. */
export async function setFees(context: OperatorContext, order: FeeOrder): Promise<FeeRuleView[]> {
  const scopes = scopesOf(order)
  const rule = ruleOf(order)
  const from = order.from === undefined ? undefined : timeOf(order.from)
  const merchant_id = order.merchant === undefined ? null : merchantId(order.merchant)
  const ids = await audited(context, async (tx) => {
    if (merchant_id !== null) await existing(tx, merchant_id)
    await refusePast(tx, from)
    const ground = await newestFeeRule(tx, order.env)
    const made: bigint[] = []
    for (const scope of scopes)
      made.push(
        await insertFeeRule(tx, { ...scope, merchant_id, rule, effective_from: from, set_by: context.principal.name }),
      )
    const { reason, ...detail } = order
    const subject = made.map((id) => `fee rule ${id}`).join(', ')
    const entry = { action: 'fees.set', env: order.env, subject, detail: { ...detail }, reason }
    return { result: made, entry: merchant_id === null ? entry : { ...entry, merchant_id }, ground }
  })
  const all = await listFeeRules(context.db.write, { env: order.env, merchant_id: undefined, isHistory: true })
  return all.filter(({ id }) => ids.includes(id)).map(view)
}

type OpenScope = Omit<FeeScope, 'merchant_id'>

function scopesOf({ env, operation, method = '*', currency = '*' }: FeeOrder): OpenScope[] {
  // A refund is free unless a rule names it.
  const operations = operation ? [operation] : (['charge', 'payout'] as const)
  const meant = operations.filter((each) => method === '*' || isMethodOf(each, method))
  if (meant.length === 0) {
    const known = operations.flatMap((each) => feeMethods[each])
    throw new OperatorError(
      `${operation ?? 'a payment'} has no method ${method}; use ${[...new Set(known)].join(', ')}, or leave it out`,
    )
  }
  if (currency !== '*' && !isCurrency(currency)) throw new OperatorError(`${currency} is not a currency Malipo knows`)
  return meant.map((each) => ({ env, operation: each, method, currency }))
}

const isMethodOf = (operation: FeeOperation, method: string): method is Charged['method'] =>
  (feeMethods[operation] as readonly string[]).includes(method)

function ruleOf(order: FeeOrder): FeeRule {
  const { basisPoints, currency = '*', isReturned } = order
  if (!Number.isInteger(basisPoints) || basisPoints < 0 || basisPoints > 10_000)
    throw new OperatorError('basis points must be a whole number from 0 to 10000')
  const sums = Object.fromEntries(
    (['fixed', 'min', 'max'] as const).flatMap((name) => {
      const text = order[name]
      return text === undefined ? [] : [[name, minorOf(name, text, currency)]]
    }),
  ) as Partial<Record<'fixed' | 'min' | 'max', bigint>>
  const { fixed = 0n, min, max } = sums
  if (max !== undefined && (min ?? 0n) > max) throw new OperatorError('min must not be above max')
  return { fixed, basisPoints, ...sums, ...(isReturned && { isReturned }) }
}

/** In minor units: more than any payment. */
const sumMax = 10n ** 13n

function minorOf(name: string, text: string, currency: string): bigint {
  if (!isCurrency(currency)) throw new OperatorError(`${name} is an amount of money, so it needs a currency`)
  const minor = parseMinor(text, currency)
  if (minor === undefined || minor < 0n || minor > sumMax)
    throw new OperatorError(`${name} ${text} is not an amount of ${currency}`)
  return minor
}

function timeOf(text: string): Date {
  const full = /^\d{4}-\d{2}-\d{2}$/.test(text) ? `${text}T00:00:00Z` : text
  const at = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(:\d{2}(\.\d{1,3})?)?Z$/.test(full) ? new Date(full) : undefined
  const isReal = at && !Number.isNaN(at.getTime()) && at.toISOString().startsWith(text.slice(0, 10))
  if (!isReal) throw new OperatorError(`${text} is not a day such as 2027-01-01 or a time such as 2027-01-01T06:00Z`)
  return at
}

/** Accepted payments keep the fee of their time, so no rule takes effect in the past. */
async function refusePast(tx: Tx, from: Date | undefined): Promise<void> {
  if (from && from.getTime() < (await databaseTimeMs(tx)))
    throw new OperatorError(`${from.toISOString()} has passed; leave out the date to set fees from now on`)
}

export interface FeeListOrder {
  readonly env?: Environment
  readonly merchant?: string
  readonly isHistory: boolean
}

export async function listFees(
  context: OperatorContext,
  { env, merchant, isHistory }: FeeListOrder,
): Promise<FeeRuleView[]> {
  const merchant_id = merchant === undefined ? undefined : merchantId(merchant)
  return (await listFeeRules(context.db.write, { env, merchant_id, isHistory })).map(view)
}

export interface FeeQuestion {
  readonly env: Environment
  readonly operation: FeeOperation
  readonly method: string
  readonly currency: string
  readonly merchant?: string
  /** Decimal text in major units. */
  readonly amount: string
}

export interface FeeQuote {
  readonly basisPoints: number
  readonly fixed: string
  readonly min?: string
  readonly max?: string
  readonly isReturned: boolean
  readonly amount: string
  readonly fee: string
  readonly currency: string
}

const anyMerchant = '00000000-0000-0000-0000-000000000000'

/** The fee that a payment would have now, and its rule. */
export async function showFee(context: OperatorContext, question: FeeQuestion): Promise<FeeQuote> {
  const { env, operation, method, currency, merchant, amount } = question
  if (!isCurrency(currency)) throw new OperatorError(`${currency} is not a currency Malipo knows`)
  if (!isMethodOf(operation, method))
    throw new OperatorError(`${operation} has no method ${method}; use ${feeMethods[operation].join(', ')}`)
  const minor = minorOf('amount', amount, currency)
  const merchant_id = merchant === undefined ? anyMerchant : (await existing(context.db.write, merchantId(merchant))).id
  const fees = createFees(context.db.write)
  const rule = await fees.ruleFor({ merchant_id, env, operation, method, currency }).catch(() => {
    throw new OperatorError(`no fee is set for a ${operation} by ${method} in ${currency} in ${env}`)
  })
  const fee = operation === 'charge' ? feeOn(rule, minor) : feeOf(rule, minor)
  return {
    ...sumsOf(rule, currency),
    basisPoints: rule.basisPoints,
    isReturned: rule.isReturned === true,
    amount: formatMinor(minor, currency),
    fee: formatMinor(fee, currency),
    currency,
  }
}

/** A rule for any currency has only zero amounts. */
function sumsOf({ fixed, min, max }: FeeRule, currency: Currency | '*') {
  const text = (minor: bigint) => (currency === '*' ? String(minor) : formatMinor(minor, currency))
  return {
    fixed: text(fixed),
    ...(min !== undefined && { min: text(min) }),
    ...(max !== undefined && { max: text(max) }),
  }
}

function view(row: FeeTableRow): FeeRuleView {
  const { min, max, fixed, basis_points: basisPoints, currency } = row
  const rule = { fixed, basisPoints, ...(min !== null && { min }), ...(max !== null && { max }) }
  return {
    id: String(row.id),
    env: row.env,
    operation: row.operation,
    method: row.method,
    currency,
    ...(row.merchant_id !== null && { merchantId: showId('merchant', row.merchant_id) }),
    basisPoints,
    ...sumsOf(rule, isCurrency(currency) ? currency : '*'),
    isReturned: row.is_returned,
    effectiveFrom: row.effective_from.toISOString(),
    setAt: row.set_at.toISOString(),
    setBy: row.set_by,
    status: row.status,
  }
}
