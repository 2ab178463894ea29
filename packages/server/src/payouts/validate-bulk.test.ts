import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import type { ApiResponse } from '../testing/malipo.ts'
import { quote as setRate } from '../testing/paying.ts'
import { payoutBody } from '../testing/payout-body.ts'
import { type RefundingMerchant, refundingMalipo } from '../testing/refunding.ts'

const root = '/api/b2b/fiat'
const settings = { MALIPO_RATE_LIMIT_SANDBOX: '10000' }
const fromDollars = { debitCurrency: 'USD', debitCountry: 'KE' }

function dataOf<Data>({ status, body }: ApiResponse): Data {
  assert.equal(status, 200, JSON.stringify(body))
  return body['data'] as Data
}

/** What a bulk gets, by its validation and then by the bulk itself: the first error of each item, or `accepted`. */
async function triedAndMade({ call }: Pick<RefundingMerchant, 'call'>, payouts: readonly object[]) {
  const tried = dataOf<{ items: { isAcceptable: boolean; problems: { errorCode: string }[] }[] }>(
    await call('POST', `${root}/payouts/bulk/validate`, { payouts }),
  )
  const made = dataOf<{ success: boolean; errorCode?: string }[]>(
    await call('POST', `${root}/payouts/bulk`, { payouts }),
  )
  return {
    tried: tried.items.map(({ isAcceptable, problems }) => (isAcceptable ? 'accepted' : problems[0]?.errorCode)),
    made: made.map(({ success, errorCode }) => (success ? 'accepted' : errorCode)),
  }
}

test('payouts that together exceed what is left of one charge are refused in order by both', async (t) => {
  const malipo = await refundingMalipo(t, settings)
  const merchant = await malipo.refunding()
  const charge = await merchant.paid(1000)
  const { externalReference } = await merchant.read(charge.id)
  await merchant.refunded(charge.id, { amount: 129 })
  const back = (amount: number, refundOf: unknown = charge.id) => payoutBody(amount, { refundOf })

  const { tried, made } = await triedAndMade(merchant, [
    ...[back(500), back(400), back(300, externalReference), back(872), payoutBody(400), back(72), back(71), back(20)],
  ])

  const excess = 'REFUND_EXCEEDS_CHARGE'
  const expected = ['accepted', excess, 'accepted', excess, 'accepted', excess, 'accepted', excess]
  assert.deepEqual(tried, expected)
  assert.deepEqual(made, expected)
  await malipo.assertBooks()
})

test('one payout reports the excess of its charge together with its limit and missing funds', async (t) => {
  const malipo = await refundingMalipo(t, settings)
  const merchant = await malipo.refunding()
  const charge = await merchant.paid(1000)
  for (let paid = 0; paid < 4; paid += 1)
    assert.equal((await merchant.call('POST', `${root}/payout`, payoutBody(240_000))).status, 200)
  const limits = { env: 'sandbox', currency: 'KES', perPayout: '500', reason: 'contract 17' } as const
  await malipo.operator.payoutControls.setLimits(merchant.id, limits)

  const { problems } = dataOf<{ problems: { errorCode: string }[] }>(
    await merchant.call('POST', `${root}/payout/validate`, payoutBody(200_000, { refundOf: charge.id })),
  )

  assert.deepEqual(
    problems.map(({ errorCode }) => errorCode),
    ['PAYOUT_LIMIT_EXCEEDED', 'REFUND_EXCEEDS_CHARGE', 'INSUFFICIENT_FUNDS'],
  )
})

const item = fc.record({
  amount: fc.constantFrom(100, 300, 600, 900, 200_000, 240_000),
  isFromDollars: fc.boolean(),
  refundOf: fc.constantFrom('', '', 'first', 'first by reference', 'second'),
  /** Undefined: a reference of its own. */
  reference: fc.option(fc.constantFrom('one', 'two'), { nil: undefined, freq: 4 }),
  isQuoted: fc.boolean(),
})

test('whatever runs out in a bulk, its validation and the bulk itself agree item by item', async (t) => {
  const malipo = await refundingMalipo(t, settings)
  await malipo.ask('delete from rates')
  await setRate(malipo, 'USD/KES', '100', '100')
  let runs = 0

  await fc.assert(
    fc.asyncProperty(fc.array(item, { minLength: 8, maxLength: 24 }), async (items) => {
      runs += 1
      const merchant = await malipo.refunding()
      const [first, second] = [await merchant.paid(1000), await merchant.paid(600)]
      const { externalReference } = await merchant.read(first.id)
      const charges = { first: first.id, 'first by reference': externalReference, second: second.id }
      const limits = { env: 'sandbox', currency: 'KES', perMerchantDay: '900000', reason: 'contract 17' } as const
      await malipo.operator.payoutControls.setLimits(merchant.id, { ...limits, perBeneficiaryDay: '600000' })
      const { externalReference: _, ...quoted } = payoutBody(300)
      const { quoteId } = dataOf<{ quoteId: string }>(await merchant.call('POST', '/api/b2b/quotes', quoted))
      const payouts = items.map(({ amount, isFromDollars, refundOf, reference, isQuoted }) => {
        const { externalReference: own, ...body } = payoutBody(amount)
        const rest = isQuoted && amount === 300 ? { quoteId } : { ...body, ...(isFromDollars && fromDollars) }
        const charge = charges[refundOf as keyof typeof charges]
        const named = reference === undefined ? own : `repeated-${runs}-${reference}`
        return { ...rest, externalReference: named, ...(charge !== undefined && { refundOf: charge }) }
      })

      const { tried, made } = await triedAndMade(merchant, payouts)

      assert.deepEqual(made, tried)
    }),
    { numRuns: 12 },
  )
  await malipo.assertBooks()
})

test('items of a bulk are decided in its order, also those that take longer to price', async (t) => {
  const malipo = await refundingMalipo(t, settings)
  await malipo.ask('delete from rates')
  await setRate(malipo, 'USD/KES', '100', '100')
  const merchant = await malipo.refunding()
  const limits = { env: 'sandbox', reason: 'contract 17' } as const
  await malipo.operator.payoutControls.setLimits(merchant.id, { ...limits, currency: 'KES', perMerchantDay: '1000' })
  await malipo.operator.payoutControls.setLimits(merchant.id, { ...limits, currency: 'USD', perMerchantDay: '5' })

  const { tried, made } = await triedAndMade(merchant, [
    ...[
      payoutBody(400, fromDollars),
      payoutBody(500),
      payoutBody(200, fromDollars),
      payoutBody(101),
      payoutBody(100, fromDollars),
    ],
  ])

  const expected = ['accepted', 'accepted', 'PAYOUT_LIMIT_EXCEEDED', 'PAYOUT_LIMIT_EXCEEDED', 'accepted']
  assert.deepEqual(tried, expected)
  assert.deepEqual(made, expected)
})
