import assert from 'node:assert/strict'
import { test } from 'node:test'
import { charge, minuteMs, now, paid, payment, providerStatus, refused, take } from '../../testing/deciding.ts'
import type { Attempt } from '../model/store.ts'
import type { DecisionInputs, Observation } from './decision.ts'

const failure = { code: 'UNSPECIFIED_FAILURE', message: '' } as const
const short = providerStatus({ state: 'failed', failure, isOurShortfall: true })
const nothing: Observation = { kind: 'not_submitted', cause: 'not_reached', detail: '' }
const resolvedFailed: Observation = { kind: 'operator_resolved', outcome: 'failed' }
const notFound: Observation = { kind: 'not_found' }

const second = { number: 2, send_deadline: new Date(now - 60 * minuteMs) }
const current = (over: object = {}, attempt: Partial<Attempt> = {}) =>
  payment({ attempt: 2, suspended: -2500n, ...over }, { ...second, ...attempt })
const { attempt: first } = payment({}, { outcome: 'failed', moved: 2500n })
const before: Partial<DecisionInputs> = { movedElsewhere: 2500n, paidBy: first, alternatives: ['house'] }

test('an earlier paid attempt is the payout and clears suspense if the current moved nothing', () => {
  for (const [observation, of] of [
    [short, current({ state: 'submitted' })],
    [refused, current({ state: 'submitted' })],
    [nothing, current()],
    [notFound, current({ state: 'unknown' })],
    [resolvedFailed, current({ state: 'unknown' })],
    [{ kind: 'paid_before' }, current({ state: 'accepted' }, { sends: 0 })],
  ] satisfies [Observation, ReturnType<typeof current>][]) {
    const decision = take(of, observation, before)
    assert.deepEqual(
      [decision?.progress.state, decision?.reroute, decision?.event?.notifiesMerchant],
      ['successful', undefined, true],
    )
    assert.deepEqual(decision?.postings, ['payout_successful'])
    assert.partialDeepStrictEqual(decision?.late, { attempt: 1, moved: 2500n, suspend: { amount: 2500n } })
    assert.notEqual(decision?.attempt?.outcome, 'successful')
  }
})

test('an operator can neither cancel nor retry a payout that an earlier attempt paid', () => {
  assert.equal(take(current({ state: 'accepted' }, { sends: 0 }), { kind: 'cancel' }, before), undefined)
  assert.equal(take(current({ state: 'unknown' }), { kind: 'retry' }, before), undefined)
})

test('a payout paid earlier with another amount waits for an operator, who is alerted once', () => {
  const other = { movedElsewhere: 2000n, alternatives: ['house'] }
  for (const observation of [short, refused, nothing]) {
    const decision = take(current(), observation, other)
    assert.deepEqual([decision?.progress.state, decision?.progress.doubt], ['unknown', 'amount_mismatch'])
    assert.deepEqual([decision?.reroute, decision?.postings], [undefined, undefined])
    assert.ok(decision?.alert)
  }
  const again = take(current({ state: 'unknown', doubt: 'amount_mismatch' }), short, other)
  assert.deepEqual([again?.event, again?.alert], [undefined, undefined])
  assert.equal(take(current({ state: 'unknown' }), resolvedFailed, other)?.progress.state, 'failed')
})

test('an earlier attempt decides no charge, and no payout whose current attempt may have paid', () => {
  assert.equal(take(current({ state: 'submitted' }), paid, before)?.late?.suspend, undefined)
  assert.equal(take(current(), { kind: 'unknown', detail: '' }, before)?.progress.state, 'unknown')
  assert.equal(take(charge({ state: 'submitted' }), refused, { movedElsewhere: 2500n })?.progress.state, 'failed')
})

test('a payout is sent when its earlier attempt has returned the money meanwhile', () => {
  const decision = take(current({ state: 'accepted', suspended: 0n }, { sends: 0 }), { kind: 'paid_before' })

  assert.deepEqual(decision, { progress: { state: 'accepted', wake_at: new Date(now) } })
  assert.equal(take(current(), { kind: 'paid_before' }), undefined)
})
