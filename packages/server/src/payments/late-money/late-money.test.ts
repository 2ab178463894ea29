import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import type { ProviderStatus } from '../../providers/contract.ts'
import { payment } from '../../testing/deciding.ts'
import type { Transaction } from '../model/store.ts'
import { decideLate, type Reported } from '../resolve/decide-late.ts'
import { type AdjustmentDraft, clearedAside, lateFee, merchantShare, movedOf, partsOf, withLate } from './late-money.ts'

const amount = 10_000n
const failure = { code: 'REVERSED', message: '' } as const

const anyReport: fc.Arbitrary<ProviderStatus> = fc.oneof(
  fc
    .oneof(fc.bigInt({ min: 1n, max: 15_000n }), fc.constant(amount))
    .map((each): ProviderStatus => ({ state: 'successful', settled: { amount: each, currency: 'KES' } })),
  fc.constant<ProviderStatus>({ state: 'failed', failure }),
  fc.constant<ProviderStatus>({ state: 'reversed', failure }),
  fc.bigInt({ min: 1n, max: amount }).map((returned): ProviderStatus => ({ state: 'reversed', failure, returned })),
)
const clearings = ['merchant', 'another wallet', 'return', 'write-off'] as const
type Clearing = (typeof clearings)[number]

const anyStory = fc.record({
  type: fc.constantFrom('deposit' as const, 'withdrew' as const),
  state: fc.constantFrom('successful' as const, 'failed' as const),
  /** Mostly one currency, where cases are cleared with the payment's wallet. */
  wallet_amount: fc.oneof(fc.constant(amount), fc.bigInt({ min: 1n, max: 20_000n })),
  fee: fc.bigInt({ min: 0n, max: 500n }),
  isReturned: fc.boolean(),
  steps: fc.array(fc.oneof(anyReport, fc.constantFrom(...clearings)), { maxLength: 14 }),
})

type Story = typeof anyStory extends fc.Arbitrary<infer Value> ? Value : never

interface Books extends Reported {
  /** What the merchant has of a charge, or has paid for a payout, in its wallet. */
  readonly wallet: bigint
  /** What was cleared without the payment's wallet. */
  readonly aside: bigint
  /** The operator changed the merchant's share. */
  readonly isByHand: boolean
}

function begin({ type, state, wallet_amount, fee: input, isReturned }: Story): Books {
  const fee = input > wallet_amount ? wallet_amount : input
  const fee_rule = { fixed: String(fee), basisPoints: 0, ...(isReturned && { isReturned: true as const }) }
  const { transaction, attempt } = payment(
    { type, state, amount, wallet_amount, fee, fee_rule },
    { outcome: state === 'successful' ? 'successful' : 'failed' },
  )
  const atTheEnd = type === 'deposit' ? wallet_amount - fee : -(wallet_amount + fee)
  const wallet = state === 'successful' ? atTheEnd : 0n
  return { transaction, attempt, movedElsewhere: 0n, wallet, aside: 0n, isByHand: false }
}

function inWallet({ type }: Transaction, { direction, wallet_amount, fee }: AdjustmentDraft): bigint {
  if (direction === 'debit') return -wallet_amount
  return type === 'deposit' ? wallet_amount - fee : wallet_amount + fee
}

function hear(books: Books, providerStatus: ProviderStatus): Books {
  const { transaction, attempt } = books
  const { late = {} } =
    decideLate(books, {
      ...{ cause: 'query', question: { number: 0, isAfterEnd: true } },
      observation: { kind: 'reported', providerStatus },
    }) ?? {}
  for (const { amount: sum, wallet_amount, fee, spread } of late.adjustments ?? [])
    assert.ok(sum > 0n && wallet_amount >= 0n && fee >= 0n && spread >= 0n)
  const { moved = attempt.moved, returned = attempt.returned } = late
  return {
    ...books,
    transaction: withLate(transaction, late),
    attempt: { ...attempt, moved, returned },
    wallet: (late.adjustments ?? []).reduce((sum, draft) => sum + inWallet(transaction, draft), books.wallet),
  }
}

/** Clears a case as the operator does. The payment's wallet is adjusted only in its own currency. */
function clear(books: Books, clearing: Clearing): Books {
  const { transaction, attempt } = books
  const { suspended, type } = transaction
  const cleared = { ...transaction, suspended: 0n }
  if (suspended === 0n) return books
  if (clearing === 'return' && type === 'deposit' && suspended > 0n) {
    const [part] = partsOf(transaction, [attempt], attempt.provider, suspended)
    assert.equal(part?.amount, suspended)
    const moved = movedOf(transaction, attempt) - suspended
    return { ...books, transaction: cleared, attempt: { ...attempt, moved, returned: attempt.returned + suspended } }
  }
  const size = suspended < 0n ? -suspended : suspended
  if (clearing !== 'merchant' || transaction.wallet_amount !== amount)
    return { ...books, transaction: cleared, aside: books.aside + (type === 'deposit' ? suspended : -suspended) }
  const draft: AdjustmentDraft = {
    ...{ reason: 'suspense_cleared', direction: suspended > 0n ? 'credit' : 'debit', spread: 0n },
    ...{ amount: size, wallet_amount: size, fee: suspended > 0n ? lateFee(transaction, size) : 0n },
  }
  const adjusted = withLate(transaction, { adjustments: [draft] })
  const wallet = books.wallet + inWallet(transaction, draft)
  return { ...books, transaction: { ...adjusted, suspended: 0n }, wallet, isByHand: true }
}

function isTrue({ transaction, attempt, wallet, aside, isByHand }: Books): void {
  const { type, suspended, fee, state, adjusted_fee, wallet_amount } = transaction
  const isCharge = type === 'deposit'
  const share = merchantShare(transaction)
  const moved = movedOf(transaction, attempt)
  assert.equal(share + (isCharge ? suspended : -suspended) + aside, moved, 'nothing that moved is lost or made')
  assert.equal(clearedAside(transaction, moved), aside)

  const gross = (wallet_amount * share) / amount
  const fees = (state === 'successful' ? fee : 0n) + adjusted_fee
  assert.equal(wallet, isCharge ? gross - fees : -(gross + fees), 'the wallet has its share, less the fees')
  assert.ok(fees >= 0n && fees <= fee, 'a fixed fee is paid once and given back once')
  if (isCharge && state === 'successful' && !isByHand)
    assert.equal(fees, fee < gross ? fee : gross, 'the fee is what was agreed, as far as the share covers it')
}

/** Cleared against the merchant, then paid late: the fees are more than the share that goes back. */
const feesAboveShare: Story = {
  ...{ type: 'deposit', state: 'failed', wallet_amount: amount, fee: 2n, isReturned: false },
  steps: [
    { state: 'reversed', failure, returned: 1n },
    'write-off',
    { state: 'reversed', failure },
    'merchant',
    { state: 'successful', settled: { amount, currency: 'KES' } },
    { state: 'reversed', failure },
  ],
}

test('share, suspense and cleared money add up to what moved, for any reports and clearings', () => {
  fc.assert(
    fc.property(anyStory, (story) => {
      let books = begin(story)
      for (const step of story.steps) {
        books = typeof step === 'string' ? clear(books, step) : hear(books, step)
        isTrue(books)
      }
    }),
    { numRuns: 5000, examples: [[feesAboveShare]] },
  )
})
