import assert from 'node:assert/strict'
import { test } from 'node:test'
import { decodeJwt, decodeProtectedHeader } from 'jose'
import { catalogue } from '../errors.ts'
import { call, exchange, testMalipo } from '../testing/malipo.ts'
import { makeKey } from './keys.ts'

test('a correct pair gets a token for one hour', async (t) => {
  const malipo = await testMalipo(t)
  const merchant = await malipo.merchant({ env: 'live' })

  const { status, body } = await exchange(malipo.url, merchant)

  assert.equal(status, 200)
  const claims = decodeJwt(String(body['token']))
  assert.equal(claims['env'], 'live')
  assert.equal(claims.sub, merchant.id)
  assert.equal(Number(claims.exp) - Number(claims.iat), 3600)
  assert.equal(body['expiresAt'], claims.exp)
  assert.equal(decodeProtectedHeader(String(body['token'])).typ, 'at+jwt')
})

test('fifty concurrent exchanges on two processes return the same token', async (t) => {
  const [one, two] = [await testMalipo(t), await testMalipo(t)]
  const merchant = await one.merchant()

  const answers = await Promise.all(
    Array.from({ length: 50 }, (_, index) => exchange(index % 2 ? one.url : two.url, merchant)),
  )

  assert.equal(new Set(answers.map(({ body }) => body['token'])).size, 1)
})

test('a token is replaced when less than five minutes of it are left, and kept otherwise', async (t) => {
  const malipo = await testMalipo(t)
  const merchant = await malipo.merchant()
  const first = await merchant.token()
  const leave = (seconds: number) =>
    malipo.ask('update credentials set token_expires_at = now() + make_interval(secs => $1) where public_key = $2', [
      seconds,
      merchant.publicKey,
    ])

  await leave(330)
  const kept = decodeJwt(await merchant.token())
  await leave(290)
  const replaced = decodeJwt(await merchant.token())

  assert.equal(kept.jti, decodeJwt(first).jti)
  assert.notEqual(replaced.jti, kept.jti)
})

test('the database stores no token and no API key', async (t) => {
  const malipo = await testMalipo(t)
  const merchant = await malipo.merchant()
  const [, , signature = ''] = (await merchant.token()).split('.')

  const rows = await malipo.ask<{ row: string }>(
    `select c::text as row from credentials c union all select a::text from audit_entries a
     union all select m::text from merchants m union all select w::text from webhook_endpoints w`,
  )

  assert.ok(rows.length > 3)
  for (const { row } of rows)
    assert.ok(!row.includes(signature) && !row.includes(merchant.apiKey) && !row.includes('whsec_'))
})

test('every wrong pair gets the same error', async (t) => {
  const malipo = await testMalipo(t)
  const [merchant, other] = [await malipo.merchant(), await malipo.merchant()]
  const live = await malipo.operator.keys.create(merchant.id, { env: 'live' })

  const wrong = [
    { publicKey: merchant.publicKey, apiKey: other.apiKey },
    { publicKey: merchant.publicKey, apiKey: live.apiKey },
    { publicKey: merchant.publicKey, apiKey: makeKey('sk', 'sandbox', 0) },
    { publicKey: makeKey('pk', 'sandbox', 0), apiKey: merchant.apiKey },
    { publicKey: merchant.publicKey, apiKey: merchant.publicKey },
    { publicKey: 'pk_test_unknown', apiKey: merchant.apiKey },
    { publicKey: merchant.publicKey, apiKey: `${merchant.apiKey.slice(0, -1)}!` },
  ]
  const answers = []
  for (const pair of wrong) answers.push(await exchange(malipo.url, pair))

  for (const { status, body } of answers) {
    const { requestId: _, ...refusal } = body
    assert.equal(status, 401)
    assert.deepEqual(refusal, {
      success: false,
      message: 'The public key and the API key are not a valid pair.',
      errorCode: 'INVALID_API_KEY',
      fix: catalogue.INVALID_API_KEY.fix,
      docs: '/docs/errors#INVALID_API_KEY',
    })
  }
})

test('an address is rate limited after ten wrong pairs, but a correct pair still passes', async (t) => {
  const malipo = await testMalipo(t)
  const merchant = await malipo.merchant()
  const guess = () => exchange(malipo.url, { publicKey: merchant.publicKey, apiKey: makeKey('sk', 'sandbox', 0) })

  const statuses = []
  for (let count = 0; count < 12; count += 1) statuses.push((await guess()).status)
  const throttled = await guess()

  assert.deepEqual(statuses, [...Array.from({ length: 10 }, () => 401), 429, 429])
  assert.equal(throttled.body['errorCode'], 'RATE_LIMIT_EXCEEDED')
  assert.ok(Number(throttled.headers.get('retry-after')) > 0)
  assert.equal((await exchange(malipo.url, merchant)).status, 200)
})

test('the error for a missing key names the field', async (t) => {
  const malipo = await testMalipo(t)
  const path = '/api/b2b/auth/generate-bearer-token'

  const withoutHeader = await call(malipo.url, 'POST', path, {}, { publicKey: 'pk_test_x' })
  const withoutBody = await call(malipo.url, 'POST', path, { 'api-key': 'sk_test_x' }, {})

  assert.equal(withoutHeader.body['message'], 'Validation error: api-key is required')
  assert.equal(withoutBody.body['message'], 'Validation error: publicKey is required')
})

test('a pair with allowed addresses gets no token from another address', async (t) => {
  const malipo = await testMalipo(t)
  const here = await malipo.merchant({ addresses: ['127.0.0.0/8'] })
  const elsewhere = await malipo.merchant({ addresses: ['203.0.113.0/24', '2001:db8::/32'] })

  assert.equal((await exchange(malipo.url, here)).status, 200)
  const refused = await exchange(malipo.url, elsewhere)

  assert.equal(refused.status, 403)
  assert.equal(refused.body['errorCode'], 'IP_NOT_ALLOWED')
})
