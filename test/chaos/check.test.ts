import assert from 'node:assert/strict'
import { test } from 'node:test'
import { newTransactionId, providerKeyOf, showId } from '../../packages/server/src/platform/ids.ts'
import type { Moved } from '../support/simulator-desk.ts'
import type { Books, Kept } from './books.ts'
import { checkMovements, checkWallets } from './check-money.ts'
import { checkTold } from './check-told.ts'
import type { Merchant } from './merchants.ts'
import type { Asked } from './told.ts'

const merchant = { id: 'm1', name: 'duka' } as Merchant
const id = newTransactionId(Date.UTC(2026, 10, 15), 0)

const kept = (over: Partial<Kept> = {}): Kept => ({
  ...{ id, merchant_id: 'm1', type: 'withdrew', method: 'momo', external_reference: 'r1', amount: '10000' },
  ...{ currency: 'KES', wallet_id: 'w1', wallet_amount: '10000', wallet_currency: 'KES', fee: '100', received: '0' },
  ...{ state: 'successful', doubt: '', discrepancy: '', failure: null, attempt: 1, told: 2 },
  ...over,
})
const moved = (over: Partial<Moved> = {}): Moved => ({
  ...{ key: providerKeyOf(id, 1), kind: 'paid', amount: '100', currency: 'KES' },
  ...over,
})
const books = (over: Partial<Books>): Books => ({ payments: [], receipts: [], wallets: [], moved: [], ...over })
const asked = (over: Partial<Asked> = {}): Asked => ({
  ...{ kind: 'payout', merchant, method: 'POST', path: '/fiat/payout', exchanges: [], told: 'done' },
  ...{ body: { externalReference: 'r1', amount: 100, currency: 'KES' } },
  answer: { success: true, transactionId: showId('transaction', id) },
  ...over,
})

test('a payment that was accepted, kept and moved once is no violation', () => {
  const wallet = { id: 'w1', merchant_id: 'm1', currency: 'KES', country: 'KE', balance: '99989900', pending: '0' }
  const found = books({ payments: [kept()], moved: [moved()], wallets: [wallet] })
  assert.deepEqual([...checkTold([asked()], [kept()]), ...checkMovements(found), ...checkWallets(found)], [])
})

test('what clients were told is found out when it is not true', () => {
  const cases: [Asked[], Kept[], string][] = [
    [[asked()], [], 'lost'],
    [[asked({ told: 'refused', answer: {} })], [kept()], 'wrong'],
    [[], [kept()], 'wrong'],
    [[asked()], [kept({ amount: '10001' })], 'wrong'],
    [[asked({ again: { success: true, transactionId: 'another' } })], [kept()], 'wrong'],
    [[asked(), asked({ kind: 'cancel', path: '/fiat/payout/r1/cancel', body: {} })], [kept()], 'wrong'],
  ]
  for (const [record, payments, kind] of cases)
    assert.deepEqual(
      checkTold(record, payments).map((violation) => violation.kind),
      [kind],
    )
})

test('of many payouts said again, one that could not be taken then was not answered, and any other answer is a violation', () => {
  const taken = { success: true, externalReference: 'r1', transactionId: showId('transaction', id) }
  const many = (last: object): Asked =>
    asked({
      kind: 'bulk payout',
      body: { payouts: [{ externalReference: 'r1', amount: 100, currency: 'KES' }, { externalReference: 'r1' }] },
      answer: { success: true, data: [taken, { success: false, externalReference: 'r1', errorCode: 'USED' }] },
      again: { success: true, data: [taken, { success: false, externalReference: 'r1', ...last }] },
    })
  assert.deepEqual(checkTold([many({ errorCode: 'OVERLOADED' })], [kept()]), [])
  assert.deepEqual(
    checkTold([many({ errorCode: 'OTHER' })], [kept()]).map(({ kind }) => kind),
    ['wrong'],
  )
})

test('what a provider moved is found out when it is twice, nothing, another sum, or known to nobody', () => {
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

test('money that moved for a failed payment is no violation once it is flagged', () => {
  const failed = kept({ state: 'failed', discrepancy: 'late_success' })
  assert.deepEqual(checkMovements(books({ payments: [failed], moved: [moved()] })), [])
})

test('a wallet that is off by one minor unit is found out', () => {
  const wallet = { id: 'w1', merchant_id: 'm1', currency: 'KES', country: 'KE', balance: '99989901', pending: '0' }
  assert.equal(checkWallets(books({ payments: [kept()], wallets: [wallet] })).length, 1)
})
