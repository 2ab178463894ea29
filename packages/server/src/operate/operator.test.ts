import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readId } from '../platform/ids.ts'
import { exchange, testMalipo } from '../testing/malipo.ts'

const order = { name: 'Duka Moja', email: 'amina@example.com', firstName: 'Amina', lastName: 'Otieno', country: 'KE' }

test('a merchant is listed as it was created, in pages', async (t) => {
  const { operator } = await testMalipo(t)
  const made = []
  for (const name of ['A', 'B', 'C']) made.push(await operator.merchants.create({ ...order, name }))

  const pageOne = await operator.merchants.list({ limit: 2 })
  const pageTwo = await operator.merchants.list({ limit: 2, after: pageOne.at(-1)?.id ?? '' })

  assert.deepEqual([...pageOne, ...pageTwo], made)
  assert.equal(made[0]?.state, 'active')
})

const unusable = { name: [' ', 'x'.repeat(201)], email: ['amina', 'a b@c', ''], country: ['ke', 'KEN', ''] }

for (const [field, values] of Object.entries(unusable)) {
  test(`a merchant without a usable ${field} is not created`, async (t) => {
    const { operator, ask } = await testMalipo(t)
    const count = () => ask('select from merchants').then((rows) => rows.length)
    const before = await count()

    for (const value of values) await assert.rejects(operator.merchants.create({ ...order, [field]: value }))

    assert.equal(await count(), before)
  })
}

test('freezing and unfreezing are audited with their reason, and a repeat is refused', async (t) => {
  const { operator, ask } = await testMalipo(t)
  const { id } = await operator.merchants.create(order)

  assert.equal((await operator.merchants.freeze(id, 'fraud report 12')).state, 'frozen')
  await assert.rejects(operator.merchants.freeze(id, 'again'), /frozen already/)
  assert.equal((await operator.merchants.unfreeze(id, 'cleared')).state, 'active')
  await assert.rejects(operator.merchants.unfreeze(id, 'again'), /not frozen/)

  const rows = await ask('select actor, action, reason from audit_entries where merchant_id = $1 order by id', [
    readId('merchant', id),
  ])
  assert.deepEqual(rows.slice(1), [
    { actor: 'test', action: 'merchant.freeze', reason: 'fraud report 12' },
    { actor: 'test', action: 'merchant.unfreeze', reason: 'cleared' },
  ])
})

test('of many freezes at once one is done and audited', async (t) => {
  const { operator, ask } = await testMalipo(t)
  const { id } = await operator.merchants.create(order)

  const results = await Promise.allSettled(Array.from({ length: 8 }, () => operator.merchants.freeze(id, 'now')))

  assert.equal(results.filter(({ status }) => status === 'fulfilled').length, 1)
  const rows = await ask(`select from audit_entries where subject = $1 and action = 'merchant.freeze'`, [id])
  assert.equal(rows.length, 1)
})

test('an error names a merchant that does not exist, and rejects text that is not an id', async (t) => {
  const { operator } = await testMalipo(t)
  const unknown = `mer_${'0'.repeat(32)}`

  await assert.rejects(operator.merchants.freeze(unknown, 'x'), new RegExp(`no merchant has the id ${unknown}`))
  await assert.rejects(operator.keys.create(unknown, { env: 'live' }), /no merchant has the id mer_/)
  await assert.rejects(operator.keys.list(unknown), /no merchant has the id mer_/)
  assert.throws(() => operator.merchants.freeze('duka', 'x'), /duka is not a merchant id/)
})

test('a key pair is listed without its secret', async (t) => {
  const { operator } = await testMalipo(t)
  const { id } = await operator.merchants.create(order)
  const pair = await operator.keys.create(id, { env: 'live', scopes: ['profile:read'], addresses: ['203.0.113.0/24'] })

  const [listed] = await operator.keys.list(id)

  assert.deepEqual(
    { ...listed, createdAt: undefined },
    {
      publicKey: pair.publicKey,
      env: 'live',
      scopes: ['profile:read'],
      addresses: ['203.0.113.0/24'],
      state: 'active',
      createdAt: undefined,
    },
  )
  assert.ok(!JSON.stringify(listed).includes(pair.apiKey))
})

test('an unknown scope or address creates no pair', async (t) => {
  const { operator } = await testMalipo(t)
  const { id } = await operator.merchants.create(order)

  await assert.rejects(operator.keys.create(id, { env: 'live', scopes: ['everything'] }), /unknown scope everything/)
  await assert.rejects(
    operator.keys.create(id, { env: 'live', addresses: ['next door'] }),
    /next door is not an address/,
  )

  assert.deepEqual(await operator.keys.list(id), [])
})

test('a revoked pair cannot be revoked or rotated again, and the merchant’s other pair stays', async (t) => {
  const { operator, url } = await testMalipo(t)
  const { id } = await operator.merchants.create(order)
  const [old, other] = [
    await operator.keys.create(id, { env: 'live' }),
    await operator.keys.create(id, { env: 'live' }),
  ]

  await operator.keys.revoke(old.publicKey, 'leaked')

  await assert.rejects(operator.keys.revoke(old.publicKey, 'again'), /active key pair pk_\w+ not found/)
  await assert.rejects(operator.keys.rotate(old.publicKey), /active key pair pk_\w+ not found/)
  assert.equal((await exchange(url, other)).status, 200)
})
