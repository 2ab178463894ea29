import assert from 'node:assert/strict'
import { test } from 'node:test'
import { until } from '../dev-stack/until.ts'
import { providerKeyOf, readId } from '../platform/ids.ts'
import { type PayingMalipo, payingMalipo, walletsOf } from '../testing/paying.ts'

type Merchant = Awaited<ReturnType<PayingMalipo['merchant']>>

const minute = 60
const keyOf = (id: string) => providerKeyOf(readId('transaction', id) ?? '', 1)

let payouts = 0

/** A payout of NGN 1,000 to a Nigerian bank, routed to Flutterwave. */
async function payBank(merchant: Merchant): Promise<string> {
  payouts += 1
  const { status, body } = await merchant.call('POST', '/api/b2b/fiat/payout', {
    amount: 1000,
    currency: 'NGN',
    country: 'NG',
    destination: 'Bank Account',
    externalReference: `refused-${payouts}`,
    payoutMethod: { accountName: 'Amina Bello', accountNumber: '0690000031', code: '044' },
  })
  assert.equal(status, 200, JSON.stringify(body))
  return String(body['transactionId'])
}

const refuses = (malipo: PayingMalipo, message: string, moment: 'before' | 'after' = 'before', times = 1000) =>
  malipo.simulator.setFault({
    provider: 'flutterwave',
    operation: 'payout',
    mode: 'http_status',
    status: 400,
    moment,
    times,
    body: { status: 'error', message, data: null },
  })

async function sentTimes({ simulator }: PayingMalipo, id: string): Promise<number> {
  return (await simulator.requests(keyOf(id))).filter(({ operation }) => operation === 'payout').length
}

async function seen(malipo: PayingMalipo, id: string) {
  const [row] = await malipo.ask<{ state: string; doubt: string; code: string | null }>(
    `select state, doubt, failure->>'code' as code from transactions where id = $1`,
    [readId('transaction', id)],
  )
  return row
}

const nairaOf = async (malipo: PayingMalipo, { id }: Merchant) => (await walletsOf(malipo, id)).get('NGN')

test('a payout that the provider’s validation refuses fails with a code and returns its money', async (t) => {
  const malipo = await payingMalipo(t)
  malipo.work()
  const refusals = [
    ['Amount should be more than NGN 100', 'AMOUNT_NOT_ACCEPTED'],
    ['account_bank is invalid', 'DETAILS_NOT_ACCEPTED'],
    ['Sorry, that account number is invalid, please check and try again', 'RECIPIENT_NOT_FOUND'],
  ] as const
  const merchant = await malipo.merchant()
  const before = await nairaOf(malipo, merchant)
  for (const [message, code] of refusals) {
    await refuses(malipo, message)
    const id = await payBank(merchant)

    await malipo.comesTo(id, 'failed')

    assert.deepEqual(await seen(malipo, id), { state: 'failed', doubt: '', code })
    assert.deepEqual(await nairaOf(malipo, merchant), before)
    assert.equal(await sentTimes(malipo, id), 1)
    await malipo.simulator.clearFaults()
  }
  await malipo.operator.ledger.check({ isFull: true })
})

test('a refusal of our account keeps payouts waiting with an alert; once lifted they are paid', async (t) => {
  const malipo = await payingMalipo(t)
  malipo.work()
  const merchant = await malipo.merchant()
  for (const message of [
    'Please enable IP Whitelisting to access this service',
    'This request cannot be processed. Please contact your account administrator',
    'Merchant cannot perform transactions without approval.',
  ]) {
    await refuses(malipo, message)
    const alerts = () => malipo.log.filter((line) => line.includes('provider refuses our requests')).length
    const before = alerts()
    const id = await payBank(merchant)
    await until('a refusal', async () => (await seen(malipo, id))?.doubt === 'rejected')

    await malipo.later(60 * minute)
    await until('another try', async () => (await sentTimes(malipo, id)) > 1)
    assert.equal((await nairaOf(malipo, merchant))?.reserved, 101_000n)
    assert.equal(alerts(), before + 1)

    await malipo.simulator.clearFaults()
    await malipo.later(2 * minute)
    await malipo.comesTo(id, 'successful')
    assert.equal((await malipo.simulator.movements(keyOf(id))).length, 1)
  }
})

test('an unknown refusal fails a payout only when the provider lacks it for its whole window', async (t) => {
  const malipo = await payingMalipo(t)
  malipo.work()
  const merchant = await malipo.merchant()
  const before = await nairaOf(malipo, merchant)
  await refuses(malipo, 'The stars are not aligned')
  const id = await payBank(merchant)
  await until('doubt', async () => (await seen(malipo, id))?.doubt === 'refused_unclear')

  await malipo.later(4 * minute)
  await until('a question', async () => (await asked(malipo, id)) > 0)
  assert.equal((await nairaOf(malipo, merchant))?.reserved, 101_000n)

  await malipo.later(10 * minute)
  await malipo.comesTo(id, 'failed')
  assert.equal((await seen(malipo, id))?.code, 'DETAILS_NOT_ACCEPTED')
  assert.deepEqual(await nairaOf(malipo, merchant), before)
  assert.equal(await sentTimes(malipo, id), 1)
})

async function asked({ simulator }: PayingMalipo, id: string): Promise<number> {
  return (await simulator.requests(keyOf(id))).filter(({ operation }) => operation === 'payout_status').length
}

test('a duplicate reference in unknown words is queried, and the payout is paid once', async (t) => {
  const malipo = await payingMalipo(t)
  malipo.work()
  const merchant = await malipo.merchant()
  for (const message of ['Kindly supply another transaction reference', 'Try a fresh one']) {
    await refuses(malipo, message, 'after', 1)
    const id = await payBank(merchant)

    await malipo.comesTo(id, 'successful')

    assert.equal((await malipo.simulator.movements(keyOf(id))).length, 1)
    assert.equal(await sentTimes(malipo, id), 1)
  }
  assert.equal((await nairaOf(malipo, merchant))?.reserved, 0n)
})
