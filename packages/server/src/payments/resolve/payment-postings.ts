import type { PlatformAccounts, PlatformKind } from '../../ledger/accounts.ts'
import type { Movement } from '../../ledger/books.ts'
import { type LedgerEvent, movementsOf, type Occurrence } from '../../ledger/postings.ts'
import { isOutgoing } from '../model/outgoing.ts'
import { isFinal } from '../model/state.ts'
import type { FullPayment, Payment, Transaction } from '../model/store.ts'
import type { Decision, Late, NewReceipt, Observation } from './decision.ts'

/** The first transfer number of each posting. Holds have the lowest. Each kind of later posting has its own, so it happens once. */
const firstNumbers = {
  payout_successful: 4,
  payout_failed: 4,
  charge_successful: 4,
  receipts_complete: 4,
  provider_fee_reported: 8,
} as const satisfies Partial<Record<LedgerEvent, number>>

/** Receipts come last, because there may be any number of them: the money, then the provider's fee. */
const receiptNumber = (number: number) => 32 + 2 * number

/** Postings after the end come after all receipts, each with the next number. */
const lateNumber = (late_postings: number) => 16_384 + late_postings

/** What a decision may post. */
export type PaymentPosting = keyof typeof firstNumbers

/** The fields of a payment that its postings need. */
type Booked = Pick<
  Transaction,
  'id' | 'type' | 'env' | 'amount' | 'currency' | 'wallet_id' | 'wallet_amount' | 'wallet_currency' | 'fee' | 'rate'
>

const isAcross = ({ currency, wallet_currency }: Pick<Booked, 'currency' | 'wallet_currency'>) =>
  currency !== wallet_currency
const spreadOf = ({ rate }: Pick<Booked, 'rate'>) => BigInt(rate?.spread ?? 0)

/** Observations that may end a payment, besides a provider's report. */
const ending: readonly Observation['kind'][] = [
  'not_found',
  'operator_resolved',
  'cancel',
  'reject',
  'approval_expired',
]

/** Most observations move no money, and then the wallet is not locked. */
export function mayMoveMoney(observation: Observation): boolean {
  const isOfMoney =
    observation.kind === 'reported' &&
    observation.providerStatus.state !== 'submitted' &&
    observation.providerStatus.state !== 'waiting'
  const isUnwritable = observation.kind === 'not_submitted' && observation.cause === 'unwritable'
  return isOfMoney || isUnwritable || ending.includes(observation.kind)
}

/** What a payout or a refund reserves: all of it or nothing. */
export function holdsFor(payout: Booked, accounts: Accounts): Movement[] {
  const { id, type, amount, fee, wallet_amount, wallet_currency, currency } = payout
  const spread = spreadOf(payout)
  const accepted = type === 'refund' ? 'refund_accepted' : 'payout_accepted'
  return movementsOf(isAcross(payout) ? `${accepted}_from_another_currency` : accepted, {
    transaction_id: id,
    firstNumber: 0,
    sums: { amount, cost: wallet_amount - spread, spread, fee },
    accountOf: sharedAccountsOf(payout, accounts),
    currencies: { wallet: wallet_currency, payment: currency },
  })
}

/** The books are opened with these, so that they read a payout's holds. Which event ends the holds is decided later. */
export function endingsOf({ transaction }: Payment): Movement[] {
  if (!isOutgoing(transaction)) return []
  const event = 'payout_successful'
  return heldOf(transaction).map((number) => ({ kind: 'post', event, transaction_id: transaction.id, number }))
}

/** The numbers of its holds. A spread or a fee of zero was never held. */
function heldOf(payout: Transaction): number[] {
  const isFeeHeld = payout.fee > 0n
  const isHeld = isAcross(payout) ? [true, true, spreadOf(payout) > 0n, isFeeHeld] : [true, isFeeHeld]
  return [...isHeld.keys()].filter((number) => isHeld[number])
}

export type Accounts = ReadonlyMap<string, string>
type AccountScope = Parameters<PlatformAccounts['idOf']>[0]
type AccountOf = Occurrence['accountOf']

/** Accounts in the payment's currency, and accounts in the wallet's. */
const inPayment = ['clearing', 'suspense', 'cost'] as const satisfies readonly PlatformKind[]
const inWallet = ['fees'] as const satisfies readonly PlatformKind[]

