import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { PayoutAttempt } from '../contract.ts'
import {
  causeOf,
  cutOff,
  flutterwave,
  flutterwaveWithoutContact,
  key,
  other,
  payout,
  refuses,
  type Says,
  says,
  secretKey,
  soon,
  success,
} from './stub.suite.ts'

const accountNumber = '0690000032'
const transfer = {
  id: 26_251,
  reference: key,
  amount: 1500.5,
  currency: 'NGN',
  fee: 10.75,
  status: 'NEW',
  complete_message: '',
}
const settled = { amount: 150_050n, currency: 'NGN', fee: 1075n, receipt: '26251' }
const bank = { kind: 'bank', bankCode: '190100', branchCode: 'GH190101', accountNumber, accountName: 'Juma' } as const

test('a payout sends only documented fields, with Flutterwave’s bank code and any branch', async (t) => {
  const { payouts, seen } = await flutterwave(t, success({ data: transfer }))
  const kenya = { ...bank, bankCode: '01', branchCode: '01231' }
  const uganda = { ...bank, bankCode: '04' }
  const lotus = { ...bank, bankCode: '303', branchCode: '' }

  await payouts.submit(payout, soon())
  await payouts.submit({ ...payout, country: 'GH', currency: 'GHS', to: bank }, soon())
  await payouts.submit({ ...payout, country: 'UG', currency: 'UGX', amount: 5000n, to: uganda }, soon())
  await payouts.submit({ ...payout, country: 'KE', currency: 'KES', to: kenya }, soon())
  await payouts.submit({ ...payout, to: lotus }, soon())

  const plain = {
    account_bank: '044',
    account_number: accountNumber,
    amount: 1500.5,
    currency: 'NGN',
    narration: 'Malipo payout',
    reference: key,
    beneficiary_name: 'Juma Otieno',
  }
  const named = { ...plain, beneficiary_name: 'Juma' }
  assert.deepEqual(
    seen.map(({ json }) => json),
    [
      plain,
      { ...named, account_bank: 'GH190100', currency: 'GHS', destination_branch_code: 'GH190101' },
      { ...named, account_bank: '04', currency: 'UGX', amount: 5000, destination_branch_code: 'GH190101' },
      { ...named, account_bank: '01', currency: 'KES' },
      { ...named, account_bank: '000029' }, // Our own code 303 would be ChamsMobile at Flutterwave.
    ],
  )
  assert.ok(seen.every(({ line }) => line === 'POST /v3/transfers'))
})

test('a bank in South Africa is paid by its Flutterwave name, with the recipient’s contact', async (t) => {
  const { payouts, seen } = await flutterwave(t, success({ data: transfer }))
  const fnb = { ...bank, bankCode: '250655', branchCode: '' }
  for (const accountName of ['Thandi van der Merwe', 'Thandi'])
    await payouts.submit({ ...payout, country: 'ZA', currency: 'ZAR', to: { ...fnb, accountName } }, soon())

  const reached = { email: 'pay@example.com', mobile_number: '27821234567', recipient_address: '1 Long Street' }
  assert.partialDeepStrictEqual(
    seen.map(({ json }) => json),
    [
      { account_bank: 'FNB', meta: { first_name: 'Thandi', last_name: 'van der Merwe', ...reached } },
      { account_bank: 'FNB', meta: { first_name: 'Thandi', last_name: 'Thandi', ...reached } },
    ],
  )
})

test('banks that Flutterwave cannot pay are not in its capabilities and are refused', async (t) => {
  const { payouts, capabilities, seen } = await flutterwaveWithoutContact(t)
  const does = (country: string, bankCode: string) =>
    capabilities.some(
      ({ operation, country: there, target }) =>
        operation === 'payout.bank' && there === country && target === bankCode,
    )

  assert.deepEqual([does('NG', '044'), does('NG', '063'), does('ZA', '250655')], [true, false, false])
  const unknown = { ...payout, to: { ...bank, bankCode: '063', branchCode: '' } }
  const unreached = { ...payout, country: 'ZA', currency: 'ZAR', to: { ...bank, bankCode: '250655' } } as const
  for (const attempt of [unknown, unreached])
    assert.equal(causeOf(await payouts.submit(attempt, soon())), 'definitely_not_submitted: unwritable')
  assert.equal(seen.length, 0)
})

