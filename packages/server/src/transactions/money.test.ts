import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import type { Counters } from '../ledger/accounts.ts'
import type { Movement } from '../ledger/books.ts'
import type { Currency } from '../money/currencies.ts'
import type { Said } from '../providers/contract.ts'
import { anyPair } from '../testing/any-rates.ts'
import { adopt, createModel, type Model } from '../testing/ledger-model.ts'
import { decide } from './decide.ts'
import { decideStray } from './decide-final.ts'
import type { News, Observation, Surroundings } from './decision.ts'
import { walletSideOf } from './exchange.ts'
import { type Accounts, accountsOf, endingsOf, holdsFor, movementsFor, sharedAccounts } from './money.ts'
import { isAllowed } from './state.ts'
import type { Attempt, FullPayment, Payment, Transaction } from './store.ts'

const around: Surroundings = { nowMs: 0, askedMsAgo: 20_000, notFoundWindowMs: 0, alternatives: [], jitter: 0.5 }

/** What the provider says it took for a success. */
const providerFee = 3n

/** What a platform account is called here, its currency last. */
const platform = { idOf: async ({ kind, currency }: { kind: string; currency: string }) => `${kind} ${currency}` }
const currencyOf = (account: string) => account.slice(-3)

/** A payment that is sent, as it would be proposed at these rates. */
const anyPayment = fc.record({
  pair: anyPair,
  type: fc.constantFrom('withdrew' as const, 'deposit' as const),
  wallet: fc.constantFrom('base' as const, 'quote' as const),
  isAcross: fc.boolean(),
  amount: fc.bigInt({ min: 1n, max: 10n ** 12n }),
  fee: fc.bigInt({ min: 0n, max: 10n ** 6n }),
})

type Wish = typeof anyPayment extends fc.Arbitrary<infer Value> ? Value : never

async function paymentOf({ pair, type, wallet, isAcross, amount, fee }: Wish, index: number): Promise<FullPayment> {
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
      discrepancy: '',
      receipt: '',
      received: 0n,
      action: null,
      events: 1,
      sent_by: 'lane',
      wake_at: null,
    },
  } as Transaction
  const attempt = { transaction_id: id, number: 2, provider: 'house', sends: 1, polls: 0, refusals: 0 } as Attempt
  return { transaction, attempt, receipts: [], givenUp: [{ ...attempt, number: 1, provider: 'pawapay' }] }
}

const words = [
  'successful',
  'failed',
  'reversed',
  'stray',
  'stray reversed',
  'judged successful',
  'judged failed',
  'submitted',
] as const
type Word = (typeof words)[number]
const anyStory = fc.record({
  wishes: fc.array(anyPayment, { minLength: 1, maxLength: 4 }),
  steps: fc.array(fc.tuple(fc.nat(), fc.constantFrom(...words)), { maxLength: 20 }),
})

function newsOf(word: Word, { amount, currency }: Transaction): News {
  const failure = { code: 'UNSPECIFIED_FAILURE', message: '' } as const
  if (word === 'judged successful' || word === 'judged failed')
    return { kind: 'judged', outcome: word === 'judged failed' ? 'failed' : 'successful' }
  const said: Record<Exclude<Word, `judged ${string}`>, Said> = {
    successful: { state: 'successful', settled: { amount, currency, fee: providerFee, receipt: 'with its fee' } },
    stray: { state: 'successful', settled: { amount, currency } },
    'stray reversed': { state: 'reversed', failure },
    failed: { state: 'failed', failure },
    reversed: { state: 'reversed', failure },
    submitted: { state: 'submitted' },
  }
  return { kind: 'said', said: said[word] }
}

/** Tells one payment one thing, as the settler would. */
function hear(payment: FullPayment, word: Word, accounts: Accounts): { payment: FullPayment; movements: Movement[] } {
  const { transaction, attempt } = payment
  const news = newsOf(word, transaction)
  const cause = news.kind === 'judged' ? 'operator' : 'query'
  const observation: Observation = { cause, news, question: attempt.polls }
  const isStray = word.startsWith('stray')
  const decision = isStray ? decideStray(payment, observation) : decide(payment, observation, around)
  if (!decision || !isAllowed(transaction.state, decision.progress.state ?? transaction.state))
    return { payment, movements: [] }
  const provider = isStray ? 'pawapay' : attempt.provider
  const changed = { ...payment, transaction: { ...transaction, ...decision.progress } }
  return { payment: changed, movements: movementsFor(transaction, provider, decision, accounts) }
}

type Sums = readonly (readonly [account: string, sum: bigint])[]

/** A float is credited with what we paid out of it. */
const floatGets = ({ type, amount }: Transaction) => (type === 'withdrew' ? amount : -amount)

/** What the books must say of a payment as it stands: credits less debits of what was posted, by account. */
function expectedOf({ transaction }: Payment): Sums {
  const isPaid = transaction.state === 'successful'
  return [...(isPaid ? [...paidOf(transaction), ...exchangedOf(transaction)] : []), ...contraryOf(transaction)]
}

function paidOf(transaction: Transaction): Sums {
  const { type, receipt, currency, wallet_id, wallet_amount, wallet_currency, fee } = transaction
  const cost = receipt === 'with its fee' ? providerFee : 0n
  return [
    [`float ${currency}`, floatGets(transaction) + cost],
    [`cost ${currency}`, -cost],
    [wallet_id, (type === 'withdrew' ? -wallet_amount : wallet_amount) - fee],
    [`fees ${wallet_currency}`, fee],
  ]
}