const keyOf = ({ kind, env, currency, provider = '', country = '', wallet_id = '' }: AccountScope) =>
  [kind, env, currency, provider, country, wallet_id].join(' ')
const floatOf = (provider: string, { env, currency, country }: Transaction): AccountScope => ({
  env,
  kind: 'float',
  currency,
  country,
  provider,
})

/** The platform accounts that a payment may need with any provider. */
function scopesOf(payment: Pick<Booked, 'env' | 'currency' | 'wallet_currency'>): AccountScope[] {
  const { env, currency, wallet_currency } = payment
  const exchange: AccountScope[] = [
    { env, kind: 'fx_position', currency },
    { env, kind: 'fx_position', currency: wallet_currency },
    { env, kind: 'fx_income', currency: wallet_currency },
  ]
  return [
    ...inPayment.map((kind) => ({ env, kind, currency })),
    ...inWallet.map((kind) => ({ env, kind, currency: wallet_currency })),
    ...(isAcross(payment) ? exchange : []),
  ]
}

/** The platform accounts that a payment may need before a provider is chosen. */
export function sharedAccounts(
  accounts: PlatformAccounts,
  payment: Pick<Booked, 'env' | 'currency' | 'wallet_currency'>,
): Promise<Accounts> {
  return find(accounts, scopesOf(payment))
}

/** The platform accounts that payments may need, found before any decision. There are few, and they are cached. */
export function accountsOf(accounts: PlatformAccounts, payments: readonly FullPayment[]): Promise<Accounts> {
  const floats = payments.flatMap(({ transaction, attempt, abandoned }) =>
    [attempt, ...abandoned].map(({ provider }) => floatOf(provider, transaction)),
  )
  const receivables = payments.flatMap(({ transaction }) =>
    mayBeTakenBack(transaction) ? [receivableOf(transaction)] : [],
  )
  return find(accounts, [...payments.flatMap(({ transaction }) => scopesOf(transaction)), ...floats, ...receivables])
}

/** A charge that has ended may be reversed, and the wallet may lack the money then. */
const mayBeTakenBack = ({ type, state }: Transaction) => type === 'deposit' && isFinal(state)

const receivableOf = ({ env, wallet_currency, wallet_id }: Booked): AccountScope => ({
  env,
  kind: 'receivable',
  currency: wallet_currency,
  wallet_id,
})

async function find(accounts: PlatformAccounts, scopes: readonly AccountScope[]): Promise<Accounts> {
  const wanted = new Map(scopes.map((scope) => [keyOf(scope), scope]))
  return new Map(await Promise.all([...wanted].map(async ([key, scope]) => [key, await accounts.idOf(scope)] as const)))
}

function sharedAccountsOf(payment: Booked, accounts: Accounts): AccountOf {
  const { wallet_id } = payment
  const platform = platformAccountsOf(payment, accounts)
  return (role, side) => {
    if (role === 'wallet') return wallet_id
    return role === 'receivable' ? (accounts.get(keyOf(receivableOf(payment))) ?? '') : platform(role, side)
  }
}

/** The platform accounts that belong to an environment and a currency, and to neither a provider nor a wallet. */
export function platformAccountsOf(
  { env, currency, wallet_currency }: Pick<Booked, 'env' | 'currency' | 'wallet_currency'>,
  accounts: Accounts,
): (kind: PlatformKind, side: 'wallet' | 'payment') => string {
  const currencies = { wallet: wallet_currency, payment: currency }
  return (kind, side) => accounts.get(keyOf({ env, kind, currency: currencies[side] })) ?? ''
}

/** Everything a decision moves through a provider, linked: all of it happens or nothing. */
export function movementsFor(
  transaction: Transaction,
  provider: string,
  decision: Decision,
  { accounts, feeReturned }: { readonly accounts: Accounts; readonly feeReturned: bigint },
): Movement[] {
  const accountOf = accountsAt(transaction, provider, accounts)
  return [
    ...(decision.receipts ?? []).flatMap((receipt) => receiptMovements(transaction, receipt, accountOf)),
    ...lateMovements(transaction, decision.late ?? {}, accountOf),
    ...(decision.postings ?? []).flatMap((event) =>
      posted(transaction, event, { ...decision, feeReturned }, accountOf),
    ),
  ]
}

