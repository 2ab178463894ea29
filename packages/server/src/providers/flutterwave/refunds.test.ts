import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { RefundAttempt } from '../refund-contract.ts'
import {
  causeOf,
  cutOff,
  flutterwave,
  key,
  other,
  refuses,
  type Says,
  says,
  secretKey,
  soon,
  success,
} from './stub.suite.ts'

const transaction = '908790'
const attempt: RefundAttempt = {
  key,
  country: 'NG',
  currency: 'NGN',
  amount: 690_050n,
  charge: { key: other, receipt: transaction, method: 'card', amount: 1_000_000n },
  otherReceipts: [],
  isFirstSend: true,
}
const again = { ...attempt, isFirstSend: false }
const refund = { id: 75_923, tx_id: 908_790, amount_refunded: 6900.5, status: 'completed', comments: key }
const row = { id: 75_923, TransactionId: 908_790, AmountRefunded: 6900.5, currency: 'NGN', status: 'completed' }
const settled = { amount: 690_050n, currency: 'NGN', receipt: '75923' } as const
const successful = { state: 'successful', settled }

const lists = (...rows: readonly object[]): Says =>
  success({
    data: rows,
    meta: { page_info: { total: rows.length, current_page: 1, total_pages: rows.length ? 1 : 0 } },
  })
const none = lists()
const accepted = success({ data: refund })

test('a refund lists the charge’s refunds, then sends its amount and our key to the transaction', async (t) => {
  const { refunds, seen } = await flutterwave(t, none, accepted)

  assert.deepEqual(await refunds.submit(attempt, soon()), { certainty: 'accepted', providerStatus: successful })

  assert.deepEqual(
    seen.map(({ line, json }) => [line, json]),
    [
      [`GET /v3/refunds?tx_id=${transaction}`, undefined],
      [`POST /v3/transactions/${transaction}/refund`, { amount: 6900.5, comments: key }],
    ],
  )
  assert.ok(seen.every(({ authorization }) => authorization === `Bearer ${secretKey}`))
})

test('an order that is completed by any rail is a success; failed and other words are not', async (t) => {
  const { refunds, stub } = await flutterwave(t)
  const failure = { code: 'UNSPECIFIED_FAILURE', message: 'The operator gave no reason.' }
  const failed = { state: 'failed', failure, receipt: '75923' }
  const cases: [object, object][] = [
    [{ status: 'completed' }, successful],
    [{ status: 'completed-mpgs' }, successful],
    [{ status: 'completed-bank-transfer' }, successful],
    [{ status: 'pending' }, { state: 'submitted' }],
    [{ status: 'completed-soon' }, { state: 'submitted' }],
    [{ status: 'COMPLETED' }, { state: 'submitted' }],
    [{ status: 'failed' }, failed],
    [{ status: 'completed', meta: { disburse_status: 'failed' } }, failed],
    [{ status: 'completed', meta: '{"disburse_status":"failed"}' }, failed],
    [{ status: 'completed', meta: 'not JSON' }, successful],
  ]
  for (const [changes, providerStatus] of cases) {
    stub.responses = [lists({ ...row, ...changes, comments: key })]
    assert.deepEqual(await refunds.query(again, soon()), { found: 'yes', providerStatus }, JSON.stringify(changes))
  }
})

