import { fileURLToPath } from 'node:url'
import { type Currency, currencies, exponentOf } from '../money/currencies.ts'
import { tenTo } from '../money/decimals.ts'
import { type Operation, operations } from '../providers/contract.ts'
import { providerIds } from '../providers/registry.ts'
import {
  DataError,
  listOf,
  matching,
  oneOf,
  orNothing,
  type Placed,
  readTable,
  refuseRepeats,
  text,
  whole,
} from './table.ts'

/** The data with which the API refuses early and explains well: reviewed files in `data/`, held in memory. */
export interface ReferenceData {
  readonly countries: ReadonlyMap<string, Country>
  readonly operators: ReadonlyMap<string, Operator>
  readonly banks: ReadonlyMap<number, Bank>
  readonly branches: ReadonlyMap<number, readonly Branch[]>
  readonly routes: readonly RouteRow[]
  readonly providerCodes: readonly ProviderCode[]
  readonly pairs: readonly PairRow[]
}

export interface Country {
  readonly iso2: string
  readonly iso3: string
  readonly name: string
  readonly dialing_code: string
  readonly currency: Currency
  readonly symbol: string
}

const authTypes = ['PROVIDER_AUTH', 'PREAUTH', 'REDIRECT', 'VOUCHER'] as const

/** The minimum and maximum of one payment, in minor units. */
export interface Limits {
  readonly min: bigint
  readonly max: bigint
}

export interface Operator {
  readonly id: string
  readonly name: string
  readonly country: string
  readonly currency: Currency
  readonly auth_type: (typeof authTypes)[number]
  readonly decimals: number
  /** Undefined while the operator's limits are not known; such an operator is listed and refuses payments. */
  readonly limits: { readonly deposit: Limits; readonly payout: Limits } | undefined
  /** The first digits of its numbers after the dialling code. Numbers can be ported, so this predicts and proves nothing. */
  readonly prefixes: readonly string[]
  readonly ussd_code: string
  readonly aliases: readonly string[]
}

export interface Bank {
  readonly id: number
  readonly country: string
  readonly currency: Currency
  readonly code: string
  readonly name: string
  readonly swift_code: string | null
  readonly account_digits: number | null
  /** Flutterwave's code for it; null where Flutterwave does not have it. */
  readonly flutterwave: string | null
  /** `unconfirmed` where none of the provider's own lists shows its code today: live does not use it. */
  readonly marks: 'unconfirmed' | null
}

export interface Branch {
  readonly id: number
  readonly bank_id: number
  readonly branch_code: string
  readonly branch_name: string
  readonly swift_code: string | null
  readonly bic: string | null
}

export interface RouteRow {
  readonly operation: Operation
  readonly country: string
  readonly currency: string
  readonly target: string
  readonly providers: readonly string[]
}

/** The provider's name for an operator, and how charges are approved where that differs from the operator's own way. */
interface ProviderCode {
  readonly provider: string
  readonly id: string
  readonly code: string
  readonly auth_type: Operator['auth_type'] | null
}

export interface PairRow {
  readonly base: Currency
  readonly quote: Currency
}

interface OperatorRow extends Omit<Operator, 'limits' | 'decimals' | 'ussd_code'> {
  readonly decimals: number | null
  readonly deposit_min: number | null
  readonly deposit_max: number | null
  readonly payout_min: number | null
  readonly payout_max: number | null
  readonly ussd_code: string | null
  readonly limits_from: string | null
}

const standardFolder = fileURLToPath(new URL('../../data/', import.meta.url))

const iso2 = matching(/^[A-Z]{2}$/, 'two capital letters')
const iso3 = matching(/^[A-Z]{3}$/, 'three capital letters')
const currency = oneOf(...(Object.keys(currencies) as Currency[]))
const operatorId = matching(/^[A-Z]+_[A-Z]{2}$/, 'an id such as MTN_UG')
const providerId = matching(/^[a-z]+$/, 'the id of a provider')
const codeText = matching(/^[A-Za-z0-9_]+$/, 'letters, digits and underscores')
const wild = (read: (cell: string) => string) => (cell: string) => (cell === '*' ? cell : read(cell))

