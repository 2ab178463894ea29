import assert from 'node:assert/strict'
import { test } from 'node:test'
import { around, charge, minuteMs, now, paid, payment, providerStatus, refused, take } from '../../testing/deciding.ts'
import { isFinal, type State, states, transitions } from '../model/state.ts'
import type { KnownPayment } from '../model/store.ts'
import { decide } from './decide.ts'
import type { Observation } from './decision.ts'

const open = states.filter((state) => !isFinal(state))
const sent = open.filter((state) => state !== 'accepted' && state !== 'unapproved')

test('a provider report ends a payment from every open state, and moves its money once', () => {
  for (const state of sent) {
    assert.deepEqual(take(payment({ state }), paid)?.postings, ['payout_successful', 'provider_fee_reported'], state)
    assert.deepEqual(take(payment({ state }), refused)?.postings, ['payout_failed'], state)
    assert.deepEqual(take(charge({ state }), paid)?.postings, ['charge_successful', 'provider_fee_reported'], state)
  }
})

test('only a provider report or an operator fails a payout that may have been sent', () => {
  const observation: Observation[] = [
    { kind: 'not_found' },
    { kind: 'unknown', detail: '' },
    { kind: 'unclear', detail: '' },
    { kind: 'hint' },
    { kind: 'cancel' },
    providerStatus({ state: 'submitted' }),
  ]
  for (const state of sent)
    for (const each of observation)
      for (const days of [0, 1, 30]) {
        const decision = take(payment({ state }), each, { nowMs: now + days * 24 * 60 * minuteMs })
        assert.notEqual(decision?.progress.state, 'failed', `${state} ${each.kind}`)
        assert.equal(decision?.postings, undefined, `${state} ${each.kind}`)
      }
})

test('not found counts only after the send deadline and window, then the same key is sent again', () => {
  const early = take(payment({ state: 'unknown' }), { kind: 'not_found' })
  const windowAgo = new Date(now - 16 * minuteMs)
  const late = take(payment({ state: 'unknown' }, { send_deadline: windowAgo }), { kind: 'not_found' })

  assert.equal(early?.attempt?.is_lost, undefined)
  assert.equal(early?.progress.doubt, 'not_found')
  assert.equal(late?.attempt?.is_lost, true)
  assert.equal(late?.reroute, undefined)
  assert.equal(late?.progress.wake_at?.getTime(), now)
})

test('a payout that no provider can take now waits with a named reason and does not fail', () => {
  for (const cause of ['not_reached', 'float_exhausted', 'rate_limited', 'closed', 'rejected'] as const) {
    const decision = take(payment(), { kind: 'not_submitted', cause, detail: '' })
    assert.deepEqual([decision?.progress.state, decision?.progress.doubt], ['accepted', cause])
    assert.ok((decision?.progress.wake_at?.getTime() ?? 0) > now)
    assert.equal(decision?.attempt?.sends, 0)
    assert.equal(decision?.event?.notifiesMerchant, false)
  }
})

test('a payment that no provider can express fails with its money back, unless sent before', () => {
  const observation: Observation = { kind: 'not_submitted', cause: 'unwritable', detail: 'no branch' }
  const once = take(payment(), observation)
  const request = take(charge({ sent_via: 'request' }), observation)
  const again = take(payment({}, { sends: 2 }), observation)
  const hinted = take(payment({}, { is_hinted: true }), observation)

  assert.deepEqual([once?.progress.state, once?.postings], ['failed', ['payout_failed']])
  assert.equal(once?.progress.failure?.code, 'DETAILS_NOT_ACCEPTED')
  assert.ok(once?.alert)
  assert.equal(request?.progress.failure?.code, 'DETAILS_NOT_ACCEPTED')
  for (const each of [again, hinted]) assert.deepEqual([each?.progress.state, each?.postings], ['unknown', undefined])
})

