import assert from 'node:assert/strict'
import { test } from 'node:test'
import { until } from '../dev-stack/until.ts'
import { readId } from '../platform/ids.ts'
import { cardBody, cards, chargingMalipo, codes, nextReference, transferBody } from '../testing/charging.ts'

test('after 503 the same request goes on with the charge, also when the lane got the account meanwhile', async (t) => {
  const malipo = await chargingMalipo(t)
  const merchant = await malipo.charging()
  await malipo.simulator.setFault({ provider: 'flutterwave', operation: 'charge', mode: 'operator_closed', times: 1 })
  const wanted = transferBody()
  await merchant.send('bank-transfer', wanted)
  await malipo.later(10)
  await until(
    'an account',
    async () => (await merchant.read(wanted.externalReference)).nextAction.type === 'BANK_TRANSFER',
  )

  const again = await merchant.send('bank-transfer', wanted)
  assert.equal(again.status, 200)
})

test('after 503 the same request goes on with the charge, also when a question told the account', async (t) => {
  const malipo = await chargingMalipo(t)
  const merchant = await malipo.charging()
  await malipo.simulator.setFault({ provider: 'house', operation: 'charge', mode: 'drop_after_processing', times: 1 })
  const wanted = transferBody({ currency: 'KES' })
  assert.equal((await merchant.send('bank-transfer', wanted)).status, 503)
  await malipo.later(10)
  await until(
    'an account',
    async () => (await merchant.read(wanted.externalReference)).nextAction.type === 'BANK_TRANSFER',
  )
  const again = await merchant.send('bank-transfer', wanted)
  assert.equal(again.status, 200)
})

test('an answer of 200 is remembered under the key it was asked with', async (t) => {
  const malipo = await chargingMalipo(t)
  const merchant = await malipo.charging()
  await malipo.loseNext('charge')
  const wanted = transferBody()
  assert.equal((await merchant.send('bank-transfer', wanted, { 'idempotency-key': nextReference() })).status, 503)
  const key = { 'idempotency-key': nextReference() }
  assert.equal((await merchant.send('bank-transfer', wanted, key)).status, 200)
  const again = await merchant.send('bank-transfer', wanted, key)
  assert.equal(again.status, 200)
})

test('an authorisation answered while its provider was slow is answered the same under its key', async (t) => {
  const malipo = await chargingMalipo(t)
  const merchant = await malipo.charging()
  const { id } = await merchant.chargeCard(cards.asksPin)
  await malipo.slowNext('authorise', 9000)
  const key = { 'idempotency-key': nextReference() }
  const first = await merchant.authorise(id, 'pin', codes.pin, key)
  await merchant.authorise(id, 'pin', codes.pin, key)
  await merchant.asks(id, 'OTP')
  const later = await merchant.authorise(id, 'pin', codes.pin, key)
  assert.deepEqual([first.status, later.status, later.body], [200, 200, first.body])
})

test('an authorisation whose outcome a callback told first is answered the same under its key', async (t) => {
  const malipo = await chargingMalipo(t)
  const merchant = await malipo.charging()
  const { id } = await merchant.chargeCard(cards.asksPin)
  const rail = malipo.ctx.connectors.sandbox.get('flutterwave')?.cardCharges
  assert(rail)
  const transaction_id = readId('transaction', id) ?? ''
  t.mock.method(rail, 'authorise', async ({ amount, currency }: { amount: bigint; currency: 'NGN' }) => {
    const said = { state: 'successful', settled: { amount, currency } } as const
    const news = { kind: 'said', said } as const
    await malipo.ctx.settler.submit({ transaction_id, attempt: 1, cause: 'callback', news })
    return { certainty: 'accepted', said }
  })
  const key = { 'idempotency-key': nextReference() }

  const first = await merchant.authorise(id, 'pin', codes.pin, key)
  const again = await merchant.authorise(id, 'pin', codes.pin, key)

  assert.deepEqual([first.status, again.status, again.body], [200, 200, first.body])
})

test('an answer that its provider met with the same question is refused, and refused again under its key', async (t) => {
  const malipo = await chargingMalipo(t)
  const merchant = await malipo.charging()
  const { id } = await merchant.chargeCard(cards.asksPin)
  const rail = malipo.ctx.connectors.sandbox.get('flutterwave')?.cardCharges
  assert(rail)
  const said = { state: 'waiting', action: { kind: 'pin' } } as const
  t.mock.method(rail, 'authorise', async () => ({ certainty: 'accepted', said, continuation: 'the same' }))
  const key = { 'idempotency-key': nextReference() }

  const first = await merchant.authorise(id, 'pin', codes.pin, key)
  const again = await merchant.authorise(id, 'pin', codes.pin, key)

  assert.deepEqual([first.status, first.body['attemptsLeft']], [422, 2])
  assert.deepEqual([again.status, again.body['attemptsLeft']], [422, 1])
})

test('a charge that ended without its account is told as it stands under its key, not "come again" for ever', async (t) => {
  const malipo = await chargingMalipo(t)
  const merchant = await malipo.charging()
  await malipo.loseNext('charge')
  const [wanted, key] = [transferBody(), { 'idempotency-key': nextReference() }]
  assert.equal((await merchant.send('bank-transfer', wanted, key)).status, 503)
  await malipo.later(27 * 3600)
  assert.equal((await merchant.ends(wanted.externalReference)).status, 'FAILED')
  const again = await merchant.send('bank-transfer', wanted, key)
  assert.notEqual(again.status, 503)
})

test('an address given with the card is used, and not asked for again', async (t) => {
  const malipo = await chargingMalipo(t)
  const merchant = await malipo.charging()
  const address = { street1: '1 Market Street', city: 'Lagos', state: 'LA', zip: '100001', country: 'NG' }
  const { nextAction } = await merchant.chargeCard(cards.asksAddress, { address })
  assert.equal(nextAction.type, 'NONE')
})

test('what a bank can never take is refused, not "come again"', async (t) => {
  const malipo = await chargingMalipo(t)
  const merchant = await malipo.charging()
  const wanted = transferBody({ amount: 10_000_000_000_000 })
  const first = await merchant.send('bank-transfer', wanted)
  await merchant.send('bank-transfer', wanted)
  assert.equal(first.status, 422)
})

test('a declined card is answered with the reason', async (t) => {
  const malipo = await chargingMalipo(t)
  const merchant = await malipo.charging()
  const { body } = await merchant.send('card', cardBody(cards.declined))
  assert.match(JSON.stringify(body), /CARD_DECLINED/)
})

test('an account that the merchant was told stays the charge’s, when an earlier call for it breaks off', async (t) => {
  const malipo = await chargingMalipo(t)
  const merchant = await malipo.charging()
  const wanted = transferBody()
  const first = await merchant.send('bank-transfer', wanted)
  const { transactionId } = first.body['data'] as { transactionId: string }
  const id = readId('transaction', transactionId) ?? ''
  const news = { kind: 'unknown', detail: 'timeout: of the first of two calls' } as const
  await malipo.ctx.settler.submit({ transaction_id: id, attempt: 1, cause: 'attempt', news })
  const { stage } = await merchant.read(transactionId)
  assert.equal(stage, 'AWAITING_CUSTOMER')
})
