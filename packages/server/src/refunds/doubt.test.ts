import assert from 'node:assert/strict'
import { test } from 'node:test'
import { until } from '../dev-stack/until.ts'
import { readId } from '../platform/ids.ts'
import { available, keyOf, type RefundingMalipo, refundingMalipo } from '../testing/refunding.ts'

interface Row extends Record<string, unknown> {
  readonly state: string
  readonly doubt: string
}
const rowOf = async (malipo: RefundingMalipo, id: string) => {
  const [row] = await malipo.ask<Row>('select state, doubt from transactions where id = $1', [
    readId('transaction', id),
  ])
  return `${row?.state} ${row?.doubt}`
}
/** Moves the clocks of the database and of the simulator. */
const pass = async (malipo: RefundingMalipo, seconds: number) => {
  await malipo.later(seconds)
  await malipo.simulator.advance(seconds * 1000)
}
const sums = async (malipo: RefundingMalipo, key: string) =>
  (await malipo.simulator.refunds(key)).map(({ state, amount }) => `${state} ${Number(amount)}`)

for (const [provider, moment] of [
  ['pawapay', 'before'],
  ['pawapay', 'after'],
  ['flutterwave', 'before'],
  ['flutterwave', 'after'],
] as const) {
  test(`a response of ${provider} lost ${moment} it acted ends in one refund, never two`, async (t) => {
    const malipo = await refundingMalipo(t)
    const merchant = await malipo.refunding()
    const charge = provider === 'pawapay' ? await merchant.paid() : await merchant.paidByCard()
    const mode = `drop_${moment}_processing` as const
    await malipo.simulator.setFault({ provider, operation: 'refund', mode, times: 1 })

    const refund = await merchant.refunded(charge.id, { amount: 400 })
    if (moment === 'before') {
      await malipo.comesTo(refund, 'unknown')
      assert.deepEqual(await sums(malipo, charge.key), [])
      await until('the refund to be missing for the whole window', async () => {
        await pass(malipo, 600)
        return (await malipo.stateOf(refund)) === 'successful'
      })
    } else await malipo.comesTo(refund, 'successful')

    assert.deepEqual(await sums(malipo, charge.key), ['completed 400'])
    const { refunded, refundable } = await merchant.read(charge.id)
    assert.deepEqual([refunded, refundable], [400, 600])
    await malipo.assertBooks()
  })
}

test('staff cannot have a refund in doubt sent again: its provider may know no key', async (t) => {
  const malipo = await refundingMalipo(t)
  const merchant = await malipo.refunding()
  const charge = await merchant.paidByCard()
  const fault = { provider: 'flutterwave', times: 1 } as const
  await malipo.simulator.setFault({ ...fault, operation: 'refund', mode: 'drop_before_processing' })
  const refund = await merchant.refunded(charge.id, { amount: 400 })
  await malipo.comesTo(refund, 'unknown')

  await assert.rejects(malipo.operator.payments.retry(refund, 'the customer waits'))
  assert.deepEqual(await sums(malipo, charge.key), [])
})

test('a charge taken back after a refund debits the rest only; the excess is a case of the operator', async (t) => {
  const malipo = await refundingMalipo(t)
  const merchant = await malipo.refunding()
  const start = await available(malipo, merchant.id)
  const charge = await merchant.paid(1000)
  await malipo.comesTo(await merchant.refunded(charge.id, { amount: 700 }), 'successful')

  await malipo.simulator.reverse(charge.key)
  await until('the charge to be adjusted', async () => {
    return ((await merchant.read(charge.id))['adjustments'] as unknown[] | undefined)?.length === 1
  })

  const { refunded, refundable } = await merchant.read(charge.id)
  assert.deepEqual([refunded, refundable], [700, 0])
  const [first] = await malipo.ask<{ adjusted: string; suspended: string }>(
    'select adjusted::text, suspended::text from transactions where id = $1',
    [readId('transaction', charge.id)],
  )
  assert.deepEqual({ ...first }, { adjusted: '-30000', suspended: '-70000' })
  const fee = 100_000n - ((await available(malipo, merchant.id)) - start + 100_000n)
  assert.ok(fee >= 0n && fee <= 5000n, 'the merchant lost the fee at most')
  assert.equal((await merchant.refund(charge.id)).body['errorCode'], 'REFUND_EXCEEDS_CHARGE')
  await malipo.assertBooks()
})

test('a charge that its provider took back is refunded by what is left', async (t) => {
  const malipo = await refundingMalipo(t)
  const merchant = await malipo.refunding()
  const charge = await merchant.paid(1000)
  await malipo.simulator.reverse(charge.key)
  await until('the charge to be adjusted', async () => {
    return ((await merchant.read(charge.id))['adjustments'] as unknown[] | undefined)?.length === 1
  })

  const refused = await merchant.refund(charge.id, { amount: 1 })
  assert.equal(refused.body['errorCode'], 'REFUND_EXCEEDS_CHARGE')
  assert.equal((await merchant.read(charge.id)).refundable, 0)
})

test('a refund that comes back after its success is credited by an adjustment and stays successful', async (t) => {
  const malipo = await refundingMalipo(t)
  const merchant = await malipo.refunding()
  const charge = await merchant.paid(1000)
  const refund = await merchant.refunded(charge.id, { amount: 400 })
  await malipo.comesTo(refund, 'successful')
  const before = await available(malipo, merchant.id)

  await malipo.simulator.reverse(keyOf(refund))
  await until('the refund to be adjusted', async () => {
    return ((await merchant.read(refund))['adjustments'] as unknown[] | undefined)?.length === 1
  })

  assert.equal(await available(malipo, merchant.id), before + 40_000n)
  assert.equal((await merchant.read(refund)).status, 'SUCCESSFUL')
  assert.equal((await merchant.read(charge.id)).refundable, 600)
  await malipo.assertBooks()
})

test('our empty float at the provider delays a refund, by name, and fails nothing', async (t) => {
  const malipo = await refundingMalipo(t)
  const merchant = await malipo.refunding()
  const charge = await merchant.paid(1000)
  await malipo.simulator.setFault({ provider: 'pawapay', operation: 'refund', mode: 'float_empty', times: 1 })

  const refund = await merchant.refunded(charge.id, { amount: 400 })
  await until('the refund to wait', async () => (await rowOf(malipo, refund)) === 'accepted float_exhausted')
  await until('the refund to succeed', async () => {
    await pass(malipo, 60)
    return (await malipo.stateOf(refund)) === 'successful'
  })

  assert.deepEqual(await sums(malipo, charge.key), ['completed 400'])
  await malipo.assertBooks()
})
