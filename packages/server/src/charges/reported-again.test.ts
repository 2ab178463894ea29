import assert from 'node:assert/strict'
import { test } from 'node:test'
import { until } from '../dev-stack/until.ts'
import { readId } from '../platform/ids.ts'
import { cardBody, cards, chargingMalipo, codes, nextReference, transferBody } from '../testing/charging.ts'

const unfinished = {
  'the lane got the account': { provider: 'flutterwave', mode: 'operator_closed', currency: 'NGN' },
  'a query reported the account': { provider: 'house', mode: 'drop_after_processing', currency: 'KES' },
} as const

for (const [what, { provider, mode, currency }] of Object.entries(unfinished))
  test(`after a 503 the same request continues the charge, even if ${what}`, async (t) => {
    const malipo = await chargingMalipo(t)
    const merchant = await malipo.charging()
    await malipo.simulator.setFault({ provider, operation: 'charge', mode, times: 1 })
    const wanted = transferBody({ currency })
    assert.equal((await merchant.send('bank-transfer', wanted)).status, 503)
    await malipo.later(10)
    const nextType = async () => (await merchant.read(wanted.externalReference)).nextAction.type
    await until('an account', async () => (await nextType()) === 'BANK_TRANSFER')

    assert.equal((await merchant.send('bank-transfer', wanted)).status, 200)
  })

test('a 200 response is stored under the key of its request', async (t) => {
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

test('an authorisation with a slow provider gets the same response under its key', async (t) => {
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

test('an authorisation that a callback resolved first gets the same response under its key', async (t) => {
  const malipo = await chargingMalipo(t)
  const merchant = await malipo.charging()
  const { id } = await merchant.chargeCard(cards.asksPin)
  const rail = malipo.ctx.connectors.sandbox.get('flutterwave')?.cardCharges
  assert(rail)
  const transaction_id = readId('transaction', id) ?? ''
  t.mock.method(rail, 'authorise', async ({ amount, currency }: { amount: bigint; currency: 'NGN' }) => {
    const providerStatus = { state: 'successful', settled: { amount, currency } } as const
    const observation = { kind: 'reported', providerStatus } as const
    await malipo.ctx.resolver.submit({ transaction_id, attempt: 1, cause: 'callback', observation })
    return { certainty: 'accepted', providerStatus }
  })
  const key = { 'idempotency-key': nextReference() }

  const first = await merchant.authorise(id, 'pin', codes.pin, key)
  const again = await merchant.authorise(id, 'pin', codes.pin, key)

  assert.deepEqual([first.status, again.status, again.body], [200, 200, first.body])
})

test('an answer that the provider meets with the same question is refused, also under its key', async (t) => {
  const malipo = await chargingMalipo(t)
  const merchant = await malipo.charging()
  const { id } = await merchant.chargeCard(cards.asksPin)
  const rail = malipo.ctx.connectors.sandbox.get('flutterwave')?.cardCharges
  assert(rail)
  const providerStatus = { state: 'waiting', action: { kind: 'pin' } } as const
  t.mock.method(rail, 'authorise', async () => ({ certainty: 'accepted', providerStatus, continuation: 'the same' }))
  const key = { 'idempotency-key': nextReference() }

  const first = await merchant.authorise(id, 'pin', codes.pin, key)
  const again = await merchant.authorise(id, 'pin', codes.pin, key)

  assert.deepEqual([first.status, first.body['attemptsLeft']], [422, 2])
  assert.deepEqual([again.status, again.body['attemptsLeft']], [422, 1])
})

test('a charge that ended without an account reports its end under its key, not 503 for ever', async (t) => {
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

test('an address given with the card is used and not requested again', async (t) => {
  const malipo = await chargingMalipo(t)
  const merchant = await malipo.charging()
  const address = { street1: '1 Market Street', city: 'Lagos', state: 'LA', zip: '100001', country: 'NG' }
  const { nextAction } = await merchant.chargeCard(cards.asksAddress, { address })
  assert.equal(nextAction.type, 'NONE')
})

test('a charge that a bank can never take gets a 422, not a 503', async (t) => {
  const malipo = await chargingMalipo(t)
  const merchant = await malipo.charging()
  const wanted = transferBody({ amount: 10_000_000_000_000 })
  const first = await merchant.send('bank-transfer', wanted)
  await merchant.send('bank-transfer', wanted)
  assert.equal(first.status, 422)
})

test('the response to a declined card has the reason', async (t) => {
  const malipo = await chargingMalipo(t)
  const merchant = await malipo.charging()
  const { body } = await merchant.send('card', cardBody(cards.declined))
  assert.match(JSON.stringify(body), /CARD_DECLINED/)
})

test('an account shown to the merchant stays the charge’s when an earlier call for it times out', async (t) => {
  const malipo = await chargingMalipo(t)
  const merchant = await malipo.charging()
  const wanted = transferBody()
  const first = await merchant.send('bank-transfer', wanted)
  const { transactionId } = first.body['data'] as { transactionId: string }
  const id = readId('transaction', transactionId) ?? ''
  const observation = { kind: 'unknown', detail: 'timeout: of the first of two calls' } as const
  await malipo.ctx.resolver.submit({ transaction_id: id, attempt: 1, cause: 'attempt', observation })
  const { stage } = await merchant.read(transactionId)
  assert.equal(stage, 'AWAITING_CUSTOMER')
})
