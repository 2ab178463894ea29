import { Type } from 'typebox'
import { bearerOf } from '../auth/request-bearer.ts'
import type { Context } from '../context.ts'
import { AppError, invalid } from '../errors.ts'
import type { App } from '../http/app.ts'
import type { Currency } from '../money/currencies.ts'
import { minorFromNumber, numberFromMinor } from '../money/money.ts'
import { creditFor, formatRate } from '../money/rates.ts'
import { currencyOf } from './momo.ts'
import { presentLists, type ReferenceLists } from './present.ts'
import { freshRate, ratesBetween, type SampledPair } from './rates.ts'
import { resolveName } from './resolve-account.ts'

const Iso2 = Type.String({ maxLength: 2, pattern: '^[A-Z]{2}$', description: 'Two-letter country code' })
const Iso4217 = Type.String({ maxLength: 3, pattern: '^[A-Z]{3}$', description: 'Three-letter currency code' })
const Day = Type.String({ maxLength: 10, pattern: '^\\d{4}-\\d{2}-\\d{2}$', description: 'YYYY-MM-DD, in UTC' })
const closed = { additionalProperties: false }
const listOf = <Item extends Parameters<typeof Type.Array>[0]>(item: Item, title: string) =>
  Type.Object({ success: Type.Literal(true), data: Type.Array(item) }, { title })

const Country = Type.Object({
  name: Type.String(),
  iso2: Type.String(),
  iso3: Type.String(),
  dialing_code: Type.String(),
  currency: Type.Object({
    code: Type.String(),
    symbol: Type.String(),
    decimal: Type.String({ description: 'Number of decimals' }),
  }),
})

const Bank = Type.Object({
  id: Type.Integer(),
  code: Type.String({ description: '`code` of a payout method' }),
  name: Type.String(),
  country: Type.String(),
  currency: Type.String(),
  hasBranches: Type.Boolean(),
})

const TextOrNull = Type.Union([Type.String(), Type.Null()])
const Branch = Type.Object({
  id: Type.Integer(),
  branch_code: Type.String(),
  branch_name: Type.String(),
  swift_code: TextOrNull,
  bic: TextOrNull,
  bank_id: Type.Integer(),
})

const Bounds = Type.Object(
  { min: Type.Optional(Type.Number()), max: Type.Optional(Type.Number()) },
  { description: 'Per payment, in major units; empty while unknown' },
)
const Operator = Type.Object({
  id: Type.String(),
  name: Type.String(),
  country: Type.String(),
  currency: Type.String(),
  authType: Type.String({
    description:
      'PROVIDER_AUTH: a prompt on the phone. PREAUTH: the customer gets a code first; send it as `otpCode`. REDIRECT: a page of the operator. VOUCHER: a voucher; send it as `voucherPin`.',
  }),
  decimals: Type.Integer({ description: 'Decimals that it accepts' }),
  deposit: Bounds,
  payout: Bounds,
  prefixes: Type.Array(Type.String(), { description: 'Prefixes of its numbers after the dialling code' }),
  ussdCode: Type.String({ description: 'The code a customer dials to approve or to get a code; may be empty' }),
  status: Type.String({
    description:
      'AVAILABLE; DEGRADED: the service behind it is paused or does not respond, so that payments wait or are refused for now; UNAVAILABLE: listed, but payments are refused',
  }),
})

const Rate = Type.Object({
  currencyPair: Type.String({ description: 'BASE/QUOTE, such as USD/KES' }),
  buy: Type.Number({ description: 'QUOTE you get for one BASE' }),
  sell: Type.Number({ description: 'QUOTE you pay for one BASE' }),
  updatedAt: Type.String({ description: 'ISO 8601 date-time' }),
})

const LiveRate = Type.Object(
  {
    success: Type.Literal(true),
    data: Type.Object({
      ...Rate.properties,
      from: Type.String(),
      to: Type.String(),
      amount: Type.Number({ description: 'In `from`' }),
      converted: Type.Number({ description: 'Current value of the amount in `to`, rounded down' }),
    }),
  },
  { title: 'LiveRate' },
)

