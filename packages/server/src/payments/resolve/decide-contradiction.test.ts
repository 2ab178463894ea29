import assert from 'node:assert/strict'
import { test } from 'node:test'
import { paid, payment, providerStatus, refused, take } from '../../testing/deciding.ts'
import type { Transaction } from '../model/store.ts'
import { decideLate, isContrary } from './decide-late.ts'
import type { Observation } from './decision.ts'

const dollars = { state: 'successful', settled: { amount: 100n, currency: 'USD' } } as const
const ended = (over: Partial<Transaction>) =>
  payment({ state: 'failed', ...over }, { outcome: over.state === 'successful' ? 'successful' : 'failed' })
const transfer = (state: 'successful' | 'failed') => ended({ type: 'deposit', method: 'bank-transfer', state })

/** Asserts that the observation is recorded, and that its repetition is not. */
function isNotedOnce(of: ReturnType<typeof payment>, observation: Observation): void {
  const decision = take(of, observation)
  assert.deepEqual(decision?.progress, { doubt: 'contradicted' })
  assert.deepEqual(
    [decision?.late, decision?.postings, decision?.event?.notifiesMerchant],
    [undefined, undefined, false],
  )
  assert.ok(decision?.alert)
  const noted = { ...of, transaction: { ...of.transaction, ...decision?.progress } }
  assert.equal(take(noted, observation), undefined)
  if (observation.kind === 'reported')
    assert.equal(isContrary({ ...noted, movedElsewhere: 0n }, observation.providerStatus), false)
}

test('a report in another currency after the end makes one event and one alert', () => {
  isNotedOnce(ended({ type: 'deposit' }), providerStatus(dollars))
  isNotedOnce(ended({ state: 'successful' }), providerStatus(dollars))
})

test('a report against the end of a transfer charge makes one event and one alert', () => {
  isNotedOnce(transfer('successful'), refused)
  isNotedOnce(transfer('failed'), paid)
  assert.equal(take(transfer('failed'), refused), undefined)
  assert.equal(take(transfer('successful'), paid), undefined)
})

test('a report against the end that a query does not confirm makes one event and one alert', () => {
  isNotedOnce(ended({}), { kind: 'contradicted', reported: 'successful' })
  assert.equal(take(payment({ state: 'submitted' }), { kind: 'contradicted', reported: 'failed' }), undefined)
})

test('a report in another currency on an abandoned attempt of an open payment is recorded once', () => {
  const { transaction, attempt } = payment({ state: 'submitted', attempt: 2 }, { outcome: 'not_submitted' })
  const reported = { transaction, attempt, movedElsewhere: 0n }
  const observed = {
    cause: 'query',
    question: { number: 0, isAfterEnd: false },
    observation: providerStatus(dollars),
  } as const

  const decision = decideLate(reported, observed)

  assert.deepEqual([decision?.progress, decision?.late], [{}, { attempt: 1, moved: 0n }])
  assert.ok(decision?.alert)
  assert.equal(decideLate({ ...reported, attempt: { ...attempt, moved: 0n } }, observed), undefined)
})
