import type { PlatformAccounts, PlatformKind } from '../ledger/accounts.ts'
import type { Movement } from '../ledger/books.ts'
import { type LedgerEvent, movementsOf } from '../ledger/postings.ts'
import type { Decision, News } from './decide.ts'
import type { FullPayment, Payment, Transaction } from './store.ts'

/** Places in a payment's books. Holds come first; each kind of later posting has a place of its own, so it happens once. */
const places = {
  payout_successful: 4,
  payout_failed: 4,
  charge_successful: 4,
  provider_fee_told: 8,
  payout_successful_late: 10,
  charge_successful_late: 10,
  payout_reversed: 12,
  charge_reversed: 12,
} as const satisfies Partial<Record<LedgerEvent, number>>

/** What an attempt that was given up moved after all. */
const strayPlace = 14

/** What a decision may post. */
export type PaymentPosting = keyof typeof places

/** The amount and the fee. */
const holds = [0, 1]

/** Most news moves no money, and then the wallet need not be locked. */
export function mayMoveMoney(news: News): boolean {
  const isFinal = news.kind === 'said' && news.said.state !== 'submitted' && news.said.state !== 'waiting'
  return isFinal || ['not_found', 'judged', 'cancel'].includes(news.kind)
}

/** The holds a payout has, so that the books can be opened with them. A fee of nothing was never held. */
export function endingsOf({ transaction }: Payment): Movement[] {
  if (transaction.type !== 'withdrew') return []
  const event = 'payout_successful'
  return holdsOf(transaction).map((number) => ({ kind: 'post', event, transaction_id: transaction.id, number }))
}

function holdsOf({ fee }: Transaction): number[] {
  return fee > 0n ? holds : holds.slice(0, 1)
}

export type Accounts = ReadonlyMap<string, string>
const shared = ['clearing', 'fees', 'suspense', 'cost'] as const satisfies readonly PlatformKind[]
const sharedKey = (kind: string, { env, currency }: Transaction) => `${kind} ${env} ${currency}`
const floatKey = (provider: string, { env, currency, country }: Transaction) =>
  `float ${provider} ${env} ${currency} ${country}`

/** The platform accounts that payments may need, found before anything is decided: there are few, and they are remembered. */
export async function accountsOf(accounts: PlatformAccounts, payments: readonly FullPayment[]): Promise<Accounts> {
  const found = new Map<string, Promise<string>>()
  const want = (key: string, scope: Parameters<PlatformAccounts['idOf']>[0]) => {
    if (!found.has(key)) found.set(key, accounts.idOf(scope))
  }
  for (const { transaction, attempt, givenUp } of payments) {
    const { env, currency, country } = transaction
    for (const kind of shared) want(sharedKey(kind, transaction), { env, kind, currency })
    for (const { provider } of [attempt, ...givenUp])
      want(floatKey(provider, transaction), { env, kind: 'float', currency, country, provider })
  }
  return new Map(await Promise.all([...found].map(async ([key, id]) => [key, await id] as const)))
}

/** Everything a decision moves through a provider, linked: all of it happens or nothing. */
export function movementsFor(
  transaction: Transaction,
  provider: string,
  decision: Decision,
  accounts: Accounts,
): Movement[] {
  const accountOf = (role: string) => {
    if (role === 'wallet') return transaction.wallet_id
    return accounts.get(role === 'float' ? floatKey(provider, transaction) : sharedKey(role, transaction)) ?? ''
  }
  return (decision.postings ?? []).flatMap((event) => posted(transaction, event, decision, accountOf))
}

function posted(
  transaction: Transaction,
  event: PaymentPosting,
  decision: Decision,
  accountOf: (role: string) => string,
): Movement[] {
  const { id, type, amount, fee, currency, wallet_currency } = transaction
  const isPayout = type === 'withdrew'
  if (event === 'payout_failed' && !isPayout) return []
  const received = decision.settled?.amount ?? amount
  const sums =
    event === 'provider_fee_told'
      ? { fee: decision.settled?.fee ?? 0n }
      : { amount, received, fee: isPayout ? 0n : fee }
  const isEnding = event === 'payout_successful' || event === 'payout_failed'
  return movementsOf(event, {
    transaction_id: id,
    firstNumber: decision.isStray ? strayPlace : places[event],
    sums,
    accountOf,
    currencies: { wallet: wallet_currency, payment: currency },
    holds: isEnding ? holdsOf(transaction) : [],
  })
}
