import assert from 'node:assert/strict'
import { test } from 'node:test'
import { machineTime, until } from '../dev-stack/until.ts'
import type { Wakeups } from '../platform/wakeups.ts'
import { call, exchange, type Malipo, testMalipo } from '../testing/malipo.ts'
import { createRevocations } from './revocations.ts'

const read = (malipo: Malipo, token: string) =>
  call(malipo.url, 'GET', '/api/b2b/users', { authorization: `Bearer ${token}` }).then(({ status }) => status)

/** Polls continuously; returns the time until the token is refused. */
async function timeUntilRefused(malipo: Malipo, token: string): Promise<number> {
  const from = machineTime()
  await until('the token to be refused', async () => (await read(malipo, token)) === 401)
  return machineTime() - from
}

test('every process refuses a revoked pair within 5 s, even with its token cached', async (t) => {
  const [one, two] = [await testMalipo(t), await testMalipo(t)]
  const merchant = await one.merchant()
  const token = await merchant.token()
  assert.deepEqual([await read(one, token), await read(two, token)], [200, 200])

  await one.operator.keys.revoke(merchant.publicKey, 'leaked')
  const times = await Promise.all([timeUntilRefused(one, token), timeUntilRefused(two, token)])

  for (const time of times) assert.ok(time < 5000, `${time} ms`)
  assert.equal((await exchange(one.url, merchant)).body['errorCode'], 'INVALID_API_KEY')
  t.diagnostic(`refused after ${times.map((time) => Math.round(time)).join(' and ')} ms`)
})

test('without NATS a revoked pair is still refused within 5 s', async (t) => {
  const malipo = await testMalipo(t, { NATS_URL: 'nats://127.0.0.1:9' })
  const merchant = await malipo.merchant()
  const token = await merchant.token()
  assert.equal(await read(malipo, token), 200)

  await malipo.operator.keys.revoke(merchant.publicKey, 'leaked')

  assert.ok((await timeUntilRefused(malipo, token)) < 5000)
})

test('rotation keeps the public key and invalidates the old API key and its tokens', async (t) => {
  const malipo = await testMalipo(t)
  const merchant = await malipo.merchant({ scopes: ['profile:read'], addresses: ['127.0.0.0/8'] })
  const token = await merchant.token()
  assert.equal(await read(malipo, token), 200)

  const renewed = await malipo.operator.keys.rotate(merchant.publicKey)

  assert.equal(renewed.publicKey, merchant.publicKey)
  assert.equal((await exchange(malipo.url, merchant)).status, 401)
  assert.ok((await timeUntilRefused(malipo, token)) < 5000)
  const { body } = await exchange(malipo.url, renewed)
  assert.equal(await read(malipo, String(body['token'])), 200)
  const [, living] = await malipo.operator.keys.list(merchant.id)
  assert.deepEqual([living?.scopes, living?.addresses], [['profile:read'], ['127.0.0.0/8']])
})

test('concurrent rotations leave one active pair and one valid API key', async (t) => {
  const malipo = await testMalipo(t)
  const merchant = await malipo.merchant()
  const rotate = () => malipo.operator.keys.rotate(merchant.publicKey).catch(() => undefined)

  const pairs = await Promise.all(Array.from({ length: 10 }, rotate))

  const won = pairs.filter((pair) => pair !== undefined)
  const statuses = await Promise.all(won.map(async (pair) => (await exchange(malipo.url, pair)).status))
  assert.equal(statuses.filter((status) => status === 200).length, 1)
  const living = (await malipo.operator.keys.list(merchant.id)).filter(({ state }) => state === 'active')
  assert.equal(living.length, 1)
})

const silentWakeups: Pick<Wakeups, 'onWake'> = {
  onWake: (_topic, _everyMs, poll) => {
    const polled = poll()
    return { wake: () => undefined, stop: () => polled }
  },
}

test('cached revocations are not used when polls stop', async (t) => {
  const malipo = await testMalipo(t)
  let now = 0
  const revocations = createRevocations(malipo.ctx.db.write, silentWakeups as Wakeups, () => now)

  assert.ok(!revocations.isFresh(), 'nothing is known before the first look')
  await revocations.watch().stop()
  assert.ok(revocations.isFresh())
  now = 3499
  assert.ok(revocations.isFresh())
  now = 3500
  assert.ok(!revocations.isFresh())
})

test('a process that just started knows every revocation of the last hour', async (t) => {
  const malipo = await testMalipo(t)
  const merchant = await malipo.merchant()
  await malipo.operator.keys.revoke(merchant.publicKey, 'leaked')
  await malipo.ask(`update credentials set revoked_at = now() - interval '50 minutes' where public_key = $1`, [
    merchant.publicKey,
  ])
  const [row] = await malipo.ask<{ id: string }>('select id from credentials where public_key = $1', [
    merchant.publicKey,
  ])
  const revocations = createRevocations(malipo.ctx.db.write, silentWakeups as Wakeups)

  await revocations.watch().stop()

  assert.ok(revocations.isRevoked(row?.id ?? ''))
})

test('a revocation that commits long after its timestamp is not missed', async (t) => {
  const malipo = await testMalipo(t)
  const merchant = await malipo.merchant()
  const revocations = createRevocations(malipo.ctx.db.write, silentWakeups as Wakeups)
  await revocations.watch().stop()

  await malipo.ask(`update credentials set revoked_at = now() - interval '20 minutes' where public_key = $1`, [
    merchant.publicKey,
  ])
  await revocations.watch().stop()

  const [row] = await malipo.ask<{ id: string }>('select id from credentials where public_key = $1', [
    merchant.publicKey,
  ])
  assert.ok(revocations.isRevoked(row?.id ?? ''))
})
