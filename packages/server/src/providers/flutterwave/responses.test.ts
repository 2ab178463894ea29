import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  cardCharge,
  causeOf,
  cutOff,
  flutterwave,
  key,
  other,
  refuses,
  type Says,
  says,
  soon,
  success,
} from './stub.suite.ts'

const data = { id: 285_959_875, tx_ref: key, flw_ref: 'FLW-MOCK-1', amount: 1500.5, charged_amount: 1500.5 }
const paid = { ...data, currency: 'NGN', app_fee: 21, status: 'successful', processor_response: 'successful' }
const asks = (mode: string, rest: object = {}) => ({ meta: { authorization: { mode, ...rest } } })

test('a refusal by Flutterwave means not submitted, unless its sentence is ambiguous', async (t) => {
  const { cardCharges, stub } = await flutterwave(t)
  const outcomes: [Says, string][] = [
    [says(429, '<html>'), 'definitely_not_submitted: rate_limited'],
    [refuses(401, 'Invalid authorization key'), 'definitely_not_submitted: rejected'],
    [refuses(403, 'IP not allowed'), 'definitely_not_submitted: rejected'],
    [refuses(400, 'card_number is invalid'), 'definitely_not_submitted: rejected'],
    [refuses(400, 'Bank is not available at the moment'), 'definitely_not_submitted: closed'],
    [refuses(400, 'Transaction with this tx_ref already exists'), 'unknown: repeated'],
    [refuses(400, 'Duplicate transaction reference'), 'unknown: repeated'],
    [refuses(400, 'An error occurred. Please contact support'), 'unknown: unreadable'],
    [refuses(400, 'Request timed out'), 'unknown: unreadable'],
    [refuses(400, 'Transaction in progress'), 'unknown: unreadable'],
    [refuses(400, ''), 'unknown: unreadable'],
    [refuses(404, 'Not found'), 'unknown: unreadable'],
    [refuses(409, 'card_number is invalid'), 'unknown: unreadable'],
    [refuses(422, 'card_number is invalid'), 'unknown: unreadable'],
    [says(400, 'Bad Request'), 'unknown: unreadable'],
    [says(400, { status: 'success', message: 'no' }), 'unknown: unreadable'],
    [refuses(500, 'card_number is invalid'), 'unknown: server_error'],
    [refuses(503, 'An error occurred. Please contact support'), 'unknown: server_error'],
    [says(503, '<html>'), 'unknown: server_error'],
    [cutOff, 'unknown: broken_off'],
  ]
  for (const [response, expected] of outcomes) {
    stub.responses = [response]
    assert.equal(causeOf(await cardCharges.submit(cardCharge, soon())), expected)
  }
})

test('a broken, contradictory or unrelated response leaves open whether money moved', async (t) => {
  const { cardCharges, stub } = await flutterwave(t)
  const pending = { ...data, status: 'pending' }
  const unclear = [
    says(200, '{"status":'),
    says(200, []),
    says(200, { ok: true }),
    success({}),
    success({ data: { ...paid, tx_ref: other } }),
    success({ data: { ...paid, tx_ref: undefined } }),
    success({ data: { ...pending, tx_ref: other }, ...asks('pin') }),
    success({ data: { ...pending, status: 'new-state' } }),
    success({ data: { ...pending, flw_ref: undefined }, ...asks('otp') }),
    success({ ...asks('otp') }),
    success({ ...asks('redirect', { redirect: 'https://bank.example/1' }) }),
    success({ data: pending, ...asks('redirect', { redirect: 'javascript:alert(1)' }) }),
    success({ data: pending, ...asks('redirect', { redirect: 'http://bank.example/1' }) }),
    success({ data: pending, ...asks('telepathy') }),
    says(200, { status: 'error', message: 'Charge failed', data: { ...paid, tx_ref: other, status: 'failed' } }),
    says(200, { status: 'error', message: 'Insufficient Funds', data: null }),
    says(302, ''),
  ]
  for (const [index, response] of unclear.entries()) {
    stub.responses = [response]
    assert.equal(causeOf(await cardCharges.submit(cardCharge, soon())), 'unknown: unreadable', String(index))
  }
})
