import { sandboxFunds } from '../../packages/server/src/merchants/sandbox-funds.ts'
import { type Currency, currencies } from '../../packages/server/src/money/currencies.ts'
import { attemptOfKey } from '../../packages/server/src/platform/ids.ts'
import type { Moved } from '../support/simulator-desk.ts'
import { type Books, isFinal, type Kept, type KeptReceipt, type KeptWallet, type Violation } from './books.ts'

/** Every wallet is what its payments make of what it began with, to the minor unit. */
export function checkWallets({ wallets, payments }: Books): Violation[] {
  const byWallet = Map.groupBy(payments, ({ wallet_id }) => wallet_id)
  return wallets.flatMap((wallet): Violation[] => {
    const own = byWallet.get(wallet.id) ?? []
    const balance = own.reduce((sum, kept) => sum + changeOf(kept), openingOf(wallet))
    const pending = own.reduce((sum, kept) => sum + heldOf(kept), 0n)
    if (balance === BigInt(wallet.balance) && pending === BigInt(wallet.pending)) return []
    const told = `${wallet.balance} with ${wallet.pending} held`
    return [
      {
        kind: 'wrong',
        words: `wallet ${wallet.id} (${wallet.currency}) has ${told}, its payments make ${balance} with ${pending}`,
      },
    ]
  })
}

function openingOf({ currency, country }: KeptWallet): bigint {
  const found = sandboxFunds.find((fund) => fund.currency === currency && fund.country === country)
  return found ? found.units * 10n ** BigInt(currencies[currency as Currency].exponent) : 0n
}

/** A charge by transfer brings all that came in before its end. */
function changeOf({ type, method, state, wallet_amount, received, fee }: Kept): bigint {
  if (state !== 'successful') return 0n
  if (type === 'withdrew') return -BigInt(wallet_amount) - BigInt(fee)
  return BigInt(method === 'bank-transfer' ? received : wallet_amount) - BigInt(fee)
}

const heldOf = (kept: Kept) =>
  kept.type === 'withdrew' && !isFinal(kept) ? BigInt(kept.wallet_amount) + BigInt(kept.fee) : 0n

/** The providers' own books: what they moved is known to us, and each payment was moved once at most. */
export function checkMovements({ payments, receipts, moved }: Books): Violation[] {
  const byPayment = Map.groupBy(moved, ({ key }) => attemptOfKey(key)?.transactionId ?? '')
  const known = new Set(payments.map(({ id }) => id))
  const byCharge = Map.groupBy(receipts, ({ transaction_id }) => transaction_id)
  const strangers = [...byPayment].filter(([id]) => !known.has(id))
  return [
    ...strangers.map(
      ([id, all]): Violation => ({
        kind: 'lost',
        words: `the provider moved ${all.map(show)} for ${id}, of which we know nothing`,
      }),
    ),
    ...payments.flatMap((kept) => {
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

function checkOnce(kept: Kept, moved: readonly Moved[]): Violation[] {
  const words = `${kept.type} is ${kept.state} ${kept.doubt} ${kept.discrepancy}, and the provider moved: ${moved.map(show).join(', ') || 'nothing'}`
  const wrong = (kind: Violation['kind']): Violation[] => [{ kind, words, payment: kept.id }]
  const isFlagged = kept.discrepancy !== ''
  if (moved.length > 1 && !isFlagged) return wrong('doubled')
  const [only] = moved
  if (only && (minorOf(only) !== BigInt(kept.amount) || only.currency !== kept.currency)) return wrong('wrong')
  if (kept.state === 'successful') return only ? [] : wrong('wrong')
  return only && kept.state === 'failed' && !isFlagged ? wrong('lost') : []
}

/** What came into an account is booked once each, whether it was asked for or not. */
function checkReceipts(kept: Kept, moved: readonly Moved[], receipts: readonly KeptReceipt[]): Violation[] {
  const came = moved.map((each) => `${each.receipt} ${minorOf(each)}`).sort()
  const booked = receipts.map(({ receipt_id, amount }) => `${receipt_id} ${amount}`).sort()
  const words = `charge by transfer is ${kept.state}; into its account came ${came.join(', ') || 'nothing'}, booked are ${booked.join(', ') || 'none'}`
  if (came.join() !== booked.join()) return [{ kind: 'lost', words, payment: kept.id }]
  const sum = receipts.reduce((total, { amount }) => total + BigInt(amount), 0n)
  const isPaid = sum >= BigInt(kept.amount)
  const isRight = isPaid ? kept.state === 'successful' || kept.discrepancy !== '' : kept.state !== 'successful'
  return isRight ? [] : [{ kind: 'wrong', words, payment: kept.id }]
}
