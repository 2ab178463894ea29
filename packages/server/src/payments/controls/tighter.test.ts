import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type CurrencyControls, noControls, type PayoutControls } from './rules.ts'
import { isAtLeastAsTight } from './tighter.ts'

const none: CurrencyControls = {
  per_payout: null,
  per_credential_day: null,
  per_merchant_day: null,
  per_beneficiary_day: null,
  approval_above: null,
}
const names = Object.keys(none) as (keyof CurrencyControls)[]
const controls = (over: Partial<CurrencyControls>, rules: Partial<PayoutControls> = {}): PayoutControls => ({
  ...noControls,
  ...rules,
  byCurrency: new Map([['KES', { ...none, ...over }]]),
})

test('a limit that is new or lower is tighter, one that is higher or gone is not', () => {
  for (const name of names) {
    const [low, high] = [controls({ [name]: 100n }), controls({ [name]: 200n })]
    assert.deepEqual([isAtLeastAsTight(noControls, low), isAtLeastAsTight(low, noControls)], [true, false], name)
    assert.deepEqual([isAtLeastAsTight(high, low), isAtLeastAsTight(low, high)], [true, false], name)
    assert.ok(isAtLeastAsTight(low, low), name)
  }
})

test('one weaker limit is not made up for by others that are tighter', () => {
  const before = controls({ per_payout: 100n, per_merchant_day: 500n })

  assert.ok(!isAtLeastAsTight(before, controls({ per_payout: 101n, per_merchant_day: 1n, approval_above: 0n })))
})

test('a rule for approvals may begin and not end', () => {
  for (const rule of ['is_for_bulk', 'is_for_new_beneficiaries'] as const) {
    const on = controls({}, { [rule]: true })
    assert.deepEqual([isAtLeastAsTight(noControls, on), isAtLeastAsTight(on, noControls)], [true, false], rule)
  }
})
