import assert from 'node:assert/strict'
import { test } from 'node:test'
import { until } from '../dev-stack/until.ts'
import { readId } from '../platform/ids.ts'
import { transferBody } from '../testing/charging.ts'
import type { ApiResponse } from '../testing/malipo.ts'
import { keyOf, type RefundingMalipo, type RefundingMerchant, refundingMalipo } from '../testing/refunding.ts'

const outcomeOf = ({ status, body }: ApiResponse) => (status === 200 ? 'accepted' : `${status} ${body['errorCode']}`)
const notSupported = '422 REFUND_NOT_SUPPORTED'

/** An account for a charge of 1500: in NGN at Flutterwave, in KES at house. */
async function open(merchant: RefundingMerchant, currency: 'NGN' | 'KES'): Promise<string> {
  const { status, body } = await merchant.call(
    'POST',
    '/api/b2b/fiat/deposit/bank-transfer',
    transferBody({ currency }),
  )
  assert.equal(status, 200, JSON.stringify(body))
  return (body['data'] as { transactionId: string }).transactionId
}

const receiptsOf = (malipo: RefundingMalipo, id: string) =>
  malipo.ask<{ receipt_id: string; is_reversed: boolean }>(
    'select receipt_id, is_reversed from receipts where transaction_id = $1 order by number',
    [readId('transaction', id)],
  )

/** Pays into the account, one transfer after another. */
async function pay(malipo: RefundingMalipo, id: string, ...amounts: readonly number[]): Promise<void> {
  for (const amount of amounts) {
    const { length } = await receiptsOf(malipo, id)
    await malipo.simulator.pay(keyOf(id), String(amount))
    await until('the transfer to be booked', async () => (await receiptsOf(malipo, id)).length > length)
  }
}

const bank = { country: 'NG', currency: 'NGN', destination: 'Bank Account' }
const payoutMethod = { accountName: 'Ngozi Obi', accountNumber: '0690000031', code: '044' }

test('a charge that several transfers paid is not refunded where the provider refunds one of them', async (t) => {
  const malipo = await refundingMalipo(t)
  const merchant = await malipo.refunding()
  const charge = await open(merchant, 'NGN')
  await pay(malipo, charge, 900, 600)
  await malipo.comesTo(charge, 'successful')

  const all = await merchant.refund(charge)
  const part = await merchant.refund(charge, { amount: 500 })

  assert.deepEqual([outcomeOf(all), outcomeOf(part)], [notSupported, notSupported])
  assert.match(String(all.body['message']), /Several transfers/)
  assert.match(String(all.body['fix']), /refundOf/)
  assert.deepEqual(await malipo.simulator.refunds(keyOf(charge)), [])
  assert.equal((await merchant.read(charge)).refundable, 1500)
  const body = { ...bank, amount: 1500, payoutMethod, externalReference: 'instead', refundOf: charge }
  assert.equal(outcomeOf(await merchant.call('POST', '/api/b2b/fiat/payout', body)), 'accepted')
  assert.equal((await merchant.read(charge)).refundable, 0)
  await malipo.assertBooks()
})

test('a charge that one transfer paid is refunded whole, what exceeded its amount included', async (t) => {
  const malipo = await refundingMalipo(t)
  const merchant = await malipo.refunding()
  const charge = await open(merchant, 'NGN')
  await pay(malipo, charge, 1700)
  await malipo.comesTo(charge, 'successful')

  const refund = await merchant.refunded(charge)
  await malipo.comesTo(refund, 'successful')

  const [booked] = await malipo.simulator.refunds(keyOf(charge))
  assert.equal(Number(booked?.amount), 1700)
  await malipo.assertBooks()
})

test('a transfer that the bank took back does not count, and one after the end does', async (t) => {
  const malipo = await refundingMalipo(t)
  const merchant = await malipo.refunding()
  const charge = await open(merchant, 'NGN')
  await pay(malipo, charge, 900)
  await malipo.simulator.reverse(keyOf(charge))
  await until('the transfer to be taken back', async () => {
    await malipo.later(3600)
    return (await receiptsOf(malipo, charge))[0]?.is_reversed === true
  })
  await pay(malipo, charge, 1500)
  await malipo.comesTo(charge, 'successful')

  await malipo.comesTo(await merchant.refunded(charge, { amount: 300 }), 'successful')
  await pay(malipo, charge, 700)

  assert.equal((await merchant.read(charge)).refundable, 1900)
  assert.equal(outcomeOf(await merchant.refund(charge, { amount: 300 })), notSupported)
  await malipo.assertBooks()
})

test('a provider that knows the charge as one payment refunds all its transfers', async (t) => {
  const malipo = await refundingMalipo(t)
  const merchant = await malipo.refunding()
  const charge = await open(merchant, 'KES')
  await pay(malipo, charge, 900, 600)
  await malipo.comesTo(charge, 'successful')

  await malipo.comesTo(await merchant.refunded(charge), 'successful')

  assert.equal((await merchant.read(charge)).refunded, 1500)
  await malipo.assertBooks()
})
