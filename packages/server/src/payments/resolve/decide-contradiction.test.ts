import assert from 'node:assert/strict'
import { test } from 'node:test'
import { paid, payment, refused, said, take } from '../../testing/deciding.ts'
import type { Transaction } from '../model/store.ts'
import { decideLate, isContrary } from './decide-late.ts'
import type { News } from './decision.ts'

const dollars = { state: 'successful', settled: { amount: 100n, currency: 'USD' } } as const
const ended = (over: Partial<Transaction>) =>
  payment({ state: 'failed', ...over }, { outcome: over.state === 'successful' ? 'successful' : 'failed' })
const transfer = (state: 'successful' | 'failed') => ended({ type: 'deposit', method: 'bank-transfer', state })

/** That it is noted, and that the same again is not. */
function isNotedOnce(of: ReturnType<typeof payment>, news: News): void {
  const decision = take(of, news)
  assert.deepEqual(decision?.progress, { doubt: 'contradicted' })
  assert.deepEqual([decision?.late, decision?.postings, decision?.event?.isTold], [undefined, undefined, false])
  assert.ok(decision?.alert)
  const noted = { ...of, transaction: { ...of.transaction, ...decision?.progress } }
  assert.equal(take(noted, news), undefined)
  if (news.kind === 'said') assert.equal(isContrary({ ...noted, movedElsewhere: 0n }, news.said), false)
}

test('a report in another currency after the end is an event and an alert, once', () => {
  isNotedOnce(ended({ type: 'deposit' }), said(dollars))
  isNotedOnce(ended({ state: 'successful' }), said(dollars))
})

test('a transfer charge that is reported against its end is an event and an alert, once', () => {
  isNotedOnce(transfer('successful'), refused)
  isNotedOnce(transfer('failed'), paid)
  assert.equal(take(transfer('failed'), refused), undefined)
  assert.equal(take(transfer('successful'), paid), undefined)
})

test('a word against the end that the provider does not confirm when asked is an event and an alert, once', () => {
  isNotedOnce(ended({}), { kind: 'contradicted', reported: 'successful' })
  assert.equal(take(payment({ state: 'submitted' }), { kind: 'contradicted', reported: 'failed' }), undefined)
})

test('a report in another currency on an attempt that was given up is noted once while the payment is open', () => {
  const { transaction, attempt } = payment({ state: 'submitted', attempt: 2 }, { outcome: 'not_submitted' })
  const reported = { transaction, attempt, movedElsewhere: 0n }
  const observation = { cause: 'query', question: 0, news: said(dollars) } as const

  const decision = decideLate(reported, observation)

  assert.deepEqual([decision?.progress, decision?.late], [{}, { attempt: 1, moved: 0n }])
  assert.ok(decision?.alert)
  assert.equal(decideLate({ ...reported, attempt: { ...attempt, moved: 0n } }, observation), undefined)
})
