import { AppError } from '../../errors.ts'
import { type Currency, currencies } from '../../money/currencies.ts'
import { createAllowance } from '../../platform/allowance.ts'
import type { Environment } from '../../platform/db.ts'
import { cellOfKey, showId } from '../../platform/ids.ts'
import type { Log } from '../../platform/log.ts'
import type { CallbackObservation, Connector, ProviderStatus, QueryOutcome } from '../../providers/contract.ts'
import type { Connectors } from '../../providers/routing.ts'
import { dayMs, minuteMs, timing } from '../resolve/timing.ts'
import type { Booked, ConfirmedMoney, UnknownPayments } from './unknown-payments.ts'

/** A report on a payment that is not known here. */
interface UnknownReport extends CallbackObservation {
  readonly env: Environment
  readonly provider: string
  readonly isProof: boolean
  readonly isUnsigned: boolean
}

export type QueryUnknown = (report: UnknownReport) => Promise<void>

export interface QueryUnknownOptions {
  readonly connectors: Connectors
  readonly cell: number
  readonly log: Log
  readonly unknownPayments: UnknownPayments
}

/**
 * Queries the provider about money of an unknown payment, and books it to suspense with a case. A callback is never enough,
 * signed or not: only what the provider confirms under that key is booked. Throws while the provider cannot be queried, so that
 * the callback is sent again. Strangers can trigger these queries, so they are limited per minute.
 */
export function createQueryUnknown(options: QueryUnknownOptions): QueryUnknown {
  const { connectors, cell, log } = options
  const isSignedAllowed = createAllowance(60, minuteMs)
  const isUnsignedAllowed = createAllowance(10, minuteMs)
  return async (report) => {
    const { env, provider, key, isUnsigned } = report
    const facts = { env, provider, key: key.slice(0, 100) }
    log.warn(facts, 'callback names an unknown payment')
    if (!saysMoney(report)) return
    if (!isCellsOwn(key, cell)) return log.error(facts, 'callback names a payment of another cell')
    const isAllowed = isUnsigned ? isUnsignedAllowed : isSignedAllowed
    if (!isAllowed(`${env}/${provider}`)) throw new AppError('OVERLOADED')
    const outcome = await ask(connectors[env].get(provider), key)
    if (outcome.found === 'unclear') throw new AppError('PROVIDER_UNAVAILABLE')
    if (outcome.found === 'yes') await book(options, report, outcome)
  }
}

/** Each of these logs is an immediate alert for the operator. */
async function book(
  { log, unknownPayments }: QueryUnknownOptions,
  { env, provider, key }: UnknownReport,
  { providerStatus, country: named }: Extract<QueryOutcome, { found: 'yes' }>,
): Promise<void> {
  const facts = { env, provider, key }
  if (providerStatus.state === 'reversed') return log.error(facts, 'money of an unknown payment reversed')
  const money = moneyOf(providerStatus)
  if (!money) return
  const country = named ?? countryOf(money.currency)
  if (country === undefined)
    return log.error(facts, 'money of an unknown payment not booked: the provider does not name its country')
  const { caseId, change }: Booked = await unknownPayments.submit({ env, provider, key, country, ...money })
  const shown = { ...facts, ...(caseId !== undefined && { caseId: showId('case', caseId) }) }
  if (change === 'opened' || change === 'changed') log.error(shown, 'money of an unknown payment put into suspense')
  if (change === 'contradicted') log.error(shown, 'money of an unknown payment changed after its case was cleared')
}

/**
 * Proof that no money moved needs no query. A hint counts as that only when it reports a failure or a waiting customer: the rest
 * may be misread. The key becomes part of a URL, so its form is checked.
 */
function saysMoney({ key, providerStatus: { state }, isProof }: UnknownReport): boolean {
  const isNone = state === 'failed' || state === 'waiting' || (isProof && state === 'submitted')
  return !isNone && /^[\w-]{1,100}$/.test(key)
}

/**
 * One cell may receive the callbacks of several cells; then the money is in another cell's books. Keys of other systems name no
 * cell.
 */
function isCellsOwn(key: string, cell: number): boolean {
  return (cellOfKey(key, Date.now() + dayMs) ?? cell) === cell
}

/** Only a charge brings money in. The first rail on which the provider knows the key counts. */
async function ask(connector: Connector | undefined, key: string): Promise<QueryOutcome> {
  const rails = [connector?.transferCharges, connector?.cardCharges, connector?.momoCharges]
  let last: QueryOutcome = { found: 'no' }
  for (const rail of rails) {
    const outcome = rail ? await rail.query({ key }, AbortSignal.timeout(timing.queryTimeoutMs)) : undefined
    if (outcome?.found === 'yes') return outcome
    if (outcome?.found === 'unclear') last = outcome
  }
  return last
}

type Money = Pick<ConfirmedMoney, 'currency' | 'amount' | 'fee'>

/** What the provider collected in total, less what went back. */
function moneyOf(providerStatus: ProviderStatus): Money | undefined {
  if (providerStatus.state === 'successful') {
    const { amount, currency, fee = 0n } = providerStatus.settled
    return { amount, currency, fee }
  }
  const [first] = providerStatus.state === 'received' ? providerStatus.receipts : []
  if (providerStatus.state !== 'received' || !first) return undefined
  const { currency } = first
  if (providerStatus.receipts.some((receipt) => receipt.currency !== currency)) return undefined
  const kept = providerStatus.receipts.filter(({ isReversed }) => !isReversed)
  return {
    currency,
    amount: kept.reduce((sum, { amount }) => sum + amount, 0n),
    fee: kept.reduce((sum, { fee = 0n }) => sum + fee, 0n),
  }
}

function countryOf(currency: Currency): string | undefined {
  const own = currencies[currency]
  return 'country' in own ? own.country : undefined
}
