import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readId } from '../platform/ids.ts'
import type { Said } from '../providers/contract.ts'
import { cardBody, cards, chargingMalipo, codes, keyOf, nextReference } from '../testing/charging.ts'
import { decide } from '../transactions/decide.ts'
import { movementsFor } from '../transactions/money.ts'
import type { Attempt, BookedReceipt, KnownPayment, Transaction } from '../transactions/store.ts'

const transfer = (over: object = {}) => ({
  amount: 1500,
  currency: 'NGN',
  email: 'amina@example.com',
  externalReference: nextReference(),
  ...over,
})

const now = Date.parse('2026-11-15T12:00:00Z')
const around = { nowMs: now, notFoundWindowMs: 0, alternatives: [], jitter: 0.5 }
const accounts = new Map<string, string>(
  ['clearing', 'fees', 'suspense', 'cost'].map((kind) => [`${kind} sandbox NGN  `, kind] as const),
).set('float sandbox NGN flutterwave NG', 'float')

function charge(over: Partial<Transaction>, receipts: readonly BookedReceipt[]): KnownPayment {
  const transaction = {
    id: '019a0000-0000-7000-8000-000000000000',
    type: 'deposit',
    method: 'bank-transfer',
    env: 'sandbox',
    country: 'NG',
    wallet_id: 'wallet',
    amount: 150_000n,
    wallet_amount: 150_000n,
    fee: 1500n,
    currency: 'NGN',
    wallet_currency: 'NGN',
    rate: null,
    state: 'waiting',
    doubt: '',
    discrepancy: '',
    action: null,
    expires_at: new Date(now + 60_000),
    received: receipts.reduce((sum, { amount }) => sum + amount, 0n),
    ...over,
  } as Transaction
  const attempt = { transaction_id: transaction.id, number: 1, provider: 'flutterwave', sends: 1, polls: 0 } as Attempt
  return { transaction, attempt, receipts }
}
const booked = (amount: bigint): BookedReceipt => ({
  transaction_id: '019a0000-0000-7000-8000-000000000000',
  receipt_id: '1',
  number: 0,
  amount,
  is_late: false,
})
const reversed: Said = { state: 'reversed', failure: { code: 'REVERSED', message: 'x' } }

test('what a provider takes back of an overpaid charge is what it had given', () => {
  const payment = charge({ state: 'successful' }, [booked(160_050n)])
  const decision = decide(
    payment,
    { cause: 'query', isAskedAfterTheEnd: true, news: { kind: 'said', said: reversed } },
    around,
  )
  assert(decision)
  const [movement] = movementsFor(payment.transaction, 'flutterwave', decision, accounts)
  assert.equal(movement && 'amount' in movement && movement.amount, 160_050n)
})

test('what a provider takes back of a part that is in suspense leaves suspense, or is flagged', () => {
  const payment = charge({}, [booked(90_000n)])
  const decision = decide(
    payment,
    { cause: 'query', isAskedAfterTheEnd: true, news: { kind: 'said', said: reversed } },
    around,
  )
  assert(decision)
  const movements = movementsFor(payment.transaction, 'flutterwave', decision, accounts)
  assert.ok(movements.length > 0 || decision.progress.discrepancy || decision.alert)
})

test('many small payments into an account do not keep a charge from ending', async (t) => {
  const malipo = await chargingMalipo(t)
  const merchant = await malipo.charging()
  await malipo.simulator.set({ callbackBase: '' })
  const wanted = transfer()
  const { body } = await merchant.send('bank-transfer', wanted)
  const { transactionId: id } = body['data'] as { transactionId: string }
  for (let times = 0; times < 201; times += 1) await malipo.simulator.pay(keyOf(id), '1.00')
  await malipo.simulator.pay(keyOf(id), '1500.00')
  await malipo.later(27 * 3600)
  const ended = await merchant.ends(id).catch(async () => merchant.read(id))
  await malipo.ask('select from receipts where transaction_id = $1', [readId('transaction', id)])
  assert.notEqual(ended.status, 'PENDING')
})

test('a provider that is closed counts against no customer', async (t) => {
  const malipo = await chargingMalipo(t, { MALIPO_CARD_TRIES_SANDBOX: '2' })
  const merchant = await malipo.charging()
  await malipo.simulator.setFault({ provider: 'flutterwave', operation: 'charge', mode: 'operator_closed', times: 2 })
  for (const number of [cards.succeeds, cards.asksPin]) await merchant.chargeCard(number)
  const third = await merchant.send('card', cardBody(cards.redirects))
  assert.equal(third.status, 200)
})

test('a charge that was refused with 503 or 409 does not use up a card', async (t) => {
  const malipo = await chargingMalipo(t, { MALIPO_CARD_TRIES_SANDBOX: '2' })
  const merchant = await malipo.charging()
  await malipo.operator.providers.pause('flutterwave', { env: 'sandbox', reason: 'maintenance' })
  for (let times = 0; times < 2; times += 1)
    assert.equal((await merchant.send('card', cardBody(cards.succeeds))).status, 503)
  await malipo.operator.providers.resume('flutterwave', { env: 'sandbox', reason: 'done' })
  const { status } = await merchant.send('card', cardBody(cards.succeeds))
  assert.equal(status, 200)
})

test('what the customer of an overpaid charge pays is told as such', async (t) => {
  const malipo = await chargingMalipo(t)
  const merchant = await malipo.charging()
  const { body } = await merchant.send('bank-transfer', transfer())
  const { transactionId: id } = body['data'] as { transactionId: string }
  await malipo.simulator.pay(keyOf(id), '1600.50')
  const paid = (await merchant.ends(id)) as unknown as Record<string, unknown>
  assert.equal(paid['senderAmount'], 1600.5)
})

test('an address is checked alike as an object and as a text, and a wrong one is not called an outage', async (t) => {
  const malipo = await chargingMalipo(t)
  const merchant = await malipo.charging()
  const { id } = await merchant.chargeCard(cards.asksAddress)
  const address = { street1: '1 Market Street', city: 'Lagos', state: 'LA', zip: '100001', country: 'Nigeria' }
  const [_asObject, asText] = [
    await merchant.authorise(id, 'address', address),
    await merchant.authorise(id, 'address', JSON.stringify(address)),
  ]
  assert.equal(asText.status, 400)
})

test('after the customer answered, the provider is asked soon, however long they took', async (t) => {
  const malipo = await chargingMalipo(t)
  const merchant = await malipo.charging()
  await malipo.simulator.setFault({ provider: 'flutterwave', operation: 'charge', mode: 'stuck_pending', times: 1 })
  const { id } = await merchant.chargeCard(cards.asksPin)
  await malipo.later(700) // The customer looks for the telephone; meanwhile the provider is asked six times.
  await malipo.ask('update attempts set polls = 6 where transaction_id = $1', [readId('transaction', id)])
  await merchant.authorise(id, 'pin', codes.pin)
  await merchant.asks(id, 'OTP')
  await merchant.authorise(id, 'otp', codes.otp)
  const [row] = await malipo.ask<{ wait: number }>(
    'select extract(epoch from wake_at - record_time())::int as wait from transactions where id = $1',
    [readId('transaction', id)],
  )
  assert.ok((row?.wait ?? 0) < 60)
})