let standard: ReferenceData | undefined

/** The data of this version of Malipo, or of a folder. A process reads its own once: the files do not change while it runs. */
export function loadReferenceData(folder?: string): ReferenceData {
  if (folder !== undefined) return readReferenceData(folder)
  standard ??= readReferenceData(standardFolder)
  return standard
}

/** Reads every file and checks it against the others. Throws a {@link DataError} that names each wrong line. */
function readReferenceData(folder: string): ReferenceData {
  const problems: string[] = []
  const read = <Row extends object>(file: string, columns: Parameters<typeof readTable<Row>>[2]) =>
    readTable<Row>(folder, file, columns, problems)
  const countries = read<Country>('countries.csv', {
    iso2,
    iso3,
    name: text,
    dialing_code: matching(/^\+\d{1,3}$/, 'a plus and up to three digits'),
    currency,
    symbol: text,
  })
  const operators = read<OperatorRow>('operators.csv', operatorColumns)
  const banks = read<Bank>('banks.csv', bankColumns)
  const branches = read<Branch>('branches.csv', {
    id: whole,
    bank_id: whole,
    branch_code: codeText,
    branch_name: text,
    swift_code: orNothing(codeText),
    bic: orNothing(codeText),
  })
  const routes = read<RouteRow>('routes.csv', {
    operation: oneOf(...operations),
    country: wild(iso2),
    currency: wild(iso3),
    target: wild(operatorId),
    providers: listOf(providerId),
  })
  const providerCodes = read<ProviderCode>('provider-codes.csv', {
    provider: providerId,
    id: operatorId,
    code: codeText,
    auth_type: orNothing(oneOf(...authTypes)),
  })
  const pairs = read<PairRow>('pairs.csv', { base: currency, quote: currency })

  compare({ countries, operators, banks, branches, routes, providerCodes, pairs }, problems)
  if (problems.length > 0) throw new DataError(problems)
  return {
    countries: new Map(countries.map((row) => [row.iso2, row])),
    operators: new Map(operators.map((row) => [row.id, operatorOf(row)])),
    banks: new Map(banks.map((row) => [row.id, row])),
    branches: Map.groupBy(branches, ({ bank_id }) => bank_id),
    routes,
    providerCodes,
    pairs,
  }
}

