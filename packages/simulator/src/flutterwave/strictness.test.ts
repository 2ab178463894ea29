import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Body, bankTransfer, card, sealed, startTestSimulator, transfer } from '../testing/simulator.ts'

const number = '5531886652142950'

test('a caller without the right key is rejected', async (t) => {
  const sim = await startTestSimulator(t)
  const refusal = { status: 'error', message: 'Invalid authorization key', data: null }
  const none = await fetch(`${sim.url}/flutterwave/v3/balances`)
  const wrong = await sim.flutterwave('GET', '/balances', undefined, { authorization: 'Bearer FLWSECK_TEST-x' })
  assert.deepEqual([none.status, (await none.json()) as Body], [401, refusal])
  assert.deepEqual([wrong.status, wrong.body], [401, refusal])
})

const cards: readonly (readonly [string, Record<string, unknown>, string])[] = [
  ['an unknown field', { surprise: 1 }, 'surprise is not allowed'],
  ['a missing tx_ref', { tx_ref: undefined }, 'tx_ref is required'],
  ['a missing email', { email: undefined }, 'email is required'],
  ['a missing CVV', { cvv: undefined }, 'cvv is required'],
  ['a missing amount', { amount: undefined }, 'amount is required'],
  ['a tx_ref too long', { tx_ref: 'x'.repeat(101) }, 'tx_ref is invalid'],
  ['a number that fails its check digit', { card_number: '4242424242424241' }, 'card_number is invalid'],
  ['a number with spaces', { card_number: '4242 4242 4242 4242' }, 'card_number is invalid'],
  ['a CVV of two digits', { cvv: '12' }, 'cvv is invalid'],
  ['a CVV that is a number', { cvv: 123 }, 'cvv is invalid'],
  ['a month of one digit', { expiry_month: '9' }, 'expiry_month is invalid'],
  ['a thirteenth month', { expiry_month: '13' }, 'expiry_month is invalid'],
  ['a year of four digits', { expiry_year: '2032' }, 'expiry_year is invalid'],
  ['a zero amount', { amount: 0 }, 'amount is invalid'],
  ['a negative amount', { amount: -1 }, 'amount is invalid'],
  ['decimals the currency does not have', { amount: 100.5, currency: 'UGX' }, 'amount is invalid'],
  ['three decimals', { amount: 1.234 }, 'amount is invalid'],
  ['an unknown currency', { currency: 'XXX' }, 'currency is invalid'],
  ['an invalid email', { email: 'amina' }, 'email is invalid'],
  ['an invalid redirect URL', { redirect_url: 'shop' }, 'redirect_url is invalid'],
  ['a hold', { preauthorize: true }, 'Preauthorization is not enabled for this account'],
  ['an unknown authorisation mode', { authorization: { mode: 'otp', otp: '1' } }, 'authorization.mode is invalid'],
  ['an authorisation without PIN', { authorization: { mode: 'pin' } }, 'authorization.pin is required'],
  ['a PIN of letters', { authorization: { mode: 'pin', pin: 'abcd' } }, 'authorization.pin is invalid'],
  ['half an address', { authorization: { mode: 'avs_noauth', city: 'Lagos' } }, 'authorization.address is required'],
]

for (const [what, changes, message] of cards)
  test(`a card charge with ${what} is refused`, async (t) => {
    const sim = await startTestSimulator(t)
    const { status, body } = await sim.flutterwave('POST', '/charges?type=card', sealed(card(number, changes)))
    assert.deepEqual([status, body], [400, { status: 'error', message, data: null }])
    assert.deepEqual((await sim.control('GET', '/payments')).body.items, [])
  })

test('a card encrypted with the wrong key, or not encrypted, is refused', async (t) => {
  const sim = await startTestSimulator(t)
  const refusal = async (body: unknown, path = '/charges?type=card', headers = {}) => {
    const reply = await sim.flutterwave('POST', path, body, headers)
    return [reply.status, reply.body.message]
  }
  assert.deepEqual(await refusal(sealed(card(number), 'FLWSECK_TEST0123456789xx')), [
    400,
    'The client data could not be decrypted',
  ])
  assert.deepEqual(await refusal({ client: 'YWJj' }), [400, 'The client data could not be decrypted'])
  assert.deepEqual(await refusal({ client: 5 }), [400, 'client is invalid'])
  assert.deepEqual(await refusal({}), [400, 'client is required'])
  assert.deepEqual(await refusal(card(number)), [400, 'tx_ref is not allowed'])
  assert.deepEqual(await refusal(sealed(card(number)), '/charges'), [400, 'type is invalid'])
  assert.deepEqual(await refusal(sealed(card(number)), '/charges?type=card', { 'content-type': 'text/plain' }), [
    400,
    'The request body must be JSON',
  ])
  assert.deepEqual(await refusal('{"client":'), [400, 'The request body must be JSON'])
})