test('a list that is not whole or not readable is unclear, and nothing is sent because of it', async (t) => {
  const { refunds, stub, seen } = await flutterwave(t)
  const bad: readonly Says[] = [
    says(200, ''),
    says(200, '{'),
    says(200, []),
    says(404, { status: 'success', message: '', data: [] }),
    refuses(400, 'Unable to fetch refunds'),
    success({ data: null }),
    success({ data: { ...row } }),
    lists({ ...row, id: undefined }),
    lists({ ...row, TransactionId: undefined }),
    lists({ ...row, AmountRefunded: undefined }),
    lists({ ...row, AmountRefunded: -1 }),
    lists({ ...row, AmountRefunded: 0.001 }),
    lists({ ...row, currency: 'KES' }),
    lists({ ...row, status: 7 }),
    lists(row, 'row' as unknown as object),
    success({ data: [row], meta: { page_info: { total_pages: 'many' } } }),
    success({ data: [row], meta: { page_info: { total_pages: 1000 } } }),
    says(503, '<html></html>'),
    cutOff,
  ]
  for (const [index, respond] of bad.entries()) {
    stub.responses = [respond]
    assert.equal((await refunds.query(again, soon())).found, 'unclear', `query ${index}`)
    assert.match(causeOf(await refunds.submit(attempt, soon())), /^definitely_not_submitted: (closed|not_reached)$/)
    assert.match(causeOf(await refunds.submit(again, soon())), /^unknown/)
  }
  assert.ok(seen.every(({ line }) => line.startsWith('GET')))
})

test('refunds of other charges are ignored, and pages are read until nothing new comes', async (t) => {
  const { refunds, stub, seen } = await flutterwave(t)
  const strange = { ...row, TransactionId: 1 }
  stub.responses = [lists(strange)]
  assert.deepEqual(await refunds.query(again, soon()), { found: 'no' })

  const pageOf = (...rows: object[]) => success({ data: rows })
  stub.responses = [
    pageOf({ ...strange, id: 1 }),
    pageOf({ ...strange, id: 2 }),
    pageOf({ ...row, comments: key }),
    pageOf(),
  ]
  assert.deepEqual(await refunds.query(again, soon()), { found: 'yes', providerStatus: successful })
  assert.deepEqual(
    seen.slice(1).map(({ line }) => line.split('&')[1]),
    [undefined, 'page=2', 'page=3', 'page=4'],
  )
})

test('comments name the refund whatever their case or form, and other comments are not ours', async (t) => {
  const { refunds, stub } = await flutterwave(t)
  const found = { found: 'yes', providerStatus: successful }
  for (const comments of [key, key.toUpperCase(), `Malipo ${key}.`, key.replaceAll('-', '')]) {
    stub.responses = [lists({ ...row, comments })]
    assert.deepEqual(await refunds.query(again, soon()), found, comments)
  }
  for (const comments of [other, 'Product out of stock.', key.slice(0, -1)]) {
    stub.responses = [lists({ ...row, comments })]
    assert.deepEqual(await refunds.query(again, soon()), { found: 'no' }, comments)
  }
})

test('without comments a refund is known by its amount, unless it is another refund of Malipo', async (t) => {
  const { refunds, stub } = await flutterwave(t)
  for (const comments of [undefined, null, '']) {
    stub.responses = [lists({ ...row, comments })]
    assert.deepEqual(await refunds.query(again, soon()), { found: 'yes', providerStatus: successful })
  }
  assert.deepEqual(await refunds.query({ ...again, otherReceipts: ['75923'] }, soon()), { found: 'no' })
  assert.deepEqual(await refunds.query({ ...again, amount: 690_051n }, soon()), { found: 'no' })
})

test('a first send whose key is in the list already reports that refund and sends nothing', async (t) => {
  const { refunds, seen } = await flutterwave(t, lists({ ...row, comments: key }))
  assert.deepEqual(await refunds.submit(attempt, soon()), { certainty: 'accepted', providerStatus: successful })
  assert.equal(seen.length, 1)
})

test('a refund that is unknown to Malipo stops the first send, and a known one does not', async (t) => {
  const { refunds, stub } = await flutterwave(t, lists({ ...row, id: 1, comments: 'by phone' }))
  const outcome = await refunds.submit(attempt, soon())
  assert.equal(outcome.certainty === 'definitely_failed' && outcome.failure.code, 'REFUNDED_ELSEWHERE')

  stub.responses = [lists({ ...row, id: 1 }), accepted]
  assert.equal((await refunds.submit({ ...attempt, otherReceipts: ['1'] }, soon())).certainty, 'accepted')
})

