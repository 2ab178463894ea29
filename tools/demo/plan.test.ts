import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Activity, planDemo } from './plan.ts'

const endAt = Date.UTC(2026, 10, 18, 6, 20)
const month = (seed: number) => planDemo({ seed, endAt, days: 30 })
const activities = month(24).flatMap((group) => group.activities)

test('a seed gives the same month again, and another seed another month', () => {
  assert.deepEqual(month(24), month(24))
  assert.notDeepEqual(month(24), month(25))
})

test('the month has every kind of activity, and its references are unique', () => {
  const kinds = new Set(activities.map(({ kind }) => kind))
  assert.deepEqual(kinds, new Set(['card', 'chargeback', 'conversion', 'momo', 'payout', 'refund', 'transfer']))
  assert.equal(new Set(activities.map(({ reference }) => reference)).size, activities.length)
  assert.ok(activities.length > 500 && activities.length < 1000, String(activities.length))
})

test('most charges by phone succeed, and the others fail for several reasons', () => {
  const charges = activities.filter((activity) => activity.kind === 'momo')
  const failed = charges.flatMap(({ failure }) => failure ?? [])

  assert.ok(failed.length > charges.length * 0.05 && failed.length < charges.length * 0.25)
  assert.ok(new Set(failed).size >= 3)
  assert.ok(new Set(charges.map(({ market }) => market.currency)).size >= 6)
})

test('groups are in order, within the month, at night rarely and on Sundays less than on Fridays', () => {
  const groups = month(24)
  const local = (at: number) => new Date(at + 3 * 3_600_000)
  const countOn = (day: number) =>
    groups.filter(({ at }) => local(at).getUTCDay() === day).reduce((sum, group) => sum + group.activities.length, 0)

  assert.deepEqual(
    groups.map(({ at }) => at),
    groups.map(({ at }) => at).sort((one, other) => one - other),
  )
  assert.ok(groups.every(({ at }) => at > endAt - 30 * 86_400_000 && at < endAt))
  assert.ok(groups.every(({ at }) => local(at).getUTCHours() >= 5))
  assert.ok(countOn(0) < countOn(5))
})

test('a refund names a charge that succeeded in an earlier group, and is at most as large', () => {
  const charged = new Map<string, number>()
  for (const group of month(24)) {
    for (const activity of group.activities.filter(({ kind }) => kind === 'refund') as Refund[])
      assert.ok(activity.amount <= (charged.get(activity.of) ?? 0), activity.reference)
    for (const activity of group.activities.filter(isPaid)) charged.set(activity.reference, activity.amount)
  }
})

type Refund = Extract<Activity, { readonly kind: 'refund' }>
type Momo = Extract<Activity, { readonly kind: 'momo' }>
const isPaid = (activity: Activity): activity is Momo => activity.kind === 'momo' && activity.failure === undefined
