import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import type { LimitsOrder } from '../operate/payout-controls.ts'
import { readId } from '../platform/ids.ts'
import { type ApiResponse, testMalipo } from '../testing/malipo.ts'
import { payoutBody, to } from '../testing/payout-body.ts'

/** Payments are accepted without their provider; without lanes nothing is sent. */
const noProvider = {
  MALIPO_SIMULATOR_URL: 'http://127.0.0.1:9',
  MALIPO_SIMULATOR_TOKEN: 'unused-simulator-token',
  MALIPO_RATE_LIMIT_SANDBOX: '100000',
}
const path = '/api/b2b/fiat/payout'
const order = { env: 'sandbox', currency: 'KES', reason: 'contract 17' } as const
const fromDollars = { debitCurrency: 'USD', debitCountry: 'KE' }

/** 100 KES for a dollar. */
async function limited(t: TestContext, ...limits: readonly Partial<LimitsOrder>[]) {
  const malipo = await testMalipo(t, noProvider)
  await malipo.ask('delete from rates')
  await malipo.ask(`insert into rates values ('sandbox', 'USD', 'KES', now(), 100, 100, 'house')`)
  const merchant = await malipo.merchant()
  for (const each of limits) await malipo.operator.payoutControls.setLimits(merchant.id, { ...order, ...each })
  const pay = (amount: number, over: object = {}) => merchant.call('POST', path, payoutBody(amount, over))
  const sums = async () => {
    const rows = await malipo.ask<{ currency: string; kind: string; spent: bigint }>(
      'select currency, kind, sum(spent)::bigint as spent from payout_days where merchant_id = $1 group by 1, 2 order by 1, 2',
      [readId('merchant', merchant.id)],
    )
    return Object.fromEntries(rows.map(({ currency, kind, spent }) => [`${currency} ${kind}`, Number(spent) / 100]))
  }
  /** The check throws at the first difference. */
  const assertBooks = async () => assert.ok((await malipo.operator.ledger.check({ isFull: true })).transfers >= 0)
  return { malipo, merchant, pay, sums, assertBooks }
}

const statusOf = ({ status, body }: ApiResponse) => (status === 200 ? 'accepted' : `${status} ${body['errorCode']}`)
const refused = '422 PAYOUT_LIMIT_EXCEEDED'
const detailsOf = ({ body }: ApiResponse) =>
  Object.fromEntries(
    (body['details'] as { field: string; message: string }[]).map((each) => [each.field, each.message]),
  )

test('a limit for one payout binds a payout in its currency from a wallet in another', async (t) => {
  const { pay } = await limited(t, { perPayout: '1000' })

  const above = await pay(1001, fromDollars)

  assert.equal(statusOf(above), refused)
  assert.deepEqual(detailsOf(above), { limit: 'per payout', most: '1000.00 KES', left: '1000.00 KES' })
  assert.equal(statusOf(await pay(1000, fromDollars)), 'accepted')
})

test('each day limit counts what is paid in its currency, whatever wallet pays', async (t) => {
  for (const option of ['perCredentialDay', 'perMerchantDay', 'perBeneficiaryDay'] as const) {
    const { pay, assertBooks } = await limited(t, { [option]: '1000' })

    assert.equal(statusOf(await pay(400, fromDollars)), 'accepted', option)
    assert.equal(statusOf(await pay(400)), 'accepted', option)
    const above = await pay(201, fromDollars)

    assert.equal(statusOf(above), refused, option)
    assert.deepEqual([detailsOf(above)['most'], detailsOf(above)['left']], ['1000.00 KES', '200.00 KES'])
    assert.equal(statusOf(await pay(201)), refused, option)
    assert.equal(statusOf(await pay(200, fromDollars)), 'accepted', option)
    await assertBooks()
  }
})

test('a payout across currencies counts in both, and the limit that it exceeds is named in its own', async (t) => {
  const dollars = { currency: 'USD', perMerchantDay: '10', perBeneficiaryDay: '100' }
  const { pay, sums } = await limited(t, { perMerchantDay: '1500', perCredentialDay: '9000' }, dollars)

  assert.equal(statusOf(await pay(600, fromDollars)), 'accepted')

  assert.deepEqual(await sums(), {
    'KES credential': 600,
    'KES merchant': 600,
    'USD beneficiary': 6,
    'USD merchant': 6,
  })
  assert.equal(detailsOf(await pay(500, fromDollars))['left'], '4.00 USD')
  assert.equal(statusOf(await pay(800)), 'accepted')
  assert.equal(detailsOf(await pay(300, fromDollars))['left'], '100.00 KES')
  assert.equal(statusOf(await pay(100, fromDollars)), 'accepted')
})