/** What the wallet pays for a payout is the position's but for the spread; of a charge the position also pays the spread. */
function exchangedOf(transaction: Transaction): Sums {
  const { type, currency, wallet_amount, wallet_currency, rate } = transaction
  if (!rate) return []
  const spread = BigInt(rate.spread)
  return [
    [`fx_position ${currency}`, -floatGets(transaction)],
    [`fx_position ${wallet_currency}`, (type === 'withdrew' ? wallet_amount : -wallet_amount) - spread],
    [`fx_income ${wallet_currency}`, spread],
  ]
}

/** Late and stray successes are in suspense until they are taken back, in the payment's own currency. */
function contraryOf(transaction: Transaction): Sums {
  const { discrepancy, currency } = transaction
  const has = (word: string) => (discrepancy.split(' ').includes(word) ? 1n : 0n)
  const sum =
    (has('late_success') + has('stray_success') - has('reversed') - has('stray_reversed')) * floatGets(transaction)
  const cost = has('late_success') * providerFee
  return [
    [`float ${currency}`, sum + cost],
    [`cost ${currency}`, -cost],
    [`suspense ${currency}`, -sum],
  ]
}

const told = (model: Model, of: (counters: Counters) => bigint) =>
  new Map(
    [...model.counters].map(([account, counters]) => [account, of(counters)] as const).filter(([, sum]) => sum !== 0n),
  )
const posted = ({ credits_posted, debits_posted }: Counters) => credits_posted - debits_posted

function addAll(all: Sums): Map<string, bigint> {
  const sums = new Map<string, bigint>()
  for (const [account, sum] of all) sums.set(account, (sums.get(account) ?? 0n) + sum)
  return new Map([...sums].filter(([, sum]) => sum !== 0n))
}

/** Goes through a story, and gives the books and the payments as they are in the end. */
async function play({ wishes, steps }: { wishes: readonly Wish[]; steps: readonly (readonly [number, Word])[] }) {
  const payments = await Promise.all(wishes.map(paymentOf))
  const accounts = new Map([
    ...(await accountsOf(platform, payments)),
    ...(await Promise.all(payments.map(({ transaction }) => sharedAccounts(platform, transaction)))).flatMap((each) => [
      ...each,
    ]),
  ])
  const wallets = new Map(
    payments.map(({ transaction: { wallet_id, wallet_currency } }) => [wallet_id, { currency: wallet_currency }]),
  )
  const model = createModel(wallets, [...new Set(accounts.values())])
  const apply = (movements: Movement[]) => {
    for (const each of movements)
      if ('amount' in each) {
        assert.ok(each.amount > 0n)
        for (const account of [each.debit_account, each.credit_account])
          assert.equal(currencyOf(account), each.currency)
      }
    adopt(model, [{ movements, wallets: [...wallets.keys()] }])
  }
  for (const { transaction } of payments) if (transaction.type === 'withdrew') apply(holdsFor(transaction, accounts))
  for (const [pick, word] of steps) {
    const index = pick % payments.length
    const heard = hear(payments[index] as FullPayment, word, accounts)
    payments[index] = heard.payment
    apply(heard.movements)
  }
  return { model, payments }
}

const isOpen = ({ transaction: { type, state } }: Payment) =>
  type === 'withdrew' && state !== 'successful' && state !== 'failed'

test('whatever is said of payments in one or two currencies, in whatever order, the books say what became of them', async () => {
  const seen = new Set<string>()
  await fc.assert(
    fc.asyncProperty(anyStory, async (story) => {
      const { model, payments } = await play(story)

      assert.deepEqual(told(model, posted), addAll(payments.flatMap(expectedOf)))
      for (const { transaction } of payments)
        seen.add(`${transaction.type} ${transaction.state} ${transaction.discrepancy} ${transaction.rate !== null}`)
    }),
    { numRuns: 2000 },
  )
  for (const type of ['withdrew', 'deposit'])
    for (const end of [
      'successful ',
      'failed ',
      'successful reversed',
      'failed late_success',
      'failed late_success reversed',
    ])
      for (const isAcross of [true, false])
        assert.ok(seen.has(`${type} ${end} ${isAcross}`), `no ${type} came to be ${end}, across ${isAcross}`)
})

test('in every currency debits are credits at every moment, reserved and moved', async () => {
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

test('a payout reserves exactly what was quoted and its fee, and nothing stays reserved after its end', async () => {
  await fc.assert(
    fc.asyncProperty(anyStory, async (story) => {
      const { model, payments } = await play(story)
      for (const payment of payments) {
        const { wallet_id, wallet_amount, fee } = payment.transaction
        const expected = isOpen(payment) ? wallet_amount + fee : 0n

        assert.equal(model.counters.get(wallet_id)?.debits_pending, expected)
      }
      const pending = told(model, (counters) => counters.debits_pending + counters.credits_pending)
      assert.ok(payments.some(isOpen) || pending.size === 0)
    }),
    { numRuns: 500 },
  )
})

test('every hold of a payout is ended with it, and none that was not taken', async () => {
  await fc.assert(
    fc.asyncProperty(anyPayment, async (wish) => {
      const payment = await paymentOf({ ...wish, type: 'withdrew' }, 0)
      const holds = holdsFor(payment.transaction, await sharedAccounts(platform, payment.transaction))

      assert.deepEqual(
        endingsOf(payment).map(({ number }) => number),
        holds.map(({ number }) => number),
      )
    }),
  )
})
