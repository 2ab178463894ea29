import assert from 'node:assert/strict'
import { test } from 'node:test'
import { around, charge, minuteMs, now, paid, payment, providerStatus, refused, take } from '../../testing/deciding.ts'
import { decide } from './decide.ts'
import type { Observation } from './decision.ts'

const failure = { code: 'UNSPECIFIED_FAILURE', message: 'The operator gave no reason.' } as const
const short = providerStatus({ state: 'failed', failure, isOurShortfall: true })

test('a payout short of our float keeps its hold and is sent under a new key, ever later', () => {
  const waits = [1, 2, 3, 4, 5, 6, 100].map((number) => {
    const decision = take(payment({ state: 'submitted' }, { number }), short)
    assert.deepEqual([decision?.progress.state, decision?.progress.doubt], ['accepted', 'float_exhausted'])
    assert.deepEqual([decision?.reroute, decision?.attempt?.outcome], ['pawapay', 'failed'])
    assert.deepEqual([decision?.postings, decision?.event?.notifiesMerchant], [undefined, false])
    assert.ok(decision?.alert)
    return ((decision?.progress.wake_at?.getTime() ?? 0) - now) / minuteMs
  })

  assert.deepEqual(waits, [1, 2, 5, 15, 30, 60, 60])
  assert.equal(take(payment({ state: 'unknown' }), short)?.event?.notifiesMerchant, true)
})

test('a payout short of our float goes to another provider at once if there is one', () => {
  const elsewhere = take(payment({ state: 'unknown' }), short, { alternatives: ['house'] })

  assert.deepEqual([elsewhere?.reroute, elsewhere?.progress.wake_at?.getTime()], ['house', now])
})

test('a payout whose keys are used up fails and its money is returned', () => {
  const last = take(payment({ state: 'submitted' }, { number: 250 }), short)

  assert.deepEqual([last?.progress.state, last?.postings], ['failed', ['payout_failed']])
})

test('a shortfall does not count after a second send, or once the provider has sent a hint', () => {
  const again = decide(payment({}, { sends: 2 }), { cause: 'attempt', observation: short }, around)
  const hinted = take(payment({ state: 'submitted' }, { is_hinted: true }), short)

  assert.deepEqual([again?.progress.state, again?.reroute], ['unknown', undefined])
  assert.deepEqual(hinted, { progress: { wake_at: new Date(now) } })
  assert.equal(take(charge({ state: 'submitted' }), short)?.progress.state, 'failed')
})

test('a payout that was sent is accepted again only as a new attempt', () => {
  const words = [
    short,
    paid,
    refused,
    providerStatus({ state: 'submitted' }),
    { kind: 'not_found' },
  ] satisfies Observation[]
  for (const state of ['submitted', 'unknown'] as const)
    for (const word of words) {
      const decision = take(payment({ state }, { send_deadline: new Date(0) }), word)
      assert.ok(decision?.progress.state !== 'accepted' || decision.reroute !== undefined)
    }
})