test('a payout that Flutterwave cannot take is refused before anything is sent', async (t) => {
  const { payouts, seen } = await flutterwave(t, success({ data: transfer }))
  const impossible: PayoutAttempt[] = [
    { ...payout, to: { kind: 'till', tillNumber: '123456', accountName: 'Shop' } },
    { ...payout, country: 'GH', currency: 'GHS', to: { ...bank, branchCode: '' } },
    { ...payout, country: 'GH' },
    { ...payout, country: 'constructor' },
    { ...payout, amount: 0n },
    { ...payout, amount: 10n ** 15n },
  ]
  for (const attempt of impossible)
    assert.equal(causeOf(await payouts.submit(attempt, soon())), 'definitely_not_submitted: unwritable')
  assert.equal(seen.length, 0)
})

test('an accepted transfer is reported with its current status', async (t) => {
  const { payouts, stub } = await flutterwave(t)
  const states: [object, object][] = [
    [{ status: 'NEW' }, { certainty: 'accepted', providerStatus: { state: 'submitted' } }],
    [{ status: 'PENDING' }, { certainty: 'accepted', providerStatus: { state: 'submitted' } }],
    [{ status: 'SUCCESSFUL' }, { certainty: 'accepted', providerStatus: { state: 'successful', settled } }],
    [
      { status: 'FAILED', complete_message: 'DISBURSE FAILED: Invalid account number' },
      { certainty: 'definitely_failed', failure: { code: 'RECIPIENT_NOT_FOUND' } },
    ],
    [
      { status: 'FAILED', complete_message: 'DISBURSE FAILED: Insufficient funds in customer wallet' },
      { certainty: 'accepted', providerStatus: { state: 'failed', isOurShortfall: true } },
    ],
  ]
  for (const [fields, outcome] of states) {
    stub.responses = [success({ data: { ...transfer, ...fields } })]
    assert.partialDeepStrictEqual(await payouts.submit(payout, soon()), outcome)
  }
})

test('a refused payout is not submitted, has failed, or is known to Flutterwave already', async (t) => {
  const { payouts, stub } = await flutterwave(t)
  const outcomes: [Says, string][] = [
    [refuses(400, 'Insufficient funds in customer wallet'), 'definitely_not_submitted: float_exhausted'],
    [refuses(400, 'Bank is not available at the moment'), 'definitely_not_submitted: closed'],
    [
      refuses(400, 'DISBURSE FAILED: You have exceeded your daily limit for this product'),
      'definitely_not_submitted: float_exhausted',
    ],
    [refuses(400, 'Please enable IP Whitelisting to access this service'), 'definitely_not_submitted: rejected'],
    [
      refuses(400, 'This transaction cannot be completed, please contact the administrator'),
      'definitely_not_submitted: rejected',
    ],
    [refuses(400, 'Merchant cannot perform transactions without approval.'), 'definitely_not_submitted: rejected'],
    [refuses(401, 'account_bank is invalid'), 'definitely_not_submitted: rejected'],
    [refuses(403, 'Amount should be more than NGN 100'), 'definitely_not_submitted: rejected'],
    [refuses(429, 'Too many requests'), 'definitely_not_submitted: rate_limited'],
    [refuses(400, 'Transfer with this reference already exists'), 'unknown: repeated'],
    [refuses(400, 'Kindly supply another transaction reference'), 'unknown: repeated'],
    ...[
      'This merchant has an identical transfer',
      'A similar transfer exists on your account',
      'The bank was given the same transfer',
      'Beneficiary cannot be paid twice',
      'Transfer id must be unique',
    ].map((words): [Says, string] => [refuses(400, words), 'unknown: repeated']),
    [refuses(403, 'Your account has a previous transfer like this'), 'unknown: repeated'],
    [refuses(400, 'Seen that one'), 'unknown: refused'],
    [refuses(400, 'The stars are not aligned'), 'unknown: refused'],
    [refuses(503, 'An error occurred. Please contact support'), 'unknown: server_error'],
    [success({ data: { ...transfer, reference: other } }), 'unknown: unreadable'],
    [success({ data: { ...transfer, reference: undefined } }), 'unknown: unreadable'],
    [success({ data: { ...transfer, status: 'SOMETHING' } }), 'unknown: unreadable'],
    [success({ data: { ...transfer, status: 'SUCCESSFUL', amount: 'x' } }), 'unknown: unreadable'],
    [success({ data: null }), 'unknown: unreadable'],
    [says(200, { status: 'error', message: 'no', data: transfer }), 'unknown: unreadable'],
    [cutOff, 'unknown: broken_off'],
  ]
  for (const [response, expected] of outcomes) {
    stub.responses = [response]
    assert.equal(causeOf(await payouts.submit(payout, soon())), expected)
  }
})

