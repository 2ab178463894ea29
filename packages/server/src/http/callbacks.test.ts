import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { test } from 'node:test'
import { testMalipo } from '../testing/malipo.ts'

const live = { MALIPO_PAWAPAY_URL: 'http://127.0.0.1:9', MALIPO_PAWAPAY_TOKEN: 'a-token-of-a-live-account' }
const callback = { payoutId: randomUUID(), status: 'FAILED', amount: '100.0000', currency: 'KES' }

test('an unsigned pawaPay callback is refused while callbacks are signed, and a hint when they are not', async (t) => {
  const strict = await testMalipo(t, live)
  const lax = await testMalipo(t, { ...live, MALIPO_PAWAPAY_CALLBACKS: 'unsigned' })

  const refused = await strict.call('POST', '/callbacks/pawapay', {}, callback)
  const hint = await lax.call('POST', '/callbacks/pawapay', {}, callback)

  assert.deepEqual([refused.status, refused.body['errorCode']], [401, 'UNAUTHORIZED'])
  assert.equal(hint.status, 200)
  assert.ok(lax.log.some((line) => line.includes('callback names an unknown payment')))
})
