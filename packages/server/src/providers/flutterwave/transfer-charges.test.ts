import assert from 'node:assert/strict'
import { test } from 'node:test'
import { causeOf, cutOff, flutterwave, key, other, refuses, says, soon, success, transferCharge } from './stub.suite.ts'

const account = {
  transfer_reference: 'MockFLWRef-1',
  transfer_account: '0067100155',
  transfer_bank: 'Mock Bank',
  account_expiration: 1_790_000_000_000,
  transfer_note: 'Mock note',
  transfer_amount: '1500.50',
  mode: 'banktransfer',
}
const opens = (fields: object = {}) => success({ meta: { authorization: { ...account, ...fields } } })
const waiting = (expiresAt: string) => ({
  state: 'waiting',
  action: { kind: 'pay_to_account', account: { accountNumber: '0067100155', bankName: 'Mock Bank', expiresAt } },
})
const receipt = {
  id: 901,
  tx_ref: key,
  amount: 1000,
  currency: 'NGN',
  status: 'successful',
  payment_type: 'bank_transfer',
}
const listed = (list: unknown, pages?: unknown) =>
  success({ data: list, ...(pages !== undefined && { meta: { page_info: { total_pages: pages } } }) })

test('an account is opened for exactly the amount and time, with only documented fields', async (t) => {
  const { transferCharges, seen } = await flutterwave(t, opens())

  const outcome = await transferCharges.submit(transferCharge, soon())
  assert.deepEqual(outcome, { certainty: 'accepted', providerStatus: waiting('2026-09-21T14:13:20.000Z') })
  assert.equal(seen[0]?.line, 'POST /v3/charges?type=bank_transfer')
  assert.deepEqual(seen[0]?.json, {
    tx_ref: key,
    amount: 1500.5,
    currency: 'NGN',
    email: 'amina@example.com',
    expires: 7200,
    is_permanent: false,
    narration: 'Malipo payment',
  })
})

test('an account’s expiry is read in every known form and never an hour late', async (t) => {
  const { transferCharges, stub } = await flutterwave(t)
  const times: [unknown, string][] = [
    [1_790_000_000_000, '2026-09-21T14:13:20.000Z'],
    ['1790000000000', '2026-09-21T14:13:20.000Z'],
    ['2026-09-21T14:13:20.000Z', '2026-09-21T14:13:20.000Z'],
    ['2026-09-21T15:13:20+01:00', '2026-09-21T14:13:20.000Z'],
    ['2026-09-21 15:13:20', '2026-09-21T14:13:20.000Z'],
  ]
  for (const [account_expiration, expiresAt] of times) {
    stub.responses = [opens({ account_expiration })]
    const outcome = await transferCharges.submit(transferCharge, soon())
    assert.deepEqual(outcome.certainty === 'accepted' && outcome.providerStatus, waiting(expiresAt))
  }
})

test('an account inside the data is read like one beside it', async (t) => {
  const { transferCharges } = await flutterwave(t, success({ data: { meta: { authorization: account } } }))

  assert.equal((await transferCharges.submit(transferCharge, soon())).certainty, 'accepted')
})

test('an unreadable account is unknown, and one for another amount is never shown', async (t) => {
  const { transferCharges, stub } = await flutterwave(t)
  const unreadable = [
    opens({ transfer_account: undefined }),
    opens({ transfer_account: 67_100_155 }),
    opens({ transfer_bank: '' }),
    opens({ account_expiration: undefined }),
    opens({ account_expiration: 'soon' }),
    opens({ account_expiration: 1_790_000_000 }),
    success({}),
    says(200, { status: 'error', message: 'no', meta: { authorization: account } }),
  ]
  for (const [index, response] of unreadable.entries()) {
    stub.responses = [response]
    assert.equal(causeOf(await transferCharges.submit(transferCharge, soon())), 'unknown: unreadable', String(index))
  }
  stub.responses = [opens({ transfer_amount: '1521.50' })]
  const outcome = await transferCharges.submit(transferCharge, soon())
  assert.equal(causeOf(outcome), 'definitely_not_submitted: rejected')
})

