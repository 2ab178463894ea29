import { ensureWallets } from '../ledger/accounts.ts'
import { openBooks } from '../ledger/books.ts'
import { type LedgerEvent, movementsOf } from '../ledger/postings.ts'
import { type Currency, isCurrency } from '../money/currencies.ts'
import { formatMinor, parseMinor } from '../money/money.ts'
import type { BatchTx, Environment } from '../platform/db.ts'
import { newTransactionId, showId } from '../platform/ids.ts'
import { auditedPosting, type Desk, OperatorError } from './desk.ts'
import { existing, merchantId } from './merchants.ts'

export interface Funding {
  readonly env: Environment
  readonly currency: string
  readonly country: string
  /** Decimal text in major units. */
  readonly amount: string
  /** What proves that the money is there: a bank's statement line, a transfer's reference. */
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
export async function fundWallet(desk: Desk, shownMerchantId: string, funding: Funding): Promise<Posted> {
  const { currency, minor } = readAmount(funding)
  if (minor < 0n) throw new OperatorError('a wallet is funded by an amount above 0')
  const merchant = await existing(desk.db.write, merchantId(shownMerchantId))
  const treasury = await desk.platformAccounts.idOf({ env: funding.env, kind: 'treasury', currency })
  return auditedPosting(desk, async (tx) => {
    const scope = { merchant_id: merchant.id, env: funding.env, currency, country: funding.country }
    const [wallet = ''] = await ensureWallets(tx, desk.cell, [scope])
    const accounts = { wallet, treasury }
    const posted = await post(desk, tx, { event: 'wallet_funded', currency, minor, accounts, wallets: [wallet] })
    const entry = {
      action: 'wallet.fund',
      merchant_id: merchant.id,
      env: funding.env,
      subject: posted.result.transactionId,
    }
    return { ...posted, entry: { ...entry, detail: { ...funding }, reason: funding.reason } }
  })
}

/** Brings a float to what the provider says it is: up by a positive amount, down by a negative one. */
export async function adjustFloat(desk: Desk, adjustment: FloatAdjustment): Promise<Posted> {
  const { currency, minor } = readAmount(adjustment)
  const { env, provider, country } = adjustment
  if (!/^[a-z][a-z0-9-]*$/.test(provider)) throw new OperatorError(`${provider} is no provider's name`)
  const float = await desk.platformAccounts.idOf({ env, kind: 'float', currency, provider, country })
  const treasury = await desk.platformAccounts.idOf({ env, kind: 'treasury', currency })
  return auditedPosting(desk, async (tx) => {
    const event = minor > 0n ? 'float_raised' : 'float_lowered'
    const size = minor > 0n ? minor : -minor
    const posted = await post(desk, tx, { event, currency, minor: size, accounts: { float, treasury }, wallets: [] })
    const entry = { action: 'float.adjust', env, subject: posted.result.transactionId, detail: { ...adjustment } }
    return { ...posted, entry: { ...entry, reason: adjustment.reason } }
  })
}

interface Order {
  readonly event: LedgerEvent
  readonly currency: Currency
  readonly minor: bigint
  readonly accounts: Readonly<Record<string, string>>
  readonly wallets: readonly string[]
}

async function post(desk: Desk, tx: BatchTx, { event, currency, minor, accounts, wallets }: Order) {
  const transaction_id = newTransactionId(Number(tx.atUs / 1000n), desk.cell)
  const movements = movementsOf(event, {
    transaction_id,
    firstNumber: 0,
    sums: { amount: minor },
    accountOf: (role) => accounts[role] ?? '',
    currencies: { wallet: currency, payment: currency },
  })
  const books = await openBooks(tx, desk.writer, movements, wallets)
  const refusal = books.apply(movements)
  if (refusal) throw new OperatorError(`the ledger refuses: ${refusal.replace('_', ' ')}`)
  const result: Posted = {
    transactionId: showId('transaction', transaction_id),
    amount: formatMinor(minor, currency),
    currency,
  }
  return { result, written: await books.write() }
}

function readAmount({ currency, country, amount, evidence }: Funding): { currency: Currency; minor: bigint } {
  if (!isCurrency(currency)) throw new OperatorError(`${currency} is not a currency Malipo knows`)
  if (!/^[A-Z]{2}$/.test(country)) throw new OperatorError(`${country} is no two-letter country code such as KE`)
  const minor = parseMinor(amount, currency)
  if (minor === undefined || minor === 0n) throw new OperatorError(`${amount} is no amount of ${currency}`)
  if (evidence.trim() === '') throw new OperatorError('evidence must say what proves that the money is there')
  return { currency, minor }
}
