import assert from 'node:assert/strict'
import { createSecretKey, randomBytes } from 'node:crypto'
import { test } from 'node:test'
import type { Db } from '../platform/db.ts'
import { newId } from '../platform/ids.ts'
import { createTokenCache } from './token-cache.ts'
import { createTokens } from './tokens.ts'

/** A token cache on a database that knows one credential and counts its queries. */
async function setUp({ lifeMs = 60_000 }: { lifeMs?: number } = {}) {
  const tokens = createTokens('https://pay.example.com', [{ id: 'k', key: createSecretKey(randomBytes(32)) }])
  const row = {
    id: newId(0, 0),
    merchant_id: newId(0, 0),
    env: 'live' as const,
    public_key: 'pk',
    allowed_addresses: [],
  }
  const state: Record<'isThere' | 'isFresh' | 'isRevoked', boolean> & { asked: number } = {
    asked: 0,
    isThere: true,
    isFresh: true,
    isRevoked: false,
  }
  const db: Db = {
    query: async <Row>() => {
      state.asked += 1
      return (state.isThere ? [row] : []) as Row[]
    },
  }
  const revocations = {
    isFresh: () => state.isFresh,
    isRevoked: () => state.isRevoked,
    watch: () => ({ stop: () => Promise.resolve() }),
  }
  const bearer = { merchant_id: row.merchant_id, env: row.env, credential_id: row.id, scopes: ['profile:read'] }
  const token = await tokens.sign(bearer, {
    token_id: newId(0, 0),
    token_issued_at: new Date(),
    token_expires_at: new Date(Date.now() + lifeMs),
  })
  return { tokenCache: createTokenCache(tokens, db, revocations), token, state }
}

test('a token is looked up once and cached', async () => {
  const { tokenCache, token, state } = await setUp()

  for (let count = 0; count < 5; count += 1) assert.ok(await tokenCache.of(token))

  assert.equal(state.asked, 1)
})

test('a cached token ends when it expires', async (t) => {
  t.mock.timers.enable({ apis: ['Date'], now: Date.now() })
  const { tokenCache, token } = await setUp({ lifeMs: 60_000 })
  assert.ok(await tokenCache.of(token))

  t.mock.timers.tick(61_000)

  assert.equal(await tokenCache.of(token), undefined)
})

test('a cached token ends when its credential is known to be revoked', async () => {
  const { tokenCache, token, state } = await setUp()
  assert.ok(await tokenCache.of(token))

  state.isRevoked = true

  assert.equal(await tokenCache.of(token), undefined)
})

test('while revocations are not fresh, the database is queried for every token', async () => {
  const { tokenCache, token, state } = await setUp()
  assert.ok(await tokenCache.of(token))
  state.isFresh = false

  assert.ok(await tokenCache.of(token))
  state.isThere = false
  assert.equal(await tokenCache.of(token), undefined)

  assert.equal(state.asked, 3)
})
