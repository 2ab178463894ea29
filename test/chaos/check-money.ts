import { sandboxFunds } from '../../packages/server/src/merchants/sandbox-funds.ts'
import { type Currency, currencies } from '../../packages/server/src/money/currencies.ts'
import { attemptOfKey } from '../../packages/server/src/platform/ids.ts'
import type { Moved } from '../support/cluster/simulator-control.ts'
import {
  type Books,
  isFinal,
  type Kept,
  type KeptAdjustment,
  type KeptReceipt,
  type KeptWallet,
  type Violation,
} from './books.ts'

/**
 * Every wallet equals its opening balance plus its payments and adjustments, to the minor unit. What it owes is not debited yet.
 */
export function checkWallets({ wallets, payments, adjustments }: Books): Violation[] {
  const adjusting = Map.groupBy(adjustments, ({ wallet_id }) => wallet_id)
  const byWallet = Map.groupBy(payments, ({ wallet_id }) => wallet_id)
  const credited = Map.groupBy(
    payments.filter(({ type }) => type === 'conversion'),
    placeOf,
  )
  return wallets.flatMap((wallet): Violation[] => {
    const own = byWallet.get(wallet.id) ?? []
    const converted = (credited.get(placeOf(wallet)) ?? []).reduce((sum, { amount }) => sum + BigInt(amount), 0n)
    const paid = own.reduce((sum, kept) => sum + changeOf(kept), openingOf(wallet) + converted)
    const adjusted = (adjusting.get(wallet.id) ?? []).reduce((sum, each) => sum + adjustmentOf(each), 0n)
    const balance = paid + adjusted + BigInt(wallet.owed)
    const pending = own.reduce((sum, kept) => sum + heldOf(kept), 0n)
    if (balance === BigInt(wallet.balance) && pending === BigInt(wallet.pending)) return []
    const shown = `${wallet.balance} with ${wallet.pending} held and ${wallet.owed} owed`
    return [
      {
        kind: 'wrong',
        words: `wallet ${wallet.id} (${wallet.currency}) has ${shown}, but its payments add up to ${balance} with ${pending} held`,
      },
    ]
  })
}

/** What a conversion credits is the wallet of this merchant in this currency and country. */
const placeOf = ({ merchant_id, currency, country }: Pick<KeptWallet, 'merchant_id' | 'currency' | 'country'>) =>
  [merchant_id, currency, country].join(' ')

function openingOf({ currency, country }: KeptWallet): bigint {
  const found = sandboxFunds.find((fund) => fund.currency === currency && fund.country === country)
  return found ? found.units * 10n ** BigInt(currencies[currency as Currency].exponent) : 0n
}

/** A charge by transfer credits everything received before its end. */
function changeOf({ type, method, state, wallet_amount, received, fee }: Kept): bigint {
  if (state !== 'successful') return 0n
  if (type !== 'deposit') return -BigInt(wallet_amount) - BigInt(fee)
  return BigInt(method === 'bank-transfer' ? received : wallet_amount) - BigInt(fee)
}

const adjustmentOf = ({ direction, wallet_amount, fee }: KeptAdjustment) =>
  direction === 'credit' ? BigInt(wallet_amount) - BigInt(fee) : -BigInt(wallet_amount)

const heldOf = (kept: Kept) =>
  kept.type !== 'deposit' && !isFinal(kept) ? BigInt(kept.wallet_amount) + BigInt(kept.fee) : 0n

/** The providers' own books: every movement belongs to a known payment, and each payment moved at most once. */
export function checkMovements({ payments, receipts, moved }: Books): Violation[] {
  const byPayment = Map.groupBy(moved, ({ key }) => attemptOfKey(key)?.transactionId ?? '')
  const known = new Set(payments.map(({ id }) => id))
  const byCharge = Map.groupBy(receipts, ({ transaction_id }) => transaction_id)
  const strangers = [...byPayment].filter(([id]) => !known.has(id))
  return [
    ...strangers.map(
      ([id, all]): Violation => ({
        kind: 'lost',
        words: `the provider moved ${all.map(show)} for ${id}, which is not in the database`,
      }),
    ),
    ...payments
      .filter(({ type }) => type !== 'conversion')
      .flatMap((kept) => {
        const own = byPayment.get(kept.id) ?? []
        return kept.method === 'bank-transfer'
          ? checkReceipts(kept, own, byCharge.get(kept.id) ?? [])
          : checkOnce(kept, own)
      }),
  ]
}

const show = ({ kind, amount, currency, key }: Moved) => `${kind} ${amount} ${currency} under ${key}`
const minorOf = ({ amount, currency }: Moved) =>
  BigInt(Math.round(Number(amount) * 10 ** currencies[currency as Currency].exponent))

