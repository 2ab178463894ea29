import assert from 'node:assert/strict'
import { test } from 'node:test'
import { until } from '../dev-stack/until.ts'
import { readId } from '../platform/ids.ts'
import {
  balanceOf,
  type ChargingMalipo,
  type ChargingMerchant,
  chargingMalipo,
  keyOf,
  nextReference,
  transferBody,
} from '../testing/charging.ts'
import { pollPaidAccounts } from '../workers/paid-accounts.ts'

interface Account {
  readonly accountNumber: string
  readonly bankName: string
  readonly expiresAt: string
  readonly bankLogo: string
}

async function open(merchant: ChargingMerchant, over: object = {}) {
  const answer = await merchant.send('bank-transfer', transferBody(over))
  assert.equal(answer.status, 200, JSON.stringify(answer.body))
  const { transactionId: id, virtualAccount } = answer.body['data'] as {
    transactionId: string
    virtualAccount: Account
  }
  return { id, key: keyOf(id), virtualAccount }
}

interface MerchantEvent {
  readonly fee: number
}

const isSettled =
  (amount: number) =>
  ({ amountReceived }: { amountReceived?: number }) =>
    amountReceived === amount

/** What is left in suspense over all charges in this test's currency. */
async function inSuspense(malipo: ChargingMalipo, currency: string): Promise<bigint> {
  await malipo.operator.ledger.check({ isFull: true })
  const [row] = await malipo.ask<{ sum: string }>(
    `select coalesce(sum(case when t.credit_account = a.id then t.amount else -t.amount end), 0)::text as sum
     from platform_accounts a join transfers t on a.id in (t.credit_account, t.debit_account)
     where a.kind = 'suspense' and a.currency = $1`,
    [currency],
  )
  return BigInt(row?.sum ?? '0')
}

for (const [currency, country] of [
  ['NGN', 'NG'],
  ['KES', 'KE'],
] as const)
  test(`the exact amount in ${currency} pays the charge, and the merchant is notified`, async (t) => {
    const malipo = await chargingMalipo(t)
    const merchant = await malipo.charging()
    const before = await balanceOf(malipo, merchant.id, currency)
    const { id, key, virtualAccount } = await open(merchant, { currency })
    const logo = await fetch(virtualAccount.bankLogo.replace(/^https?:\/\/[^/]+/, malipo.url))
    assert.deepEqual([logo.status, logo.headers.get('content-type')], [200, 'image/svg+xml'])

    await malipo.simulator.pay(key, '1500.00')

    const paid = await merchant.ends(id)
    assert.deepEqual([paid.status, paid.amountReceived, paid.receiverAmount], ['SUCCESSFUL', 1500, 1485], country)
    assert.equal(await balanceOf(malipo, merchant.id, currency), before + 148_500n)
    assert.equal(await inSuspense(malipo, currency), 0n)
  })

test('parts add up: short stays pending with no credit, the rest completes, excess is credited', async (t) => {
  const malipo = await chargingMalipo(t)
  const merchant = await malipo.charging()
  const before = await balanceOf(malipo, merchant.id, 'NGN')
  const suspense = await inSuspense(malipo, 'NGN')
  const { id, key } = await open(merchant)

  await malipo.simulator.pay(key, '900.00')
  const short = await merchant.becomes(id, 'to have received 900', isSettled(900))
  assert.deepEqual([short.status, short.stage], ['PENDING', 'AWAITING_CUSTOMER'])
  assert.equal(await balanceOf(malipo, merchant.id, 'NGN'), before)
  assert.equal(await inSuspense(malipo, 'NGN'), suspense + 90_000n)
  await malipo.simulator.pay(key, '700.50')

  const paid = await merchant.ends(id)
  assert.deepEqual([paid.status, paid.amountReceived, paid.fee], ['SUCCESSFUL', 1600.5, 16.01])
  assert.equal(paid.receiverAmount, 1584.49)
  assert.equal(paid.senderAmount, 1600.5)
  assert.equal(await balanceOf(malipo, merchant.id, 'NGN'), before + 158_449n)
  assert.equal(await inSuspense(malipo, 'NGN'), suspense)
})

test('the fee of a bank transfer charge is on the amount received, however small the charge was', async (t) => {
  const malipo = await chargingMalipo(t)
  const merchant = await malipo.charging()
  const before = await balanceOf(malipo, merchant.id, 'NGN')
  const { id, key } = await open(merchant, { amount: 1 })
  assert.equal((await merchant.read(id)).fee, 0.01)

  await malipo.simulator.pay(key, '1000000.00')

  const paid = await merchant.ends(id)
  assert.deepEqual([paid.fee, paid.amountReceived, paid.receiverAmount], [10_000, 1_000_000, 990_000])
  assert.equal(await balanceOf(malipo, merchant.id, 'NGN'), before + 99_000_000n)
  await malipo.operator.ledger.check({ isFull: true })
})

