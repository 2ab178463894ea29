import assert from 'node:assert/strict'
import { ensureWallets } from '../ledger/accounts.ts'
import { openBooks } from '../ledger/books.ts'
import { type LedgerEvent, movementsOf } from '../ledger/postings.ts'
import { type Currency, isCurrency } from '../money/currencies.ts'
import { formatMinor, parseMinor } from '../money/money.ts'
import { type BatchTx, type Environment, sql } from '../platform/db.ts'
import { newTransactionId, showId } from '../platform/ids.ts'
import { loadReferenceData, type ReferenceData } from '../reference/data.ts'
import { isWalletPlace } from '../reference/wallet-places.ts'
import { requireProvider } from './known-provider.ts'
import { existing, merchantId } from './merchants.ts'
import { audited, type OperatorContext, OperatorError } from './operator-context.ts'

export interface Funding {
  readonly env: Environment
  readonly currency: string
  readonly country: string
  /** Decimal text in major units. */
  readonly amount: string
  /** The proof of the money: a line of a bank statement, a transfer reference. */
  readonly evidence: string
  readonly reason: string
}

export interface FloatAdjustment extends Funding {
  readonly provider: string
}

export interface Posted {
  readonly transactionId: string
  readonly amount: string
  readonly currency: string
}

/** Credits a merchant's wallet from treasury. */
export async function fundWallet(context: OperatorContext, shownMerchantId: string, funding: Funding): Promise<Posted> {
  const { currency, minor } = readAmount(funding, loadReferenceData())
  if (minor < 0n) throw new OperatorError('the amount must be above 0')
  const merchant = await existing(context.db.write, merchantId(shownMerchantId))
  const treasury = await context.platformAccounts.idOf({ env: funding.env, kind: 'treasury', currency })
  return audited(context, async (tx) => {
    const scope = { merchant_id: merchant.id, env: funding.env, currency, country: funding.country }
    const [wallet = ''] = await ensureWallets(tx, context.cell, [scope])
    const accounts = { wallet, treasury }
    const proof = { ...funding, purpose: 'wallets' }
    const posted = await post(context, tx, {
      event: 'wallet_funded',
      currency,
      minor,
      accounts,
      wallets: [wallet],
      proof,
    })
    const entry = {
      action: 'wallet.fund',
      merchant_id: merchant.id,
      env: funding.env,
      subject: posted.result.transactionId,
    }
    const money = { amount: minor, currency }
    return { ...posted, money, entry: { ...entry, detail: { ...funding }, reason: funding.reason } }
  })
}

/** Brings a float to the provider's figure: up by a positive amount, down by a negative one. */
export async function adjustFloat(context: OperatorContext, adjustment: FloatAdjustment): Promise<Posted> {
  const reference = loadReferenceData()
  const { currency, minor } = readAmount(adjustment, reference)
  const { env, provider, country } = adjustment
  refuseStrangeFloat(reference, adjustment)
  const float = await context.platformAccounts.idOf({ env, kind: 'float', currency, provider, country })
  const treasury = await context.platformAccounts.idOf({ env, kind: 'treasury', currency })
  return audited(context, async (tx) => {
    const event = minor > 0n ? 'float_raised' : 'float_lowered'
    const size = minor > 0n ? minor : -minor
    const accounts = { float, treasury }
    const proof = { ...adjustment, purpose: `float ${provider} ${country} ${currency}` }
    const posted = await post(context, tx, { event, currency, minor: size, accounts, wallets: [], proof })
    const entry = { action: 'float.adjust', env, subject: posted.result.transactionId, detail: { ...adjustment } }
    return { ...posted, money: { amount: size, currency }, entry: { ...entry, reason: adjustment.reason } }
  })
}

interface Order {
  readonly event: LedgerEvent
  readonly currency: Currency
  readonly minor: bigint
  readonly accounts: Readonly<Record<string, string>>
  readonly wallets: readonly string[]
  readonly proof: Proof
}

interface Proof {
  readonly env: Environment
  /** The purpose of the evidence: evidence counts once per purpose. */
  readonly purpose: string
  readonly evidence: string
}

async function post(
  context: OperatorContext,
  tx: BatchTx,
  { event, currency, minor, accounts, wallets, proof }: Order,
) {
  const transaction_id = newTransactionId(Number(tx.atUs / 1000n), context.cell)
  await useEvidence(tx, proof, transaction_id)
  const movements = movementsOf(event, {
    transaction_id,
    firstNumber: 0,
    sums: { amount: minor },
    accountOf: (role) => accounts[role] ?? '',
    currencies: { wallet: currency, payment: currency },
  })
  const books = await openBooks(tx, context.writer, movements, wallets)
  const refusal = books.apply(movements)
  if (refusal) throw new OperatorError(`the ledger refuses: ${refusal.replace('_', ' ')}`)
  const result: Posted = {
    transactionId: showId('transaction', transaction_id),
    amount: formatMinor(minor, currency),
    currency,
  }
  return { result, written: await books.write() }
}

/** Evidence counts once: of two commands at the same time the second waits for the first, and is refused. */
async function useEvidence(tx: BatchTx, { env, purpose, evidence }: Proof, transaction_id: string): Promise<void> {
  const text = evidence.trim().replaceAll(/\s+/g, ' ').toLowerCase()
  const used = await tx.query(sql`
    insert into posting_evidence (env, purpose, evidence, transaction_id)
    values (${env}, ${purpose}, ${text}, ${transaction_id})
    on conflict do nothing
    returning transaction_id`)
  if (used.length > 0) return
  const [earlier] = await tx.query<{ transaction_id: string; at: Date }>(sql`
    select transaction_id, at
    from posting_evidence
    where (env, purpose, evidence) = (${env}, ${purpose}, ${text})`)
  assert(earlier, 'the conflicting evidence is missing')
  const posting = `${showId('transaction', earlier.transaction_id)} of ${earlier.at.toISOString().slice(0, 10)}`
  throw new OperatorError(
    `"${evidence}" is the evidence of ${posting}. If this is another movement, name its own line or reference`,
  )
}

/** A float belongs to a provider that charges or pays out in its country and currency. */
export function refuseStrangeFloat(
  { routes }: ReferenceData,
  { provider, country, currency }: Pick<FloatAdjustment, 'provider' | 'country' | 'currency'>,
): void {
  requireProvider(provider)
  const isServed = routes.some(
    (route) =>
      /^(charge|payout)\./.test(route.operation) &&
      route.providers.includes(provider) &&
      (route.country === '*' || route.country === country) &&
      route.currency === currency,
  )
  if (!isServed) throw new OperatorError(`${provider} does not serve ${currency} in ${country}`)
}

function readAmount(
  { currency, country, amount, evidence }: Funding,
  reference: ReferenceData,
): { currency: Currency; minor: bigint } {
  if (!isCurrency(currency)) throw new OperatorError(`${currency} is not a currency Malipo knows`)
  if (!/^[A-Z]{2}$/.test(country)) throw new OperatorError(`${country} is not a two-letter country code such as KE`)
  if (!isWalletPlace(reference, currency, country)) throw new OperatorError(`${currency} is not used in ${country}`)
  const minor = parseMinor(amount, currency)
  if (minor === undefined || minor === 0n) throw new OperatorError(`${amount} is not an amount of ${currency}`)
  if (evidence.trim() === '')
    throw new OperatorError('evidence must name what proves the movement, such as a statement line')
  return { currency, minor }
}