const operatorColumns = {
  id: operatorId,
  name: text,
  country: iso2,
  currency,
  auth_type: oneOf(...authTypes),
  decimals: orNothing(whole),
  deposit_min: orNothing(whole),
  deposit_max: orNothing(whole),
  payout_min: orNothing(whole),
  payout_max: orNothing(whole),
  prefixes: listOf(matching(/^\d+$/, 'digits')),
  ussd_code: orNothing(matching(/^[*#][\d*]+#$/, 'a code to dial such as *165#')),
  aliases: listOf(codeText),
  limits_from: orNothing(oneOf('published', 'synthetic')),
}

const bankColumns = {
  id: whole,
  country: iso2,
  currency,
  code: codeText,
  name: text,
  swift_code: orNothing(codeText),
  account_digits: orNothing(whole),
  flutterwave: orNothing(codeText),
  marks: orNothing(oneOf('unconfirmed')),
}

function operatorOf(row: OperatorRow): Operator {
  const { decimals, deposit_min, deposit_max, payout_min, payout_max, ussd_code, limits_from: _, ...rest } = row
  const unit = tenTo(exponentOf(row.currency))
  const limits = (min: number, max: number): Limits => ({ min: BigInt(min) * unit, max: BigInt(max) * unit })
  const isKnown = deposit_min !== null && deposit_max !== null && payout_min !== null && payout_max !== null
  return {
    ...rest,
    decimals: decimals ?? exponentOf(row.currency),
    ussd_code: ussd_code ?? '',
    limits: isKnown ? { deposit: limits(deposit_min, deposit_max), payout: limits(payout_min, payout_max) } : undefined,
  }
}

interface Rows {
  readonly countries: readonly Placed<Country>[]
  readonly operators: readonly Placed<OperatorRow>[]
  readonly banks: readonly Placed<Bank>[]
  readonly branches: readonly Placed<Branch>[]
  readonly routes: readonly Placed<RouteRow>[]
  readonly providerCodes: readonly Placed<ProviderCode>[]
  readonly pairs: readonly Placed<PairRow>[]
}

/** Checks that span lines: duplicate names, and references to missing names. */
function compare(rows: Rows, problems: string[]): void {
  const { countries, operators, banks, branches, routes, providerCodes, pairs } = rows
  refuseRepeats(countries, 'country', ({ iso2: code }) => code, problems)
  refuseRepeats(operators, 'operator', ({ id }) => id, problems)
  refuseRepeats(banks, 'bank', ({ id }) => String(id), problems)
  refuseRepeats(banks, 'bank code', ({ country, code }) => `${country} ${code}`, problems)
  refuseRepeats(branches, 'branch', ({ id }) => String(id), problems)
  refuseRepeats(branches, 'branch code', ({ bank_id, branch_code }) => `${bank_id} ${branch_code}`, problems)
  refuseRepeats(routes, 'route', (row) => [row.operation, row.country, row.currency, row.target].join(' '), problems)
  refuseRepeats(providerCodes, 'code of', ({ provider, id }) => `${provider} ${id}`, problems)
  const atFlutterwave = banks.filter(({ flutterwave }) => flutterwave !== null)
  refuseRepeats(atFlutterwave, 'Flutterwave code', ({ country, flutterwave }) => `${country} ${flutterwave}`, problems)
  refuseRepeats(pairs, 'pair', ({ base, quote }) => [base, quote].sort().join('/'), problems)
  const words = operators.flatMap(({ id, aliases, place }) => [id, ...aliases].map((word) => ({ word, place })))
  refuseRepeats(words, 'operator name', ({ word }) => word, problems)
  const prefixes = operators.flatMap(({ country, prefixes: all, place }) =>
    all.map((prefix) => ({ key: `${country} ${prefix}`, place })),
  )
  refuseRepeats(prefixes, 'prefix', ({ key }) => key, problems)

  const known = {
    country: new Set(countries.map(({ iso2: code }) => code)),
    operator: new Set(operators.map(({ id }) => id)),
    bank: new Set(banks.map(({ id }) => id)),
  }
  const refuseUnless = (isKnown: boolean, place: string, what: string) => {
    if (!isKnown) problems.push(`${place}: ${what}`)
  }
  for (const { country, place } of [...operators, ...banks])
    refuseUnless(known.country.has(country), place, `country ${country} is not in countries.csv`)
  for (const { bank_id, place } of branches)
    refuseUnless(known.bank.has(bank_id), place, `bank ${bank_id} is not in banks.csv`)
  for (const { target, providers, place } of routes) {
    refuseUnless(target === '*' || known.operator.has(target), place, `operator ${target} is not in operators.csv`)
    for (const id of providers)
      refuseUnless(
        providerIds.some((each) => each === id),
        place,
        `provider ${id} is not known`,
      )
  }
  for (const { id, place } of providerCodes)
    refuseUnless(known.operator.has(id), place, `operator ${id} is not in operators.csv`)
  for (const { base, quote, place } of pairs) refuseUnless(base !== quote, place, `${base} cannot be quoted in itself`)
  for (const row of operators) problems.push(...limitProblems(row).map((problem) => `${row.place}: ${problem}`))
}

function limitProblems(row: OperatorRow): string[] {
  const bounds = [row.deposit_min, row.deposit_max, row.payout_min, row.payout_max]
  const known = bounds.filter((bound) => bound !== null).length
  if (known > 0 && known < bounds.length) return ['either all four limits are known or none']
  const isAbove = (min: number | null, max: number | null) => min !== null && max !== null && min > max
  return [
    ...(isAbove(row.deposit_min, row.deposit_max) ? ['deposit_min is above deposit_max'] : []),
    ...(isAbove(row.payout_min, row.payout_max) ? ['payout_min is above payout_max'] : []),
    ...(row.decimals !== null && row.decimals > exponentOf(row.currency)
      ? [`decimals exceed those of ${row.currency}`]
      : []),
    ...((row.limits_from !== null) === known > 0 ? [] : ['limits_from is required with limits, and only then']),
  ]
}
