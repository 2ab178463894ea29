import { ensureWallets, type PlatformKind, type WalletScope } from '../../../packages/server/src/ledger/accounts.ts'
import { type Movement, openBooks } from '../../../packages/server/src/ledger/books.ts'
import { createWriter } from '../../../packages/server/src/ledger/chain.ts'
import { type LedgerEvent, movementsOf, type Occurrence } from '../../../packages/server/src/ledger/postings.ts'
import { type Batcher, createBatcher } from '../../../packages/server/src/platform/batch.ts'
import type { WriteDb } from '../../../packages/server/src/platform/db.ts'
import { newTransactionId } from '../../../packages/server/src/platform/ids.ts'
import type { Posting } from '../../../packages/server/src/testing/poster.ts'
import type { Random } from '../cluster/random.ts'

/** Platform accounts of a cell, by kind: in the wallets' currency, and in the currency of payments abroad. */
export type PlatformIds = Readonly<Record<'wallet' | 'payment', Readonly<Partial<Record<PlatformKind, string>>>>>

/** A payout with a hold, and how to end it. */
export interface Held {
  readonly wallet: string
  readonly transaction_id: string
  readonly holds: readonly number[]
  readonly amount: bigint
}

/** Postings as payments and the operator make them, from the table that payments use. */
export function createTraffic(random: Random, platform: PlatformIds, wallets: readonly string[]) {
  const sum = () => BigInt(100 + random.below(100))
  const occurrence = (wallet: string, over: Partial<Occurrence>): Occurrence => ({
    transaction_id: newTransactionId(Date.now(), 0),
    firstNumber: 0,
    sums: {},
    accountOf: (role, currency) => (role === 'wallet' ? wallet : (platform[currency][role] ?? '')),
    currencies: { wallet: 'KES', payment: 'UGX' },
    ...over,
  })
  const held = (event: LedgerEvent, sums: Occurrence['sums']): { posting: Posting; held: Held } => {
    const wallet = random.pick(wallets)
    const reported = occurrence(wallet, { sums })
    const movements = movementsOf(event, reported)
    const { transaction_id } = reported
    const holds = movements.map(({ number }) => number)
    return {
      posting: { wallets: [wallet], movements },
      held: { wallet, transaction_id, holds, amount: sums.amount ?? 0n },
    }
  }
  return {
    accept: () => held('payout_accepted', { amount: sum(), fee: 1n }),
    acceptAbroad: () =>
      held('payout_accepted_from_another_currency', { amount: sum(), cost: sum(), spread: 2n, fee: 1n }),
    settle: ({ wallet, amount, ...payout }: Held): Posting => {
      const event = random() < 0.5 ? 'payout_successful' : 'payout_failed'
      const movements = movementsOf(event, occurrence(wallet, { ...payout, firstNumber: 10, sums: { amount } }))
      return { wallets: [wallet], movements }
    },
    /** Out of one wallet and into another, through both currencies' positions; atomic. */
    exchange: (): Posting => {
      const [payer, payee, transaction_id] = [
        random.pick(wallets),
        random.pick(wallets),
        newTransactionId(Date.now(), 0),
      ]
      const key = (number: number) => ({ kind: 'transfer' as const, event: 'exchange', transaction_id, number })
      const [out, into] = [platform.wallet.fx_position ?? '', platform.payment.fx_position ?? '']
      const movements: Movement[] = [
        { ...key(0), debit_account: payer, credit_account: out, amount: sum(), currency: 'KES' },
        { ...key(1), debit_account: into, credit_account: payee, amount: sum(), currency: 'UGX' },
      ]
      return { wallets: [payer, payee], movements }
    },
  }
}

export interface Funding {
  readonly scope: WalletScope
  readonly treasury: string
}

/** Funds wallets as the operator does: the batch creates missing ones. */
export function createFunder(db: WriteDb): Batcher<Funding, string> {
  const writer = createWriter()
  return createBatcher({
    db,
    keyOf: ({ scope }: Funding) => Object.values(scope).join(),
    decide: async (tx, fundings: readonly Funding[]) => {
      const scopes = fundings.map(({ scope }) => scope)
      const wallets = await ensureWallets(tx, 0, scopes)
      const movements = fundings.map(({ treasury }, index) =>
        movementsOf('wallet_funded', {
          transaction_id: newTransactionId(Number(tx.atUs / 1000n), 0),
          firstNumber: 0,
          sums: { amount: 1000n },
          accountOf: (role) => (role === 'wallet' ? (wallets[index] ?? '') : treasury),
          currencies: { wallet: 'KES', payment: 'KES' },
        }),
      )
      const books = await openBooks(tx, writer, movements.flat(), wallets)
      const results = movements.map((linked) => books.apply(linked) ?? 'funded')
      return { results, ...(await books.write()) }
    },
  })
}
