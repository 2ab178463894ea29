import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { available, type Counters } from '../../ledger/accounts.ts'
import type { Movement } from '../../ledger/books.ts'
import type { Currency } from '../../money/currencies.ts'
import type { ProviderStatus } from '../../providers/contract.ts'
import { anyQuotedPair } from '../../testing/any-rates.ts'
import { adopt, createModel, type Model } from '../../testing/ledger-model.ts'
import { walletSideOf } from '../accept/exchange.ts'
import { adjustmentMovements, adjustmentOf } from '../late-money/adjustments.ts'
import { merchantShare, movedOf, withLate } from '../late-money/late-money.ts'
import { isAllowed } from '../model/state.ts'
import {
  type Attempt,
  type FullPayment,
  freshAttempt,
  type Payment,
  type Transaction,
  unadjusted,
} from '../model/store.ts'
import { decide } from './decide.ts'
import { decideLate } from './decide-late.ts'
import { type Decision, type DecisionInputs, lastQuestion, type Observation, type Observed } from './decision.ts'
import {
  type Accounts,
  accountsAt,
  accountsOf,
  creditedBy,
  endingsOf,
  holdsFor,
  latePostings,
  movementsFor,
  sharedAccounts,
} from './payment-postings.ts'

const around: DecisionInputs = {
  nowMs: 0,
  queriedMsAgo: 20_000,
  notFoundWindowMs: 0,
  deadAfterMs: undefined,
  movedElsewhere: 0n,
  alternatives: [],
  jitter: 0.5,
}

/** The fee that the provider reports for a success. */
const providerFee = 3n

/** The name of a platform account in this test, with its currency last. */
const platform = {
  idOf: async ({ kind, currency, wallet_id = '' }: { kind: string; currency: string; wallet_id?: string }) =>
    `${kind} ${wallet_id} ${currency}`.replace('  ', ' '),
}
const currencyOf = (account: string) => account.slice(-3)

/** A payment that is sent, as it would be priced at these rates. */
const anyPayment = fc.record({
  pair: anyQuotedPair,
  type: fc.constantFrom('withdrew' as const, 'deposit' as const),
  wallet: fc.constantFrom('base' as const, 'quote' as const),
  isAcross: fc.boolean(),
  amount: fc.bigInt({ min: 1n, max: 10n ** 12n }),
  fee: fc.bigInt({ min: 0n, max: 10n ** 6n }),
})

type ChargeInput = typeof anyPayment extends fc.Arbitrary<infer Value> ? Value : never

async function paymentOf(
  { pair, type, wallet, isAcross, amount, fee }: ChargeInput,
  index: number,
): Promise<FullPayment> {
  const wallet_currency: Currency = pair[wallet]
  const currency = isAcross ? pair[wallet === 'base' ? 'quote' : 'base'] : wallet_currency
  const way = type === 'withdrew' ? 'payout' : 'charge'
  const rateOf = async () => ({ ...pair, at: new Date(0) })
  const side = await walletSideOf(way, { amount, currency, wallet_currency }, rateOf)
  const isMost = type === 'deposit' && fee > side.wallet_amount
  const id = `payment ${index}`
  const promised = {
    id,
    env: 'sandbox',
    type,
    amount,
    currency,
    wallet_currency,
    wallet_id: `wallet ${index} ${wallet_currency}`,
  }
  const transaction = {
    ...promised,
    ...side,
    ...{ fee: isMost ? side.wallet_amount : fee, country: 'KE', expires_at: null, failure: null },
    ...{
      state: 'submitted',
      doubt: '',
      ...unadjusted,
      method: 'momo',
      attempt: 2,
      fee_rule: null,
      receipt: '',
      received: 0n,
      action: null,
      events: 1,
      sent_via: 'lane',
      wake_at: null,
    },
  } as unknown as Transaction
  const attempt: Attempt = { ...freshAttempt, transaction_id: id, number: 2, provider: 'house', sends: 1 }
  const abandoned: Attempt[] = [{ ...attempt, number: 1, provider: 'pawapay', outcome: 'not_submitted' }]
  return { transaction, attempt, receipts: [], abandoned }
}

