import { exponentOf } from '../money/currencies.ts'
import { numberFromMinor } from '../money/money.ts'
import type { Environment } from '../platform/db.ts'
import type { Routing } from '../providers/routing.ts'
import type { Bank, Branch, Country, Limits, Operator, ReferenceData } from './data.ts'
import { operatorBy } from './momo.ts'

/** The lists as the API shows them, built once: a request only selects. */
export interface ReferenceLists {
  readonly countries: readonly ReturnType<typeof presentCountry>[]
  readonly banks: readonly ReturnType<typeof presentBank>[]
  readonly branches: ReadonlyMap<number, readonly ReturnType<typeof presentBranch>[]>
  readonly operators: Readonly<Record<Environment, readonly ReturnType<typeof presentOperator>[]>>
}

export function presentLists(data: ReferenceData, routing: Routing): ReferenceLists {
  const operatorsOf = (env: Environment) =>
    [...data.operators.values()].map((operator) => {
      const { country, currency, id: target } = operator
      const [provider] = routing.providersOf(env, { operation: 'charge.momo', country, currency, target })
      return presentOperator(operatorBy(data, operator, provider?.id ?? ''), isOpen(routing, env, operator))
    })
  return {
    countries: [...data.countries.values()].map(presentCountry),
    banks: [...data.banks.values()].map((bank) => presentBank(bank, data.branches.has(bank.id))),
    branches: new Map([...data.branches].map(([bankId, rows]) => [bankId, rows.map(presentBranch)])),
    operators: { live: operatorsOf('live'), sandbox: operatorsOf('sandbox') },
  }
}

/** An operator is open when its limits are known and a provider serves it. */
function isOpen(routing: Routing, env: Environment, operator: Operator): boolean {
  const { country, currency, id: target, limits } = operator
  const isServed = (['charge.momo', 'payout.momo'] as const).some(
    (operation) => routing.providersOf(env, { operation, country, currency, target }).length > 0,
  )
  return limits !== undefined && isServed
}

function presentCountry({ name, iso2, iso3, dialing_code, currency, symbol }: Country) {
  return {
    name,
    iso2,
    iso3,
    dialing_code,
    currency: { code: currency, symbol, decimal: String(exponentOf(currency)) },
  }
}

function presentBank({ id, code, name, country, currency }: Bank, hasBranches: boolean) {
  return { id, code, name, country, currency, hasBranches }
}

function presentBranch({ id, branch_code, branch_name, swift_code, bic, bank_id }: Branch) {
  return { id, branch_code, branch_name, swift_code, bic, bank_id }
}

function presentOperator(operator: Operator, isAvailable: boolean) {
  const { id, name, country, currency, auth_type, decimals, limits, prefixes, ussd_code } = operator
  const bounds = (range: Limits | undefined) =>
    range ? { min: numberFromMinor(range.min, currency), max: numberFromMinor(range.max, currency) } : {}
  return {
    id,
    name,
    country,
    currency,
    authType: auth_type,
    decimals,
    deposit: bounds(limits?.deposit),
    payout: bounds(limits?.payout),
    prefixes,
    ussdCode: ussd_code,
    status: isAvailable ? ('AVAILABLE' as const) : ('UNAVAILABLE' as const),
  }
}
