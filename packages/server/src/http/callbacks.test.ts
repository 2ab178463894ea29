import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { test } from 'node:test'
import { testMalipo } from '../testing/malipo.ts'

const live = { MALIPO_PAWAPAY_URL: 'http://127.0.0.1:9', MALIPO_PAWAPAY_TOKEN: 'a-token-of-a-live-account' }
const told = { payoutId: randomUUID(), status: 'COMPLETED', amount: '100.0000', currency: 'KES' }

test('an unsigned pawaPay callback is refused while callbacks are signed, and a hint when they are not', async (t) => {
  const strict = await testMalipo(t, live)
  const lax = await testMalipo(t, { ...live, MALIPO_PAWAPAY_CALLBACKS: 'unsigned' })

  const refused = await strict.call('POST', '/callbacks/pawapay', {}, told)
  const hint = await lax.call('POST', '/callbacks/pawapay', {}, told)

  assert.deepEqual([refused.status, refused.body['errorCode']], [401, 'UNAUTHORIZED'])
  assert.equal(hint.status, 200)
  assert.ok(lax.log.some((line) => line.includes('a callback names no payment of ours')))
})
