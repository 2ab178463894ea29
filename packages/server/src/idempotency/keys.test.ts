import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type ApiResponse, testMalipo } from '../testing/malipo.ts'

const path = '/api/b2b/external-accounts'
const body = (accountNumber: string) => ({
  country: 'NG',
  currency: 'NGN',
  destination: 'Bank Account',
  payoutMethod: { accountName: 'Amina Otieno', accountNumber, code: '058' },
})
const isReplay = ({ headers }: ApiResponse) => headers.get('idempotency-replayed') === 'true'

test('a request repeated under one key takes effect once and is replayed, under both roots', async (t) => {
  const malipo = await testMalipo(t)
  const merchant = await malipo.merchant()
  const headers = { authorization: `Bearer ${await merchant.token()}`, 'idempotency-key': 'k1' }

  const first = await malipo.call('POST', path, headers, body('1234567890'))
  const second = await malipo.call('POST', '/api/sandbox/b2b/external-accounts', headers, body('1234567890'))

  assert.deepEqual([first.status, isReplay(first)], [200, false])
  assert.deepEqual([second.status, isReplay(second), second.body], [200, true, first.body])
})

test('twenty concurrent copies under one key take effect once', async (t) => {
  const malipo = await testMalipo(t)
  const merchant = await malipo.merchant()
  const headers = { authorization: `Bearer ${await merchant.token()}`, 'idempotency-key': 'k1' }

  const answers = await Promise.all(
    Array.from({ length: 20 }, () => malipo.call('POST', path, headers, body('1234567890'))),
  )

  const taken = answers.filter(({ status }) => status === 200)
  for (const { status, body: refusal } of answers.filter((answer) => answer.status !== 200))
    assert.deepEqual([status, refusal['errorCode']], [409, 'IDEMPOTENCY_KEY_IN_PROGRESS'])
  assert.equal(taken.filter((answer) => !isReplay(answer)).length, 1)
  const made = 'select from external_accounts where merchant_id = $1'
  assert.equal((await malipo.ask(made, [merchant.id.slice('mer_'.length)])).length, 1)
})

test('a key with another body is refused, and merchants do not share keys', async (t) => {
  const malipo = await testMalipo(t)
  const [one, other] = [await malipo.merchant(), await malipo.merchant()]
  const headers = async (merchant: typeof one) => ({
    authorization: `Bearer ${await merchant.token()}`,
    'idempotency-key': 'k1',
  })
  await malipo.call('POST', path, await headers(one), body('1234567890'))

  const changed = await malipo.call('POST', path, await headers(one), body('1234567891'))
  const others = await malipo.call('POST', path, await headers(other), body('1234567891'))

  assert.deepEqual([changed.status, changed.body['errorCode']], [422, 'IDEMPOTENCY_KEY_REUSED'])
  assert.deepEqual([others.status, isReplay(others)], [200, false])
})

test('an error is not stored under the key', async (t) => {
  const malipo = await testMalipo(t)
  const merchant = await malipo.merchant()
  const headers = { authorization: `Bearer ${await merchant.token()}`, 'idempotency-key': 'k1' }

  const refused = await malipo.call('POST', path, headers, body('123'))
  const right = await malipo.call('POST', path, headers, body('1234567890'))

  assert.equal(refused.status, 400)
  assert.deepEqual([right.status, isReplay(right)], [200, false])
})
