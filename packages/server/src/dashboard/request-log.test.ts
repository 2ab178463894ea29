import assert from 'node:assert/strict'
import { test } from 'node:test'
import { testMalipo } from '../testing/malipo.ts'
import { member, pathIn } from '../testing/members.ts'
import { payOut } from '../testing/searching.ts'

const noProvider = { MALIPO_SIMULATOR_URL: 'http://127.0.0.1:9', MALIPO_SIMULATOR_TOKEN: 'unused-simulator-token' }

interface Entry {
  readonly path: string
  readonly requestId: string
}

test('the requests about one transaction are found by its id, and none of another merchant', async (t) => {
  const malipo = await testMalipo(t, noProvider)
  const [merchant, other] = [await malipo.merchant(), await malipo.merchant()]
  const support = await member(malipo, merchant.id, ['support'])
  const [id] = [await payOut(merchant), await payOut(merchant)]
  await merchant.call('GET', `/api/b2b/transactions/${id}`)
  await other.call('GET', `/api/b2b/transactions/${id}`)
  await malipo.ctx.requestLog.flush()
  const find = async (query: string) => {
    const { status, body } = await support.call('GET', pathIn(merchant.id, 'sandbox', `/request-log?${query}`))
    assert.equal(status, 200, JSON.stringify(body))
    return body['data'] as Entry[]
  }

  const found = await find(`transactionId=${id}`)
  const [newest] = await find(`transactionId=${id}&limit=1`)

  assert.deepEqual(
    found.map(({ path }) => path),
    ['/api/b2b/transactions/{transactionId}', '/api/b2b/fiat/payout'],
  )
  assert.deepEqual(newest, found[0])
  assert.deepEqual(await find(`transactionId=${id}&requestId=${newest?.requestId}`), [newest])
  assert.deepEqual(await find(`transactionId=${id}&requestId=another`), [])
})

test('what a person only looks at is not in the log; what a person changes and what is refused is', async (t) => {
  const malipo = await testMalipo(t, noProvider)
  const merchant = await malipo.merchant()
  const developer = await member(malipo, merchant.id, ['developer'])
  const call = (method: string, path: string, body?: object) =>
    developer.call(method, pathIn(merchant.id, 'sandbox', path), body)
  await merchant.call('GET', '/api/b2b/users')
  await call('GET', '/webhooks')
  await call('GET', '/keys')
  await call('GET', '/utilities/banks')
  await call('POST', '/search/transactions', { limit: 1 })
  await call('GET', '/transactions/unknown')
  await call('POST', '/webhook-endpoints', { url: 'https://example.com/hook' })
  await malipo.ctx.requestLog.flush()
  const { body } = await call('GET', '/request-log')

  const shown = (body['data'] as (Entry & { method: string; status: number })[]).map(
    ({ method, path, status }) => `${method} ${path.replace(/^.*\{env\}/, '…')} ${status}`,
  )
  assert.deepEqual(shown, [
    'POST …/webhook-endpoints 200',
    'GET …/transactions/{transactionId} 404',
    'GET /api/b2b/users 200',
  ])
})

test('an export that a person makes is in the log', async (t) => {
  const malipo = await testMalipo(t, noProvider)
  const merchant = await malipo.merchant()
  const finance = await member(malipo, merchant.id, ['finance'])
  const call = (path: string) => finance.call('GET', pathIn(merchant.id, 'sandbox', path))
  await call('/exports/transactions')
  await malipo.ctx.requestLog.flush()

  const { body } = await merchant.call('GET', '/api/b2b/request-log')

  assert.match(JSON.stringify(body['data']), /exports\/transactions/)
})