test('an unclear refusal counts once the provider does not find the payment, without a resend', () => {
  const failure = { code: 'DETAILS_NOT_ACCEPTED', message: 'no' } as const
  const observation: Observation = { kind: 'unknown', detail: '', failure }
  const first = take(payment(), observation)
  const doubted = { state: 'unknown', doubt: 'refused_unclear', failure } as const
  const early = take(payment(doubted), { kind: 'not_found' })
  const late = take(payment(doubted, { send_deadline: new Date(0) }), { kind: 'not_found' })

  assert.deepEqual(
    [first?.progress.state, first?.progress.doubt, first?.postings],
    ['unknown', 'refused_unclear', undefined],
  )
  assert.ok(first?.alert)
  assert.deepEqual([early?.progress.doubt, early?.attempt?.is_lost], ['refused_unclear', undefined])
  assert.deepEqual([late?.progress.state, late?.progress.failure], ['failed', failure])
  assert.equal(take(payment(doubted), paid)?.progress.state, 'successful')
  assert.equal(take(payment({}, { sends: 2 }), observation)?.progress.doubt, 'refused_on_resend')
  assert.equal(take(payment({ state: 'submitted' }), observation), undefined)
  assert.equal(take(charge(), observation)?.progress.doubt, 'no_response')
})

test('an expired charge is open while its provider reports it under way, and ends on its report', () => {
  const expired = { nowMs: now + 30 * minuteMs }
  const notApproved = providerStatus({
    state: 'failed',
    failure: { code: 'PAYMENT_NOT_APPROVED', message: '', providerCode: 'X' },
  })
  for (const state of ['waiting', 'submitted', 'unknown'] as const) {
    const late = charge({ state })
    for (const word of [
      providerStatus({ state: 'submitted' }),
      providerStatus({ state: 'waiting', action: { kind: 'pin_prompt' } }),
    ]) {
      const open = take(late, word, expired)
      assert.deepEqual([open?.progress.state, open?.progress.doubt], ['unknown', 'overdue'])
      assert.equal(open?.event?.notifiesMerchant, true)
      const known = charge({ state: 'unknown', doubt: 'overdue' })
      assert.equal(take(known, word, expired)?.event, undefined)
      assert.notEqual(take(late, word)?.progress.doubt, 'overdue')
    }
    const over = take(late, notApproved, expired)?.progress.failure
    assert.deepEqual([over?.code, over?.providerCode], ['EXPIRED', 'X'])
    assert.equal(take(late, notApproved)?.progress.failure?.code, 'PAYMENT_NOT_APPROVED')
    assert.equal(take(late, { kind: 'not_found' }, expired)?.progress.failure?.code, 'EXPIRED')
    assert.equal(take(late, paid, expired)?.progress.state, 'successful')
  }
})

test('an expired charge ends if documented as unpayable or only our answer could continue it', () => {
  const expired = { nowMs: now + 30 * minuteMs }
  const submitted = providerStatus({ state: 'submitted' })
  const asked = charge({ state: 'waiting', action: { kind: 'otp', attemptsLeft: 3 } })

  assert.equal(take(asked, submitted, expired)?.progress.failure?.code, 'EXPIRED')
  assert.equal(
    take(charge({ state: 'waiting' }), submitted, { ...expired, deadAfterMs: 60 * minuteMs })?.progress.state,
    'unknown',
  )
  assert.equal(
    take(charge({ state: 'waiting' }), submitted, { ...expired, deadAfterMs: 0 })?.progress.failure?.code,
    'EXPIRED',
  )
})

