import assert from 'node:assert/strict'
import { test } from 'node:test'
import { failureOf, isRejection, refusalOf } from './failures.ts'

test('every documented failure reason of pawaPay has one of our codes, and others are kept', () => {
  const charges = {
    PAYER_NOT_FOUND: 'PAYER_NOT_FOUND',
    PAYER_LIMIT_REACHED: 'PAYER_LIMIT_REACHED',
    PAYMENT_NOT_APPROVED: 'PAYMENT_NOT_APPROVED',
    INSUFFICIENT_BALANCE: 'INSUFFICIENT_BALANCE',
    PAYMENT_IN_PROGRESS: 'PAYMENT_IN_PROGRESS',
    TRANSACTION_ALREADY_IN_PROCESS: 'PAYMENT_IN_PROGRESS',
    UNSPECIFIED_FAILURE: 'UNSPECIFIED_FAILURE',
    OTHER_ERROR: 'UNSPECIFIED_FAILURE',
    AMOUNT_OUT_OF_BOUNDS: 'AMOUNT_NOT_ACCEPTED',
    INVALID_AMOUNT: 'AMOUNT_NOT_ACCEPTED',
    UNKNOWN_ERROR: 'UNKNOWN_ERROR',
    SOMETHING_NEW: 'UNKNOWN_ERROR',
    constructor: 'UNKNOWN_ERROR',
  }
  const payouts = {
    RECIPIENT_NOT_FOUND: 'RECIPIENT_NOT_FOUND',
    RECIPIENT_LIMIT_REACHED: 'RECIPIENT_LIMIT_REACHED',
    WALLET_LIMIT_REACHED: 'WALLET_LIMIT_REACHED',
    MANUALLY_CANCELLED: 'MANUALLY_CANCELLED',
    PAWAPAY_WALLET_OUT_OF_FUNDS: 'PROVIDER_UNAVAILABLE',
    AMOUNT_OUT_OF_BOUNDS: 'AMOUNT_NOT_ACCEPTED',
    INVALID_AMOUNT: 'AMOUNT_NOT_ACCEPTED',
    UNSPECIFIED_FAILURE: 'UNSPECIFIED_FAILURE',
  }

  for (const [theirs, ours] of Object.entries(charges)) {
    assert.equal(failureOf(theirs, 'charge').code, ours)
    assert.equal(failureOf(theirs, 'charge').providerCode, theirs)
  }
  for (const [theirs, ours] of Object.entries(payouts)) assert.equal(failureOf(theirs, 'payout').code, ours)
  assert.equal(failureOf(undefined, 'payout').code, 'UNSPECIFIED_FAILURE')
})

test('the same reason is the payer’s in a charge and the recipient’s in a payout', () => {
  assert.equal(failureOf('INVALID_PHONE_NUMBER', 'charge').code, 'PAYER_NOT_FOUND')
  assert.equal(failureOf('INVALID_PHONE_NUMBER', 'payout').code, 'RECIPIENT_NOT_FOUND')
})

test('a technical error of pawaPay is not a refusal, and a code rejects only with its status', () => {
  for (const code of ['UNKNOWN_ERROR', 'UNSPECIFIED_FAILURE', 'NOT_FOUND', 'INVALID_STATE', 'toString'])
    assert.equal(refusalOf(code, 'payout'), undefined, code)
  assert.equal(isRejection(400, 'INVALID_PARAMETER'), true)
  for (const status of [401, 403, 404, 409, 422]) assert.equal(isRejection(status, 'INVALID_PARAMETER'), false)
  assert.equal(isRejection(400, 'RECIPIENT_NOT_FOUND'), false)
})
