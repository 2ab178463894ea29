import assert from 'node:assert/strict'
import { test } from 'node:test'
import { until } from '../dev-stack/until.ts'
import { readId } from '../platform/ids.ts'
import {
  balanceOf,
  type ChargingMalipo,
  type ChargingMerchant,
  cards,
  chargingMalipo,
  codes,
  keyOf,
  transferBody,
} from '../testing/charging.ts'

async function open(merchant: ChargingMerchant, over: object = {}) {
  const answer = await merchant.send('bank-transfer', transferBody(over))
  assert.equal(answer.status, 200, JSON.stringify(answer.body))
  const { transactionId: id } = answer.body['data'] as { transactionId: string }
  return { id, key: keyOf(id) }
}

/** What one charge left in the accounts of one kind: credits less debits. */
async function left(malipo: ChargingMalipo, id: string, kind: string): Promise<bigint> {
  const [row] = await malipo.ask<{ sum: string }>(
    `select coalesce(sum(case when t.credit_account = a.id then t.amount else -t.amount end), 0)::text as sum
     from platform_accounts a join transfers t on a.id in (t.credit_account, t.debit_account)
     where a.kind = $1 and t.transaction_id = $2 and t.event <> 'provider_fee_reported'`,
    [kind, readId('transaction', id)],
  )
  return BigInt(row?.sum ?? '0')
}

test('an operator cannot resolve a partly paid charge as paid: the transfers decide', async (t) => {
  const malipo = await chargingMalipo(t)
  const merchant = await malipo.charging()
  const { id, key } = await open(merchant)
  await malipo.simulator.pay(key, '900.00')
  await merchant.becomes(id, 'to have received 900', ({ amountReceived }) => amountReceived === 900)

  const resolution = { outcome: 'successful', reason: 'the bank shows the rest', evidence: 'statement' } as const
  await assert.rejects(
    malipo.operator.payments.resolve(id, resolution),
    /paid by the transfers that its provider reports/,
  )
  await malipo.simulator.pay(key, '600.00')

  assert.equal((await merchant.ends(id)).status, 'SUCCESSFUL')
  assert.equal(await left(malipo, id, 'float'), -150_000n)
})

test('while its status lags, a taken code is not requested again and does not fail the charge', async (t) => {
  const malipo = await chargingMalipo(t)
  const merchant = await malipo.charging()
  const before = await balanceOf(malipo, merchant.id, 'NGN')
  await malipo.simulator.setFault({
    provider: 'flutterwave',
    operation: 'charge',
    mode: 'status_lags_callback',
    delayMs: 15_000,
  })
  const { id, key } = await merchant.chargeCard(cards.asksPin)
  await merchant.authorise(id, 'pin', codes.pin)
  await merchant.asks(id, 'OTP')
  const taken = await merchant.authorise(id, 'otp', codes.otp)
  assert.equal(taken.status, 200)
  assert.equal((await malipo.simulator.movements(key)).length, 1, 'the customer has paid')
  const asked = async () =>
    (await malipo.simulator.requests(key)).filter(({ operation }) => operation === 'charge_status').length
  const known = await asked()
  await malipo.later(10)
  await until('it to be asked about', async () => (await asked()) > known)
  assert.equal((await merchant.read(id)).nextAction.type, 'NONE')
  await malipo.simulator.advance(15_000)
  await malipo.later(30)
  const ended = await merchant.ends(id)
  assert.equal(ended.status, 'SUCCESSFUL')
  assert.equal(await balanceOf(malipo, merchant.id, 'NGN'), before + 118_800n)
})

test('a query that overtakes the customer’s answer neither permits a second nor fails', async (t) => {
  const malipo = await chargingMalipo(t)
  const merchant = await malipo.charging()
  await malipo.simulator.setFault({ provider: 'flutterwave', operation: 'charge', mode: 'stuck_pending' })
  const { id, key } = await merchant.chargeCard(cards.asksPin)
  await merchant.authorise(id, 'pin', codes.pin)
  await merchant.asks(id, 'OTP')
  await malipo.slowNext('authorise', 3000)
  const answering = merchant.authorise(id, 'otp', codes.otp)
  await until('the answer to be under way', async () => (await malipo.stateOf(id)) === 'sending')
  const verif = { 'verif-hash': 'token-of-a-simulator', 'content-type': 'application/json' }
  await fetch(`${malipo.url}/callbacks/sandbox/flutterwave`, {
    method: 'POST',
    headers: verif,
    body: JSON.stringify({ event: 'charge.completed', data: { tx_ref: key, status: 'pending' } }),
  })
  const first = await answering
  assert.equal((await merchant.authorise(id, 'otp', codes.otp)).status, 409)
  await malipo.simulator.act(key, 'approve')
  const ended = await merchant.ends(id)
  assert.deepEqual([first.status, ended.status], [200, 'SUCCESSFUL'])
})

test('an account opened late ends as if opened at once, and none is opened after that', async (t) => {
  const malipo = await chargingMalipo(t)
  const merchant = await malipo.charging()
  await malipo.loseNext('charge')
  const wanted = transferBody()
  assert.equal((await merchant.send('bank-transfer', wanted)).status, 503)
  await malipo.later(1.5 * 3600)
  const again = await merchant.send('bank-transfer', wanted)
  assert.equal(again.status, 200)
  const { virtualAccount } = again.body['data'] as { virtualAccount: { createdAt: string; expiresAt: string } }
  const lifeMs = Date.parse(virtualAccount.expiresAt) - Date.now()
  assert.ok(lifeMs > 25 * 60_000 && lifeMs < 35 * 60_000, `${lifeMs} ms`)

  await malipo.loseNext('charge')
  const other = transferBody()
  assert.equal((await merchant.send('bank-transfer', other)).status, 503)
  await malipo.later(2 * 3600)
  assert.equal((await merchant.send('bank-transfer', other)).status, 409)
})

test('the ledger check finds a charge that was credited with more than came in', async (t) => {
  const malipo = await chargingMalipo(t)
  const merchant = await malipo.charging()
  const { id, key } = await open(merchant)
  await malipo.ask('update transactions set received = 60000 where id = $1', [readId('transaction', id)])
  await malipo.simulator.pay(key, '900.00')
  await merchant.ends(id)
  const report = await malipo.operator.ledger.check({ isFull: true }).catch((error: unknown) => error)
  assert.ok(report instanceof Error)
})

test('a PIN whose response is lost can be followed by its code', async (t) => {
  const malipo = await chargingMalipo(t)
  const merchant = await malipo.charging()
  const { id } = await merchant.chargeCard(cards.asksPin)
  await malipo.loseNext('authorise')
  assert.equal((await merchant.authorise(id, 'pin', codes.pin)).status, 200)
  await merchant.asks(id, 'OTP')
  const answered = await merchant.authorise(id, 'otp', codes.otp)
  assert.equal(answered.status, 200)
})