test('another amount collected for a charge is in suspense with a case until the reported end', () => {
  const other = providerStatus({ state: 'successful', settled: { amount: 2400n, currency: 'KES' } })
  const first = take(charge({ state: 'waiting' }), other)
  assert.deepEqual(first?.late, { attempt: 1, moved: 2400n, suspend: { amount: 2400n, kind: 'amount_mismatch' } })
  const waiting = charge({ state: 'unknown', doubt: 'amount_mismatch', suspended: 2400n })
  const known = { ...waiting, attempt: { ...waiting.attempt, moved: 2400n } }

  assert.equal(take(known, other)?.late, undefined)
  for (const [word, moved] of [
    [paid, 2500n],
    [refused, 0n],
  ] as const)
    assert.deepEqual(take(known, word)?.late, {
      attempt: 1,
      moved,
      suspend: { amount: -2400n, kind: 'amount_mismatch' },
    })
  const judge = (outcome: 'successful' | 'failed') => take(known, { kind: 'operator_resolved', outcome })
  assert.equal(judge('successful'), undefined)
  assert.deepEqual([judge('failed')?.progress.state, judge('failed')?.late], ['failed', undefined])
  assert.equal(take(payment({ state: 'submitted' }), other)?.late, undefined)
})

test('no response, an early not found, or the response to a send does not end a charge', () => {
  const expired = { nowMs: now + minuteMs }
  const answered = decide(
    charge({ state: 'sending' }),
    { cause: 'attempt', observation: providerStatus({ state: 'submitted' }) },
    { ...around, ...expired },
  )

  assert.notEqual(
    take(charge({ state: 'waiting' }), { kind: 'unclear', detail: '' }, expired)?.progress.state,
    'failed',
  )
  assert.notEqual(take(charge({ state: 'waiting' }), { kind: 'not_found' }, expired)?.progress.state, 'failed')
  assert.equal(answered?.progress.state, 'submitted')
})

test('a charge with another amount does not expire: a person must decide first', () => {
  const of = charge({ state: 'unknown', doubt: 'amount_mismatch' })

  for (const observation of [{ kind: 'not_found' }, providerStatus({ state: 'submitted' })] satisfies Observation[])
    assert.notEqual(take(of, observation, { nowMs: now + 60 * minuteMs })?.progress.state, 'failed')
})

test('a charge that could not be sent in time expires without a prompt to the customer', () => {
  assert.equal(take(charge({ state: 'accepted' }), { kind: 'too_late' })?.progress.state, undefined)
  const unsent = { ...charge({ state: 'accepted' }), attempt: { ...charge().attempt, sends: 0 } }
  assert.equal(take(unsent, { kind: 'too_late' })?.progress.failure?.code, 'EXPIRED')
})

test('a charge with an unstored code is sent once, and fails when that send is not submitted', () => {
  const nothing: Observation = { kind: 'not_submitted', cause: 'not_reached', detail: '' }
  const decision = take(charge({ sent_via: 'request' }), nothing, { alternatives: ['house'] })

  assert.deepEqual([decision?.progress.failure?.code, decision?.reroute], ['PROVIDER_UNAVAILABLE', undefined])
})

test('a refused resend counts once the first send is not found either, without a third send', () => {
  const failure = { code: 'RECIPIENT_LIMIT_REACHED', message: 'full' } as const
  const answer = { cause: 'attempt', observation: providerStatus({ state: 'failed', failure }) } as const
  const first = decide(payment({}, { sends: 2 }), answer, around)
  const doubted = { state: 'unknown', doubt: 'refused_on_resend', failure } as const
  const early = take(payment(doubted, { sends: 2 }), { kind: 'not_found' })
  const late = take(payment(doubted, { sends: 2, send_deadline: new Date(0) }), { kind: 'not_found' })
  const there = take(payment(doubted, { sends: 2 }), paid)

  assert.deepEqual(
    [first?.progress.state, first?.progress.doubt, first?.postings],
    ['unknown', 'refused_on_resend', undefined],
  )
  assert.ok(first?.alert)
  assert.deepEqual([early?.progress.doubt, early?.attempt?.is_lost], ['refused_on_resend', undefined])
  assert.deepEqual(
    [late?.progress.state, late?.progress.failure, late?.postings],
    ['failed', failure, ['payout_failed']],
  )
  assert.deepEqual([there?.progress.state, there?.progress.failure], ['successful', null])
})

