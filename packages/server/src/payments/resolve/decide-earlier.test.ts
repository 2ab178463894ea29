import assert from 'node:assert/strict'
import { test } from 'node:test'
import { charge, minuteMs, now, paid, payment, refused, said, take } from '../../testing/deciding.ts'
import type { Attempt } from '../model/store.ts'
import type { News, Surroundings } from './decision.ts'

const failure = { code: 'UNSPECIFIED_FAILURE', message: '' } as const
const short = said({ state: 'failed', failure, isOurShortfall: true })
const nothing: News = { kind: 'not_submitted', cause: 'not_reached', detail: '' }
const judgedFailed: News = { kind: 'judged', outcome: 'failed' }
const notFound: News = { kind: 'not_found' }

const second = { number: 2, send_by: new Date(now - 60 * minuteMs) }
const current = (over: object = {}, attempt: Partial<Attempt> = {}) =>
  payment({ attempt: 2, suspended: -2500n, ...over }, { ...second, ...attempt })
const { attempt: first } = payment({}, { outcome: 'failed', moved: 2500n })
const before: Partial<Surroundings> = { movedElsewhere: 2500n, paidBy: first, alternatives: ['house'] }

test('a payout whose current attempt moved nothing is the earlier attempt that paid it, with the suspense cleared', () => {
  for (const [news, of] of [
    [short, current({ state: 'submitted' })],
    [refused, current({ state: 'submitted' })],
    [nothing, current()],
    [notFound, current({ state: 'unknown' })],
    [judgedFailed, current({ state: 'unknown' })],
    [{ kind: 'paid_before' }, current({ state: 'accepted' }, { sends: 0 })],
  ] satisfies [News, ReturnType<typeof current>][]) {
    const decision = take(of, news, before)
    assert.deepEqual(
      [decision?.progress.state, decision?.reroute, decision?.event?.isTold],
      ['successful', undefined, true],
    )
    assert.deepEqual(decision?.postings, ['payout_successful'])
    assert.partialDeepStrictEqual(decision?.late, { attempt: 1, moved: 2500n, suspend: { amount: 2500n } })
    assert.notEqual(decision?.attempt?.outcome, 'successful')
  }
})

test('a payout that an earlier attempt paid is neither cancelled nor sent again by an operator', () => {
  assert.equal(take(current({ state: 'accepted' }, { sends: 0 }), { kind: 'cancel' }, before), undefined)
  assert.equal(take(current({ state: 'unknown' }), { kind: 'retry' }, before), undefined)
})

test('a payout of which an earlier attempt paid another amount waits for an operator, who hears of it once', () => {
  const other = { movedElsewhere: 2000n, alternatives: ['house'] }
  for (const news of [short, refused, nothing]) {
    const decision = take(current(), news, other)
    assert.deepEqual([decision?.progress.state, decision?.progress.doubt], ['unknown', 'amount_mismatch'])
    assert.deepEqual([decision?.reroute, decision?.postings], [undefined, undefined])
    assert.ok(decision?.alert)
  }
  const again = take(current({ state: 'unknown', doubt: 'amount_mismatch' }), short, other)
  assert.deepEqual([again?.event, again?.alert], [undefined, undefined])
  assert.equal(take(current({ state: 'unknown' }), judgedFailed, other)?.progress.state, 'failed')
})

test('what an earlier attempt moved says nothing of a current one that may have moved money, nor of a charge', () => {
  assert.equal(take(current({ state: 'submitted' }), paid, before)?.late?.suspend, undefined)
  assert.equal(take(current(), { kind: 'unknown', detail: '' }, before)?.progress.state, 'unknown')
  assert.equal(take(charge({ state: 'submitted' }), refused, { movedElsewhere: 2500n })?.progress.state, 'failed')
})

test('a payout whose earlier attempt gave the money back meanwhile is sent', () => {
  const decision = take(current({ state: 'accepted', suspended: 0n }, { sends: 0 }), { kind: 'paid_before' })

  assert.deepEqual(decision, { progress: { state: 'accepted', wake_at: new Date(now) } })
  assert.equal(take(current(), { kind: 'paid_before' }), undefined)
})