const words = [
  'successful',
  'failed',
  'reversed',
  'partly reversed',
  'more',
  'less',
  'stray',
  'stray reversed',
  'resolved as successful',
  'resolved as failed',
  'submitted',
] as const
type Word = (typeof words)[number]
const anyStory = fc.record({
  inputs: fc.array(anyPayment, { minLength: 1, maxLength: 4 }),
  steps: fc.array(fc.tuple(fc.nat(), fc.constantFrom(...words)), { maxLength: 20 }),
})

function observationOf(word: Word, { amount, currency }: Transaction): Observation {
  const failure = { code: 'UNSPECIFIED_FAILURE', message: '' } as const
  if (word === 'resolved as successful' || word === 'resolved as failed')
    return { kind: 'operator_resolved', outcome: word === 'resolved as failed' ? 'failed' : 'successful' }
  const providerStatus: Record<Exclude<Word, `resolved ${string}`>, ProviderStatus> = {
    successful: { state: 'successful', settled: { amount, currency, fee: providerFee, receipt: 'with its fee' } },
    stray: { state: 'successful', settled: { amount, currency } },
    'stray reversed': { state: 'reversed', failure },
    failed: { state: 'failed', failure },
    reversed: { state: 'reversed', failure },
    'partly reversed': { state: 'reversed', failure, returned: amount / 3n + 1n },
    more: { state: 'successful', settled: { amount: amount + 7n, currency } },
    less: { state: 'successful', settled: { amount: amount / 2n + 1n, currency } },
    submitted: { state: 'submitted' },
  }
  return { kind: 'reported', providerStatus: providerStatus[word] }
}

/** The wallet of a payment in the books. */
function walletOf({ wallet_id, wallet_currency, env }: Transaction, books: Books) {
  const counters = books.model.counters.get(wallet_id)
  assert(counters)
  const owed = books.owed.get(wallet_id) ?? 0n
  return {
    ...counters,
    id: wallet_id,
    merchant_id: '',
    env,
    currency: wallet_currency,
    country: '',
    entry_at: 0n,
    owed,
    receivable: null,
  }
}

interface Books {
  readonly model: Model
  readonly accounts: Accounts
  /** What each wallet owes. */
  readonly owed: Map<string, bigint>
}

/** Applies one report to one payment, as the resolver does. */
function hear(payment: FullPayment, word: Word, books: Books): { payment: FullPayment; movements: Movement[] } {
  const { transaction, attempt, abandoned } = payment
  const observation = observationOf(word, transaction)
  const cause = observation.kind === 'operator_resolved' ? 'operator' : 'query'
  const observed: Observed = { cause, observation, question: lastQuestion(payment) }
  const [other] = abandoned
  assert(other)
  const isStray = word.startsWith('stray')
  const movedElsewhere = movedOf(transaction, isStray ? attempt : other)
  const decision = isStray
    ? decideLate({ transaction, attempt: other, movedElsewhere }, observed)
    : decide(payment, observed, { ...around, movedElsewhere })
  if (!decision || !isAllowed(transaction.state, decision.progress.state ?? transaction.state))
    return { payment, movements: [] }
  const { provider } = isStray ? other : attempt
  const accountOf = accountsAt(transaction, provider, books.accounts)
  const there = available(walletOf(transaction, books)) + creditedBy(transaction, decision)
  const made = (decision.late?.adjustments ?? []).map((draft) => adjustmentOf(transaction, draft, new Date(0), 0))
  return {
    payment: changed(payment, decision),
    movements: [
      ...movementsFor(transaction, provider, decision, { accounts: books.accounts, feeReturned: 0n }),
      ...made.flatMap((each) => adjustmentMovements(each, transaction, there, accountOf)),
    ],
  }
}

