import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import type { ApiResponse } from '../packages/server/src/testing/malipo.ts'
import { quote, walletsOf } from '../packages/server/src/testing/paying.ts'
import { assertFinalIsFinal, keyOf, minutes, type Payments, testPayments } from './support/load/payments.ts'

/** 1,000 KES are 7.79 USD to a payout and 7.67 to a charge, each with a fee of 0.08; by the provider's own rates 7.76 and 7.70. */
async function paymentsWithRates(t: TestContext): Promise<Payments> {
  const payments = await testPayments(t)
  await payments.malipo.ask('delete from rates')
  await quoteDollars(payments)
  await payments.booked()
  return payments
}

const quoteDollars = ({ malipo }: Payments) =>
  quote(malipo, 'USD/KES', '128.50', '130.25', { buy: '129.00', sell: '129.75' })

const fromDollars = { amount: 1000, debitCurrency: 'USD', debitCountry: 'KE' }
const intoDollars = { amount: 1000, walletCurrency: 'USD' }
const funded = { available: 1_000_000n, reserved: 0n }

/** Debits less credits, as in the books. */
const paidOut = {
  'wallet USD': '787',
  'fx_position USD': '-776',
  'fx_income USD': '-3',
  'fees USD': '-8',
  'fx_position KES': '100000',
  'float pawapay KES': '-100000',
}
const charged = {
  'float pawapay KES': '100000',
  'fx_position KES': '-100000',
  'fx_position USD': '770',
  'fx_income USD': '-3',
  'fees USD': '-8',
  'wallet USD': '-759',
}

const undone = (sums: Readonly<Record<string, string>>) =>
  Object.fromEntries(Object.entries(sums).map(([name, sum]) => [name, String(-Number(sum))]))
/** Everything but the fee. */
const returned = { ...undone(paidOut), 'wallet USD': '-779' } as Record<string, string>
delete returned['fees USD']

const shown = ({ body }: ApiResponse) => {
  const { senderAmount, senderCurrency, receiverAmount, receiverCurrency, fee, rate } = body['data'] as Record<
    string,
    unknown
  >
  return { senderAmount, senderCurrency, receiverAmount, receiverCurrency, fee, ...(rate as object) }
}

test('a successful payout from another currency leaves both currencies as quoted', async (t) => {
  const payments = await paymentsWithRates(t)
  payments.work()

  const id = await payments.payOut(fromDollars)
  await payments.becomes(id, { state: 'successful' })

  assert.deepEqual(await payments.booked(), paidOut)
  assert.deepEqual(
    (await payments.simulator.moved(keyOf(id))).map(({ amount, currency }) => `${amount} ${currency}`),
    ['1000 KES'],
  )
  await payments.malipo.operator.ledger.check({ isFull: true })
})

test('a failed payout from another currency returns everything to the cent, in both currencies', async (t) => {
  const payments = await paymentsWithRates(t)
  payments.work()

  const id = await payments.payOut({ ...fromDollars, phone: '+254712345089' })
  await payments.becomes(id, { state: 'failed' })

  assert.deepEqual(await payments.booked(), {})
  assert.deepEqual((await walletsOf(payments.malipo, payments.merchantId)).get('USD'), funded)
  await payments.malipo.operator.ledger.check({ isFull: true })
})

test('a rate change leaves an open payment unchanged', async (t) => {
  const payments = await paymentsWithRates(t)
  const [payout, charge] = [await payments.payOut(fromDollars), await payments.charge(intoDollars)]
  await payments.malipo.ask('delete from rates')
  await quote(payments.malipo, 'USD/KES', '64.25', '65.125')
  payments.work()

  await payments.becomes(payout, { state: 'successful' })
  await payments.becomes(charge, { state: 'successful' })

  const { 'wallet USD': wallet, 'fx_income USD': income } = await payments.booked()
  assert.deepEqual([wallet, income], [`${787 - 759}`, '-6'])
  await payments.malipo.operator.ledger.check({ isFull: true })
})

test('a returned payout from another currency gives back its cost at the accepted rate', async (t) => {
  const payments = await paymentsWithRates(t)
  const { simulator } = payments
  await simulator.fault({ operation: 'payout', mode: 'flap', delayMs: minutes(1), times: 1 })
  payments.work()
  const late = await payments.payOut(fromDollars)
  await payments.becomes(late, { state: 'failed' })
  await simulator.advance(minutes(1))
  await payments.becomes(late, { suspended: '-100000' })
  assert.deepEqual(await payments.booked(), { 'float pawapay KES': '-100000', 'suspense KES': '100000' })

  await simulator.fault({ operation: 'payout', mode: 'reversal_after_success', delayMs: minutes(1), times: 1 })
  const reversed = await payments.payOut(fromDollars)
  await payments.becomes(reversed, { state: 'successful' })
  assert.deepEqual(await payments.booked(), paidOut)
  await simulator.advance(minutes(1))
  await payments.becomes(reversed, { adjusted: '100000' })

  assert.deepEqual(await payments.booked(), returned)
  await assertFinalIsFinal(payments.malipo)
  await payments.malipo.operator.ledger.check({ isFull: true })
})

