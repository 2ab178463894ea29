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
  readonly operators: Readonly<Record<Environment, readonly ListedOperator[]>>
}

/** An operator without its status, which changes while the process runs. */
interface ListedOperator extends ReturnType<typeof presentOperator> {
  statusNow(): OperatorStatus
}

type OperatorStatus = 'AVAILABLE' | 'DEGRADED' | 'UNAVAILABLE'

export function presentLists(data: ReferenceData, routing: Routing): ReferenceLists {
  const operatorsOf = (env: Environment) =>
    [...data.operators.values()].map((operator) => {
      const { country, currency, id: target } = operator
      const [provider] = routing.providersOf(env, { operation: 'charge.momo', country, currency, target })
      const shown = presentOperator(operatorBy(data, operator, provider?.id ?? ''))
      return { ...shown, statusNow: () => statusOf(routing, env, operator) }
    })
  return {
    countries: [...data.countries.values()].map(presentCountry),
    banks: [...data.banks.values()].map((bank) => presentBank(bank, data.branches.has(bank.id))),
    branches: new Map([...data.branches].map(([bankId, rows]) => [bankId, rows.map(presentBranch)])),
    operators: { live: operatorsOf('live'), sandbox: operatorsOf('sandbox') },
  }
}

/**
 * Unavailable: its limits are not known, or no provider serves it, and payments are refused. Degraded: for charges or payouts every
 * provider is paused or does not respond, so payments wait.
 */
function statusOf(routing: Routing, env: Environment, operator: Operator): OperatorStatus {
  const { country, currency, id: target, limits } = operator
  const served = (['charge.momo', 'payout.momo'] as const)
    .map((operation) => routing.providersOf(env, { operation, country, currency, target }))
    .filter((providers) => providers.length > 0)
  if (limits === undefined || served.length === 0) return 'UNAVAILABLE'
  const isUsable = served.every((providers) => providers.some(({ id }) => routing.isUsable(env, id)))
  return isUsable ? 'AVAILABLE' : 'DEGRADED'
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

function presentOperator(operator: Operator) {
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
  }
}
