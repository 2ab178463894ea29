import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { testMalipo } from '../../server/src/testing/malipo.ts'
import { quote as setRate } from '../../server/src/testing/paying.ts'
import { ConflictError, DuplicateReferenceError, InsufficientFundsError, Malipo } from './index.ts'
import { loseResponse, openWire } from './testing/wire.ts'

async function bench(t: TestContext) {
  const stack = await testMalipo(t, {
    MALIPO_SIMULATOR_URL: 'http://127.0.0.1:9',
    MALIPO_SIMULATOR_TOKEN: 'unused-simulator-token',
  })
  await stack.ask('delete from rates')
  await setRate(stack, 'USD/KES', '128.50', '130.25')
  const { publicKey, apiKey } = await stack.merchant()
  const wire = openWire()
  return { wire, malipo: new Malipo({ publicKey, apiKey, baseUrl: stack.url, fetch: wire.fetch }) }
}

const payee = {
  currency: 'KES',
  country: 'KE',
  destination: 'MoMo' as const,
  payoutMethod: { accountName: 'Amina Otieno', accountNumber: '+254703456789' },
}
const toDollars = { fromCurrency: 'KES', toCurrency: 'USD', toCountry: 'KE' }

test('a quote is executed by its id, once, with amounts as exact strings', async (t) => {
  const { malipo } = await bench(t)
  const quote = await malipo.quotes.create({ ...payee, debitAmount: '303.00' })
  assert.deepEqual([quote.amount, quote.fee, quote.debitAmount], [300, 3, 303])

  const paid = await malipo.payouts.create({ externalReference: 'q1', quoteId: quote.quoteId, amount: '300.00' })

  assert.equal(paid.status, 'pending')
  await assert.rejects(malipo.payouts.create({ externalReference: 'q2', quoteId: quote.quoteId }), (error) => {
    return error instanceof ConflictError && error.errorCode === 'QUOTE_USED'
  })
})

test('a conversion whose response is lost is made once', async (t) => {
  const { malipo, wire } = await bench(t)
  wire.inject('/conversions', loseResponse)

  const made = await malipo.conversions.create({ ...toDollars, externalReference: 'c1', amount: '2000' })

  assert.deepEqual([made.fromAmount, made.toAmount, made.status], [2000, 15.35, 'SUCCESSFUL'])
  assert.equal((await malipo.transactions.list({ type: 'conversion' }).toArray()).length, 1)
  await assert.rejects(
    malipo.conversions.create({ ...toDollars, externalReference: 'c1', amount: 2001 }),
    DuplicateReferenceError,
  )
  await assert.rejects(
    malipo.conversions.create({ ...toDollars, externalReference: 'c2', amount: 2_000_000 }),
    InsufficientFundsError,
  )
})

test('validating payouts reports problems as results, not as errors', async (t) => {
  const { malipo } = await bench(t)
  const payout = (amount: string) => ({ ...payee, amount, externalReference: `v-${amount}` })

  const one = await malipo.payouts.validate(payout('20.50'))
  const { items, totals } = await malipo.payouts.validateBulk([payout('300.00'), payout('5')])

  assert.deepEqual([one.isAcceptable, one.problems[0]?.field], [false, 'amount'])
  assert.deepEqual(
    items.map(({ isAcceptable, problems }) => [isAcceptable, problems[0]?.errorCode]),
    [
      [true, undefined],
      [false, 'AMOUNT_OUT_OF_BOUNDS'],
    ],
  )
  assert.deepEqual([totals[0]?.debitAmount, totals[0]?.missing], [303, 0])
})
