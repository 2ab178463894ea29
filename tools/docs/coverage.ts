/** docs/reference/coverage.md: what can be paid where, through which provider, and how much at once. */
import { formatMinor } from '../../packages/server/src/money/money.ts'
import type { Limits, Operator, ReferenceData, RouteRow } from '../../packages/server/src/reference/data.ts'

const methods: Readonly<Record<string, string>> = {
  'charge.momo': 'charge by mobile money',
  'charge.bank-transfer': 'charge by bank transfer',
  'payout.momo': 'payout to mobile money',
  'payout.bank': 'payout to a bank',
  'payout.paybill': 'payout to a Paybill',
  'payout.till': 'payout to a till',
}

export function coveragePage(data: ReferenceData): string {
  const countries = [...data.countries.values()].sort((left, right) => left.name.localeCompare(right.name))
  const sections = countries.map(({ iso2, name, currency, dialing_code }) => {
    const rows = [...moneyRows(data, iso2), ...closedRows(data, iso2)]
    const table = rows.length === 0 ? 'Listed; nothing can be paid there yet.' : [header, ...rows].join('\n')
    return `## ${name}\n\n${iso2}, ${dialing_code}, ${currency}; ${bankLine(data, iso2)}.\n\n${table}`
  })
  return `<!-- Made by npm run generate from packages/server/data. Change the data instead. -->

# Coverage

Every operator, bank and currency, its provider, and its limits for one payment, in major units. \`house\` is the sandbox's own
provider, for rails without a public protocol: in live, what only it serves is refused with \`PROVIDER_NOT_FOUND\`. An operator
without published limits is listed as UNAVAILABLE and its payments are refused. Flutterwave gets the bank codes in
\`packages/server/data/provider-codes.csv\`, otherwise our own. Our codes for Uganda and Tanzania are synthetic: enter
Flutterwave's codes before live payouts there. \`GET /utilities/momo-operators\` and
\`GET /utilities/banks\` give the same by API. A charge is refunded by the provider that collected it, where the column names that provider;
otherwise the merchant pays the customer out with \`refundOf\`. Flutterwave refunds a bank transfer charge only if one transfer paid it.

${sections.join('\n\n')}

## Cards

Wherever the merchant is, in these currencies:

| currency | providers | refunds |
|---|---|---|
${cardRows(data).join('\n')}
`
}

function cardRows({ routes }: ReferenceData): string[] {
  return routes
    .filter(({ operation }) => operation === 'charge.card')
    .map((route) => `| ${route.currency} | ${route.providers.join(', ')} | ${refundedBy(routes, route)} |`)
}

/** The providers that refund what they charged. */
function refundedBy(routes: readonly RouteRow[], charge: RouteRow): string {
  const { country, currency, target, providers } = charge
  const operation = charge.operation.replace('charge.', 'refund.')
  const refund = routes.find(
    (route) =>
      route.operation === operation &&
      route.operation !== charge.operation &&
      route.country === country &&
      route.currency === currency &&
      route.target === target,
  )
  return providers.filter((provider) => refund?.providers.includes(provider)).join(', ')
}

const header = `| method | operator | amount | authorisation | providers | refunds |
|---|---|---|---|---|---|`

function moneyRows(data: ReferenceData, country: string): string[] {
  return data.routes
    .filter((route) => route.country === country && methods[route.operation] !== undefined)
    .map((route) => routeRow(data, route))
}

function routeRow({ operators, routes }: ReferenceData, route: RouteRow): string {
  const { operation, providers } = route
  const operator = operators.get(route.target)
  const isCharge = operation === 'charge.momo'
  const bounds = operator?.limits?.[isCharge ? 'deposit' : 'payout']
  const amount = bounds && operator ? amountOf(bounds, operator) : ''
  const approval = isCharge && operator ? approvalOf(operator) : ''
  const name = operator ? nameOf(operator) : ''
  const cells = [methods[operation], name, amount, approval, providers.join(', '), refundedBy(routes, route)]
  return `| ${cells.join(' | ')} |`
}

const nameOf = ({ name, id }: Operator) => `${name} \`${id}\``

function amountOf({ min, max }: Limits, operator: Operator): string {
  const { decimals } = operator
  const parts = decimals === 0 ? 'whole' : `${decimals} decimals`
  return `${major(min, operator)} to ${major(max, operator)}, ${parts}`
}

/** Known operators that are not open. */
function closedRows({ operators }: ReferenceData, country: string): string[] {
  return [...operators.values()]
    .filter((operator) => operator.country === country && !operator.limits)
    .map((operator) => `| UNAVAILABLE | ${nameOf(operator)} | | | | |`)
}

function bankLine({ banks, branches }: ReferenceData, country: string): string {
  const there = [...banks.values()].filter((bank) => bank.country === country)
  const count = there.reduce((sum, { id }) => sum + (branches.get(id)?.length ?? 0), 0)
  if (there.length === 0) return 'no banks listed'
  return `${there.length} banks, ${count === 0 ? 'no branches' : `${count} branches`} listed`
}

function approvalOf({ auth_type, ussd_code }: Operator): string {
  return ussd_code === '' ? auth_type : `${auth_type}, ${ussd_code.replaceAll('*', '\\*')}`
}

const major = (minor: bigint, { currency }: Operator) =>
  formatMinor(minor, currency)
    .replace(/\.0+$/, '')
    .replaceAll(/\B(?=(\d{3})+(?!\d))/g, ',')