test('a payout refused by validation fails with a code, and the sentence is not stored', async (t) => {
  const { payouts, stub } = await flutterwave(t)
  const failures: [string, object][] = [
    ['Payout was made to a blacklisted account number', { code: 'RECIPIENT_NOT_FOUND' }],
    ['Sorry, that account number is invalid, please check and try again', { code: 'RECIPIENT_NOT_FOUND' }],
    ['Amount should be more than NGN 100', { code: 'AMOUNT_NOT_ACCEPTED', providerCode: 'amount' }],
    ['Maximum transfer is 5,000,000', { code: 'AMOUNT_NOT_ACCEPTED' }],
    ['account_bank is invalid', { code: 'DETAILS_NOT_ACCEPTED', providerCode: 'account_bank' }],
    ['Bank 99 does not exist', { code: 'DETAILS_NOT_ACCEPTED' }],
    ['destination_branch_code is required', { code: 'DETAILS_NOT_ACCEPTED', providerCode: 'branch' }],
  ]
  for (const [message, failure] of failures) {
    stub.responses = [refuses(400, message)]
    const outcome = await payouts.submit(payout, soon())
    assert.partialDeepStrictEqual(outcome, { certainty: 'definitely_failed', failure }, message)
  }
})

test('a query returns the one transfer of the reference, and its failure by the sentence', async (t) => {
  const { payouts, stub, seen } = await flutterwave(t, success({ data: [] }))
  const ask = () => payouts.query(payout, soon())
  const failed = (complete_message: unknown) => ({ status: 'FAILED', complete_message })
  const states: [object, object][] = [
    [{}, { state: 'submitted' }],
    [{ status: 'PENDING' }, { state: 'submitted' }],
    [
      { status: 'SUCCESSFUL', amount: '1500.50', fee: '10.75' },
      { state: 'successful', settled },
    ],
    [failed('DISBURSE FAILED: Beneficiary account limit exceeded'), { failure: { code: 'WALLET_LIMIT_REACHED' } }],
    [failed('DISBURSE FAILED: Beneficiary daily limit exceeded'), { failure: { code: 'RECIPIENT_LIMIT_REACHED' } }],
    ...[
      'DISBURSE FAILED: Insufficient funds in customer wallet',
      'DISBURSE FAILED: Insufficient wallet balance',
      'DISBURSE FAILED: You have exceeded your daily limit for this product',
    ].map((words): [object, object] => [failed(words), { state: 'failed', isOurShortfall: true }]),
    [failed('DISBURSE FAILED: Unable to process'), { state: 'failed', failure: { code: 'UNSPECIFIED_FAILURE' } }],
    [failed(null), { state: 'failed', failure: { code: 'UNSPECIFIED_FAILURE' } }],
    [failed('REVERSED: The bank returned it'), { state: 'reversed', failure: { code: 'REVERSED' } }],
  ]

  assert.deepEqual(await ask(), { found: 'no' })
  assert.equal(seen[0]?.line, `GET /v3/transfers?reference=${key}`)
  for (const [fields, providerStatus] of states) {
    stub.responses = [success({ data: [{ ...transfer, ...fields }] })]
    assert.partialDeepStrictEqual(await ask(), { found: 'yes', providerStatus })
  }
  const unclear = [
    success({ data: [transfer, transfer] }),
    success({ data: [{ ...transfer, reference: other }] }),
    success({ data: [{ ...transfer, status: 'successful' }] }),
    success({ data: transfer }),
    success({}),
    refuses(404, 'Transfer not found'),
    says(200, { status: 'error', message: 'no', data: [] }),
    cutOff,
  ]
  for (const [index, response] of unclear.entries()) {
    stub.responses = [response]
    assert.equal((await ask()).found, 'unclear', String(index))
  }
})

test('no detail shows an account, a name, our key or what Flutterwave wrote', async (t) => {
  const { payouts, stub } = await flutterwave(t)
  const leaky = `account_number ${accountNumber} of Juma Otieno, ${secretKey}`
  for (const status of [200, 302, 400, 401, 404, 500]) {
    stub.responses = [refuses(status, leaky)]
    const reported = JSON.stringify([await payouts.submit(payout, soon()), await payouts.query(payout, soon())])
    for (const each of [accountNumber, 'Juma', secretKey]) assert.ok(!reported.includes(each), reported)
  }
  stub.responses = [refuses(401, leaky)]
  const outcome = await payouts.submit(payout, soon())
  assert.equal('detail' in outcome && outcome.detail, 'Flutterwave responded 401, naming account_number')
})
