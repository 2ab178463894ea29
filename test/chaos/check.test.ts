import assert from 'node:assert/strict'
import { test } from 'node:test'
import { newTransactionId, providerKeyOf, showId } from '../../packages/server/src/platform/ids.ts'
import type { Moved } from '../support/cluster/simulator-control.ts'
import type { Books, Kept, KeptAdjustment, KeptReceipt, KeptWallet } from './books.ts'
import { checkAdjustments, checkCases } from './check-late.ts'
import { checkMovements, checkWallets } from './check-money.ts'
import { checkReads } from './check-reads.ts'
import { checkResponses } from './check-responses.ts'
import type { ClientRequest } from './client.ts'
import type { Merchant } from './merchants.ts'

const merchant = { id: 'm1', name: 'duka' } as Merchant
const id = newTransactionId(Date.UTC(2026, 10, 15), 0)

const kept = (over: Partial<Kept> = {}): Kept => ({
  ...{ related_transaction_id: null, country: 'KE' },
  ...{ id, merchant_id: 'm1', type: 'withdrew', method: 'momo', external_reference: 'r1', amount: '10000' },
  ...{ currency: 'KES', wallet_id: 'w1', wallet_amount: '10000', wallet_currency: 'KES', fee: '100', received: '0' },
  ...{ state: 'successful', doubt: '', failure: null, attempt: 1, notified: 2 },
  ...{ adjustments: [], adjusted: '0', suspended: '0' },
  ...over,
})
const adjustment = (over: Partial<KeptAdjustment> = {}): KeptAdjustment => ({
  ...{ id: 'a1', merchant_id: 'm1', type: 'adjustment', method: 'momo', external_reference: 'txn_a1', amount: '10000' },
  ...{ currency: 'KES', wallet_id: 'w1', wallet_amount: '10000', wallet_currency: 'KES', fee: '100' },
  ...{ state: 'successful', notified: 1, related_transaction_id: id, direction: 'credit', reason: 'late_success' },
  ...over,
})
const wallet = (balance: string, owed = '0'): KeptWallet => ({
  ...{ id: 'w1', merchant_id: 'm1', currency: 'KES', country: 'KE', balance, pending: '0', owed },
})
const receipt = (over: Partial<KeptReceipt> = {}): KeptReceipt => ({
  ...{ transaction_id: id, receipt_id: '1', amount: '10000', is_late: false, is_reversed: false },
  ...over,
})
const moved = (over: Partial<Moved> = {}): Moved => ({
  ...{ key: providerKeyOf(id, 1), kind: 'paid', amount: '100', currency: 'KES' },
  ...over,
})
const books = (over: Partial<Books>): Books => ({
  ...{ payments: [], adjustments: [], cases: [], receipts: [], wallets: [], moved: [] },
  ...over,
})
const sent = (over: Partial<ClientRequest> = {}): ClientRequest => ({
  ...{ kind: 'payout', merchant, method: 'POST', path: '/fiat/payout', exchanges: [], outcome: 'done' },
  ...{ body: { externalReference: 'r1', amount: 100, currency: 'KES' } },
  response: { success: true, transactionId: showId('transaction', id) },
  ...over,
})

test('a payment that was accepted, stored and moved once passes every check', () => {
  const found = books({ payments: [kept()], moved: [moved()], wallets: [wallet('99989900')] })
  assert.deepEqual([...checkResponses([sent()], [kept()]), ...checkMovements(found), ...checkWallets(found)], [])
  assert.deepEqual([...checkAdjustments(found), ...checkCases(found)], [])
})

test('the check finds a response that does not match the stored payment', () => {
  const cases: [ClientRequest[], Kept[], string][] = [
    [[sent()], [], 'lost'],
    [[sent({ outcome: 'refused', response: {} })], [kept()], 'wrong'],
    [[], [kept()], 'wrong'],
    [[sent()], [kept({ amount: '10001' })], 'wrong'],
    [[sent()], [kept({ type: 'deposit' })], 'wrong'],
    [[sent({ again: { success: true, transactionId: 'another' } })], [kept()], 'wrong'],
    [[sent(), sent({ kind: 'cancel', path: '/fiat/payout/r1/cancel', body: {} })], [kept()], 'wrong'],
  ]
  for (const [record, payments, kind] of cases)
    assert.deepEqual(
      checkResponses(record, payments).map((violation) => violation.kind),
      [kind],
    )
})

test('a repeated bulk request may change the result of an overloaded item only', () => {
  const taken = { success: true, externalReference: 'r1', transactionId: showId('transaction', id) }
  const many = (last: object): ClientRequest =>
    sent({
      kind: 'bulk payout',
      body: { payouts: [{ externalReference: 'r1', amount: 100, currency: 'KES' }, { externalReference: 'r1' }] },
      response: { success: true, data: [taken, { success: false, externalReference: 'r1', errorCode: 'USED' }] },
      again: { success: true, data: [taken, { success: false, externalReference: 'r1', ...last }] },
    })
  assert.deepEqual(checkResponses([many({ errorCode: 'OVERLOADED' })], [kept()]), [])
  assert.deepEqual(
    checkResponses([many({ errorCode: 'OTHER' })], [kept()]).map(({ kind }) => kind),
    ['wrong'],
  )
})