test('any provider report clears the lost mark of a payment', () => {
  for (const word of [
    providerStatus({ state: 'submitted' }),
    providerStatus({ state: 'successful', settled: { amount: 1n, currency: 'KES' } }),
    paid,
    refused,
  ])
    assert.equal(take(payment({ state: 'unknown' }, { is_lost: true }), word)?.attempt?.is_lost, false)
})

test('a submitted report keeps the action that the customer must take', () => {
  const action = { kind: 'redirect', url: 'https://pay.example/1' } as const
  const decision = take(charge({ state: 'waiting', action }), providerStatus({ state: 'submitted' }))
  const same = take(
    charge({ state: 'waiting', action }),
    providerStatus({ state: 'waiting', action: { url: action.url, kind: 'redirect' } }),
  )

  assert.deepEqual(
    [decision?.progress.state, decision?.progress.action, decision?.event],
    ['waiting', action, undefined],
  )
  assert.equal(same?.event, undefined)
})

test('a charge is polled at its expiry at the latest', () => {
  const decision = take(charge({ state: 'waiting' }), providerStatus({ state: 'submitted' }), {})
  const late = decide(
    { ...charge({ state: 'waiting' }), attempt: { ...charge().attempt, polls: 10 } },
    { cause: 'query', observation: providerStatus({ state: 'submitted' }) },
    around,
  )

  assert.ok((decision?.progress.wake_at?.getTime() ?? 0) <= now + minuteMs)
  assert.equal(late?.progress.wake_at?.getTime(), now + minuteMs)
})

test('another amount or currency than requested is held, alerts once and is not credited', () => {
  for (const settled of [
    { amount: 2501n, currency: 'KES' },
    { amount: 2500n, currency: 'UGX' },
  ] as const) {
    const first = take(charge(), providerStatus({ state: 'successful', settled }))
    const again = take(
      charge({ state: 'unknown', doubt: 'amount_mismatch' }),
      providerStatus({ state: 'successful', settled }),
    )
    assert.deepEqual(
      [first?.progress.state, first?.progress.doubt, first?.postings],
      ['unknown', 'amount_mismatch', undefined],
    )
    assert.ok(first?.alert)
    assert.equal(again?.alert, undefined)
  }
})

test('a report against a final state is booked once, and the state stays', () => {
  const late = take(payment({ state: 'failed' }), paid)
  const reversed = take(payment({ state: 'successful' }, { outcome: 'successful' }), refused)
  const ofCharge = take(
    { ...charge({ state: 'successful' }), attempt: payment({}, { outcome: 'successful' }).attempt },
    providerStatus({ state: 'reversed', failure: { code: 'REVERSED', message: '' } }),
  )

  assert.deepEqual(late?.late?.suspend, { amount: -2500n, kind: 'paid_after_failure' })
  assert.deepEqual(reversed?.late?.adjustments?.[0]?.reason, 'payout_returned')
  assert.deepEqual(ofCharge?.late?.adjustments?.[0]?.reason, 'charge_reversed')
  for (const decision of [late, reversed, ofCharge]) {
    assert.deepEqual([decision?.progress, decision?.postings], [{}, undefined])
    assert.ok(decision?.alert)
  }
  assert.equal(take(payment({ state: 'failed' }, { moved: 2500n }), paid), undefined)
  assert.equal(take(payment({ state: 'successful' }, { outcome: 'successful' }), paid), undefined)
  assert.equal(take(payment({ state: 'failed' }), refused), undefined)
})

test('only a provider report changes a payment that has ended', () => {
  const observation: Observation[] = [
    { kind: 'not_found' },
    { kind: 'unknown', detail: '' },
    { kind: 'not_submitted', cause: 'closed', detail: '' },
    { kind: 'cancel' },
    { kind: 'retry' },
    { kind: 'operator_resolved', outcome: 'failed' },
    { kind: 'hint' },
  ]
  for (const state of ['successful', 'failed'] as const)
    for (const each of observation) assert.equal(take(payment({ state }), each), undefined, `${state} ${each.kind}`)
})

