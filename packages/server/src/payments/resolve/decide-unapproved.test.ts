import assert from 'node:assert/strict'
import { test } from 'node:test'
import { minuteMs, now, paid, payment, providerStatus, refused, take } from '../../testing/deciding.ts'
import { type State, states } from '../model/state.ts'
import type { Observation } from './decision.ts'

const unapproved = () => payment({ state: 'unapproved' }, { sends: 0, send_deadline: null })

/** Everything that can be observed or requested, except what may end or approve it. */
const without: Observation[] = [
  { kind: 'hint' },
  { kind: 'retry' },
  { kind: 'not_found' },
  { kind: 'unknown', detail: '' },
  { kind: 'unclear', detail: '' },
  { kind: 'not_submitted', cause: 'not_reached', detail: '' },
  { kind: 'not_submitted', cause: 'unwritable', detail: '' },
  { kind: 'too_late' },
  { kind: 'paid_before' },
  { kind: 'contradicted', reported: 'successful' },
  { kind: 'operator_resolved', outcome: 'successful' },
]

test('nothing but an approval makes an unapproved payout due', () => {
  const inputs = { alternatives: ['house'], returns: ['house'], nowMs: now + 30 * 24 * 60 * minuteMs }

  for (const observation of without) assert.equal(take(unapproved(), observation, inputs), undefined, observation.kind)
  const approved = take(unapproved(), { kind: 'approve' }, inputs)
  assert.deepEqual(approved?.progress, { state: 'accepted', wake_at: new Date(inputs.nowMs) })
  assert.equal(approved?.postings, undefined)
})

test('a provider report never sends, reroutes or fails an unapproved payout, and staff are alerted', () => {
  const inputs = { alternatives: ['house'], returns: ['house'] }
  const shortfall = {
    state: 'failed',
    failure: { code: 'UNSPECIFIED_FAILURE', message: '' },
    isOurShortfall: true,
  } as const
  const another = { state: 'successful', settled: { amount: 1n, currency: 'KES' } } as const

  for (const report of [
    refused,
    providerStatus(shortfall),
    providerStatus(another),
    providerStatus({ state: 'submitted' }),
    providerStatus({ state: 'reversed', failure: { code: 'REVERSED', message: '' } }),
  ]) {
    const decision = take(unapproved(), report, inputs)
    assert.deepEqual(decision?.progress, {})
    assert.deepEqual([decision?.reroute, decision?.postings], [undefined, undefined])
    assert.ok(decision?.alert)
  }
  const booked = take(unapproved(), paid, inputs)
  assert.deepEqual([booked?.progress.state, booked?.postings?.[0]], ['successful', 'payout_successful'])
  assert.ok(booked?.alert)
})

test('a rejection, a cancellation, the expiry and the operator return the money of an unapproved payout', () => {
  for (const [observation, code] of [
    [{ kind: 'reject' }, 'REJECTED_BY_APPROVER'],
    [{ kind: 'approval_expired' }, 'APPROVAL_EXPIRED'],
    [{ kind: 'cancel' }, 'MANUALLY_CANCELLED'],
    [{ kind: 'operator_resolved', outcome: 'failed' }, 'UNSPECIFIED_FAILURE'],
  ] as const) {
    const decision = take(unapproved(), observation)
    assert.deepEqual([decision?.progress.state, decision?.postings], ['failed', ['payout_failed']])
    assert.equal(decision?.progress.failure?.code, code)
    assert.equal(decision?.event?.notifiesMerchant, true)
  }
})

test('a payout in any other state is neither approved, rejected nor expired', () => {
  const others: readonly State[] = states.filter((state) => state !== 'unapproved')

  for (const state of others)
    for (const kind of ['approve', 'reject', 'approval_expired'] as const)
      assert.equal(take(payment({ state }), { kind }), undefined, `${state} ${kind}`)
})
