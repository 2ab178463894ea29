import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readId } from '../platform/ids.ts'
import { exchange, type Malipo, testMalipo } from '../testing/malipo.ts'
import { makeKey } from './keys.ts'

const entries = (malipo: Malipo, action: string, subjects: readonly string[]) =>
  malipo.ask<{ subject: string; merchant_id: string | null; result: string; address: string; detail: object }>(
    'select subject, merchant_id, result, address, detail from audit_entries where action = $1 and subject = any($2) order by id',
    [action, subjects],
  )

test('a new token is audited with its key pair and address, and repeated exchanges are not', async (t) => {
  const malipo = await testMalipo(t)
  const merchant = await malipo.merchant()

  await Promise.all(Array.from({ length: 10 }, () => exchange(malipo.url, merchant)))

  const issued = await malipo.ask(
    `select actor_kind, actor_name, env, address, role, request_id is not null as has_request from audit_entries
     where action = 'token.issue' and merchant_id = $1`,
    [readId('merchant', merchant.id)],
  )
  const expected = { actor_kind: 'credential', actor_name: merchant.publicKey, env: 'sandbox', address: '127.0.0.1' }
  assert.deepEqual(issued, [{ ...expected, role: null, has_request: true }])
})

test('failed exchanges of one address and key are one entry with their count', async (t) => {
  const malipo = await testMalipo(t)
  const merchant = await malipo.merchant()
  const guess = () => exchange(malipo.url, { publicKey: merchant.publicKey, apiKey: makeKey('sk', 'sandbox', 0) })
  for (let count = 0; count < 15; count += 1) await guess()

  await malipo.ctx.failedExchanges.write()
  await malipo.ctx.failedExchanges.write()

  assert.deepEqual(await entries(malipo, 'token.exchange', [merchant.publicKey]), [
    {
      subject: merchant.publicKey,
      merchant_id: readId('merchant', merchant.id),
      result: 'refused',
      address: '127.0.0.1',
      detail: { error: 'INVALID_API_KEY', count: 15 },
    },
  ])
})

test('a flood of invented keys writes at most 21 entries, and hides no correct pair from elsewhere', async (t) => {
  const malipo = await testMalipo(t)
  const elsewhere = await malipo.merchant({ addresses: ['203.0.113.0/24'] })
  const invented = Array.from({ length: 100 }, () => makeKey('pk', 'sandbox', 0))
  for (const publicKey of invented) await exchange(malipo.url, { publicKey, apiKey: makeKey('sk', 'sandbox', 0) })
  await exchange(malipo.url, elsewhere)

  await malipo.ctx.failedExchanges.write()

  const named = await entries(malipo, 'token.exchange', invented)
  const rest = await entries(malipo, 'token.exchange', ['other public keys'])
  const leaked = await entries(malipo, 'token.exchange', [elsewhere.publicKey])
  assert.equal(named.length, 20)
  assert.deepEqual(
    rest.map(({ detail, merchant_id }) => ({ detail, merchant_id })),
    [{ detail: { error: 'INVALID_API_KEY', count: 80 }, merchant_id: null }],
  )
  assert.deepEqual(leaked[0]?.detail, { error: 'ADDRESS_NOT_ALLOWED', count: 1 })
})

test('an API key sent as the public key is not stored', async (t) => {
  const malipo = await testMalipo(t)
  const merchant = await malipo.merchant()

  await exchange(malipo.url, { publicKey: merchant.apiKey, apiKey: merchant.apiKey })
  await malipo.ctx.failedExchanges.write()

  const rows = await malipo.ask<{ row: string }>('select e::text as row from audit_entries e')
  assert.ok(rows.every(({ row }) => !row.includes(merchant.apiKey)))
  assert.equal((await entries(malipo, 'token.exchange', ['a malformed public key'])).length, 1)
})

test('counts are kept while the database refuses them', async (t) => {
  const malipo = await testMalipo(t)
  const publicKey = makeKey('pk', 'sandbox', 0)
  const guess = () => exchange(malipo.url, { publicKey, apiKey: makeKey('sk', 'sandbox', 0) })
  await guess()
  await malipo.ask('revoke insert (id) on audit_entries from malipo_write')

  await assert.rejects(malipo.ctx.failedExchanges.write(), /permission denied/)
  await malipo.ask('grant insert (id) on audit_entries to malipo_write')
  await guess()
  await malipo.ctx.failedExchanges.write()

  const [entry] = await entries(malipo, 'token.exchange', [publicKey])
  assert.deepEqual(entry?.detail, { error: 'INVALID_API_KEY', count: 2 })
})