function changed(payment: FullPayment, { progress, attempt: change, late = {} }: Decision): FullPayment {
  const report = (attempt: Attempt) =>
    attempt.number === late.attempt ? { ...attempt, moved: late.moved ?? attempt.moved } : attempt
  const late_postings = payment.transaction.late_postings + latePostings(late).length
  const transaction = withLate({ ...payment.transaction, ...progress, late_postings }, late)
  return {
    ...payment,
    transaction,
    attempt: report({ ...payment.attempt, ...change, polls: payment.attempt.polls }),
    abandoned: payment.abandoned.map(report),
  }
}

type Sums = readonly (readonly [account: string, sum: bigint])[]

/** What the books must show for a payment: credits less debits of what was posted, by account. */
function expectedOf({ transaction, attempt, abandoned }: FullPayment, owed: bigint): Sums {
  const { type, currency, wallet_id, wallet_currency, suspended, rate, amount } = transaction
  const sign = type === 'withdrew' ? 1n : -1n
  const moved = [attempt, ...abandoned].reduce((sum, each) => sum + movedOf(transaction, each), 0n)
  const share = merchantShare(transaction)
  const fees = (transaction.state === 'successful' ? transaction.fee : 0n) + transaction.adjusted_fee
  const gross = (transaction.wallet_amount * share) / amount
  const spread = (BigInt(rate?.spread ?? 0) * share) / amount
  const wallet = type === 'withdrew' ? -gross - fees : gross - fees
  return [
    [`float ${currency}`, sign * moved],
    [`suspense ${currency}`, suspended],
    [wallet_id, wallet + owed],
    [`receivable ${wallet_id} ${wallet_currency}`, -owed],
    [`fees ${wallet_currency}`, fees],
    ...(rate
      ? ([
          [`fx_position ${currency}`, -sign * share],
          [`fx_position ${wallet_currency}`, sign * gross - spread],
          [`fx_income ${wallet_currency}`, spread],
        ] as const)
      : []),
  ]
}

/** The provider's own fees left the float. */
const isCost = (account: string) => account.startsWith('cost ')

const totalsOf = (model: Model, of: (counters: Counters) => bigint) =>
  new Map(
    [...model.counters].map(([account, counters]) => [account, of(counters)] as const).filter(([, sum]) => sum !== 0n),
  )
const posted = ({ credits_posted, debits_posted }: Counters) => credits_posted - debits_posted

function addAll(all: Sums): Map<string, bigint> {
  const sums = new Map<string, bigint>()
  for (const [account, sum] of all) sums.set(account, (sums.get(account) ?? 0n) + sum)
  return new Map([...sums].filter(([, sum]) => sum !== 0n))
}

type Move = Extract<Movement, { readonly amount: bigint }>

/** Every movement has a positive amount, in the currency of both its accounts. */
function note({ amount, currency, debit_account, credit_account, debt }: Move, owed: Map<string, bigint>): void {
  assert.ok(amount > 0n)
  for (const account of [debit_account, credit_account]) assert.equal(currencyOf(account), currency)
  if (debt) owed.set(debt.wallet_id, (owed.get(debt.wallet_id) ?? 0n) + amount)
}

/** Runs a story and returns the final books and payments. */
async function play({
  inputs,
  steps,
}: {
  inputs: readonly ChargeInput[]
  steps: readonly (readonly [number, Word])[]
}) {
  const payments = await Promise.all(inputs.map(paymentOf))
  const accounts = new Map([
    ...(await accountsOf(platform, payments)),
    ...(await Promise.all(payments.map(({ transaction }) => sharedAccounts(platform, transaction)))).flatMap((each) => [
      ...each,
    ]),
  ])
  const wallets = new Map(
    payments.map(({ transaction: { wallet_id, wallet_currency } }) => [wallet_id, { currency: wallet_currency }]),
  )
  const owed = new Map<string, bigint>()
  const model = createModel(wallets, [...new Set(accounts.values())])
  const books = { model, accounts, owed }
  const apply = (movements: Movement[]) => {
    for (const each of movements) if ('amount' in each) note(each, owed)
    adopt(model, [{ movements, wallets: [...wallets.keys()] }])
  }
  for (const { transaction } of payments) if (transaction.type === 'withdrew') apply(holdsFor(transaction, accounts))
  for (const [pick, word] of steps) {
    const index = pick % payments.length
    const heard = hear(payments[index] as FullPayment, word, books)
    payments[index] = heard.payment
    apply(heard.movements)
  }
  return { model, payments, owed }
}

