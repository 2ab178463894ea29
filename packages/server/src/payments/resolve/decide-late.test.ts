import assert from 'node:assert/strict'
import { test } from 'node:test'
import { around, minuteMs, now, paid, payment, providerStatus, refused, take } from '../../testing/deciding.ts'
import { withLate } from '../late-money/late-money.ts'
import { isFinal, states } from '../model/state.ts'
import type { Attempt, Transaction } from '../model/store.ts'
import { decide } from './decide.ts'
import { decideLate, isContrary, type Reported } from './decide-late.ts'
import { type Decision, lastQuestion, type Observation } from './decision.ts'

/** Decides about the response to the last question. */
const answered = (reported: Reported, observation: Observation) =>
  decideLate(reported, { cause: 'query', observation, question: lastQuestion(reported) })
const failure = { code: 'REVERSED', message: '' } as const
const reversed = providerStatus({ state: 'reversed', failure })
const partly = (returned: bigint) => providerStatus({ state: 'reversed', failure, returned })
const paidOf = (amount: bigint) => providerStatus({ state: 'successful', settled: { amount, currency: 'KES' } })

const payout = (over: Partial<Transaction> = {}, attempt: Partial<Attempt> = {}) =>
  ended({ type: 'withdrew', ...over }, attempt)
const charge = (over: Partial<Transaction> = {}, attempt: Partial<Attempt> = {}) =>
  ended({ type: 'deposit', ...over }, attempt)

function ended(over: Partial<Transaction>, attemptOver: Partial<Attempt>): Reported {
  const { transaction, attempt } = payment(over, {
    outcome: over.state === 'successful' ? 'successful' : 'failed',
    ...attemptOver,
  })
  return { transaction, attempt, movedElsewhere: 0n }
}

const summary = (decision: Decision | undefined) =>
  decision && {
    adjustments: (decision.late?.adjustments ?? []).map(
      ({ reason, direction, amount, wallet_amount, fee }) =>
        `${reason} ${direction} ${amount}: ${wallet_amount} fee ${fee}`,
    ),
    suspend: decision.late?.suspend ? `${decision.late.suspend.kind} ${decision.late.suspend.amount}` : undefined,
  }

/** The payment after a report is booked. */
function after(reported: Reported, decision: Decision | undefined): Reported {
  const { late = {} } = decision ?? {}
  const { moved = reported.attempt.moved, returned = reported.attempt.returned } = late
  const attempt = { ...reported.attempt, moved, returned }
  return { ...reported, transaction: withLate(reported.transaction, late), attempt }
}

/** Books reports one after another and returns what each did. */
function book(reported: Reported, ...observation: readonly Observation[]) {
  let at = reported
  return observation.map((each) => {
    const decision = answered(at, each)
    at = after(at, decision)
    return summary(decision)
  })
}

test('a not-found response is as old as its query and proves nothing about later events', () => {
  const sent = payment({ state: 'unknown' }, { send_deadline: new Date(now - 16 * minuteMs) })

  const slept = take(sent, { kind: 'not_found' }, { queriedMsAgo: 10 * minuteMs })

  assert.equal(slept?.attempt?.is_lost, undefined)
  assert.equal(slept?.progress.doubt, 'not_found')
})

test('a response that may be older than a hint ends nothing and causes another query', () => {
  for (const [word, cause] of [
    [paid, 'attempt'],
    [refused, 'query'],
    [providerStatus({ state: 'submitted' }), 'query'],
  ] as const) {
    const decision = decide(payment({}, { is_hinted: true }), { cause, observation: word }, around)
    assert.equal(decision?.progress.wake_at?.getTime(), now)
    assert.notEqual(isFinal(decision?.progress.state ?? 'sending'), true)
    assert.equal(decision?.postings, undefined)
  }
})

test('a payment the provider hinted at is not sent to another provider', () => {
  const nothing: Observation = { kind: 'not_submitted', cause: 'not_reached', detail: '' }

  const decision = take(payment({}, { is_hinted: true }), nothing, { alternatives: ['flutterwave'] })

  assert.deepEqual([decision?.reroute, decision?.progress.state], [undefined, 'unknown'])
})

test('after the end only the response to the last query counts', () => {
  const back = payment({ state: 'failed', failure: { code: 'REVERSED', message: '' } }, { polls: 3, outcome: 'failed' })

  for (const cause of ['attempt', 'query', 'callback'] as const)
    assert.equal(decide(back, { cause, observation: paid }, around), undefined)
  const last = { number: 3, isAfterEnd: true }
  for (const question of [
    { ...last, number: 2 },
    { ...last, isAfterEnd: false },
  ])
    assert.equal(decide(back, { cause: 'query', observation: paid, question }, around), undefined)
  assert.equal(
    decide(back, { cause: 'query', observation: paid, question: last }, around)?.late?.suspend?.kind,
    'paid_after_failure',
  )
})

test('a late-paid charge is credited once with its fee; reversals and repayments are booked too', () => {
  const late = 'late_success credit 2500: 2500 fee 25'
  const back = 'charge_reversed debit 2500: 2475 fee 25'

  assert.deepEqual(book(charge({ state: 'failed' }), paid, paid, reversed, reversed, paid), [
    { adjustments: [late], suspend: undefined },
    undefined,
    { adjustments: [back], suspend: undefined },
    undefined,
    { adjustments: [late], suspend: undefined },
  ])
})

