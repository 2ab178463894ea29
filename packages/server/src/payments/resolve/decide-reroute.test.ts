import assert from 'node:assert/strict'
import { test } from 'node:test'
import { minuteMs, now, payment, take } from '../../testing/deciding.ts'
import type { Attempt } from '../model/store.ts'
import type { Observation } from './decision.ts'

test('only a first send may be tried with another provider', () => {
  for (const cause of ['not_reached', 'unwritable'] as const) {
    const nothing: Observation = { kind: 'not_submitted', cause, detail: '' }
    const alternatives = ['flutterwave']

    assert.equal(take(payment({}, { sends: 1 }), nothing, { alternatives })?.reroute, 'flutterwave')
    const again = take(payment({}, { sends: 2 }), nothing, { alternatives })
    assert.deepEqual([again?.reroute, again?.progress.state], [undefined, 'unknown'])
  }
})

test('an unsent payout returns to a tried provider after enough refusals by the current one', () => {
  const nothing: Observation = { kind: 'not_submitted', cause: 'closed', detail: '' }
  const second = (refusals: number) => payment({}, { number: 2, provider: 'house', refusals })
  const returns = ['pawapay']

  for (const refusals of [0, 1]) {
    const waiting = take(second(refusals), nothing, { returns })
    assert.deepEqual([waiting?.reroute, waiting?.attempt?.refusals], [undefined, refusals + 1])
  }
  const back = take(second(2), nothing, { returns })
  assert.deepEqual(
    [back?.reroute, back?.progress.state, back?.attempt?.outcome],
    ['pawapay', 'accepted', 'not_submitted'],
  )
  assert.equal(take(second(9), nothing, { returns: [] })?.reroute, undefined)
  const sentBefore = payment({}, { number: 2, provider: 'house', refusals: 9, sends: 2 })
  assert.equal(take(sentBefore, nothing, { returns })?.reroute, undefined)
})

test('a payout alternates ever more slowly between two providers that are down, for days', () => {
  const nothing: Observation = { kind: 'not_submitted', cause: 'not_reached', detail: '' }
  let attempt: Partial<Attempt> = { number: 1, provider: 'pawapay', refusals: 0 }
  let nowMs = now
  let inFirstMinute = 0
  const day = 24 * 60 * minuteMs
  const isOver = () => nowMs >= now + 3 * day

  while (!isOver()) {
    const other = attempt.provider === 'pawapay' ? 'house' : 'pawapay'
    const over = attempt.number === 1 ? { alternatives: [other] } : { returns: [other] }
    const decision = take(payment({}, { ...attempt, sends: 1 }), nothing, { ...over, nowMs })
    assert(decision)
    const { number = 1, provider = '' } = attempt
    const { reroute, attempt: changed } = decision
    attempt = reroute ? { number: number + 1, provider: reroute, refusals: 0 } : { number, provider, ...changed }
    nowMs = decision.progress.wake_at?.getTime() ?? nowMs
    if (nowMs - now < minuteMs) inFirstMinute += 1
  }

  assert.ok(inFirstMinute < 12, `${inFirstMinute} requests in the first minute`)
  assert.ok((attempt.number ?? 0) < 120, `${attempt.number} attempts in three days`)
})

test('a payout whose attempt numbers are used up waits where it is, because they fit one byte', () => {
  const nothing: Observation = { kind: 'not_submitted', cause: 'closed', detail: '' }
  const last = payment({}, { number: 200, refusals: 200 })

  const decision = take(last, nothing, { alternatives: ['flutterwave'], returns: ['house'] })

  assert.deepEqual([decision?.reroute, decision?.progress.doubt], [undefined, 'closed'])
})
