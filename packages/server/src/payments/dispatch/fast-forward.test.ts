import assert from 'node:assert/strict'
import { test } from 'node:test'
import { endingSooner, type Pullable, wakingSooner } from './fast-forward.ts'

const now = new Date('2026-11-15T12:00:00Z')
const after = (seconds: number) => new Date(now.getTime() + seconds * 1000)
const charge: Pullable = {
  id: '019a0000-0000-7000-8000-000000000000',
  type: 'deposit',
  provider: 'house',
  attempt: 1,
  state: 'waiting',
  wake_at: after(30),
  expires_at: after(900),
  action: { kind: 'pin_prompt' },
}
const minute = 60_000
const fastForwarded = (payment: Pullable, aheadMs: number, at: Date) =>
  wakingSooner(endingSooner(payment, aheadMs), aheadMs, at)

test('a fast-forward brings timers closer by that time, and what is due by then is due now', () => {
  assert.deepEqual(fastForwarded(charge, minute / 6, now), { ...charge, wake_at: after(20), expires_at: after(890) })
  assert.deepEqual(fastForwarded(charge, 15 * minute, now), { ...charge, wake_at: now, expires_at: now })
  assert.deepEqual(fastForwarded(charge, 60 * minute, now), { ...charge, wake_at: now, expires_at: after(900 - 3600) })
})

test('a fast-forward leaves due timers as they are, and a payout has no expiry to bring closer', () => {
  const payout = { ...charge, wake_at: after(-5), expires_at: null, action: null }
  assert.deepEqual(fastForwarded(payout, minute, now), payout)
})

test('a payment being sent is not polled sooner by a fast-forward, but may expire sooner', () => {
  const sending = { ...charge, state: 'sending' as const, wake_at: after(10) }
  assert.deepEqual(fastForwarded(sending, 20 * minute, now), { ...sending, expires_at: after(-300) })
})

test("a fast-forward brings the end of a bank transfer charge's account closer", () => {
  const account = { accountNumber: '1', bankName: 'Bank', expiresAt: after(7200).toISOString() }
  const action = { kind: 'pay_to_account', account, notifiesMerchant: true } as const
  assert.deepEqual(fastForwarded({ ...charge, action }, 60 * minute, now).action, {
    ...action,
    account: { ...account, expiresAt: after(3600).toISOString() },
  })
})