test('a failure response to a query from before a success changes nothing', () => {
  const observed = { cause: 'query', observation: refused } as const
  assert.equal(decide(payment({ state: 'successful' }), observed, around), undefined)
})

test('a payout can be cancelled while unsent, also while it waits for its provider, never after', () => {
  const cancel: Observation = { kind: 'cancel' }
  const code = (of: KnownPayment) => take(of, cancel)?.progress.failure?.code

  assert.equal(code(payment({ state: 'accepted' }, { sends: 0 })), 'MANUALLY_CANCELLED')
  assert.equal(code(payment({ state: 'accepted', doubt: 'closed' }, { sends: 0 })), 'MANUALLY_CANCELLED')
  for (const state of ['sending', 'waiting', 'submitted', 'unknown'] satisfies State[])
    assert.equal(take(payment({ state }), cancel), undefined)
})

test('a retry keeps the key and applies only when the provider may not have the payment', () => {
  const retry: Observation = { kind: 'retry' }

  assert.equal(take(payment({ state: 'unknown' }), retry)?.attempt?.is_lost, true)
  assert.equal(take(payment({ state: 'unknown' }), retry)?.reroute, undefined)
  for (const state of ['sending', 'submitted', 'waiting'] satisfies State[])
    assert.equal(take(payment({ state }), retry), undefined, state)
  assert.equal(take(charge({ state: 'unknown' }), retry), undefined)
})

test('polls start soon, become ever less frequent, and never stop', () => {
  const waits = Array.from({ length: 10 }, (_, polls) => {
    const decision = take(payment({ state: 'submitted' }, { polls }), providerStatus({ state: 'submitted' }))
    return (decision?.progress.wake_at?.getTime() ?? 0) - now
  })

  assert.deepEqual(waits.slice(0, 6), [5000, 15_000, 30_000, 60_000, 120_000, 300_000])
  assert.ok(waits.slice(6).every((wait) => wait === 15 * minuteMs))
})

test('every observation in every state leads to a transition that the table allows', () => {
  const failure = { code: 'REVERSED', message: '' } as const
  const observation: Observation[] = [
    paid,
    refused,
    providerStatus({ state: 'successful', settled: { amount: 1n, currency: 'KES' } }),
    providerStatus({ state: 'reversed', failure }),
    providerStatus({ state: 'submitted' }),
    providerStatus({ state: 'waiting', action: { kind: 'pin_prompt' } }),
    { kind: 'not_submitted', cause: 'closed', detail: '' },
    { kind: 'unknown', detail: '' },
    { kind: 'not_found' },
    { kind: 'unclear', detail: '' },
    { kind: 'hint' },
    { kind: 'cancel' },
    { kind: 'retry' },
    { kind: 'too_late' },
    { kind: 'operator_resolved', outcome: 'successful' },
    { kind: 'operator_resolved', outcome: 'failed' },
  ]
  for (const state of states)
    for (const each of observation)
      for (const subject of [
        payment({ state }),
        charge({ state }),
        payment({ state }, { sends: 2, send_deadline: new Date(0) }),
      ])
        for (const nowMs of [now, now + minuteMs]) {
          const target = take(subject, each, { nowMs })?.progress.state ?? state
          const steps: readonly State[] = [state, ...transitions[state]]
          assert.ok(
            steps.includes(target),
            `${state} to ${target} by ${JSON.stringify(each, (_, value) => String(value))}`,
          )
        }
})

test('a report on a payment that was certainly not sent is booked and alerts the operator', () => {
  const decision = take(payment({ state: 'accepted' }, { sends: 0 }), paid)

  assert.equal(decision?.progress.state, 'successful')
  assert.ok(decision?.alert)
})

test('a repeated report makes no event', () => {
  const first = take(payment({ state: 'sending' }), providerStatus({ state: 'submitted' }))
  const again = take(payment({ state: 'submitted' }), providerStatus({ state: 'submitted' }))

  assert.ok(first?.event)
  assert.equal(again?.event, undefined)
})