/** A final payment moved exactly its outcome, adjustments and suspense; an open payment moved at most once. */
function checkOnce(kept: Kept, moved: readonly Moved[]): Violation[] {
  const words = `${kept.type} is ${kept.state} ${kept.doubt}, adjusted by ${kept.adjusted} with ${kept.suspended} in suspense, but the provider moved: ${moved.map(show).join(', ') || 'nothing'}`
  const wrong = (kind: Violation['kind']): Violation[] => [{ kind, words, payment: kept.id }]
  const inAll = moved.reduce((sum, each) => sum + (each.kind === 'reversed' ? -minorOf(each) : minorOf(each)), 0n)
  if (moved.some(({ currency }) => currency !== kept.currency)) return wrong('wrong')
  if (!isFinal(kept)) return checkOpen(kept, inAll).flatMap(wrong)
  const booked = bookedOf(kept, BigInt(kept.amount))
  if (inAll === booked) return []
  return wrong(inAll < booked ? 'wrong' : booked === 0n ? 'lost' : 'doubled')
}

/** A paid charge does not stay open after a query past its end. */
function checkOpen({ amount, doubt }: Kept, moved: bigint): Violation['kind'][] {
  if (moved > BigInt(amount)) return ['doubled']
  return doubt === 'overdue' && moved > 0n ? ['lost'] : []
}

/** Amount that moved through the provider for a final payment, by the service's own books, given the amount paid. */
function bookedOf({ type, state, adjusted, suspended }: Kept, paid: bigint): bigint {
  const atTheEnd = state === 'successful' ? paid : 0n
  const after = BigInt(adjusted) + BigInt(suspended)
  return type === 'deposit' ? atTheEnd + after : atTheEnd - after
}

/** Each receipt into an account is booked once, expected or not, to the merchant or to suspense. */
function checkReceipts(kept: Kept, moved: readonly Moved[], receipts: readonly KeptReceipt[]): Violation[] {
  const back = new Set(moved.filter(({ kind }) => kind === 'reversed').map(({ receipt }) => receipt))
  const arrived = moved.filter(({ kind }) => kind !== 'reversed')
  const name = (id: string | undefined, amount: string, isBack: boolean) =>
    `${id} ${amount}${isBack ? ' and back' : ''}`
  const came = arrived.map((each) => name(each.receipt, String(minorOf(each)), back.has(each.receipt))).sort()
  const booked = receipts.map(({ receipt_id, amount, is_reversed }) => name(receipt_id, amount, is_reversed)).sort()
  const words = `charge by transfer is ${kept.state} with ${kept.received} received in time, adjusted by ${kept.adjusted} with ${kept.suspended} in suspense; its account received ${came.join(', ') || 'nothing'}, booked receipts are ${booked.join(', ') || 'none'}`
  if (came.join() !== booked.join()) return [{ kind: 'lost', words, payment: kept.id }]
  return isCounted(kept, receipts) ? [] : [{ kind: 'wrong', words, payment: kept.id }]
}

function isCounted(kept: Kept, receipts: readonly KeptReceipt[]): boolean {
  const sumOf = (found: readonly KeptReceipt[]) => found.reduce((total, { amount }) => total + BigInt(amount), 0n)
  const received = BigInt(kept.received)
  const isPaid = received >= BigInt(kept.amount)
  const isAnyBack = receipts.some(({ is_reversed }) => is_reversed)
  const held = sumOf(receipts.filter(({ is_reversed }) => !is_reversed))
  return (
    isPaid === (kept.state === 'successful') &&
    (isAnyBack || received === sumOf(receipts.filter(({ is_late }) => !is_late))) &&
    held === (isFinal(kept) ? bookedOf(kept, received) : received)
  )
}

/** What went back of a charge is never more than it brought, by the service's books and by the provider's. */
export function checkRefunds({ payments, moved }: Books): Violation[] {
  const refunds = payments.filter(({ type, state }) => type === 'refund' && state !== 'failed')
  const charges = new Map(payments.map((kept) => [kept.id, kept]))
  const back = Map.groupBy(
    moved.filter(({ kind }) => kind === 'refunded'),
    ({ refundOf = '' }) => attemptOfKey(refundOf)?.transactionId ?? '',
  )
  return [...Map.groupBy(refunds, ({ related_transaction_id }) => related_transaction_id ?? '')].flatMap(
    ([id, own]) => {
      const charge = charges.get(id)
      const collected = charge ? collectedOf(charge) : 0n
      const booked = own.reduce((sum, { amount }) => sum + BigInt(amount), 0n)
      const paid = (back.get(id) ?? []).reduce((sum, each) => sum + minorOf(each), 0n)
      if (booked <= collected && paid <= collected) return []
      const words = `of ${collected} collected ${booked} is refunded, and the provider refunded ${paid}`
      return [{ kind: 'doubled', words, payment: id } satisfies Violation]
    },
  )
}

/** With what came after its end. */
function collectedOf({ method, amount, received, adjusted }: Kept): bigint {
  const late = BigInt(adjusted)
  return BigInt(method === 'bank-transfer' ? received : amount) + (late > 0n ? late : 0n)
}
