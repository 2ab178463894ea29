import assert from 'node:assert/strict'
import { test } from 'node:test'
import { counterpartyOf, feeOf } from '../../packages/dashboard/src/pages/payments/counterparty.ts'

const payout = (accountName: string, accountNumber: string) =>
  counterpartyOf({ type: 'withdrew', beneficiary: { accountName, accountNumber } } as never)

test('a payee is named with the account number, and by what is known of the two', () => {
  assert.equal(payout('Amina Otieno', '0712337910'), 'Amina Otieno 0712337910')
  assert.equal(payout('', '0712337910'), '0712337910')
  assert.equal(payout('Amina Otieno', ''), 'Amina Otieno')
  assert.equal(payout('', ''), '–')
})

test('a failed payment has no fee', () => {
  assert.equal(feeOf({ fee: 9, status: 'FAILED' }), 0)
  assert.equal(feeOf({ fee: 9, status: 'SUCCESSFUL' }), 9)
  assert.equal(feeOf({ fee: 9, status: 'PENDING' }), 9)
})