test('a response about another transaction or amount never passes for a success', async (t) => {
  const { refunds, stub } = await flutterwave(t)
  for (const changes of [{ tx_id: 1 }, { tx_id: undefined }, { id: undefined }, { amount_refunded: 'all' }]) {
    stub.responses = [none, success({ data: { ...refund, ...changes } })]
    assert.equal(causeOf(await refunds.submit(attempt, soon())), 'unknown: unreadable', JSON.stringify(changes))
  }
  stub.responses = [none, success({ data: { ...refund, amount_refunded: 1 } })]
  const outcome = await refunds.submit(attempt, soon())
  const moved = outcome.certainty === 'accepted' && outcome.providerStatus
  assert.deepEqual(moved, { state: 'successful', settled: { ...settled, amount: 100n } })
})

test('a refusal ends a first send only for a reason that Flutterwave will always repeat', async (t) => {
  const { refunds, stub } = await flutterwave(t)
  const outcomeOf = async (message: string, status = 400, sent = attempt) => {
    stub.responses = [none, refuses(status, message)]
    const outcome = await refunds.submit(sent, soon())
    return 'failure' in outcome && outcome.failure ? `${outcome.certainty}: ${outcome.failure.code}` : causeOf(outcome)
  }
  const cases: readonly (readonly [string, string])[] = [
    ['This transaction has already been refunded', 'definitely_failed: CHARGE_NOT_REFUNDABLE'],
    ['Refund amount is more than the amount left', 'definitely_failed: CHARGE_NOT_REFUNDABLE'],
    ['Refund amount exceeds transaction amount', 'definitely_failed: CHARGE_NOT_REFUNDABLE'],
    ['No transaction was found for this id', 'definitely_failed: CHARGE_NOT_REFUNDABLE'],
    ['Refund amount should be above NGN100', 'definitely_failed: AMOUNT_NOT_ACCEPTED'],
    ['Insufficient funds in your available balance', 'definitely_not_submitted: float_exhausted'],
    ['You have exceeded your daily refund limit', 'definitely_not_submitted: float_exhausted'],
    ['Refunds are not enabled for your account', 'definitely_not_submitted: rejected'],
    ['A refund is already in progress', 'unknown: repeated'],
    ['The refund is being processed, already refunded in part, pending', 'unknown: repeated'],
    ['An error occurred. Please contact support', 'unknown: unreadable'],
    ['Computer says no', 'unknown: DETAILS_NOT_ACCEPTED'],
    ['', 'unknown: unreadable'],
  ]
  for (const [message, wanted] of cases) assert.equal(await outcomeOf(message), wanted, message)
  assert.equal(await outcomeOf('Invalid authorization key', 401), 'definitely_not_submitted: rejected')

  for (const [message] of cases) assert.match(await outcomeOf(message, 400, again), /^unknown/, message)
  assert.equal(await outcomeOf('Refund amount exceeds what is left', 400, again), 'unknown: CHARGE_NOT_REFUNDABLE')
  assert.equal(await outcomeOf('Invalid authorization key', 401, again), 'unknown: refused')
})

test('a refund that Flutterwave cannot express is not sent, and no outcome shows our key', async (t) => {
  const { refunds, stub, seen } = await flutterwave(t, none)
  const { charge } = attempt
  const impossible: readonly RefundAttempt[] = [
    { ...attempt, amount: 0n },
    { ...attempt, amount: 10n ** 15n },
    { ...attempt, charge: { ...charge, method: 'momo' } },
    { ...attempt, charge: { ...charge, receipt: '' } },
    { ...attempt, charge: { ...charge, receipt: '1/../../transfers' } },
  ]
  for (const each of impossible)
    assert.equal(causeOf(await refunds.submit(each, soon())), 'definitely_not_submitted: unwritable')
  assert.equal(seen.length, 0)
  stub.responses = [none, refuses(400, `Computer says no: ${secretKey}`)]
  assert.ok(!JSON.stringify(await refunds.submit({ ...attempt, amount: 100n }, soon()), String).includes(secretKey))
})