test('a charge paid late with another amount is in suspense until the provider reverses it', () => {
  assert.deepEqual(book(charge({ state: 'failed' }), paidOf(2400n), paidOf(2400n), refused), [
    { adjustments: [], suspend: 'amount_mismatch 2400' },
    undefined,
    { adjustments: [], suspend: 'amount_mismatch -2400' },
  ])
})

test('a charge reversed in parts is debited by each part, and never by more than its credit', () => {
  const steps = book(charge({ state: 'successful' }), partly(1000n), partly(1000n), partly(2500n), reversed, paid)

  assert.deepEqual(steps, [
    { adjustments: ['charge_reversed debit 1000: 1000 fee 0'], suspend: undefined },
    undefined,
    { adjustments: ['charge_reversed debit 1500: 1475 fee 25'], suspend: undefined },
    undefined,
    { adjustments: ['chargeback_won credit 2500: 2500 fee 25'], suspend: undefined },
  ])
})

test('a chargeback won in part credits that part, and the first part pays the fee again', () => {
  assert.deepEqual(book(charge({ state: 'successful' }), reversed, partly(1500n), paid), [
    { adjustments: ['charge_reversed debit 2500: 2475 fee 25'], suspend: undefined },
    { adjustments: ['chargeback_won credit 1000: 1000 fee 25'], suspend: undefined },
    { adjustments: ['chargeback_won credit 1500: 1500 fee 0'], suspend: undefined },
  ])
})

test('a payout returned after success credits what came back, plus its fee if the rule says so', () => {
  const kept = { fixed: '0', basisPoints: 100 }

  assert.deepEqual(book(payout({ state: 'successful', fee_rule: kept }), partly(500n), reversed, reversed), [
    { adjustments: ['payout_returned credit 500: 500 fee 0'], suspend: undefined },
    { adjustments: ['payout_returned credit 2000: 2000 fee 0'], suspend: undefined },
    undefined,
  ])
  const returned = payout({ state: 'successful', fee_rule: { ...kept, isReturned: true } })
  assert.deepEqual(book(returned, refused)[0]?.adjustments, ['payout_returned credit 2500: 2500 fee 25'])
})

test('a payout returns its fee only if the merchant paid it, and only once', () => {
  const fee_rule = { fixed: '0', basisPoints: 100, isReturned: true } as const
  const debited = payout({ state: 'failed', fee_rule, adjusted: -2500n }, { moved: 2500n })
  const again = payout({ state: 'successful', fee_rule, adjusted: 0n, adjusted_fee: -25n }, { moved: 2500n })

  for (const each of [debited, again])
    assert.deepEqual(book(each, reversed)[0]?.adjustments, ['payout_returned credit 2500: 2500 fee 0'])
})

test('a returned part of an overpaid charge reduces what moved, if the total is reported', () => {
  const word = providerStatus({ state: 'reversed', failure, returned: 300n, collected: 3000n })

  assert.deepEqual(book(charge({ state: 'successful' }), paidOf(3000n), word, word), [
    { adjustments: [], suspend: 'amount_mismatch 500' },
    { adjustments: [], suspend: 'amount_mismatch -300' },
    undefined,
  ])
})

test('a returned fee is due again when the money comes back in parts, up to each part', () => {
  const small = charge({ state: 'successful', amount: 10_000n, wallet_amount: 2n, fee: 2n })

  assert.deepEqual(book(small, partly(5001n), paidOf(5000n), paidOf(10_000n)), [
    { adjustments: ['charge_reversed debit 5001: 0 fee 2'], suspend: undefined },
    { adjustments: ['chargeback_won credit 1: 1 fee 1'], suspend: undefined },
    { adjustments: ['chargeback_won credit 5000: 1 fee 1'], suspend: undefined },
  ])
})

test('a payout paid after it failed is money to recover until the provider reverses it', () => {
  assert.deepEqual(book(payout({ state: 'failed' }), paid, paid, reversed, paid), [
    { adjustments: [], suspend: 'paid_after_failure -2500' },
    undefined,
    { adjustments: [], suspend: 'amount_mismatch 2500' },
    { adjustments: [], suspend: 'paid_after_failure -2500' },
  ])
})

test('a payout that is paid again after its return waits for a person', () => {
  assert.deepEqual(book(payout({ state: 'successful' }), reversed, paid), [
    { adjustments: ['payout_returned credit 2500: 2500 fee 0'], suspend: undefined },
    { adjustments: [], suspend: 'paid_after_return -2500' },
  ])
})

test('money of an abandoned attempt is booked once and alerts, after the payment was sent again', () => {
  for (const state of states.filter((each) => each !== 'accepted')) {
    const strayed = payout({ state, attempt: 2 }, { number: 1, outcome: 'not_submitted' })
    const decision = answered(strayed, paid)
    assert.deepEqual(summary(decision), { adjustments: [], suspend: 'abandoned_attempt_success -2500' })
    assert.ok(decision?.alert)
    assert.deepEqual(decision?.progress, {})
    assert.equal(answered(after(strayed, decision), paid), undefined)
    assert.equal(answered(strayed, refused), undefined)
    assert.deepEqual(summary(answered(after(strayed, decision), reversed))?.suspend, 'amount_mismatch 2500')
  }
})

