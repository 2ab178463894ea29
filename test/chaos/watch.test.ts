import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readId } from '../../packages/server/src/platform/ids.ts'
import { keyOf, refundingMalipo } from '../../packages/server/src/testing/refunding.ts'
import { dueBeforeMs, type Found, foundSql, watchTurns } from './watch.ts'

test('a refund in line is due only from the end of the earlier one', async (t) => {
  const malipo = await refundingMalipo(t)
  const merchant = await malipo.refunding()
  const charge = await merchant.paid(1000)
  const first = await merchant.refunded(charge.id, { amount: 129 })
  const second = readId('transaction', await merchant.refunded(charge.id, { amount: 200 }))
  await malipo.comesTo(first, 'submitted')
  const find = async () => {
    const [{ forgotten, turns } = { forgotten: null, turns: null }] = await malipo.ask<Found>(foundSql, [0])
    return { turns, isForgotten: forgotten?.includes(second ?? '') ?? false }
  }

  assert.deepEqual(await find(), { turns: null, isForgotten: false })
  await malipo.operator.merchants.freeze(merchant.id, 'its refunds are not sent in this test')
  await malipo.simulator.act(keyOf(first), 'approve')
  await malipo.comesTo(first, 'successful')
  assert.deepEqual(await find(), { turns: [second], isForgotten: false })
})

test('a refund that is not sent within a minute of its turn is found, one sent in time is not', () => {
  const turns = watchTurns()
  assert.deepEqual(turns.missed(['a', 'b'], 0), [])
  assert.deepEqual(turns.missed(['a'], dueBeforeMs - 1), [])
  assert.deepEqual(turns.missed(['a', 'b'], dueBeforeMs), ['a'])
  assert.deepEqual(turns.missed(['b'], 2 * dueBeforeMs), ['b'])
})