test('the feed repeats the fee that each webhook carried, before and after the money arrived', async (t) => {
  const malipo = await chargingMalipo(t)
  const { call } = await malipo.merchant()
  await call('PUT', '/api/b2b/users', { sandboxWebhookUrl: 'http://127.0.0.1:9/hooks' })
  const { body } = await call('POST', '/api/b2b/fiat/deposit/bank-transfer', transferBody({ amount: 1 }))
  const { transactionId: id } = body['data'] as { transactionId: string }
  await malipo.simulator.pay(keyOf(id), '500.00')
  await malipo.comesTo(id, 'successful')

  const feed = (await call('GET', '/api/b2b/events')).body['data'] as { id: string; data: MerchantEvent }[]
  const carried = await malipo.ask<{ fee: number }>(
    `select (w.body::jsonb -> 'data' -> 'fee')::float as fee
     from events e join webhook_records w on w.id = e.id where e.transaction_id = $1 order by e.number`,
    [readId('transaction', id)],
  )

  assert.deepEqual([feed.at(0)?.data.fee, feed.at(-1)?.data.fee], [0.01, 5])
  assert.deepEqual(
    feed.map(({ data }) => ({ fee: data.fee })),
    carried,
  )
})

test('the ledger check finds a charge whose fee differs from its books', async (t) => {
  const malipo = await chargingMalipo(t)
  const merchant = await malipo.charging()
  const { id, key } = await open(merchant)
  await malipo.simulator.pay(key, '1500.00')
  await merchant.ends(id)
  const touch = (fee: string) =>
    malipo.ask(`update transactions set fee = ${fee} where id = $1`, [readId('transaction', id)])

  await touch('fee - 1')
  await assert.rejects(malipo.operator.ledger.check({ isFull: true }), /the postings of a payment contradict its state/)

  await touch('fee + 1')
  await malipo.operator.ledger.check({ isFull: true })
})

test('a receipt reported twice is booked once; one after the end is credited by an adjustment', async (t) => {
  const malipo = await chargingMalipo(t)
  const merchant = await malipo.charging()
  const suspense = await inSuspense(malipo, 'NGN')
  const { id, key } = await open(merchant)
  await malipo.simulator.setFault({
    provider: 'flutterwave',
    operation: 'charge',
    mode: 'callback_duplicate',
    count: 3,
  })
  await malipo.simulator.pay(key, '1500.00')
  const paid = await merchant.ends(id)
  await malipo.simulator.resendCallback(key)
  const balance = await balanceOf(malipo, merchant.id, 'NGN')

  await malipo.simulator.pay(key, '20.00')
  const late = await merchant.becomes(id, 'to be adjusted', ({ timeline }) => timeline.some(isLate))

  assert.deepEqual([late.status, late.amountReceived, late.receiverAmount], ['SUCCESSFUL', 1500, paid.receiverAmount])
  assert.equal(await inSuspense(malipo, 'NGN'), suspense)
  assert.equal(await balanceOf(malipo, merchant.id, 'NGN'), balance + 1980n)
  const receipts = await malipo.ask('select from receipts where transaction_id = $1', [readId('transaction', id)])
  assert.equal(receipts.length, 2)
})

test('late money without a callback into a paid charge’s account is found when the account ends', async (t) => {
  const malipo = await chargingMalipo(t)
  const merchant = await malipo.charging()
  await malipo.simulator.setFault({ provider: 'flutterwave', operation: 'charge', mode: 'callback_never' })
  const { id, key } = await open(merchant)
  await malipo.simulator.pay(key, '1500.00')
  await malipo.later(3600)
  await merchant.ends(id)
  await malipo.simulator.pay(key, '20.00')

  await pollPaidAccounts(malipo.ctx)
  assert.equal((await merchant.ends(id)).timeline.some(isLate), false)
  await malipo.later(27 * 3600)
  await pollPaidAccounts(malipo.ctx)
  await pollPaidAccounts(malipo.ctx)

  assert.equal((await merchant.ends(id)).timeline.filter(isLate).length, 1)
  assert.deepEqual(
    await malipo.ask('select from paid_accounts where transaction_id = $1', [readId('transaction', id)]),
    [],
  )
})

const isLate = ({ message }: { message: string }) =>
  message.startsWith('The provider reported money moved after the end')

const maintenance = { env: 'sandbox', reason: 'maintenance' } as const
const silences: Record<string, (malipo: ChargingMalipo) => Promise<unknown>> = {
  'does not respond': ({ simulator }) =>
    simulator.setFault({ provider: 'flutterwave', operation: 'charge_status', mode: 'html_503' }),
  'is paused': ({ operator }) => operator.providers.pause('flutterwave', maintenance),
}
for (const [why, silence] of Object.entries(silences))
  test(`a bank that ${why} at the last query of a paid account is queried again later`, async (t) => {
    const malipo = await chargingMalipo(t)
    const merchant = await malipo.charging()
    const { id, key } = await open(merchant)
    await malipo.simulator.pay(key, '1500.00')
    await merchant.ends(id)
    await malipo.later(27 * 3600)
    await silence(malipo)

    await pollPaidAccounts(malipo.ctx)

    const [watched] = await malipo.ask(
      'select due > record_time() as is_later from paid_accounts where transaction_id = $1',
      [readId('transaction', id)],
    )
    assert.deepEqual(watched, { is_later: true })
    if (why === 'is paused') await malipo.operator.providers.resume('flutterwave', maintenance)
  })