const Question = Type.Object(
  {
    method: Type.Union([Type.Literal('momo'), Type.Literal('bank')]),
    accountNumber: Type.String({
      minLength: 1,
      maxLength: 34,
      description: 'A phone number, or a bank account number',
    }),
    currency: Type.String({ maxLength: 100, description: 'Three-letter currency code' }),
    momoOperator: Type.Optional(
      Type.String({ maxLength: 100, description: 'Operator id; required if the number does not identify it' }),
    ),
    momoOperatorId: Type.Optional(Type.String({ maxLength: 100, description: 'The same as momoOperator' })),
    bankCode: Type.Optional(Type.String({ maxLength: 100, description: 'For method bank' })),
    branchCode: Type.Optional(Type.String({ maxLength: 20 })),
  },
  closed,
)

const ResolvedAccount = Type.Object(
  {
    success: Type.Literal(true),
    data: Type.Object({ accountId: Type.String(), accountName: Type.String() }),
  },
  { title: 'ResolvedAccount' },
)

const CountryFilter = Type.Object({ country: Type.Optional(Iso2), currency: Type.Optional(Iso4217) }, closed)

const tags = ['Reference data']
const scope = 'reference:read'
const pairMax = 10_000
const allPairsMax = 1000

/** What a merchant must know before paying. Everything but rates and names is served from memory. */
export function referenceRoutes(app: App, ctx: Context): void {
  listRoutes(app, ctx)
  historicalRatesRoute(app, ctx)
  liveRateRoute(app, ctx)

  app.post(
    '/utilities/account/resolve',
    {
      config: {
        scope,
        errors: [
          'MOMO_OPERATOR_ID_REQUIRED',
          'ACCOUNT_UNKNOWN',
          'PROVIDER_NOT_FOUND',
          'PROVIDER_UNAVAILABLE',
          'UNSUPPORTED_CURRENCY',
        ],
      },
      schema: {
        summary: "Look up an account holder's name",
        tags,
        body: Question,
        response: { 200: ResolvedAccount },
      },
    },
    async (request) => ({
      success: true as const,
      data: await resolveName(ctx, bearerOf(request), request.body),
    }),
  )
}

function listRoutes(app: App, ctx: Context): void {
  const lists = presentLists(ctx.reference, ctx.routing)

  app.get(
    '/utilities/countries',
    {
      config: { scope, refusal: 'error' },
      schema: {
        summary: 'List countries',
        tags,
        querystring: Type.Object({}, closed),
        response: { 200: listOf(Country, 'Countries') },
      },
    },
    async () => ({ success: true as const, data: [...lists.countries] }),
  )

  app.get(
    '/utilities/banks',
    {
      config: { scope },
      schema: { summary: 'List banks', tags, querystring: CountryFilter, response: { 200: listOf(Bank, 'Banks') } },
    },
    async ({ query }) => ({ success: true as const, data: lists.banks.filter(isOf(query)) }),
  )

  branchRoute(app, lists)
  operatorRoute(app, lists)
}

function branchRoute(app: App, lists: ReferenceLists): void {
  const bankId = (description: string) =>
    Type.Optional(Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER, description }))
  const BankQuery = Type.Object(
    { bankId: bankId('`id` of a bank'), bank_id: bankId('The same as bankId'), id: bankId('The same as bankId') },
    closed,
  )
  app.get(
    '/utilities/branches',
    {
      config: { scope, errors: ['NO_BRANCHES'] },
      schema: {
        summary: "List a bank's branches",
        tags,
        querystring: BankQuery,
        response: { 200: listOf(Branch, 'Branches') },
      },
    },
    async ({ query }) => {
      const id = query.bankId ?? query.bank_id ?? query.id
      if (id === undefined) throw invalid([{ field: 'bankId', message: 'bankId is required' }])
      const branches = lists.branches.get(id)
      if (!branches) throw new AppError('NO_BRANCHES')
      return { success: true as const, data: [...branches] }
    },
  )
}

function operatorRoute(app: App, lists: ReferenceLists): void {
  app.get(
    '/utilities/momo-operators',
    {
      config: { scope },
      schema: {
        summary: 'List mobile money operators',
        tags,
        querystring: CountryFilter,
        response: { 200: listOf(Operator, 'MomoOperators') },
      },
    },
    async (request) => {
      const found = lists.operators[bearerOf(request).env].filter(isOf(request.query))
      return {
        success: true as const,
        data: found.map(({ statusNow, prefixes, ...operator }) => ({
          ...operator,
          prefixes: [...prefixes],
          status: statusNow(),
        })),
      }
    },
  )
}

