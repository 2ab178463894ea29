import assert from 'node:assert/strict'
import { test } from 'node:test'
import { testMalipo } from '../testing/malipo.ts'
import type { FeeOrder } from './fees.ts'

const noProvider = { MALIPO_SIMULATOR_URL: 'http://127.0.0.1:9', MALIPO_SIMULATOR_TOKEN: 'unused-simulator-token' }
const order: FeeOrder = { env: 'live', basisPoints: 150, reason: 'price list 7' }
const question = { env: 'live', operation: 'payout', method: 'momo', currency: 'KES', amount: '1000' } as const
const payout = (externalReference: string) => ({
  amount: 1000,
  currency: 'KES',
  country: 'KE',
  destination: 'MoMo',
  payoutMethod: { accountName: 'Amina', accountNumber: '+254703456789' },
  externalReference,
})

test('fees are set for charges, payouts or both, and the audit trail records by whom', async (t) => {
  const { operator, ask } = await testMalipo(t)

  const both = await operator.fees.set(order)
  const [one] = await operator.fees.set({
    ...order,
    operation: 'payout',
    method: 'momo',
    currency: 'KES',
    fixed: '5',
    max: '30.50',
  })

  assert.deepEqual(
    both.map(({ operation, method, currency, status, setBy }) => [operation, method, currency, status, setBy]),
    [
      ['charge', '*', '*', 'in force', 'test'],
      ['payout', '*', '*', 'in force', 'test'],
    ],
  )
  assert.deepEqual([one?.fixed, one?.max, one?.min, one?.isReturned], ['5.00', '30.50', undefined, false])
  assert.equal((await operator.fees.show(question)).fee, '20.00')
  assert.equal((await operator.fees.show({ ...question, method: 'bank' })).fee, '15.00')
  const trail = await ask(`select actor, action, env, subject, reason, detail from audit_entries order by id`)
  assert.deepEqual(trail.at(-1), {
    actor: 'test',
    action: 'fees.set',
    env: 'live',
    subject: `fee rule ${one?.id}`,
    reason: 'price list 7',
    detail: {
      env: 'live',
      operation: 'payout',
      method: 'momo',
      currency: 'KES',
      basisPoints: 150,
      fixed: '5',
      max: '30.50',
    },
  })
})

test("a newer rule replaces the older one from its date, and a merchant's own rule comes first", async (t) => {
  const malipo = await testMalipo(t)
  const { operator, ask } = malipo
  const { id: merchant } = await malipo.merchant()
  t.after(() => ask(`update clock_offset set ahead = '0'`))
  const scope = { ...order, operation: 'payout', method: 'bank', currency: 'UGX' } as const
  const fee = async (over: object = {}) =>
    (await operator.fees.show({ ...question, method: 'bank', currency: 'UGX', ...over })).fee
  const statuses = async () =>
    (await operator.fees.list({ env: 'live', isHistory: true }))
      .filter(({ currency }) => currency === 'UGX')
      .map(({ basisPoints, status }) => `${basisPoints} ${status}`)

  await operator.fees.set({ ...scope, basisPoints: 100 })
  await operator.fees.set({ ...scope, basisPoints: 200 })
  await operator.fees.set({ ...scope, basisPoints: 400, from: '2099-01-01' })
  await operator.fees.set({ ...scope, basisPoints: 300, from: '2099-01-01T00:00Z' })
  await operator.fees.set({ ...scope, basisPoints: 50, merchant })

  assert.deepEqual([await fee(), await fee({ merchant })], ['20', '5'])
  assert.deepEqual(await statuses(), [
    '300 scheduled',
    '400 superseded',
    '200 in force',
    '100 superseded',
    '50 in force',
  ])
  await ask(`update clock_offset set ahead = '2099-01-01 00:00:01+00'::timestamptz - now()`)
  assert.deepEqual([await fee(), await fee({ merchant })], ['30', '5'])
  assert.deepEqual(await statuses(), [
    '300 in force',
    '400 superseded',
    '200 superseded',
    '100 superseded',
    '50 in force',
  ])
  const own = await operator.fees.list({ merchant, isHistory: false })
  assert.deepEqual(
    own.map(({ merchantId, basisPoints }) => [merchantId, basisPoints]),
    [[merchant, 50]],
  )
})

test('a payment keeps the rule it was accepted with, and the next one follows the new rule', async (t) => {
  const malipo = await testMalipo(t, noProvider)
  const { id: merchant, call } = await malipo.merchant()
  const own = { env: 'sandbox', operation: 'payout', merchant, reason: 'contract 17' } as const
  const kept = async (reference: string) => {
    const [row] = await malipo.ask('select fee, fee_rule from transactions where external_reference = $1', [reference])
    return row
  }
  await call('POST', '/api/b2b/fiat/payout', payout('by-default'))
  const terms = { currency: 'KES', basisPoints: 250, fixed: '3', min: '10', max: '500', isReturned: true }

  await malipo.operator.fees.set({ ...own, ...terms })
  const again = await testMalipo(t, noProvider) // A new process, which has no rule cached yet.
  await (await again.as(await malipo.operator.keys.create(merchant, { env: 'sandbox' }))).call(
    'POST',
    '/api/b2b/fiat/payout',
    payout('by-contract'),
  )

  assert.deepEqual(await kept('by-default'), { fee: '1000', fee_rule: { fixed: '0', basisPoints: 100 } })
  assert.deepEqual(await kept('by-contract'), {
    fee: '2800',
    fee_rule: { fixed: '300', basisPoints: 250, min: '1000', max: '50000', isReturned: true },
  })
})

test('invalid fees are refused with the reason, and leave no rule', async (t) => {
  const { operator, ask } = await testMalipo(t)
  const before = await ask('select count(*) from fee_rules')
  const unknown = 'mer_0193000000007000800000000000000f'

  for (const [over, message] of [
    [{ basisPoints: 10_001 }, /from 0 to 10000/],
    [{ basisPoints: 1.5 }, /from 0 to 10000/],
    [{ fixed: '5' }, /fixed is an amount of money, so it needs a currency/],
    [{ currency: 'KES', fixed: '5.001' }, /fixed 5\.001 is not an amount of KES/],
    [{ currency: 'KES', min: '-1' }, /min -1 is not an amount of KES/],
    [{ currency: 'KES', min: '5', max: '4' }, /min must not be above max/],
    [{ currency: 'XXX' }, /XXX is not a currency/],
    [{ operation: 'payout', method: 'card' }, /payout has no method card; use momo, bank,/],
    [{ method: 'cash' }, /a payment has no method cash; use momo, card, bank-transfer, bank,/],
    [{ from: '2020-01-01' }, /has passed; leave out the date/],
    [{ from: '2099-02-30' }, /is not a day such as/],
    [{ from: 'tomorrow' }, /is not a day such as/],
    [{ currency: 'KES', fixed: '100000000000000000000' }, /fixed 100000000000000000000 is not an amount of KES/],
    [{ reason: ' ' }, /the reason must not be empty/],
    [{ merchant: unknown }, /no merchant has the id mer_/],
    [{ merchant: 'duka' }, /duka is not a merchant id/],
  ] as const)
    await assert.rejects(operator.fees.set({ ...order, ...over } as FeeOrder), message, JSON.stringify(over))

  assert.deepEqual(await ask('select count(*) from fee_rules'), before)
  await assert.rejects(operator.fees.show({ ...question, method: 'card' }), /payout has no method card; use momo, bank/)
  await assert.rejects(operator.fees.show({ ...question, amount: 'x' }), /amount x is not an amount of KES/)
})
