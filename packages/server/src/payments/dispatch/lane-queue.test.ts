import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createLaneQueue, type LaneQueue, refillMax } from './lane-queue.ts'
import type { Work, WorkKind } from './timers.ts'

const work = (merchant_id: string, count: number, kind: WorkKind = 'payout', from = 0): Work[] =>
  Array.from({ length: count }, (_, place) => ({ id: `${merchant_id}${from + place}`, merchant_id, kind }))

const plenty = () => Number.POSITIVE_INFINITY

/** Takes the next payments as a lane does that finds all of them due. */
function serve(queue: LaneQueue, kind: WorkKind, limit: number): string[] {
  const next = queue.next(kind, limit, plenty)
  queue.remove(next, next)
  return next.map(({ id }) => id)
}

test('merchants take turns, however many payments one of them has waiting', () => {
  const queue = createLaneQueue()
  queue.add([...work('a', 1500), ...work('b', 2), ...work('c', 1)])

  assert.deepEqual(serve(queue, 'payout', 5), ['a0', 'b0', 'c0', 'a1', 'b1'])
  queue.add(work('d', 1))
  assert.deepEqual(serve(queue, 'payout', 3), ['a2', 'd0', 'a3'])
})

test('a served merchant is behind the others at the next claim, even with one request at a time', () => {
  const queue = createLaneQueue()
  queue.add([...work('a', 10), ...work('b', 10), ...work('c', 10)])

  const served = Array.from({ length: 6 }, () => serve(queue, 'payout', 1)).flat()

  assert.deepEqual(served, ['a0', 'b0', 'c0', 'a1', 'b1', 'c1'])
})

test('offered work stays first until it is examined, and examined work that was not due is gone', () => {
  const queue = createLaneQueue()
  queue.add([...work('a', 3), ...work('b', 3)])
  const [first, second] = queue.next('payout', 6, plenty)
  assert(first && second)

  queue.remove([first, second], [second])

  assert.deepEqual(serve(queue, 'payout', 6), ['a1', 'b1', 'a2', 'b2'])
  assert.equal(queue.waiting('payout'), 0)
})

test('a payment is queued once, and moves when it becomes work of another kind', () => {
  const queue = createLaneQueue()
  assert.equal(queue.add(work('a', 2)), 2)
  assert.equal(queue.add(work('a', 2)), 0)
  assert.equal(queue.add(work('a', 1, 'poll')), 1)

  assert.deepEqual([queue.waiting('payout'), queue.waiting('poll')], [1, 1])
  assert.deepEqual(serve(queue, 'payout', 9), ['a1'])
  assert.deepEqual(serve(queue, 'poll', 9), ['a0'])
})

test('a merchant is offered no more work than it has room for', () => {
  const queue = createLaneQueue()
  queue.add([...work('a', 10), ...work('b', 10)])

  const offered = queue.next('payout', 6, (merchant_id) => (merchant_id === 'a' ? 1 : 4))

  assert.deepEqual(
    offered.map(({ id }) => id),
    ['a0', 'b0', 'b1', 'b2', 'b3'],
  )
})

test('work that does not fit is read again from open payments, page by page, once there is room', () => {
  const queue = createLaneQueue()
  queue.add(work('a', 2 * refillMax + 500))
  assert.equal(queue.waiting('payout'), 2 * refillMax)
  assert.deepEqual(queue.overflows(), [])

  serve(queue, 'payout', refillMax)
  queue.next('payout', 1, plenty)
  const [overflow] = queue.overflows()
  assert.deepEqual(overflow, { merchant_id: 'a', after: '00000000-0000-0000-0000-000000000000' })
  queue.refill('a', work('a', refillMax, 'payout', refillMax), 'a9')
  assert.deepEqual(queue.overflows(), [{ merchant_id: 'a', after: 'a9' }])

  queue.refill('a', work('a', 500, 'payout', 2 * refillMax), undefined)
  assert.deepEqual([queue.waiting('payout'), queue.overflows()], [refillMax + 500, []])
})

test('work that does not fit during a read of the open payments is found by another read', () => {
  const queue = createLaneQueue()
  queue.add(work('a', 2 * refillMax + 1))
  serve(queue, 'payout', 2 * refillMax)
  queue.next('payout', 1, plenty)
  queue.refill('a', work('a', 1, 'payout', 9000), 'a9000')

  queue.add(work('a', 2 * refillMax, 'payout', 10_000))
  serve(queue, 'payout', 2 * refillMax)
  queue.next('payout', 1, plenty)
  queue.refill('a', [], undefined)

  assert.deepEqual(queue.overflows(), [{ merchant_id: 'a', after: '00000000-0000-0000-0000-000000000000' }])
  queue.refill('a', [], undefined)
  assert.deepEqual(queue.overflows(), [])
})