function isOf(wanted: { country?: string; currency?: string }) {
  return ({ country, currency }: { country: string; currency: string }) =>
    (wanted.country === undefined || wanted.country === country) &&
    (wanted.currency === undefined || wanted.currency === currency)
}

function historicalRatesRoute(app: App, ctx: Context): void {
  const HistoricalQuery = Type.Object(
    {
      from: Type.Optional(Iso4217),
      to: Type.Optional(Iso4217),
      startDate: Type.Optional(Day),
      endDate: Type.Optional({ ...Day, description: 'The last day, inclusive' }),
    },
    closed,
  )
  app.get(
    '/utilities/rates/historical',
    {
      config: { scope, errors: ['UNSUPPORTED_CURRENCY'] },
      schema: {
        summary: 'Read the exchange rates of the last 30 days',
        description:
          'Newest first. With `from` and `to`: that pair, quoted either way. Without: all pairs, at most 1,000.',
        tags,
        querystring: HistoricalQuery,
        response: { 200: listOf(Rate, 'HistoricalRates') },
      },
    },
    async (request) => {
      const { startDate = '1970-01-01', endDate = '9999-12-30' } = request.query
      refuseNoDay('startDate', startDate)
      refuseNoDay('endDate', endDate)
      if (startDate > endDate) throw invalid([{ field: 'endDate', message: 'endDate is before startDate' }])
      const pair = pairOf(request.query)
      const limit = pair ? pairMax : allPairsMax
      const days = { startDate: sinceTheEpoch(startDate), endDate: sinceTheEpoch(endDate) }
      const rows = await ratesBetween(ctx.db.read, bearerOf(request), { pair, ...days, limit })
      return { success: true as const, data: rows.map(presentRate) }
    },
  )
}

function liveRateRoute(app: App, ctx: Context): void {
  const LiveQuery = Type.Object(
    { from: Iso4217, to: Iso4217, amount: Type.Optional(Type.Number({ description: 'In `from`; 1 if omitted' })) },
    closed,
  )
  app.get(
    '/utilities/rates',
    {
      config: { scope, errors: ['UNSUPPORTED_CURRENCY', 'FX_RATE_UNAVAILABLE'] },
      schema: {
        summary: 'Read the current exchange rate',
        tags,
        querystring: LiveQuery,
        response: { 200: LiveRate },
      },
    },
    async (request) => {
      const { amount = 1 } = request.query
      const [from, to] = [currencyOf(request.query.from), currencyOf(request.query.to)]
      const minor = minorFromNumber(amount, from)
      if (minor === undefined || minor <= 0n)
        throw invalid([{ field: 'amount', message: `amount must be an exact amount of ${from} above 0` }])
      const rate = from === to ? undefined : await freshRate(ctx.db.read, bearerOf(request), from, to)
      if (!rate) throw new AppError('FX_RATE_UNAVAILABLE')
      const converted = creditFor(rate, { amount: minor, currency: from, wallet: to })
      const sampled = { ...rate, buy: formatRate(rate.buy), sell: formatRate(rate.sell) }
      const data = { ...presentRate(sampled), from, to, amount, converted: numberFromMinor(converted, to) }
      return { success: true as const, data }
    },
  )
}

function pairOf({ from, to }: { from?: string; to?: string }): readonly [Currency, Currency] | undefined {
  if (from === undefined && to === undefined) return undefined
  const missing = from === undefined ? 'from' : to === undefined ? 'to' : undefined
  if (from === undefined || to === undefined)
    throw invalid([{ field: missing ?? 'to', message: `${missing} is required: a pair has two currencies` }])
  return [currencyOf(from), currencyOf(to)]
}

/** No older data exists, and the database has no year 0. */
const sinceTheEpoch = (day: string) => (day < '1970-01-01' ? '1970-01-01' : day)

function refuseNoDay(field: string, day: string): void {
  const at = Date.parse(`${day}T00:00:00Z`)
  if (Number.isNaN(at) || !new Date(at).toISOString().startsWith(day))
    throw invalid([{ field, message: `${field} is not a calendar day` }])
}

function presentRate({ base, quote, buy, sell, at }: SampledPair) {
  return { currencyPair: `${base}/${quote}`, buy: Number(buy), sell: Number(sell), updatedAt: at.toISOString() }
}
