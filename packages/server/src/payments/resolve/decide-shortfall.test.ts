import assert from 'node:assert/strict'
import { test } from 'node:test'
import { around, charge, minuteMs, now, paid, payment, refused, said, take } from '../../testing/deciding.ts'
import { decide } from './decide.ts'
import type { News } from './decision.ts'

const failure = { code: 'UNSPECIFIED_FAILURE', message: 'The operator gave no reason.' } as const
const short = said({ state: 'failed', failure, isOurShortfall: true })

test('a payout that our money did not suffice for keeps its hold and is sent under another key, ever later', () => {
  const waits = [1, 2, 3, 4, 5, 6, 100].map((number) => {
    const decision = take(payment({ state: 'submitted' }, { number }), short)
    assert.deepEqual([decision?.progress.state, decision?.progress.doubt], ['accepted', 'float_exhausted'])
    assert.deepEqual([decision?.reroute, decision?.attempt?.outcome], ['pawapay', 'failed'])
    assert.deepEqual([decision?.postings, decision?.event?.isTold], [undefined, false])
    assert.ok(decision?.alert)
    return ((decision?.progress.wake_at?.getTime() ?? 0) - now) / minuteMs
  })

  assert.deepEqual(waits, [1, 2, 5, 15, 30, 60, 60])
  assert.equal(take(payment({ state: 'unknown' }), short)?.event?.isTold, true)
})

test('a payout that our money did not suffice for goes to another provider at once where there is one', () => {
  const elsewhere = take(payment({ state: 'unknown' }), short, { alternatives: ['house'] })

  assert.deepEqual([elsewhere?.reroute, elsewhere?.progress.wake_at?.getTime()], ['house', now])
})

test('a payout whose keys are used up fails with its money back', () => {
  const last = take(payment({ state: 'submitted' }, { number: 250 }), short)

  assert.deepEqual([last?.progress.state, last?.postings], ['failed', ['payout_failed']])
})

test('a shortfall is not believed of a second sending, nor once the provider has hinted at news', () => {
  const again = decide(payment({}, { sends: 2 }), { cause: 'attempt', news: short }, around)
  const hinted = take(payment({ state: 'submitted' }, { is_hinted: true }), short)

  assert.deepEqual([again?.progress.state, again?.reroute], ['unknown', undefined])
  assert.deepEqual(hinted, { progress: { wake_at: new Date(now) } })
  assert.equal(take(charge({ state: 'submitted' }), short)?.progress.state, 'failed')
})

test('what was sent is accepted again only as a new attempt', () => {
  const words = [short, paid, refused, said({ state: 'submitted' }), { kind: 'not_found' }] satisfies News[]
  for (const state of ['submitted', 'unknown'] as const)
    for (const word of words) {
      const decision = take(payment({ state }, { send_by: new Date(0) }), word)
      assert.ok(decision?.progress.state !== 'accepted' || decision.reroute !== undefined)
    }
})