test('the check finds money moved twice, not at all, in a wrong amount, or for no payment', () => {
  const cases: [Partial<Books>, string][] = [
    [{ payments: [kept()], moved: [moved(), moved()] }, 'doubled'],
    [{ payments: [kept()], moved: [moved(), moved({ key: providerKeyOf(id, 2) })] }, 'doubled'],
    [{ payments: [kept()] }, 'wrong'],
    [{ payments: [kept()], moved: [moved({ amount: '99' })] }, 'wrong'],
    [{ payments: [kept({ state: 'failed' })], moved: [moved()] }, 'lost'],
    [{ moved: [moved()] }, 'lost'],
    [{ payments: [kept({ type: 'deposit', method: 'bank-transfer' })], moved: [moved({ receipt: '1' })] }, 'lost'],
  ]
  for (const [over, kind] of cases)
    assert.deepEqual(
      checkMovements(books(over)).map((violation) => violation.kind),
      [kind],
    )
})

test('money moved for a failed payment passes once it is in suspense with a case', () => {
  const failed = kept({ state: 'failed', suspended: '-10000' })
  const found = books({
    payments: [failed],
    moved: [moved()],
    cases: [{ id: 'c1', transaction_id: id, amount: '-10000' }],
  })
  assert.deepEqual([...checkMovements(found), ...checkCases(found)], [])
  assert.equal(checkMovements(books({ payments: [failed] })).length, 1)
  assert.equal(checkCases(books({ payments: [failed] })).length, 1)
  assert.equal(checkCases({ ...found, payments: [kept()] }).length, 1)
  assert.equal(checkCases({ ...found, payments: [] }).length, 1)
})

test('money received after the end passes once it is credited to the wallet, less its fee', () => {
  const late = kept({ type: 'deposit', state: 'failed', adjustments: ['a1'], adjusted: '10000' })
  const found = books({
    payments: [late],
    adjustments: [adjustment()],
    moved: [moved({ kind: 'collected' })],
    wallets: [wallet('100009900')],
  })
  assert.deepEqual([...checkMovements(found), ...checkAdjustments(found), ...checkWallets(found)], [])
  assert.equal(checkMovements({ ...found, moved: [] }).length, 1)
  assert.equal(checkWallets({ ...found, adjustments: [] }).length, 1)
})

test('the check finds an adjustment not named by its payment, or of another merchant or amount', () => {
  const first = kept({ type: 'deposit', state: 'failed', adjustments: ['a1'], adjusted: '10000' })
  const cases: [Kept[], KeptAdjustment[]][] = [
    [[first], []],
    [[], [adjustment()]],
    [[first], [adjustment({ merchant_id: 'm2' })]],
    [[first], [adjustment({ amount: '9999' })]],
    [[first], [adjustment({ direction: 'debit' })]],
    [[kept({ ...first, adjustments: [] })], [adjustment()]],
    [[kept({ ...first, state: 'unknown' })], [adjustment()]],
    [[first], [adjustment(), adjustment()]],
  ]
  for (const [payments, adjustments] of cases)
    assert.equal(checkAdjustments(books({ payments, adjustments })).length, 1)
})

test('the check finds a receipt that is neither the merchant’s nor in suspense', () => {
  const charge = (over: Partial<Kept>) => kept({ type: 'deposit', method: 'bank-transfer', ...over })
  const came = moved({ kind: 'collected', receipt: '1' })
  const check = (payment: Kept, over: Partial<KeptReceipt> = {}) =>
    checkMovements(books({ payments: [payment], moved: [came], receipts: [receipt(over)] })).map(({ kind }) => kind)
  const late = { adjustments: ['a1'], adjusted: '10000' }
  assert.deepEqual(check(charge({ received: '10000' })), [])
  assert.deepEqual(check(charge({ state: 'failed', ...late }), { is_late: true }), [])
  const short = { state: 'failed', amount: '20000', received: '10000' }
  assert.deepEqual(check(charge({ ...short, suspended: '10000' })), [])
  assert.deepEqual(check(charge({ ...short, state: 'waiting' })), [])
  assert.deepEqual(check(charge(short)), ['wrong'])
  assert.deepEqual(check(charge({ state: 'failed' }), { is_late: true }), ['wrong'])
  assert.deepEqual(check(charge({ state: 'failed', received: '10000', suspended: '10000' })), ['wrong'])
  assert.deepEqual(check(charge({ received: '10000' }), { is_reversed: true }), ['lost'])
})

test('the check finds a charge that is overdue although it was paid', () => {
  const overdue = kept({ type: 'deposit', state: 'unknown', doubt: 'overdue' })
  assert.deepEqual(checkMovements(books({ payments: [overdue] })), [])
  assert.equal(checkMovements(books({ payments: [overdue], moved: [moved({ kind: 'collected' })] }))[0]?.kind, 'lost')
})

test('the check finds a wallet that is off by one minor unit, whatever it owes', () => {
  const back = adjustment({ direction: 'debit', fee: '0', wallet_amount: '5000' })
  const check = (balance: string, owed?: string) =>
    checkWallets(books({ payments: [kept()], adjustments: [back], wallets: [wallet(balance, owed)] })).length
  assert.deepEqual(
    [check('99984900'), check('99984901'), check('99985900', '1000'), check('99985900', '999')],
    [0, 1, 0, 1],
  )
})

test('the check finds reads that fail after the faults, except one lost connection of each api', () => {
  const failed = { at: 0, tookMs: 10_005, status: 503, word: 'OVERLOADED' }
  const expired = { at: 0, tookMs: 5, status: 401, word: 'UNAUTHORIZED' }
  const answered = { at: 0, tookMs: 20, status: 200, word: '' }
  const [read, again] = [sent({ exchanges: [expired, answered] }), sent({ exchanges: [failed, answered] })]

  assert.deepEqual(checkReads([read, again, read, again, read]), [])
  assert.deepEqual(checkReads([again, read, again, again]), [
    { kind: 'stuck', words: '3 of 8 reads failed although every fault had ended; the longest took 10005 ms' },
  ])
})