test('every payment on every page is a receipt with Flutterwave’s id', async (t) => {
  const { transferCharges, stub, seen } = await flutterwave(t)
  const second = { ...receipt, id: '902', amount: '500.50', app_fee: 7.01, charged_amount: '500.50' }
  stub.responses = [listed([second], 2), listed([receipt, { ...receipt, id: 900, status: 'failed' }], 2)]

  const outcome = await transferCharges.query(transferCharge, soon())
  const receipts = [
    { id: '902', amount: 50_050n, currency: 'NGN', fee: 701n },
    { id: '901', amount: 100_000n, currency: 'NGN' },
  ]
  assert.deepEqual(outcome, { found: 'yes', providerStatus: { state: 'received', receipts } })
  const path = `GET /v3/transactions?tx_ref=${key}`
  assert.deepEqual(
    seen.map(({ line }) => line),
    [path, `${path}&page=2`],
  )
})

test('a charge without payments is not found; pending and failed payments report their status', async (t) => {
  const { transferCharges, stub } = await flutterwave(t)
  const ask = () => transferCharges.query(transferCharge, soon())
  const failed = { ...receipt, status: 'failed', processor_response: 'Declined' }

  for (const response of [listed([]), listed([], 0), listed([], 1)]) {
    stub.responses = [response]
    assert.deepEqual(await ask(), { found: 'no' })
  }
  const states: [object[], object][] = [
    [[{ ...receipt, status: 'pending' }, failed], { state: 'submitted' }],
    [[failed], { state: 'failed' }],
  ]
  for (const [list, providerStatus] of states) {
    stub.responses = [listed(list)]
    assert.partialDeepStrictEqual(await ask(), { found: 'yes', providerStatus })
  }
})

test('a reversed transfer is reported as a reversed receipt, in both forms of Flutterwave', async (t) => {
  const { transferCharges, stub } = await flutterwave(t)
  const ask = () => transferCharges.query(transferCharge, soon())
  const reported = { id: '901', amount: 100_000n, currency: 'NGN', isReversed: true }
  const failed = { ...receipt, id: 900, status: 'failed', processor_response: 'Declined' }

  for (const words of [{ status: 'reversed' }, { status: 'failed', processor_response: 'Reversed by the bank' }]) {
    const back = { ...receipt, ...words }
    stub.responses = [listed([{ ...receipt, id: 902, amount: 40 }, back, failed])]
    const other = { id: '902', amount: 4000n, currency: 'NGN' }
    assert.deepEqual(await ask(), { found: 'yes', providerStatus: { state: 'received', receipts: [other, reported] } })
    stub.responses = [listed([back, failed])]
    assert.deepEqual(await ask(), { found: 'yes', providerStatus: { state: 'received', receipts: [reported] } })
    stub.responses = [listed([{ ...back, amount: 'much' }])]
    assert.equal((await ask()).found, 'unclear')
  }
})

test('a partial list of receipts is never reported as complete', async (t) => {
  const { transferCharges, stub } = await flutterwave(t)
  const unclear = [
    listed([receipt, { ...receipt, id: undefined }]),
    listed([receipt, receipt]),
    listed([receipt, { ...receipt, id: 902, amount: 'much' }]),
    listed([receipt, { ...receipt, id: 902, currency: undefined }]),
    listed([receipt, { ...receipt, id: 902, charged_amount: 999 }]),
    listed([receipt, { ...receipt, id: 902, status: 'unheard of' }]),
    listed([receipt, { ...receipt, id: 902, tx_ref: other }]),
    listed([receipt, null]),
    listed([receipt], 'many'),
    listed([receipt], 21),
    listed({}),
    refuses(400, 'tx_ref is required'),
    says(200, { status: 'error', message: 'no', data: [] }),
    says(404, ''),
    cutOff,
  ]
  for (const [index, response] of unclear.entries()) {
    stub.responses = [response]
    assert.equal((await transferCharges.query(transferCharge, soon())).found, 'unclear', String(index))
  }
  stub.responses = [listed([receipt], 2), cutOff]
  assert.equal((await transferCharges.query(transferCharge, soon())).found, 'unclear')
})
