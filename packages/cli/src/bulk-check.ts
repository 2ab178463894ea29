import type { Malipo, Wallet } from '@malipo/sdk'
import { findEarlier } from './bulk-earlier.ts'
import type { BulkLine } from './bulk-file.ts'
import { certainOperator, certainRefusal, type PayoutPlaces } from './bulk-rules.ts'
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
  /** Payouts that were accepted before: they are not paid again. */
  readonly alreadyAccepted: number
  /** Payouts whose limits only Malipo knows: banks, tills, external accounts, numbers that do not identify the operator. */
  readonly unchecked: number
  /** Payouts whose references were not looked up, because there are too many. */
  readonly uncheckedReferences: number
}

/** A reference is looked up with one request each, and the merchant's rate limit is also for its payments. */
const lookupsMax = 1000

/** Adds up a file and compares it with the rules, the references used before and the wallets. Sends no payout. */
export async function checkBulk(
  malipo: Malipo,
  lines: readonly BulkLine[],
  signal: AbortSignal | undefined,
): Promise<BulkCheck> {
  const places = await readPlaces(malipo)
  const refused = new Map<BulkLine, string>()
  const accepted = new Set<BulkLine>()
  for (const line of lines.slice(0, lookupsMax)) {
    const earlier = await findEarlier(malipo, line, signal)
    if (earlier?.isSame) accepted.add(line)
    else if (earlier)
      refused.set(
        line,
        `External reference already used. It belongs to another payment, ${earlier.payment.transactionId}.`,
      )
  }
  for (const line of lines.filter((each) => !accepted.has(each) && !refused.has(each))) {
    const message = certainRefusal(line.payout, places)
    if (message !== undefined) refused.set(line, message)
  }
  const rest = lines.filter((line) => !accepted.has(line) && !refused.has(line))
  for (const [line, message] of aboveWallets(rest, await malipo.account.balances({ signal })))
    refused.set(line, message)
  return {
    totals: totalsOf(lines),
    refusals: lines.flatMap((each) => {
      const message = refused.get(each)
      return message === undefined
        ? []
        : [{ line: each.line, externalReference: each.payout.externalReference, message }]
    }),
    alreadyAccepted: accepted.size,
    unchecked: rest.filter(({ payout }) => !certainOperator(payout, places)).length,
    uncheckedReferences: Math.max(0, lines.length - lookupsMax),
  }
}

async function readPlaces({ reference }: Malipo): Promise<PayoutPlaces> {
  const [operators, countries, banks] = await Promise.all([
    reference.mobileMoneyOperators(),
    reference.countries(),
    reference.banks(),
  ])
  return { operators, countries, banks }
}

/**
 * The payouts that a wallet cannot pay, in the order of the file, as Malipo accepts them. Fees come on top, so that more may be
 * rejected. Payouts in another currency than their wallet, or to external accounts without one, are not counted.
 */
function aboveWallets(lines: readonly BulkLine[], wallets: readonly Wallet[]): Map<BulkLine, string> {
  const left = new Map(wallets.map((wallet) => [wallet, minorOf(String(wallet.available))]))
  const above = new Map<BulkLine, string>()
  for (const line of lines) {
    const wallet = walletOf(line, wallets)
    if (!wallet) continue
    const amount = minorOf(String(line.payout.amount))
    const available = left.get(wallet) ?? 0n
    if (amount <= available) left.set(wallet, available - amount)
    else {
      const { available: whole, currency } = wallet
      above.set(line, `The ${currency} wallet has ${whole} ${currency} available, not enough for this one too.`)
    }
  }
  return above
}

function walletOf({ payout }: BulkLine, wallets: readonly Wallet[]): Wallet | undefined {
  const { currency, debitCurrency = currency, country, debitCountry = country } = payout
  if (debitCurrency !== currency) return undefined
  const same = wallets.filter((wallet) => wallet.currency === currency)
  return same.length === 1 ? same[0] : same.find((wallet) => wallet.country === debitCountry)
}

/** Decimals of any currency as a whole number, so that no sum is rounded. */
function minorOf(amount: string): bigint {
  const [units = '', decimals = ''] = amount.split('.')
  return BigInt(units + decimals.padEnd(15, '0'))
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

export function checkScreen({ table, paint }: Formatter, file: string, check: BulkCheck): string {
  const { totals, refusals, alreadyAccepted, unchecked, uncheckedReferences } = check
  const count = totals.reduce((sum, { payouts }) => sum + payouts, 0)
  const payouts = `${count} ${count === 1 ? 'payout' : 'payouts'}`
  const isWhole = refusals.length + unchecked + uncheckedReferences === 0
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
    `${file} ${isWhole ? 'is valid' : 'can be read'}: ${payouts}. Nothing was sent.\n\n${sums}`,
    ...(refusals.length === 0 ? [] : [`${paint('red', `Malipo would reject ${refusals.length}:`)}\n\n${refused}`]),
    ...(alreadyAccepted === 0 ? [] : [`Accepted before and not paid again: ${alreadyAccepted}.`]),
    ...(unchecked === 0 ? [] : [`Limits of ${unchecked} are not checked: the file does not identify the operator.`]),
    ...(uncheckedReferences === 0
      ? []
      : [`References of ${uncheckedReferences} are not checked: a dry run looks up the first ${lookupsMax}.`]),
  ].join('\n\n')
}
