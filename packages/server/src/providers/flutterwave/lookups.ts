import type { Currency } from '../../money/currencies.ts'
import { type Decimal, formatDecimal, parseDecimal, tenTo } from '../../money/decimals.ts'
import { roundedQuotient } from '../../money/rounding.ts'
import type { NameOutcome, NameQuery } from '../contract.ts'
import type { Line } from './line.ts'
import { asFields, readEnvelope } from './messages.ts'
import type { BankCodes } from './payouts.ts'

/** Flutterwave knows account holders at Nigerian banks only. */
export async function resolveName(
  line: Line,
  codes: BankCodes,
  query: NameQuery,
  signal: AbortSignal,
): Promise<NameOutcome> {
  if (query.kind !== 'bank' || query.currency !== 'NGN') return { found: 'unclear', detail: 'not at a Nigerian bank' }
  const { accountNumber: accountId, bankCode } = query
  const account_bank = codes('NG', bankCode)
  if (account_bank === undefined) return { found: 'unclear', detail: 'Flutterwave does not support this bank' }
  const body = { account_number: accountId, account_bank }
  const reply = await line.post('/accounts/resolve', body, signal)
  if (reply.kind !== 'responded') return { found: 'unclear', detail: reply.kind }
  const envelope = readEnvelope(reply.text)
  if (reply.status === 400 && envelope?.isSuccess === false && /account number is invalid/i.test(envelope.message))
    return { found: 'no' }
  const { account_number: number, account_name: accountName } =
    (reply.status === 200 && envelope?.isSuccess && asFields(envelope.data)) || {}
  if (number !== accountId || typeof accountName !== 'string' || accountName.trim() === '')
    return { found: 'unclear', detail: `responded ${reply.status}` }
  return { found: 'yes', accountId, accountName }
}

/** The amount to quote. Large enough that the price has enough digits even in cents. */
const sample = 1_000_000
const decimals = 12

/**
 * Our `sell` is what Flutterwave takes in the quote currency for one base. Our `buy` is what it gives for one base, of
 * which it reports the inverse. Each is rounded away from the other. If Flutterwave's rounding makes them cross
 * slightly, they become equal. A larger crossing is a contradiction, and there is then no rate.
 */
export async function quoteRate(
  line: Line,
  base: Currency,
  quote: Currency,
  signal: AbortSignal,
): Promise<{ readonly buy: string; readonly sell: string }> {
  const [taken, given] = await Promise.all([
    costOf(line, { of: base, in: quote }, signal),
    costOf(line, { of: quote, in: base }, signal),
  ])
  const one = { digits: BigInt(sample), scale: 0 }
  const sell = divide(taken, one, 'up')
  const buy = divide(one, given, 'down')
  if (buy <= 0n || buy * 100n > sell * 101n) throw new Error(`no rate of ${base}/${quote}: it contradicts itself`)
  return { buy: textOf(buy < sell ? buy : sell), sell: textOf(sell) }
}

/** The price of the sample of one currency in the other. */
async function costOf(line: Line, pair: { of: Currency; in: Currency }, signal: AbortSignal): Promise<Decimal> {
  const request = `amount=${sample}&destination_currency=${pair.of}&source_currency=${pair.in}`
  const reply = await line.get(`/transfers/rates?${request}`, signal)
  const envelope = reply.kind === 'responded' && reply.status === 200 ? readEnvelope(reply.text) : undefined
  const { source, destination } = (envelope?.isSuccess && asFields(envelope.data)) || {}
  const [cost, bought] = [asFields(source), asFields(destination)]
  const price = parseDecimal(String(cost?.['amount']))
  const isAsAsked =
    cost?.['currency'] === pair.in && bought?.['currency'] === pair.of && Number(bought['amount']) === sample
  if (isAsAsked && price && price.digits > 0n) return price
  throw new Error(`no rate of ${pair.in}/${pair.of}: ${reply.kind === 'responded' ? reply.status : reply.kind}`)
}

/** In units of the last decimal that we keep. */
function divide(dividend: Decimal, divisor: Decimal, rounding: 'up' | 'down'): bigint {
  return roundedQuotient(
    dividend.digits * tenTo(divisor.scale) * tenTo(decimals),
    divisor.digits * tenTo(dividend.scale),
    rounding,
  )
}

function textOf(units: bigint): string {
  return formatDecimal({ digits: units, scale: decimals }).replace(/\.?0+$/, '')
}
