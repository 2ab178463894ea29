import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Bearer } from '../auth/bearer.ts'
import { setBearer } from '../auth/request-bearer.ts'
import type { Config } from '../config.ts'
import type { Principal } from '../people/principal.ts'
import { setPrincipal } from '../people/request-principal.ts'
import { createRateLimit } from './rate-limit.ts'

/** A limit of 5 requests a second in the sandbox and 2 in live, on a clock that the test moves. */
function limited() {
  const clock = { now: 0 }
  const limit = createRateLimit(
    { sandboxRateLimit: 5, liveRateLimit: 2, peopleRateLimit: 5 } as Config,
    () => clock.now,
  )
  const reply = { headers: () => undefined } as unknown as FastifyReply
  const requestOf = (merchant_id: string, env: Bearer['env']) => {
    const request = {} as FastifyRequest
    setBearer(request, { merchant_id, env } as Bearer)
    return request
  }
  const isTaken = (merchant_id: string, env: Bearer['env']) => {
    try {
      limit.admit(requestOf(merchant_id, env), reply)
      return true
    } catch {
      return false
    }
  }
  const sendMany = (count: number, merchant = 'a', env: Bearer['env'] = 'sandbox') =>
    Array.from({ length: count }, () => isTaken(merchant, env)).filter(Boolean).length
  return { clock, limit, reply, requestOf, sendMany }
}

test('what a person owes is the debt of that person, and not of the merchant', () => {
  const { limit, reply, requestOf, sendMany } = limited()
  const request = requestOf('a', 'sandbox')
  setPrincipal(request, { id: 'person_1' } as Principal)

  limit.owe(request, reply, 100)

  assert.throws(() => limit.admit(request, reply), { key: 'RATE_LIMIT_EXCEEDED' })
  assert.equal(sendMany(20), 5)
})

test('one second of requests is accepted at once, and as many again a second later', () => {
  const { clock, sendMany } = limited()

  assert.equal(sendMany(20), 5)
  clock.now = 400
  assert.equal(sendMany(20), 2)
  clock.now = 1400
  assert.equal(sendMany(20), 5)
})

test('an idle hour saves up no more than one second of requests', () => {
  const { clock, sendMany } = limited()
  sendMany(20)

  clock.now = 3_600_000

  assert.equal(sendMany(20), 5)
})

test('each merchant and each environment has its own limit', () => {
  const { sendMany } = limited()

  assert.equal(sendMany(20, 'a'), 5)
  assert.equal(sendMany(20, 'a', 'live'), 2)
  assert.equal(sendMany(20, 'b'), 5)
})

test('a response counts as one request for every started 16 KiB', () => {
  const { limit, sendMany, requestOf, reply } = limited()

  limit.countSize(requestOf('a', 'sandbox'), reply, 'x'.repeat(16 * 1024))
  limit.countSize(requestOf('a', 'sandbox'), reply, 'x'.repeat(40 * 1024))

  assert.equal(sendMany(20), 3)
})