/** The accounts of a payment whose money moves at a provider. */
export function accountsAt(transaction: Transaction, provider: string, accounts: Accounts): AccountOf {
  const shared = sharedAccountsOf(transaction, accounts)
  return (role, side) =>
    role === 'float' ? (accounts.get(keyOf(floatOf(provider, transaction))) ?? '') : shared(role, side)
}

/** What is booked to suspense, or out of it, outside the normal flow of a payment. */
function lateMovements(transaction: Transaction, late: Late, accountOf: AccountOf): Movement[] {
  const { id: transaction_id, currency, wallet_currency, late_postings } = transaction
  return latePostings(late).flatMap(({ event, sum }, index) =>
    movementsOf(event, {
      transaction_id,
      firstNumber: lateNumber(late_postings + index),
      sums: { received: sum, fee: sum },
      accountOf,
      currencies: { wallet: wallet_currency, payment: currency },
    }),
  )
}

/** One posting each. Their count is how many numbers they take. */
export function latePostings({ receiptsBack = 0n, suspend, fee = 0n }: Late): { event: LedgerEvent; sum: bigint }[] {
  const held = suspend && !suspend.isThere ? suspend.amount : 0n
  const postings: { event: LedgerEvent; sum: bigint }[] = [
    { event: receiptsBack > 0n ? 'receipt_reversed' : 'receipt_restored', sum: size(receiptsBack) },
    { event: held > 0n ? 'late_money_held' : 'late_money_released', sum: size(held) },
    { event: 'provider_fee_reported', sum: fee },
  ]
  return postings.filter(({ sum }) => sum > 0n)
}

const size = (amount: bigint) => (amount < 0n ? -amount : amount)

function receiptMovements(
  { id, currency, wallet_currency }: Transaction,
  receipt: NewReceipt,
  accountOf: AccountOf,
): Movement[] {
  const { number, amount, fee, is_late } = receipt
  const common = { transaction_id: id, accountOf, currencies: { wallet: wallet_currency, payment: currency } }
  const place = receiptNumber(number)
  return [
    // Money that arrived after the end goes to the wallet by an adjustment.
    ...movementsOf('receipt_taken', { ...common, firstNumber: place, sums: { received: is_late ? 0n : amount } }),
    ...movementsOf('provider_fee_reported', { ...common, firstNumber: place + 1, sums: { fee } }),
  ]
}

/** What the end of a charge adds to its wallet. */
export function creditedBy({ wallet_amount, fee }: Transaction, { postings = [] }: Decision): bigint {
  return postings.includes('charge_successful') ? wallet_amount - fee : 0n
}

/** The amount that came in: as reported, else by the receipts, else the requested amount. */
function receivedOf({ amount, received }: Transaction, { settled }: Decision): bigint {
  return settled?.amount ?? (received > 0n ? received : amount)
}

/** A refund posts under its own names what a payout posts. */
const ofRefunds = { payout_successful: 'refund_successful', payout_failed: 'refund_failed' } as const

function eventOf({ type, ...payment }: Transaction, event: PaymentPosting): LedgerEvent {
  if (event === 'charge_successful' && isAcross(payment)) return 'charge_successful_into_another_currency'
  return type === 'refund' && (event === 'payout_successful' || event === 'payout_failed') ? ofRefunds[event] : event
}

function posted(
  transaction: Transaction,
  event: PaymentPosting,
  decision: Decision & { readonly feeReturned: bigint },
  accountOf: AccountOf,
): Movement[] {
  const { id, amount, currency, wallet_currency, wallet_amount } = transaction
  const { fee = transaction.fee } = decision.progress
  const isPayout = isOutgoing(transaction)
  if (event === 'payout_failed' && !isPayout) return []
  const received = receivedOf(transaction, decision)
  const exchanged = { credited: wallet_amount, spread: spreadOf(transaction) }
  const sums =
    event === 'provider_fee_reported'
      ? { fee: decision.settled?.fee ?? 0n }
      : { amount, received, ...exchanged, fee: isPayout ? 0n : fee, returned: decision.feeReturned }
  const isEnding = event === 'payout_successful' || event === 'payout_failed'
  return movementsOf(eventOf(transaction, event), {
    transaction_id: id,
    firstNumber: firstNumbers[event],
    sums,
    accountOf,
    currencies: { wallet: wallet_currency, payment: currency },
    holds: isEnding ? heldOf(transaction) : [],
  })
}
