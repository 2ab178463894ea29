import assert from 'node:assert/strict'
import { test } from 'node:test'
import { payingMalipo } from '../testing/paying.ts'
import { readCell } from '../workers/cell-metrics.ts'

const float = { provider: 'pawapay', env: 'sandbox', country: 'KE', currency: 'KES' } as const
const order = { ...float, amount: '500.00', reason: 'two days of payouts' }
const top = { ...float, evidence: 'statement line 3', reason: 'top-up' }

test('a float below its mark is low in the list, in the status and in the metric', async (t) => {
  const malipo = await payingMalipo(t)
  const { floats, providers } = malipo.operator
  const metric = async () => {
    await readCell(malipo.ctx)
    const text = await malipo.ctx.metrics.registry.getSingleMetricAsString('malipo_float_below_mark')
    return text.split('\n').filter((line) => line.startsWith('malipo_'))
  }
  const series = 'malipo_float_below_mark{env="sandbox",provider="pawapay",country="KE",currency="KES"}'
  assert.deepEqual(await metric(), [], 'without a mark')

  const marked = await floats.mark(order)

  assert.deepEqual(marked, { ...float, amount: '0.00', mark: '500.00', isLow: true })
  assert.deepEqual(await floats.list(), [marked])
  assert.deepEqual((await providers.status()).floats, [marked])
  assert.deepEqual(await metric(), [`${series} 1`])
  await floats.adjust({ ...top, amount: '500.00' })
  assert.deepEqual(await floats.list(), [{ ...marked, amount: '500.00', isLow: false }])
  assert.deepEqual(await metric(), [`${series} 0`])
  await floats.mark({ ...order, amount: '0' })
  assert.deepEqual(await floats.list(), [{ ...float, amount: '500.00', isLow: false }])
  assert.deepEqual(await metric(), [], 'the series of a removed mark ends')
})

test('every change of a mark is in the audit trail, with the value before', async (t) => {
  const malipo = await payingMalipo(t)
  const { floats } = malipo.operator

  await floats.mark(order)
  await floats.mark({ ...order, amount: '750.00' })
  await floats.mark({ ...order, amount: '0' })

  const trail = await malipo.ask<{ reason: string; detail: { mark: string; before: string } }>(
    `select reason, detail from audit_entries where action = 'float.mark' order by id desc limit 3`,
  )
  assert.deepEqual(
    trail.map(({ reason, detail }) => [reason, detail.before, detail.mark]),
    [
      [order.reason, '750.00', '0.00'],
      [order.reason, '500.00', '750.00'],
      [order.reason, '0.00', '500.00'],
    ],
  )
})

test('two changes of a mark at once are both recorded, one after the other', async (t) => {
  const malipo = await payingMalipo(t)
  const { floats } = malipo.operator
  await floats.mark(order)

  await Promise.all([floats.mark({ ...order, amount: '1.00' }), floats.mark({ ...order, amount: '2.00' })])

  const trail = await malipo.ask<{ detail: { mark: string; before: string } }>(
    `select detail from audit_entries where action = 'float.mark' and detail ->> 'mark' in ('1.00', '2.00')`,
  )
  const first = trail.find(({ detail }) => detail.before === '500.00')
  const last = trail.find((each) => each !== first)
  const [row] = await malipo.ask<{ mark: string }>('select mark from float_marks')
  assert.equal(trail.length, 2)
  assert.equal(last?.detail.before, first?.detail.mark)
  assert.equal(`${Number(row?.mark) / 100}.00`, last?.detail.mark)
  await floats.mark({ ...order, amount: '0' })
})

test('a mark for a float that cannot exist, a negative one and one without a reason are refused', async (t) => {
  const { floats } = (await payingMalipo(t)).operator

  await assert.rejects(floats.mark({ ...order, provider: 'pawpay' }), /pawpay is not a provider/)
  await assert.rejects(floats.mark({ ...order, country: 'FR' }), /pawapay does not serve KES in FR/)
  await assert.rejects(floats.mark({ ...order, currency: 'XXX' }), /XXX is not a currency/)
  await assert.rejects(floats.mark({ ...order, amount: '-1' }), /-1 is not a mark/)
  await assert.rejects(floats.mark({ ...order, amount: '1.001' }), /1\.001 is not a mark/)
  await assert.rejects(floats.mark({ ...order, reason: ' ' }), /the reason must not be empty/)
  assert.deepEqual(
    (await floats.list()).filter(({ mark }) => mark !== undefined),
    [],
  )
})
