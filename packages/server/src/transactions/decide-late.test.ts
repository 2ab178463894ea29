import assert from 'node:assert/strict'
import { test } from 'node:test'
import { around, minuteMs, now, paid, payment, refused, said, take } from '../testing/deciding.ts'
import { decide } from './decide.ts'
import { decideStray, isContrary } from './decide-final.ts'
import type { News, Observation } from './decision.ts'
import { isFinal, states } from './state.ts'

const asked = (news: News): Observation => ({ cause: 'query', news, question: 0 })
const reversed = said({ state: 'reversed', failure: { code: 'REVERSED', message: '' } })

test('not found is as old as its question: who slept over the answer has learned nothing of what came after', () => {
  const sent = payment({ state: 'unknown' }, { send_by: new Date(now - 16 * minuteMs) })

  const slept = take(sent, { kind: 'not_found' }, { askedMsAgo: 10 * minuteMs })

  assert.equal(slept?.attempt?.is_lost, undefined)
  assert.equal(slept?.progress.doubt, 'not_found')
})

test('an answer that may be older than a hint of news ends nothing, and the provider is asked once more', () => {
  for (const [word, cause] of [
    [paid, 'attempt'],
    [refused, 'query'],
    [said({ state: 'submitted' }), 'query'],
  ] as const) {
    const decision = decide(payment({}, { is_hinted: true }), { cause, news: word }, around)
    assert.equal(decision?.progress.wake_at?.getTime(), now)
    assert.notEqual(isFinal(decision?.progress.state ?? 'sending'), true)
    assert.equal(decision?.postings, undefined)
  }
})

test('what a provider says it did not take, and yet hinted at, is tried nowhere else', () => {
  const nothing: News = { kind: 'not_submitted', cause: 'not_reached', detail: '' }

  const decision = take(payment({}, { is_hinted: true }), nothing, { alternatives: ['flutterwave'] })

  assert.deepEqual([decision?.reroute, decision?.progress.state], [undefined, 'unknown'])
})

test('against a final state only the answer to the last question put after the end counts', () => {
  const back = payment({ state: 'failed', failure: { code: 'REVERSED', message: '' } }, { polls: 3 })

  for (const cause of ['attempt', 'query', 'callback'] as const)
    assert.equal(decide(back, { cause, news: paid }, around), undefined)
  assert.equal(decide(back, { cause: 'query', news: paid, question: 2 }, around), undefined)
  assert.deepEqual(decide(back, { cause: 'query', news: paid, question: 3 }, around)?.postings, [
    'payout_successful_late',
    'provider_fee_told',
  ])
})

test('another amount than a successful payment was booked with is told to the operator once, and is contrary until then', () => {
  const other = said({ state: 'successful', settled: { amount: 2499n, currency: 'KES' } })
  const ended = payment({ state: 'successful' })
  assert(other.kind === 'said' && paid.kind === 'said')

  assert.equal(isContrary(ended.transaction, other.said), true)
  assert.equal(isContrary(ended.transaction, paid.said), false)
  assert.equal(take(ended, other)?.progress.discrepancy, 'late_mismatch')
  assert.equal(take(payment({ state: 'successful', discrepancy: 'late_mismatch' }), other), undefined)
})

test('each kind of news against a final state is booked once, and another amount not at all', () => {
  const late = payment({ state: 'failed', discrepancy: 'late_success' })
  const wrong = take(
    payment({ state: 'failed' }),
    said({ state: 'successful', settled: { amount: 777n, currency: 'USD' } }),
  )

  assert.deepEqual(take(late, refused)?.postings, ['payout_reversed'])
  assert.equal(take(late, refused)?.progress.discrepancy, 'late_success reversed')
  assert.equal(take(payment({ state: 'failed', discrepancy: 'late_success reversed' }), refused), undefined)
  assert.deepEqual([wrong?.postings, wrong?.progress.discrepancy], [undefined, 'late_mismatch'])
  assert.ok(wrong?.alert)
})

test('money moved by an attempt that was given up is booked once and alarms the operator, whatever became of the payment', () => {
  for (const state of states) {
    const decision = decideStray(payment({ state }), asked(paid))
    assert.deepEqual(
      [decision?.postings, decision?.progress.state],
      [['payout_successful_late', 'provider_fee_told'], undefined],
    )
    assert.ok(decision?.alert)
    assert.equal(decideStray(payment({ state, discrepancy: 'stray_success' }), asked(paid)), undefined)
    assert.equal(decideStray(payment({ state }), asked(refused)), undefined)
    const other = decideStray(payment({ state, amount: 2501n }), asked(paid))
    assert.deepEqual([other?.postings, other?.progress.discrepancy], [undefined, 'late_mismatch'])
  }
})

test('what an attempt that was given up moved and gave back is booked both ways, once each', () => {
  const strayed = (discrepancy: string) => payment({ state: 'successful', discrepancy })

  const back = decideStray(strayed('stray_success'), asked(reversed))

  assert.deepEqual([back?.postings, back?.isStray], [['payout_reversed'], true])
  assert.equal(back?.progress.discrepancy, 'stray_success stray_reversed')
  assert.equal(decideStray(strayed('stray_success stray_reversed'), asked(reversed)), undefined)
  assert.equal(decideStray(strayed('stray_success stray_reversed'), asked(paid)), undefined)
})

test('a callback about an attempt that was given up is not enough: it may be older than what came after', () => {
  for (const news of [paid, reversed])
    assert.equal(decideStray(payment({ discrepancy: 'stray_success' }), { cause: 'callback', news }), undefined)
  assert.equal(decideStray(payment(), { cause: 'callback', news: paid }), undefined)
})
