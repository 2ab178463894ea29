import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { divideSlots } from './delivery-slots.ts'

const endpoint = (index: number) =>
  ({ merchant_id: 'a merchant', env: 'sandbox', endpoint_id: `endpoint-${index}` }) as const

/** Ten quick and ten slow slots, 25 in total, and a clock that the test moves. */
function openSlots(t: TestContext) {
  t.mock.timers.enable({ apis: ['setTimeout'] })
  let freed = 0
  const slots = divideSlots({ quickMax: 10, quickMs: 1000, slowMax: 10, underWayMax: 25 }, () => {
    freed += 1
  })
  return {
    slots,
    freed: () => freed,
    wait: (ms: number) => t.mock.timers.tick(ms),
    take: (from: number, count: number) =>
      Array.from({ length: count }, (_, index) => slots.take(endpoint(from + index))),
  }
}

test('slow attempts leave their slots to quick ones', (t) => {
  const { slots, take, wait, freed } = openSlots(t)
  take(0, 10)
  assert.equal(slots.hasRoom(), false)

  wait(1000)

  assert.equal(slots.hasRoom(), true)
  assert.equal(freed(), 10)
})

test('slow endpoints get no more slots while slow attempts fill their share, and others do', (t) => {
  const { slots, take, wait } = openSlots(t)
  const ends = take(0, 10)
  assert.deepEqual(slots.leftOut(), [])
  wait(1000)
  assert.deepEqual(
    slots.leftOut(),
    Array.from({ length: 10 }, (_, index) => endpoint(index)),
  )

  ends[0]?.()

  assert.deepEqual(slots.leftOut(), [])
})

test('an endpoint known as slow takes a slow slot at once, until a quick response', (t) => {
  const { slots, take, wait } = openSlots(t)
  const first = take(0, 10)
  wait(1000)
  for (const end of first) end()

  const ends = take(0, 10)
  assert.equal(slots.hasRoom(), true)
  assert.equal(slots.leftOut().length, 10)
  for (const end of ends) end()
  take(0, 10)

  assert.equal(slots.hasRoom(), false)
  assert.deepEqual(slots.leftOut(), [])
})

test('all slots are taken at the total limit until an attempt ends', (t) => {
  const { slots, take, wait } = openSlots(t)
  const [end] = take(0, 10)
  wait(1000)
  take(10, 10)
  wait(1000)
  take(20, 5)
  assert.equal(slots.hasRoom(), false)

  end?.()

  assert.equal(slots.hasRoom(), true)
})
