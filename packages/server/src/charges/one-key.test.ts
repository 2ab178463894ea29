import assert from 'node:assert/strict'
import { test } from 'node:test'
import { until } from '../dev-stack/until.ts'
import { cards, chargingMalipo, codes, nextReference, transferBody } from '../testing/charging.ts'
import type { ApiResponse } from '../testing/malipo.ts'
import { payOut } from '../testing/paying.ts'

const codeOf = ({ status, body }: ApiResponse) => body['errorCode'] ?? status
const accountOf = ({ body }: ApiResponse) => (body['data'] as { virtualAccount: { number: string } }).virtualAccount

test('of two transfers racing under one key one is refused; the key keeps the other’s response', async (t) => {
  const malipo = await chargingMalipo(t)
  const merchant = await malipo.charging()
  const key = { 'idempotency-key': nextReference() }
  const [left, fresh] = [transferBody(), transferBody()]
  await malipo.loseNext('charge')
  assert.equal((await merchant.send('bank-transfer', left)).status, 503, 'the bank is silent, the charge is left open')
  await malipo.slowNext('charge', 1500)

  const continued = merchant.send('bank-transfer', left, key)
  await until('the first to be with the bank', async () => {
    const rows = await malipo.ask(`select from transactions where external_reference = $1 and state = 'sending'`, [
      left.externalReference,
    ])
    return rows.length > 0
  })
  const racing = await merchant.send('bank-transfer', fresh, key)
  const first = await continued

  assert.deepEqual([codeOf(first), codeOf(racing)], [200, 'IDEMPOTENCY_KEY_REUSED'])
  const [again, refused] = [
    await merchant.send('bank-transfer', left, key),
    await merchant.send('bank-transfer', fresh, key),
  ]
  assert.deepEqual([again.status, accountOf(again)], [200, accountOf(first)])
  assert.equal(codeOf(refused), 'IDEMPOTENCY_KEY_REUSED')
  assert.equal(
    (await merchant.send('bank-transfer', fresh)).status,
    200,
    'nothing was made of the one that was refused',
  )
})

test('of two authorisations racing under one key one is refused and its answer is not sent', async (t) => {
  const malipo = await chargingMalipo(t)
  const merchant = await malipo.charging()
  const [one, other] = [await merchant.chargeCard(cards.asksPin), await merchant.chargeCard(cards.asksPin)]
  const key = { 'idempotency-key': nextReference() }

  const answers = await Promise.all([one, other].map(({ id }) => merchant.authorise(id, 'pin', codes.pin, key)))

  assert.deepEqual(new Set(answers.map(codeOf)), new Set([200, 'IDEMPOTENCY_KEY_REUSED']))
  const taken = answers[0]?.status === 200 ? one : other
  const left = taken === one ? other : one
  assert.equal((await merchant.read(left.id)).nextAction.type, 'PIN')
  assert.equal((await merchant.authorise(taken.id, 'pin', codes.pin, key)).status, 200)
  assert.equal((await merchant.authorise(left.id, 'pin', codes.pin)).status, 200)
})

test('a refused authorisation leaves its key to the next request', async (t) => {
  const malipo = await chargingMalipo(t)
  const merchant = await malipo.charging()
  const [one, other] = [await merchant.chargeCard(cards.asksPin), await merchant.chargeCard(cards.asksPin)]
  const key = { 'idempotency-key': nextReference() }

  assert.equal(codeOf(await merchant.authorise(one.id, 'otp', '12345', key)), 'AUTHORISATION_TYPE_MISMATCH')
  assert.equal(codeOf(await merchant.authorise(one.id, 'pin', '0000', key)), 'AUTHORISATION_FAILED')

  assert.equal((await merchant.authorise(other.id, 'pin', codes.pin, key)).status, 200)
})

test('of two cancellations racing under one key one cancels nothing; a refusal frees the key', async (t) => {
  const malipo = await chargingMalipo(t)
  const merchant = await malipo.merchant()
  await malipo.operator.providers.pause('pawapay', { env: 'sandbox', reason: 'the test' })
  const payouts = await Promise.all([payOut(merchant), payOut(merchant), payOut(merchant)])
  const headers = { authorization: `Bearer ${await merchant.token()}`, 'idempotency-key': nextReference() }
  const cancel = (id: string) => malipo.call('POST', `/api/b2b/fiat/payout/${id}/cancel`, headers)

  const [one, other, third] = payouts.map(({ id }) => id) as [string, string, string]
  const answers = await Promise.all([cancel(one), cancel(other)])

  assert.deepEqual(new Set(answers.map(codeOf)), new Set([200, 'IDEMPOTENCY_KEY_REUSED']))
  const [done, left] = answers[0]?.status === 200 ? [one, other] : [other, one]
  assert.deepEqual([await malipo.stateOf(done), await malipo.stateOf(left)], ['failed', 'accepted'])
  headers['idempotency-key'] = nextReference()
  assert.equal(codeOf(await cancel(done)), 'PAYOUT_NOT_CANCELLABLE')
  assert.equal(codeOf(await cancel(third)), 200)
})