test('a payout paid by an abandoned attempt before the next send succeeds and is not sent again', () => {
  const waits = payout({ state: 'accepted', attempt: 2 }, { number: 1, outcome: 'failed' })
  const decision = answered(waits, paid)

  assert.deepEqual([decision?.progress.state, decision?.progress.wake_at], ['successful', null])
  assert.deepEqual(decision?.postings, ['payout_successful', 'provider_fee_reported'])
  assert.deepEqual([decision?.late, decision?.event?.notifiesMerchant], [{ attempt: 1, moved: 2500n }, true])
  assert.ok(decision?.alert)
  const booked = after({ ...waits, transaction: { ...waits.transaction, state: 'successful' } }, decision)
  assert.equal(answered(booked, paid), undefined)
  assert.deepEqual(summary(answered(booked, reversed)), {
    adjustments: ['payout_returned credit 2500: 2500 fee 0'],
    suspend: undefined,
  })
})

test('another amount, or money booked or returned before, does not end a waiting payout', () => {
  const waits = payout({ state: 'accepted', attempt: 2 }, { number: 1, outcome: 'failed' })
  const other = answered(waits, paidOf(2400n))

  assert.deepEqual([other?.progress, summary(other)?.suspend], [{}, 'abandoned_attempt_success -2400'])
  const twice = { ...waits, movedElsewhere: 2500n }
  assert.equal(summary(answered(twice, paid))?.suspend, 'abandoned_attempt_success -2500')
  const recovered = { ...waits, attempt: { ...waits.attempt, returned: 2500n } }
  assert.equal(answered(recovered, paid), undefined)
})

test('a failed charge collected by an abandoned attempt is credited; one collected twice is not', () => {
  const strayed = charge({ state: 'failed', attempt: 2 }, { number: 1, outcome: 'not_submitted' })

  assert.deepEqual(summary(answered(strayed, paid))?.adjustments, ['late_success credit 2500: 2500 fee 25'])
  const twice = { ...charge({ state: 'failed' }), movedElsewhere: 2500n }
  assert.deepEqual(summary(answered(twice, paid)), { adjustments: [], suspend: 'paid_twice 2500' })
})

test('a callback about an abandoned attempt is not enough: it may be older than later reports', () => {
  const strayed = payout({ attempt: 2 }, { number: 1 })
  for (const observation of [paid, reversed])
    assert.equal(decideLate(strayed, { cause: 'callback', observation }), undefined)
})

test('a report contradicts the books until it is booked', () => {
  const ended = charge({ state: 'successful' })
  assert(reversed.kind === 'reported' && paid.kind === 'reported')

  assert.equal(isContrary(ended, paid.providerStatus), false)
  assert.equal(isContrary(ended, reversed.providerStatus), true)
  assert.equal(isContrary(after(ended, answered(ended, reversed)), reversed.providerStatus), false)
})

test('money that the operator returned is not booked again, with or without a provider report', () => {
  const cleared = charge({ state: 'failed' }, { moved: 0n, returned: 2400n })

  assert.equal(answered(cleared, paidOf(2400n)), undefined)
  assert.deepEqual(book(cleared, refused, refused), [{ adjustments: [], suspend: undefined }, undefined])
  assert.equal(summary(answered(cleared, paid))?.suspend, undefined)
})

test("an operator's return explains one difference exactly, and none once it is reported", () => {
  const won = 'chargeback_won credit 700: 700 fee 0'
  const back = 'charge_reversed debit 700: 700 fee 0'
  const cleared = charge({ state: 'successful' }, { moved: 2500n, returned: 700n })
  const steps = (...observation: readonly Observation[]) =>
    book(cleared, ...observation).map((step) => step?.adjustments ?? [])

  assert.deepEqual(steps(paidOf(3200n), paid, partly(700n), paid), [[], [], [back], [won]])
  assert.deepEqual(steps(partly(700n), paid, paid), [[back], [won], []])
  assert.deepEqual(book(cleared, paid, paidOf(3200n))[1]?.suspend, 'amount_mismatch 700')
})

test('a wallet in another currency gets back exactly what it paid, in parts that add up', () => {
  const rate = { pair: 'USD/KES', side: 'buy', value: '129', at: '', spread: '7' } as const
  const across = payout({ state: 'successful', wallet_amount: 1003n, wallet_currency: 'USD', rate })

  let at = across
  let [back, spread] = [0n, 0n]
  for (const returned of [1n, 834n, 835n, 2499n, 2500n]) {
    const decision = answered(at, partly(returned))
    const [adjustment] = decision?.late?.adjustments ?? []
    back += adjustment?.wallet_amount ?? 0n
    spread += adjustment?.spread ?? 0n
    at = after(at, decision)
  }
  assert.deepEqual([back, spread], [1003n, 7n])
})
