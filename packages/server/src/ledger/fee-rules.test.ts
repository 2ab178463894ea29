import assert from 'node:assert/strict'
import { test } from 'node:test'
import { feeOf } from '../money/fees.ts'
import { newId } from '../platform/ids.ts'
import { testLedger } from '../testing/ledger.ts'
import { type Charged, createFees } from './fee-rules.ts'

const unknown = newId(Date.now(), 0)
const asked: Charged = { merchant_id: unknown, env: 'sandbox', operation: 'payout', method: 'momo', currency: 'KES' }

test('the sandbox charges one percent, and a live payment without a fee rule is refused', async (t) => {
  const { db } = await testLedger(t)

  for (const operation of ['charge', 'payout'] as const)
    for (const currency of ['KES', 'UGX', 'XOF'])
      assert.equal(feeOf(await createFees(db.write).ruleFor({ ...asked, operation, currency }), 10_000n), 100n)
  await assert.rejects(
    createFees(db.write).ruleFor({ ...asked, env: 'live' }),
    /no fee rule covers a payout by momo in KES/,
  )
})

test("a merchant's rule beats the general one, then the currency's, then the method's", async (t) => {
  const { db, ask, wallets } = await testLedger(t)
  const [wallet] = await wallets(1)
  const [row] = await ask<{ merchant_id: string }>('select merchant_id from wallets where id = $1', [wallet])
  const merchant_id = row?.merchant_id ?? ''
  const rule = (columns: string, values: string) =>
    ask(`insert into fee_rules (env, operation, ${columns}) values ('live', 'payout', ${values})`)
  const pointsFor = async (over: Partial<Charged>) =>
    (await createFees(db.write).ruleFor({ ...asked, env: 'live', ...over })).basisPoints

  await rule('basis_points', '10')
  await rule('method, basis_points', `'momo', 20`)
  await rule('currency, basis_points', `'KES', 30`)
  await rule('currency, method, basis_points, fixed, min, max', `'KES', 'bank', 40, 500, 600, 700`)
  await rule('merchant_id, basis_points', `'${merchant_id}', 50`)

  assert.equal(await pointsFor({ currency: 'UGX', method: 'bank' }), 10)
  assert.equal(await pointsFor({ currency: 'UGX' }), 20)
  assert.equal(await pointsFor({}), 30)
  assert.deepEqual(await createFees(db.write).ruleFor({ ...asked, env: 'live', method: 'bank' }), {
    fixed: 500n,
    basisPoints: 40,
    min: 600n,
    max: 700n,
  })
  assert.equal(await pointsFor({ merchant_id, method: 'bank' }), 50)
})

test('an invalid fee rule is refused', async (t) => {
  const { ask } = await testLedger(t)
  const rule = (columns: string, values: string) =>
    ask(`insert into fee_rules (env, operation, ${columns}) values ('live', 'charge', ${values})`)

  await assert.rejects(rule('basis_points', '10001'), /fee_rules_basis_points_in_range/)
  await assert.rejects(rule('basis_points, fixed', '10, 5'), /fee_rules_sums_have_a_currency/)
  await assert.rejects(rule('currency, basis_points, min, max', `'KES', 10, 5, 4`), /fee_rules_min_below_max/)
})

test('the newest rule in force applies', async (t) => {
  const { db, ask } = await testLedger(t)
  const rule = (columns: string, values: string) =>
    ask(`insert into fee_rules (env, operation, method, ${columns}) values ('live', 'charge', 'card', ${values})`)
  const found = () => createFees(db.write).ruleFor({ ...asked, env: 'live', operation: 'charge', method: 'card' })

  await rule('basis_points', '10')
  await rule('basis_points, is_returned', '20, true')
  await rule('basis_points, effective_from', `30, record_time() + interval '1 hour'`)
  assert.deepEqual(await found(), { fixed: 0n, basisPoints: 20, isReturned: true })
  await ask(`update clock_offset set ahead = interval '1 hour'`)
  assert.deepEqual(await found(), { fixed: 0n, basisPoints: 30 })
  await ask(`update clock_offset set ahead = '0'`)
})