test('a charge that expires short fails as underpaid and keeps its money; an unpaid one expires', async (t) => {
  const malipo = await chargingMalipo(t)
  const merchant = await malipo.charging()
  const suspense = await inSuspense(malipo, 'NGN')
  const [short, empty] = [await open(merchant), await open(merchant)]
  await malipo.simulator.pay(short.key, '100.00')
  await merchant.becomes(short.id, 'to have received 100', isSettled(100))

  await malipo.later(25 * 3600)
  assert.equal((await merchant.read(short.id)).status, 'PENDING')
  await malipo.later(3600 + 1)

  assert.equal((await merchant.ends(short.id)).failureReason?.failureCode, 'UNDERPAID')
  assert.equal((await merchant.ends(empty.id)).failureReason?.failureCode, 'EXPIRED')
  assert.equal(await inSuspense(malipo, 'NGN'), suspense + 10_000n)
})

test('a silent bank gives a 503, and the same request continues the same charge', async (t) => {
  const malipo = await chargingMalipo(t)
  const merchant = await malipo.charging()
  await malipo.slowNext('charge', 9000)
  const wanted = transferBody()

  const first = await merchant.send('bank-transfer', wanted)
  assert.deepEqual([first.status, first.body['errorCode']], [503, 'PROVIDER_TEMPORARILY_UNAVAILABLE'])
  const other = await merchant.send('bank-transfer', { ...wanted, amount: 1501 })
  assert.deepEqual([other.status, other.body['errorCode']], [409, 'E-API-D.S-28'])
  const again = await merchant.send('bank-transfer', wanted)

  assert.equal(again.status, 200)
  const { transactionId } = again.body['data'] as { transactionId: string }
  assert.equal((await merchant.read(wanted.externalReference)).transactionId, transactionId)
  await malipo.simulator.pay(keyOf(transactionId), '1500.00')
  assert.equal((await merchant.ends(transactionId)).status, 'SUCCESSFUL')
})

test('a lost account number is requested again under the same key, and money into either pays', async (t) => {
  const malipo = await chargingMalipo(t)
  const merchant = await malipo.charging()
  await malipo.loseNext('charge')
  const wanted = transferBody()
  assert.equal((await merchant.send('bank-transfer', wanted)).status, 503)

  const again = await merchant.send('bank-transfer', wanted)
  assert.equal(again.status, 200)
  const { transactionId } = again.body['data'] as { transactionId: string }
  const repeated = await merchant.send('bank-transfer', wanted)
  assert.equal(repeated.body['errorCode'], 'E-API-D.S-28')

  await malipo.simulator.pay(keyOf(transactionId), '1500.00')
  assert.equal((await merchant.ends(transactionId)).status, 'SUCCESSFUL')
})

test('an unreachable bank is retried by its lane, and the merchant is notified of the account', async (t) => {
  const malipo = await chargingMalipo(t)
  const merchant = await malipo.charging()
  await malipo.simulator.setFault({ provider: 'flutterwave', operation: 'charge', mode: 'operator_closed', times: 1 })
  const wanted = transferBody()
  assert.equal((await merchant.send('bank-transfer', wanted)).status, 503)

  await malipo.later(10)

  await until('the charge to have an account', async () => {
    const { nextAction } = await merchant.read(wanted.externalReference)
    return nextAction.type === 'BANK_TRANSFER'
  })
})

test('a repeat under a key gets the same account', async (t) => {
  const malipo = await chargingMalipo(t)
  const merchant = await malipo.charging()
  const [wanted, key] = [transferBody(), { 'idempotency-key': nextReference() }]
  const first = await merchant.send('bank-transfer', wanted, key)
  const again = await merchant.send('bank-transfer', wanted, key)
  assert.deepEqual([again.body, again.headers.get('idempotency-replayed')], [first.body, 'true'])
})

test('many small payments into an account do not delay the end of a charge', async (t) => {
  const malipo = await chargingMalipo(t)
  const merchant = await malipo.charging()
  await malipo.simulator.set({ callbackBase: '' }) // Without callbacks, only queries report.
  const { id, key } = await open(merchant)
  for (let times = 0; times < 201; times += 1) await malipo.simulator.pay(key, '1.00')
  await malipo.simulator.pay(key, '1500.00')

  await malipo.later(10)

  const paid = await merchant.ends(id)
  assert.deepEqual([paid.status, paid.amountReceived], ['SUCCESSFUL', 1701])
})