test('a payout across currencies that fails returns its share in both, once', async (t) => {
  const { merchant, pay, sums, assertBooks } = await limited(
    t,
    { perMerchantDay: '1000', perBeneficiaryDay: '1000' },
    { currency: 'USD', perCredentialDay: '10' },
  )
  const first = await pay(900, fromDollars)
  assert.equal(statusOf(await pay(900, { ...fromDollars, ...to('+254703456780') })), refused)
  const cancel = () => merchant.call('POST', `${path}/${first.body['transactionId']}/cancel`)

  const cancelled = await Promise.all([cancel(), cancel(), cancel()])

  assert.equal(cancelled.filter(({ status }) => status === 200).length, 1)
  assert.deepEqual(await sums(), { 'KES beneficiary': 0, 'KES merchant': 0, 'USD credential': 0 })
  assert.equal(statusOf(await pay(1000, fromDollars)), 'accepted')
  assert.equal(statusOf(await pay(20, fromDollars)), refused)
  await assertBooks()
})

test('a repeated payout across currencies counts once in each', async (t) => {
  const { malipo, merchant, sums } = await limited(
    t,
    { perMerchantDay: '1000' },
    { currency: 'USD', perMerchantDay: '10' },
  )
  const headers = { authorization: `Bearer ${await merchant.token()}`, 'idempotency-key': 'once' }
  const body = payoutBody(600, fromDollars)

  const same = await Promise.all(Array.from({ length: 10 }, () => malipo.call('POST', path, headers, body)))

  assert.deepEqual(new Set(same.map(statusOf)), new Set(['accepted']))
  assert.deepEqual(await sums(), { 'KES merchant': 600, 'USD merchant': 6 })
})

test('of fifty payouts at once from two wallets in two processes, a limit for ten accepts ten', async (t) => {
  for (const option of ['perCredentialDay', 'perMerchantDay', 'perBeneficiaryDay'] as const) {
    const { malipo, merchant, assertBooks } = await limited(t, { [option]: '1000' })
    const other = await testMalipo(t, noProvider)
    const headers = { authorization: `Bearer ${await merchant.token()}` }
    const processes = [malipo, other]

    const all = await Promise.all(
      Array.from({ length: 50 }, (_, index) => {
        const body = payoutBody(100, index % 4 < 2 ? fromDollars : {})
        return processes[index % 2]?.call('POST', path, headers, body)
      }),
    )

    const statuses = all.map((each) => each && statusOf(each))
    assert.equal(statuses.filter((status) => status === 'accepted').length, 10, option)
    assert.equal(statuses.filter((status) => status === refused).length, 40, option)
    await assertBooks()
  }
})

test('payouts and cancellations at once across currencies share their limits without a deadlock', async (t) => {
  const wide = { perMerchantDay: '1000000', perBeneficiaryDay: '1000000' }
  const { malipo, merchant, sums, assertBooks } = await limited(t, wide, { ...wide, currency: 'USD' })
  const other = await testMalipo(t, noProvider)
  const headers = { authorization: `Bearer ${await merchant.token()}` }

  const all = await Promise.all(
    Array.from({ length: 60 }, async (_, index) => {
      const at = index % 2 === 0 ? malipo : other
      const over = { ...to(`+25470345678${index % 7}`), ...(index % 4 < 2 && fromDollars) }
      const { status, body } = await at.call('POST', path, headers, payoutBody(100, over))
      if (index % 3 > 0 || status !== 200) return status
      return (await at.call('POST', `${path}/${body['transactionId']}/cancel`, headers)).status
    }),
  )

  assert.deepEqual(new Set(all), new Set([200]))
  assert.deepEqual(await sums(), {
    'KES beneficiary': 4000,
    'KES merchant': 4000,
    'USD beneficiary': 20,
    'USD merchant': 20,
  })
  await assertBooks()
})