test('the body of a code is validated as strictly as the rest', async (t) => {
  const sim = await startTestSimulator(t)
  const message = async (body: object) => (await sim.flutterwave('POST', '/validate-charge', body)).body.message
  assert.equal(await message({ otp: '12345', type: 'card' }), 'flw_ref is required')
  assert.equal(await message({ otp: '12', flw_ref: 'x', type: 'card' }), 'otp is invalid')
  assert.equal(await message({ otp: '12345', flw_ref: 'x', type: 'account' }), 'type is invalid')
  assert.equal(await message({ otp: '12345', flw_ref: 'x', type: 'card', pin: '1' }), 'pin is not allowed')
  assert.equal(await message({ otp: '12345', flw_ref: 'x', type: 'card' }), 'Transaction not found')
})

const accounts: readonly (readonly [string, Record<string, unknown>, string])[] = [
  ['an unknown field', { surprise: 1 }, 'surprise is not allowed'],
  ['a missing currency', { currency: undefined }, 'currency is required'],
  ['another currency', { currency: 'KES' }, 'currency is invalid'],
  ['a permanent account', { is_permanent: true }, 'is_permanent is invalid'],
  ['a lifetime of more than a year', { expires: 31_536_001 }, 'expires is invalid'],
  ['a lifetime as text', { expires: '3600' }, 'expires is invalid'],
  ['three decimals', { amount: 1.234 }, 'amount is invalid'],
]

for (const [what, changes, message] of accounts)
  test(`an account request with ${what} is refused`, async (t) => {
    const sim = await startTestSimulator(t)
    const { status, body } = await sim.flutterwave('POST', '/charges?type=bank_transfer', bankTransfer(changes))
    assert.deepEqual([status, body], [400, { status: 'error', message, data: null }])
  })

const sender = { sender: 'Malipo', sender_country: 'KE' }
const uganda = { currency: 'UGX', amount: 5000 }
const rwanda = { currency: 'RWF', amount: 5000, destination_branch_code: 'RW01' }
const southAfrica = { currency: 'ZAR', account_bank: 'ABSA' }
const recipient = {
  first_name: 'Thandi',
  last_name: 'Nkosi',
  email: 'pay@example.com',
  mobile_number: '27821234567',
  recipient_address: '1 Long Street',
}
const mpesa = { currency: 'KES', account_bank: 'MPS', account_number: '254703456789' }

const transfers: readonly (readonly [string, Record<string, unknown>, string])[] = [
  ['an unknown field', { surprise: 1 }, 'surprise is not allowed'],
  ['a callback URL', { callback_url: 'https://a.example' }, 'callback_url is not allowed'],
  ['a missing beneficiary', { beneficiary_name: undefined }, 'beneficiary_name is required'],
  ['a missing narration', { narration: undefined }, 'narration is required'],
  ['a missing bank', { account_bank: undefined }, 'account_bank is required'],
  ['a missing reference', { reference: undefined }, 'reference is required'],
  ['an amount as text', { amount: '5500' }, 'amount is invalid'],
  ['an account number with dashes', { account_number: '06-90' }, 'account_number is invalid'],
  [
    'decimals the currency does not have',
    { ...uganda, amount: 0.5, destination_branch_code: 'U1' },
    'amount is invalid',
  ],
  ['another currency to debit', { debit_currency: 'USD' }, 'debit_currency is not enabled for this account'],
  ['a bank of Uganda without branch', uganda, 'destination_branch_code is required'],
  ['a bank of Rwanda without sender', rwanda, 'meta.sender is required'],
  ['a bank of Rwanda without its address', { ...rwanda, meta: [sender] }, 'meta.sender_address is required'],
  ['a bank of South Africa by its branch code', { ...southAfrica, account_bank: '632005' }, 'account_bank is invalid'],
  ['a bank of South Africa without recipient', southAfrica, 'meta.first_name is required'],
  [
    'a bank of South Africa without the address',
    { ...southAfrica, meta: { ...recipient, recipient_address: '' } },
    'meta.recipient_address is required',
  ],
  ['M-Pesa without sender', mpesa, 'meta.sender is required'],
  ['M-Pesa without the number', { ...mpesa, meta: sender }, 'meta.mobile_number is required'],
]

for (const [what, changes, message] of transfers)
  test(`a transfer is refused: ${what}`, async (t) => {
    const sim = await startTestSimulator(t)
    const { status, body } = await sim.flutterwave('POST', '/transfers', transfer(changes))
    assert.deepEqual([status, body], [400, { status: 'error', message, data: null }])
    assert.deepEqual((await sim.control('GET', '/payments')).body.items, [])
  })

const taken: readonly (readonly [string, Record<string, unknown>])[] = [
  ['a bank of Kenya', { currency: 'KES', account_bank: '01' }],
  ['a bank of South Africa', { ...southAfrica, meta: recipient }],
  ['a bank of Uganda with its branch', { ...uganda, destination_branch_code: 'UG01' }],
  ['a wallet of Uganda', { ...uganda, account_bank: 'MTN', account_number: '256772123456' }],
  ['a bank of Rwanda with its sender', { ...rwanda, meta: [{ ...sender, sender_address: 'Nairobi' }] }],
  ['M-Pesa with its sender', { ...mpesa, meta: { ...sender, mobile_number: '254703456789' } }],
]

for (const [what, changes] of taken)
  test(`a transfer to ${what} is paid`, async (t) => {
    const sim = await startTestSimulator(t)
    assert.equal((await sim.flutterwave('POST', '/transfers', transfer(changes))).body.data.status, 'NEW')
  })