const isOpen = ({ transaction: { type, state } }: Payment) =>
  type === 'withdrew' && state !== 'successful' && state !== 'failed'

test('the books match the payments in one or two currencies, for any reports in any order', async () => {
  const seen = new Set<string>()
  await fc.assert(
    fc.asyncProperty(anyStory, async (story) => {
      const { model, payments, owed } = await play(story)
      const expected = payments.flatMap((each) => expectedOf(each, owed.get(each.transaction.wallet_id) ?? 0n))

      assert.deepEqual(totalsOf(model, posted), withoutCosts(model, addAll(expected)))
      for (const { transaction } of payments) {
        const { type, state, adjusted, suspended, rate } = transaction
        seen.add(`${type} ${state} ${adjusted !== 0n} ${suspended !== 0n} ${rate !== null}`)
      }
    }),
    { numRuns: 2000 },
  )
  for (const type of ['withdrew', 'deposit'])
    for (const end of ['successful false false', 'failed false false', 'successful true false', 'failed false true'])
      for (const isAcross of [true, false])
        assert.ok(seen.has(`${type} ${end} ${isAcross}`), `no ${type} came to be ${end}, across ${isAcross}`)
  assert.ok(seen.has('deposit failed true false true'))
})

/** The fees that providers took left the float. */
function withoutCosts(model: Model, sums: Map<string, bigint>): Map<string, bigint> {
  const costs = [...model.counters].filter(([account]) => isCost(account))
  return addAll([
    ...sums,
    ...costs.flatMap(([account, counters]) => [
      [account, posted(counters)] as const,
      [account.replace('cost', 'float'), -posted(counters)] as const,
    ]),
  ])
}

test('debits equal credits in every currency at every moment, reserved and moved', async () => {
  await fc.assert(
    fc.asyncProperty(anyStory, async (story) => {
      const { model } = await play(story)
      for (const [currency, some] of Map.groupBy(model.counters, ([account]) => currencyOf(account))) {
        const sum = (name: keyof Counters) => some.reduce((total, [, counters]) => total + counters[name], 0n)

        assert.equal(sum('debits_pending'), sum('credits_pending'), currency)
        assert.equal(sum('debits_posted'), sum('credits_posted'), currency)
      }
    }),
  )
})

test('a payout reserves exactly its quote and fee, and nothing stays reserved after its end', async () => {
  await fc.assert(
    fc.asyncProperty(anyStory, async (story) => {
      const { model, payments } = await play(story)
      for (const payment of payments) {
        const { wallet_id, wallet_amount, fee } = payment.transaction
        const expected = isOpen(payment) ? wallet_amount + fee : 0n

        assert.equal(model.counters.get(wallet_id)?.debits_pending, expected)
      }
      const pending = totalsOf(model, (counters) => counters.debits_pending + counters.credits_pending)
      assert.ok(payments.some(isOpen) || pending.size === 0)
    }),
    { numRuns: 500 },
  )
})

test("a payout's end releases every hold that was taken and no other", async () => {
  await fc.assert(
    fc.asyncProperty(anyPayment, async (input) => {
      const payment = await paymentOf({ ...input, type: 'withdrew' }, 0)
      const holds = holdsFor(payment.transaction, await sharedAccounts(platform, payment.transaction))

      assert.deepEqual(
        endingsOf(payment).map(({ number }) => number),
        holds.map(({ number }) => number),
      )
    }),
  )
})
