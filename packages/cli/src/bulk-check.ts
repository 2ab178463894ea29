import type { Country, Malipo, MobileMoneyOperator } from '@malipo/sdk'
import type { BulkLine } from './bulk-file.ts'
import { type Formatter, right } from './table.ts'

interface Total {
  /** Null for payouts to an external account that name no currency: the account has it. */
  readonly currency: string | null
  readonly payouts: number
  /** Exact, in major units. */
  readonly sum: string
}

interface Refusal {
  readonly line: number
  readonly externalReference: string
  readonly message: string
}

/** What a dry run finds. */
export interface BulkCheck {
  readonly totals: readonly Total[]
  readonly refusals: readonly Refusal[]
  /** Payouts whose limits only Malipo knows: banks, tills, external accounts, numbers that do not identify the operator. */
  readonly unchecked: number
}

/** Adds up a file and compares it with the operators' limits, which one read returns. Sends no payout. */
export async function checkBulk(malipo: Malipo, lines: readonly BulkLine[]): Promise<BulkCheck> {
  const [operators, countries] = await Promise.all([
    malipo.reference.mobileMoneyOperators(),
    malipo.reference.countries(),
  ])
  const checked = lines.map((each) => ({ ...each, operator: operatorOf(each, operators, countries) }))
  return {
    totals: totalsOf(lines),
    refusals: checked.flatMap(({ line, payout: { externalReference, amount }, operator }) => {
      const message = operator && refusalOf(operator, String(amount))
      return message ? [{ line, externalReference, message }] : []
    }),
    unchecked: checked.filter(({ operator }) => operator === undefined).length,
  }
}

/** The operator that Malipo will choose, where the file makes that certain. */
function operatorOf(
  { payout }: BulkLine,
  operators: readonly MobileMoneyOperator[],
  countries: readonly Country[],
): MobileMoneyOperator | undefined {
  const { destination, country, currency, payoutMethod } = payout
  if (destination !== 'MoMo' || !payoutMethod) return undefined
  const choices = operators.filter((each) => each.country === country && each.currency === currency)
  const { code, accountNumber = '' } = payoutMethod
  if (code) return choices.find(({ id }) => id === code)
  const dialing = countries.find(({ iso2 }) => iso2 === country)?.dialing_code.replaceAll(/\D/g, '') ?? ''
  const digits = accountNumber.replaceAll(/\D/g, '')
  if (dialing === '' || !digits.startsWith(dialing)) return undefined
  const national = digits.slice(dialing.length)
  return choices
    .flatMap((operator) => operator.prefixes.map((prefix) => ({ operator, prefix })))
    .filter(({ prefix }) => national.startsWith(prefix))
    .sort((left, other) => other.prefix.length - left.prefix.length)[0]?.operator
}

function refusalOf({ name, currency, status, decimals, payout }: MobileMoneyOperator, amount: string) {
  const { min = 0, max = Number.POSITIVE_INFINITY } = payout
  const digits = /\.(\d*?)0*$/.exec(amount)?.[1]?.length ?? 0
  if (status !== 'AVAILABLE') return `${name} does not accept payments at the moment.`
  if (digits > decimals)
    return `${name} accepts ${decimals === 0 ? 'whole amounts only' : `at most ${decimals} decimals`}, not ${amount}.`
  if (Number(amount) < min) return `${amount} ${currency} is below the minimum of ${name}, ${min} ${currency}.`
  if (Number(amount) > max) return `${amount} ${currency} is above the maximum of ${name}, ${max} ${currency}.`
  return undefined
}

function totalsOf(lines: readonly BulkLine[]): Total[] {
  const groups = Map.groupBy(lines, ({ payout }) => payout.currency ?? null)
  return [...groups].map(([currency, same]) => ({
    currency,
    payouts: same.length,
    sum: exactSum(same.map(({ payout }) => String(payout.amount))),
  }))
}

/** Adds decimals as whole numbers of their smallest digit, so that no sum is rounded. */
export function exactSum(amounts: readonly string[]): string {
  const parts = amounts.map((amount) => amount.split('.'))
  const places = Math.max(...parts.map(([, decimals = '']) => decimals.length))
  const sum = parts.reduce(
    (total, [units = '', decimals = '']) => total + BigInt(units + decimals.padEnd(places, '0')),
    0n,
  )
  const digits = String(sum).padStart(places + 1, '0')
  return places === 0 ? digits : `${digits.slice(0, -places)}.${digits.slice(-places)}`
}

export function checkScreen({ table, paint }: Formatter, file: string, { totals, refusals, unchecked }: BulkCheck) {
  const count = totals.reduce((sum, { payouts }) => sum + payouts, 0)
  const payouts = `${count} ${count === 1 ? 'payout' : 'payouts'}`
  const verb = refusals.length === 0 ? 'is valid' : 'can be read'
  const sums = table(totals, {
    CURRENCY: ({ currency }) => currency ?? "the account's",
    PAYOUTS: right(({ payouts: number }) => String(number)),
    SUM: right(({ sum }) => sum),
  })
  const refused = table(refusals, {
    LINE: right(({ line }) => String(line)),
    REFERENCE: ({ externalReference }) => externalReference,
    WHY: ({ message }) => message,
  })
  return [
    `${file} ${verb}: ${payouts}. Nothing was sent.\n\n${sums}`,
    ...(refusals.length === 0 ? [] : [`${paint('red', `Malipo would reject ${refusals.length}:`)}\n\n${refused}`]),
    ...(unchecked === 0 ? [] : [`Limits of ${unchecked} are not checked: the file does not identify the operator.`]),
  ].join('\n\n')
}
