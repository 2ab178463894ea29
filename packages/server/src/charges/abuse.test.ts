import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openLane, takeTurn } from '../payments/dispatch/lane-budget.ts'
import { laneOf } from '../payments/dispatch/timers.ts'
import { cardBody, cards, chargingMalipo, codes } from '../testing/charging.ts'

const declinedCards = [
  ['5590131743294314', '11', '2032'],
  ['5258585922666506', '09', '2031'],
  ['5551651630381384', '08', '2031'],
  ['5551658157653822', '08', '2031'],
  ['5258582054729020', '11', '2030'],
  ['5258588264565682', '11', '2030'],
  ['5258589130149016', '11', '2030'],
  ['4000000000000002', '11', '2030'],
  ['4000000000009995', '11', '2030'],
] as const
const cardOf = ([number, expMonth, expYear]: (typeof declinedCards)[number], over: object = {}) =>
  cardBody(number, { cardDetails: { number, cvv: '739', expMonth, expYear }, ...over })

test('a frozen merchant sends nothing to a provider, cards included', async (t) => {
  const malipo = await chargingMalipo(t)
  const merchant = await malipo.charging()
  const { id } = await merchant.chargeCard(cards.asksPin)
  await malipo.operator.merchants.freeze(merchant.id, 'fraud')

  const transfer = { amount: 10, currency: 'NGN', email: 'a@b.co', externalReference: 'frozen-1' }
  assert.equal((await merchant.send('card', cardBody(cards.succeeds))).status, 503)
  assert.equal((await merchant.authorise(id, 'pin', codes.pin)).status, 503)
  assert.equal((await merchant.send('bank-transfer', transfer)).status, 503)
})

test('declined cards from one address are counted when they are tried at the same time', async (t) => {
  const malipo = await chargingMalipo(t, { MALIPO_CARD_TRIES_SANDBOX: '2' })
  const merchant = await malipo.charging()
  const answers = await Promise.all(declinedCards.map((card) => merchant.send('card', cardOf(card))))
  const statuses = answers.map(({ status }) => status)
  assert.ok(statuses.filter((status) => status === 200).length <= 2)
})

test('declined cards from one address are counted when the bank takes more than eight seconds', async (t) => {
  const malipo = await chargingMalipo(t, { MALIPO_CARD_TRIES_SANDBOX: '2' })
  const merchant = await malipo.charging()
  await malipo.simulator.setFault({ provider: 'flutterwave', operation: 'charge', mode: 'latency', delayMs: 8300 })
  const slow = await Promise.all(declinedCards.slice(0, 2).map((card) => merchant.send('card', cardOf(card))))
  const ids = slow.map(({ body }) => (body['data'] as { transactionId: string }).transactionId)
  for (const id of ids) assert.equal((await merchant.ends(id)).status, 'FAILED')
  await malipo.simulator.clearFaults()

  assert.equal((await merchant.send('card', cardOf(declinedCards[5]))).status, 429)
})

test('an address counts as the same in every spelling', async (t) => {
  const malipo = await chargingMalipo(t, { MALIPO_CARD_TRIES_SANDBOX: '1' })
  const merchant = await malipo.charging()
  const spellings = [
    '2001:db8::1',
    '2001:DB8::1',
    '2001:db8:0:0:0:0:0:1',
    '2001:0db8::0001',
    '2001:db8::1%a',
    '2001:db8::1%b',
  ]
  const statuses: number[] = []
  for (const [index, ipAddress] of spellings.entries()) {
    const card = declinedCards[index]
    assert(card)
    statuses.push((await merchant.send('card', cardOf(card, { ipAddress }))).status)
  }
  assert.deepEqual(statuses, [200, 429, 429, 429, 429, 429])
})

test('requests that send at once do not block the shared lane from its provider', async (t) => {
  const malipo = await chargingMalipo(t)
  const lane = laneOf('sandbox', 'review')
  const rates = { requestsPerSecond: 25 }
  for (let turn = 0; turn < 300; turn += 1) await takeTurn(malipo.ctx.db.write, lane, rates)

  const budget = await openLane(malipo.ctx.db.write, lane, rates)

  assert.ok(budget && budget.total >= 5, `${budget?.total} of 25 requests a second`)
})

test('no log line contains card data or codes, whatever happens', async (t) => {
  const malipo = await chargingMalipo(t)
  const merchant = await malipo.charging()
  const { id } = await merchant.chargeCard(cards.asksPin)
  await merchant.authorise(id, 'pin', '9078')
  await merchant.authorise(id, 'pin', codes.pin)
  await merchant.asks(id, 'OTP')
  await merchant.authorise(id, 'otp', '904178')
  await malipo.simulator.setFault({ provider: 'flutterwave', operation: '*', mode: 'unknown_words', times: 2 })
  await merchant.send('card', cardBody(cards.succeeds))
  await malipo.simulator.clearFaults()
  const authorization = (await malipo.merchant()).token
  await fetch(`${malipo.url}/api/b2b/fiat/deposit/card`, {
    method: 'POST',
    headers: { authorization: `Bearer ${await authorization()}`, 'content-type': 'application/json' },
    body: '{"amount":5,"cardDetails":{"number":"4242424242424242","cvv":"739"x}}',
  })
  await merchant.send('card', cardBody(cards.succeeds, { cardDetails: { number: 4242424242424242, cvv: 739 } }))
  await merchant.send('card', cardBody('4242 4242 4242 4242x'))
  await merchant.authorise(id, 'address', { street1: '' })
  await merchant.authorise(id, 'otp', 904178)
  const tables = await malipo.ask<{ text: string }>(
    `select row_to_json(t)::text as text from transactions t union all select row_to_json(e)::text from events e
     union all select row_to_json(k)::text from idempotency_keys k union all select row_to_json(w)::text from webhook_records w`,
  )
  for (const secret of ['4242424242424242', '5531886652142950', '904178'])
    assert.ok(![...malipo.log, ...tables.map(({ text }) => text)].some((line) => line.includes(secret)), secret)
})

test('a merchant cannot authorise another merchant’s charge', async (t) => {
  const malipo = await chargingMalipo(t)
  const [one, other] = [await malipo.charging(), await malipo.charging()]
  const { id } = await one.chargeCard(cards.asksPin)
  assert.equal((await other.authorise(id, 'pin', codes.pin)).status, 404)
})

test('a closed provider does not count against a customer', async (t) => {
  const malipo = await chargingMalipo(t, { MALIPO_CARD_TRIES_SANDBOX: '2' })
  const merchant = await malipo.charging()
  await malipo.simulator.setFault({ provider: 'flutterwave', operation: 'charge', mode: 'operator_closed', times: 2 })
  for (const number of [cards.succeeds, cards.asksPin]) await merchant.chargeCard(number)
  const third = await merchant.send('card', cardBody(cards.redirects))
  assert.equal(third.status, 200)
})

test('a charge refused with 503 or 409 does not use up a card', async (t) => {
  const malipo = await chargingMalipo(t, { MALIPO_CARD_TRIES_SANDBOX: '2' })
  const merchant = await malipo.charging()
  await malipo.operator.providers.pause('flutterwave', { env: 'sandbox', reason: 'maintenance' })
  for (let times = 0; times < 2; times += 1)
    assert.equal((await merchant.send('card', cardBody(cards.succeeds))).status, 503)
  await malipo.operator.providers.resume('flutterwave', { env: 'sandbox', reason: 'done' })
  const { status } = await merchant.send('card', cardBody(cards.succeeds))
  assert.equal(status, 200)
})