test('a charge into another currency credits the wallet at the rate, rounded down, less its fee', async (t) => {
  const payments = await paymentsWithRates(t)
  payments.work()

  const id = await payments.charge({ ...intoDollars, externalReference: 'into-dollars' })
  await payments.becomes(id, { state: 'successful' })

  assert.deepEqual(await payments.booked(), charged)
  assert.deepEqual((await walletsOf(payments.malipo, payments.merchantId)).get('USD')?.available, 1_000_759n)
  const { at: _, ...read } = shown(await payments.ask('GET', '/transactions/into-dollars')) as Record<string, unknown>
  assert.deepEqual(read, {
    senderAmount: 1000,
    senderCurrency: 'KES',
    receiverAmount: 7.59,
    receiverCurrency: 'USD',
    fee: 0.08,
    pair: 'USD/KES',
    side: 'sell',
    value: '130.25',
  })
  await payments.malipo.operator.ledger.check({ isFull: true })
})

test('the check finds a charge into another currency whose row differs from its books', async (t) => {
  const { malipo, ...payments } = await paymentsWithRates(t)
  payments.work()
  const id = await payments.charge(intoDollars)
  await payments.becomes(id, { state: 'successful' })
  const touch = (how: string) => malipo.ask(`update transactions set ${how} where id = $1`, [id])

  for (const [how, back] of [
    ['wallet_amount = wallet_amount - 1', 'wallet_amount = wallet_amount + 1'],
    [`rate = rate || '{"spread": "4"}'`, `rate = rate || '{"spread": "3"}'`],
    ['amount = amount + 1', 'amount = amount - 1'],
  ] as const) {
    await touch(how)
    await assert.rejects(
      malipo.operator.ledger.check({ isFull: true }),
      /the postings of a payment contradict its state/,
      how,
    )
    await touch(back)
  }
  await malipo.operator.ledger.check({ isFull: true })
})

test('a charge into another currency paid late or reversed moves the same amounts as in time', async (t) => {
  const payments = await paymentsWithRates(t)
  const { simulator } = payments
  await simulator.fault({ operation: 'charge', mode: 'flap', delayMs: minutes(1), times: 1 })
  payments.work()
  const late = await payments.charge(intoDollars)
  await payments.becomes(late, { state: 'failed' })
  await simulator.advance(minutes(1))
  await payments.becomes(late, { adjusted: '100000' })
  assert.deepEqual(await payments.booked(), charged)

  await simulator.fault({ operation: 'charge', mode: 'reversal_after_success', delayMs: minutes(1), times: 1 })
  const reversed = await payments.charge(intoDollars)
  await payments.becomes(reversed, { state: 'successful' })
  assert.deepEqual(await payments.booked(), charged)
  await simulator.advance(minutes(1))
  await payments.becomes(reversed, { adjusted: '-100000' })

  assert.deepEqual(await payments.booked(), undone(charged))
  await assertFinalIsFinal(payments.malipo)
  await payments.malipo.operator.ledger.check({ isFull: true })
})

test('a charge credits the wallet of the phone’s country where a currency has several', async (t) => {
  const payments = await paymentsWithRates(t)
  await quote(payments.malipo, 'USD/UGX', '3650', '3700')
  payments.work()
  const ugandan = { currency: 'UGX', phoneNumber: '+256783456789', momoOperatorId: undefined }

  const id = await payments.charge({ ...ugandan, amount: 37_000, walletCurrency: 'USD' })
  await payments.becomes(id, { state: 'successful' })

  const wallets = await payments.malipo.ask(
    `select w.country, (w.credits_posted - w.debits_posted)::int as cents
     from wallets w join transactions t on t.wallet_id = w.id where t.id = $1`,
    [id],
  )
  assert.deepEqual(wallets, [{ country: 'UG', cents: 990 }])
})

test('a charge with no rate, an old rate, or a worth of nothing is not started', async (t) => {
  const payments = await paymentsWithRates(t)
  const refusal = async (over: object) => {
    const plain = { amount: 1000, currency: 'KES', phoneNumber: '+254712345678', externalReference: 'refused' }
    const { status, body } = await payments.ask('POST', '/fiat/deposit/momo', { ...plain, ...over })
    return [status, body['errorCode'], body['details'] ?? body['retryable']]
  }

  assert.deepEqual(await refusal({ walletCurrency: 'JPY' }), [422, 'WALLET_CURRENCY_NOT_SUPPORTED', undefined])
  assert.deepEqual(await refusal({ walletCurrency: 'ZMW' }), [422, 'WALLET_CURRENCY_NOT_SUPPORTED', undefined])
  assert.deepEqual(await refusal({ walletCurrency: 'NGN' }), [503, 'FX_RATE_UNAVAILABLE', true])
  assert.deepEqual(await refusal({ walletCurrency: 'USD', amount: 1 }), [
    422,
    'AMOUNT_OUT_OF_BOUNDS',
    [{ field: 'amount', message: 'amount must be worth at least 0.01 USD' }],
  ])
  assert.equal((await payments.ask('GET', '/transactions/refused')).status, 404)
})
