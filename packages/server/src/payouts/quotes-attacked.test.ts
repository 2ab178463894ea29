import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type ApiResponse, testMalipo } from '../testing/malipo.ts'
import { quote as setRate, walletsOf } from '../testing/paying.ts'

const settings = {
  MALIPO_SIMULATOR_URL: 'http://127.0.0.1:9',
  MALIPO_SIMULATOR_TOKEN: 'unused-simulator-token',
  MALIPO_RATE_LIMIT_SANDBOX: '1000',
}
const statusOf = ({ status, body }: ApiResponse) => (status === 200 ? 'accepted' : `${status} ${body['errorCode']}`)
const momo = {
  ...{ amount: 1000, currency: 'KES', country: 'KE', destination: 'MoMo' },
  payoutMethod: { accountName: 'Amina Otieno', accountNumber: '+254703456789' },
}
const conversion = { fromCurrency: 'KES', toCurrency: 'USD', toCountry: 'KE', amount: 1000 }

test('of all uses of one quote at once, single, in bulk and as a conversion, one is accepted', async (t) => {
  const malipo = await testMalipo(t, settings)
  await malipo.ask('delete from rates')
  await setRate(malipo, 'USD/KES', '128.50', '130.25')
  const merchant = await malipo.merchant()
  const quoted = await merchant.call('POST', '/api/b2b/quotes', { ...momo, debitCurrency: 'USD', debitCountry: 'KE' })
  const { quoteId } = quoted.body['data'] as { quoteId: string }
  const before = (await walletsOf(malipo, merchant.id)).get('USD')?.available ?? 0n

  const items = [1, 2, 3, 4, 5].map((item) => ({ quoteId, externalReference: `bulk-${item}` }))
  const [inBulk, singles] = await Promise.all([
    merchant.call('POST', '/api/b2b/fiat/payouts/bulk', { payouts: items }),
    Promise.all([
      ...[1, 2, 3, 4, 5].map((each) =>
        merchant.call('POST', '/api/b2b/fiat/payout', { quoteId, externalReference: `single-${each}` }),
      ),
      merchant.call('POST', '/api/b2b/conversions', { quoteId, externalReference: 'converted' }),
    ]),
  ])
  const results = inBulk.body['data'] as { success: boolean; errorCode?: string }[]
  const bulk = results.map(({ success, errorCode }) => (success ? 'accepted' : `409 ${errorCode}`))
  const all = [...bulk, ...singles.map(statusOf)]
  assert.equal(all.filter((each) => each === 'accepted').length, 1, all.join())
  assert.equal(all.filter((each) => each === '409 QUOTE_USED').length, 9, all.join())
  assert.equal(all.at(-1), '404 QUOTE_NOT_FOUND')
  assert.equal(before - ((await walletsOf(malipo, merchant.id)).get('USD')?.available ?? 0n), 787n)
})

test('a quote of a conversion pays nothing out, and none is known in the other environment', async (t) => {
  const malipo = await testMalipo(t, settings)
  await malipo.ask('delete from rates')
  await setRate(malipo, 'USD/KES', '128.50', '130.25')
  const merchant = await malipo.merchant()
  const quoted = await merchant.call('POST', '/api/b2b/quotes', conversion)
  const { quoteId } = quoted.body['data'] as { quoteId: string }

  const paid = await merchant.call('POST', '/api/b2b/fiat/payout', { quoteId, externalReference: 'as-payout' })
  assert.equal(statusOf(paid), '404 QUOTE_NOT_FOUND')
  await malipo.ask(`update quotes set env = 'live'`)
  const elsewhere = await merchant.call('POST', '/api/b2b/conversions', { quoteId, externalReference: 'elsewhere' })
  assert.equal(statusOf(elsewhere), '404 QUOTE_NOT_FOUND')
})

test('a quoted payout waits for approval, and its quote is used although the payout is cancelled', async (t) => {
  const malipo = await testMalipo(t, settings)
  const merchant = await malipo.merchant()
  const rule = { env: 'sandbox', above: '500', currency: 'KES', reason: 'a test' } as const
  const quoted = await merchant.call('POST', '/api/b2b/quotes', momo)
  const { quoteId } = quoted.body['data'] as { quoteId: string }
  await malipo.operator.payoutControls.setApprovals(merchant.id, rule)

  const made = await merchant.call('POST', '/api/b2b/fiat/payout', { quoteId, externalReference: 'unapproved-quote' })
  const read = await merchant.call('GET', `/api/b2b/transactions/${made.body['transactionId']}`)
  assert.equal((read.body['data'] as { stage: string }).stage, 'AWAITING_APPROVAL')
  await merchant.call('POST', `/api/b2b/fiat/payout/${made.body['transactionId']}/cancel`)
  const again = await merchant.call('POST', '/api/b2b/fiat/payout', { quoteId, externalReference: 'again' })
  assert.equal(statusOf(again), '409 QUOTE_USED')
})
