import { type Static, Type } from 'typebox'
import { invalid } from '../errors.ts'
import { exponentOf } from '../money/currencies.ts'
import { parseDecimal, tenTo } from '../money/decimals.ts'
import { type PublicStatus, publicStatus, type Stage, stageOf } from '../payments/model/state.ts'
import type { Transaction } from '../payments/model/store.ts'
import { DayFields, type Days, type Moments, readDays } from '../platform/days.ts'
import { currencyOf } from '../reference/momo.ts'

const Amount = (description: string) => Type.Optional(Type.Number({ minimum: 0, maximum: 1e15, description }))

/** The stages of a pending transaction: each is one or several of its states. */
const openStages = ['AWAITING_APPROVAL', 'PROCESSING', 'AWAITING_CUSTOMER', 'UNCONFIRMED'] as const satisfies Stage[]

/** What selects transactions in a search and in an export. */
export const FilterFields = {
  q: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 200,
      description:
        "A transaction id, your reference, a phone number in any form, an account number, the provider's receipt, or the first words of a name. Exact, but names are compared without case and accents.",
    }),
  ),
  status: Type.Optional(Type.Union([Type.Literal('pending'), Type.Literal('failed'), Type.Literal('successful')])),
  stage: Type.Optional(
    Type.Union(
      openStages.map((stage) => Type.Literal(stage)),
      { description: 'Only pending transactions in this stage' },
    ),
  ),
  type: Type.Optional(
    Type.String({
      maxLength: 100,
      description: 'deposit, withdrew (also withdrawal and payout), refund, conversion or adjustment',
    }),
  ),
  method: Type.Optional(
    Type.Union(
      ['momo', 'card', 'bank-transfer', 'bank', 'conversion'].map((method) => Type.Literal(method)),
      { description: 'momo, card, bank-transfer, bank or conversion' },
    ),
  ),
  currency: Type.Optional(Type.String({ maxLength: 100 })),
  country: Type.Optional(Type.String({ maxLength: 2, pattern: '^[A-Z]{2}$', description: 'Two-letter code' })),
  minAmount: Amount('At least this much, in major units of the transaction’s currency'),
  maxAmount: Amount('At most this much'),
  ...DayFields,
}

const FilterQuery = Type.Object(FilterFields)

export interface TransactionFilter extends Moments {
  readonly q: string | undefined
  readonly status: PublicStatus | undefined
  /** Of a pending one. */
  readonly stage: Stage | undefined
  readonly type: string | undefined
  readonly method: string | undefined
  readonly currency: string | undefined
  readonly country: string | undefined
  /** Undefined without a limit. */
  readonly amounts: AmountLimits | undefined
}

/** The least and the greatest amount in minor units, by the number of decimals of the currency. */
type AmountLimits = readonly { readonly least: bigint; readonly most: bigint }[]

const types: Readonly<Record<string, string | undefined>> = {
  '': '',
  deposit: 'deposit',
  withdrew: 'withdrew',
  withdrawal: 'withdrew',
  payout: 'withdrew',
  adjustment: 'adjustment',
  refund: 'refund',
  conversion: 'conversion',
}

/** The stored type of a filter's word; undefined for all types. */
export function readType(type = ''): string | undefined {
  const stored = Object.hasOwn(types, type) ? types[type] : undefined
  if (stored === undefined) throw invalid([{ field: 'type', message: `type ${type} is unknown` }])
  return stored || undefined
}

export function readFilter(query: Static<typeof FilterQuery> & Days): TransactionFilter {
  const { q, stage, type, method, currency, country, minAmount, maxAmount } = query
  const status = query.status ?? (stage && 'pending')
  const typed = q?.replaceAll(/^[\s\p{Cf}]+|[\s\p{Cf}]+$/gu, '') // Pasted numbers have invisible marks around them.
  if (typed === '') throw invalid([{ field: 'q', message: 'q must not be blank' }])
  return {
    q: typed,
    ...{ status, stage, method, country, type: readType(type), currency: currency ? currencyOf(currency) : undefined },
    amounts: readAmounts(minAmount, maxAmount),
    ...readDays(query),
  }
}

const decimalsMax = 3
const greatest = 2n ** 63n - 1n

function readAmounts(min: number | undefined, max: number | undefined): AmountLimits | undefined {
  if (min === undefined && max === undefined) return undefined
  if (min !== undefined && max !== undefined && min > max)
    throw invalid([{ field: 'maxAmount', message: 'maxAmount is below minAmount' }])
  return Array.from({ length: decimalsMax + 1 }, (_, exponent) => ({
    least: min === undefined ? 0n : minorOf('minAmount', min, exponent).up,
    most: max === undefined ? greatest : minorOf('maxAmount', max, exponent).down,
  }))
}

/** An amount in minor units, rounded up and down: a limit between two amounts excludes the one that is outside. */
function minorOf(field: string, amount: number, exponent: number): { readonly up: bigint; readonly down: bigint } {
  const decimal = parseDecimal(String(amount))
  if (!decimal) throw invalid([{ field, message: `${field} has too many digits` }])
  const digits = decimal.digits * tenTo(exponent)
  const down = digits / tenTo(decimal.scale)
  return { down, up: down * tenTo(decimal.scale) === digits ? down : down + 1n }
}

/** What a filter looks at. Its days are compared with the id. */
export type Filtered = Pick<Transaction, 'state' | 'type' | 'method' | 'currency' | 'country' | 'amount'>

/** Whether a transaction passes the filter, apart from `q` and the days. */
export function passes(filter: TransactionFilter, row: Filtered): boolean {
  const { status, stage, amounts } = filter
  const limit = amounts?.[exponentOf(row.currency)]
  return (
    (status === undefined || publicStatus[row.state] === status) &&
    (stage === undefined || stageOf(row.state, undefined) === stage) &&
    (['type', 'method', 'currency', 'country'] as const).every(
      (name) => filter[name] === undefined || filter[name] === row[name],
    ) &&
    (limit === undefined || (row.amount >= limit.least && row.amount <= limit.most))
  )
}

/** Whether anything but `q` and the days selects. */
export const isSelective = ({ status, type, method, currency, country, amounts }: TransactionFilter): boolean =>
  [status, type, method, currency, country, amounts].some((each) => each !== undefined)
