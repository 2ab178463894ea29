import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { until } from '../dev-stack/until.ts'
import { providerKeyOf, readId } from '../platform/ids.ts'
import { createNudge, type PayingMalipo, payingMalipo, walletsOf } from '../testing/paying.ts'

type Merchant = Awaited<ReturnType<PayingMalipo['merchant']>>

const path = '/api/b2b/fiat/payout'
const keyOf = (id: string, attempt: number) => providerKeyOf(readId('transaction', id) ?? '', attempt)
const nairaOf = async (malipo: PayingMalipo, { id }: Merchant) => (await walletsOf(malipo, id)).get('NGN')

/** A payout of NGN 1,000 that Flutterwave took and failed: our wallet there was empty. */
async function unfundedPayout(malipo: PayingMalipo, merchant: Merchant, externalReference: string): Promise<string> {
  await malipo.simulator.setFault({ provider: 'flutterwave', operation: 'payout', mode: 'float_empty', times: 1 })
  const payoutMethod = { accountName: 'Amina Bello', accountNumber: '0690000031', code: '044' }
  const place = { currency: 'NGN', country: 'NG', destination: 'Bank Account' }
  const { body } = await merchant.call('POST', path, { amount: 1000, ...place, externalReference, payoutMethod })
  const id = String(body['transactionId'])
  const nudge = createNudge(malipo, id)
  await until(`${id} to wait for our money`, async () => {
    await nudge()
    return (await seen(malipo, id))?.attempt === 2
  })
  return id
}

async function seen(malipo: PayingMalipo, id: string) {
  const [row] = await malipo.ask<{ state: string; doubt: string; attempt: number }>(
    'select state, doubt, attempt from transactions where id = $1',
    [readId('transaction', id)],
  )
  return row
}

/** Makes the provider call back about the first attempt once more, late. */
async function callAgain({ simulator }: PayingMalipo, id: string): Promise<void> {
  const key = keyOf(id, 1)
  await until('the callback to be delivered', async () =>
    (await simulator.callbacks(key)).every(({ status }) => status === 'delivered'),
  )
  await simulator.resendCallback(key)
}

/** Flutterwave reports the first attempt, which it had failed, as paid after all. */
function paysAfterAll(t: TestContext, { ctx }: PayingMalipo, id: string): void {
  const { payouts, callbacks } = ctx.connectors.sandbox.get('flutterwave') ?? {}
  assert.ok(payouts && callbacks)
  const query = payouts.query.bind(payouts)
  const key = keyOf(id, 1)
  const providerStatus = { state: 'successful', settled: { amount: 100_000n, currency: 'NGN' } } as const
  t.mock.method(payouts, 'query', async (...asked: Parameters<typeof query>) =>
    asked[0].key === key ? { found: 'yes', providerStatus } : query(...asked),
  )
  t.mock.method(callbacks, 'read', () => ({ isGenuine: true, isProof: false, observations: [{ key, providerStatus }] }))
}

async function paidTimes({ simulator }: PayingMalipo, id: string): Promise<number[]> {
  const moved = await Promise.all([1, 2, 3].map((attempt) => simulator.movements(keyOf(id, attempt))))
  return moved.map((movements) => movements.length)
}

test('a payout finding our wallet empty keeps its hold, alerts, and is paid once by a new key', async (t) => {
  const malipo = await payingMalipo(t)
  await malipo.simulator.set({ callbackBase: `${malipo.url}/callbacks/sandbox` })
  malipo.work()
  const merchant = await malipo.merchant()
  const id = await unfundedPayout(malipo, merchant, 'short')

  assert.deepEqual(await seen(malipo, id), { state: 'accepted', doubt: 'float_exhausted', attempt: 2 })
  assert.equal((await nairaOf(malipo, merchant))?.reserved, 101_000n)
  assert.ok(malipo.log.some((line) => line.includes('float at provider too low')))
  const { body } = await merchant.call('GET', '/api/b2b/transactions/short')
  assert.partialDeepStrictEqual(body['data'], { status: 'PENDING', stage: 'PROCESSING' })

  await malipo.later(2 * 60)
  await malipo.comesTo(id, 'successful')
  for (let time = 0; time < 2; time += 1) await callAgain(malipo, id)

  assert.deepEqual(await paidTimes(malipo, id), [0, 1, 0])
  assert.deepEqual(await seen(malipo, id), { state: 'successful', doubt: '', attempt: 2 })
  assert.equal((await nairaOf(malipo, merchant))?.reserved, 0n)
  await malipo.operator.ledger.check({ isFull: true })
})

test('a payout that was paid after all while it waited for our money is not sent again', async (t) => {
  const malipo = await payingMalipo(t)
  await malipo.simulator.set({ callbackBase: `${malipo.url}/callbacks/sandbox` })
  malipo.work()
  const merchant = await malipo.merchant()
  const before = await nairaOf(malipo, merchant)
  const id = await unfundedPayout(malipo, merchant, 'flapped')

  paysAfterAll(t, malipo, id)
  await callAgain(malipo, id)
  await malipo.comesTo(id, 'successful')
  const other = await unfundedPayout(malipo, merchant, 'another')
  await malipo.later(2 * 60)
  await malipo.comesTo(other, 'successful')

  assert.deepEqual(await paidTimes(malipo, id), [0, 0, 0])
  const spent = (before?.available ?? 0n) - 2n * 101_000n
  assert.deepEqual(await nairaOf(malipo, merchant), { available: spent, reserved: 0n })
  await malipo.operator.ledger.check({ isFull: true })
})

test('a payout paid under both keys is money to recover, with a case; the merchant pays once', async (t) => {
  const malipo = await payingMalipo(t)
  await malipo.simulator.set({ callbackBase: `${malipo.url}/callbacks/sandbox` })
  malipo.work()
  const merchant = await malipo.merchant()
  const before = await nairaOf(malipo, merchant)
  const id = await unfundedPayout(malipo, merchant, 'twice')
  await malipo.later(2 * 60)
  await malipo.comesTo(id, 'successful')

  paysAfterAll(t, malipo, id)
  const isAlerted = () => malipo.log.some((line) => line.includes('abandoned attempt moved money'))
  for (let time = 0; time < 2; time += 1) await callAgain(malipo, id)
  await until('the second payment to be noticed', async () => isAlerted())

  const cases = (await malipo.operator.suspense.list({ limit: 1000 })).filter((each) => each.transactionId === id)
  assert.deepEqual(
    cases.map(({ kind, amount }) => [kind, amount]),
    [['abandoned_attempt_success', '-1000.00']],
  )
  assert.equal((await nairaOf(malipo, merchant))?.available, (before?.available ?? 0n) - 101_000n)
  await malipo.operator.ledger.check({ isFull: true })
})

test('a payout that waits for our money can be cancelled, and is then never paid', async (t) => {
  const malipo = await payingMalipo(t)
  malipo.work()
  const merchant = await malipo.merchant()
  const before = await nairaOf(malipo, merchant)
  const id = await unfundedPayout(malipo, merchant, 'cancelled')

  assert.equal((await merchant.call('POST', `${path}/${id}/cancel`)).status, 200)
  const other = await unfundedPayout(malipo, merchant, 'another')
  await malipo.later(2 * 60)
  await malipo.comesTo(other, 'successful')

  assert.deepEqual(await paidTimes(malipo, id), [0, 0, 0])
  assert.deepEqual(await seen(malipo, id), { state: 'failed', doubt: '', attempt: 2 })
  assert.equal((await nairaOf(malipo, merchant))?.available, (before?.available ?? 0n) - 101_000n)
})
