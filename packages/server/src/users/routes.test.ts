import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createPlatformAccounts } from '../ledger/accounts.ts'
import { readId } from '../platform/ids.ts'
import { movement } from '../testing/ledger.ts'
import { testMalipo } from '../testing/malipo.ts'
import { createPoster } from '../testing/poster.ts'

const users = '/api/b2b/users'

test('the profile shows the merchant and the calling key pair, with empty URLs until set', async (t) => {
  const malipo = await testMalipo(t)
  const merchant = await malipo.merchant({ env: 'live' })

  const { status, body } = await merchant.call('GET', users)

  assert.equal(status, 200)
  assert.deepEqual(body, {
    success: true,
    firstName: 'Amina',
    lastName: 'Otieno',
    email: 'amina@example.com',
    publicKey: merchant.publicKey,
    webhookUrl: '',
    sandboxWebhookUrl: '',
    KESWallet: { balance: 0 },
    wallets: [],
    owed: [],
  })
})

test('a new merchant has a funded sandbox, and every sum matches its wallets', async (t) => {
  const malipo = await testMalipo(t)
  const merchant = await malipo.merchant()

  const { body } = await merchant.call('GET', users)

  const wallets = body['wallets'] as {
    currency: string
    country: string
    balance: number
    available: number
    pending: number
  }[]
  assert.deepEqual(
    wallets.find(({ currency }) => currency === 'KES'),
    { currency: 'KES', country: 'KE', balance: 1_000_000, available: 1_000_000, pending: 0 },
  )
  assert.equal(wallets.filter(({ currency }) => currency === 'XOF').length, 2)
  assert.deepEqual(body['XOFWallet'], { balance: 10_000_000 })
})

test('money held for payouts is pending, not available', async (t) => {
  const malipo = await testMalipo(t)
  const merchant = await malipo.merchant()
  const [wallet] = await malipo.ask<{ id: string }>(
    `select id from wallets where merchant_id = $1 and currency = 'KES'`,
    [readId('merchant', merchant.id)],
  )
  const clearing = await createPlatformAccounts(malipo.ctx.db.write, 0).idOf({
    env: 'sandbox',
    kind: 'clearing',
    currency: 'KES',
  })
  const hold = movement({ kind: 'hold', debit_account: wallet?.id ?? '', credit_account: clearing, amount: 40_05n })
  await createPoster(malipo.ctx.db.write).submit({ wallets: [wallet?.id ?? ''], movements: [hold] })

  const { body } = await merchant.call('GET', users)

  assert.deepEqual(body['KESWallet'], { balance: 999_959.95 })
  assert.deepEqual(
    (body['wallets'] as { currency: string }[]).find(({ currency }) => currency === 'KES'),
    { currency: 'KES', country: 'KE', balance: 1_000_000, available: 999_959.95, pending: 40.05 },
  )
})

test('only the fields sent are changed, and the response is the new profile', async (t) => {
  const malipo = await testMalipo(t)
  const merchant = await malipo.merchant()
  const url = 'http://127.0.0.1:9/hooks'

  await merchant.call('PUT', users, { sandboxWebhookUrl: url })
  const { body } = await merchant.call('PUT', users, { firstName: 'Achieng' })

  assert.deepEqual(
    [body['firstName'], body['lastName'], body['sandboxWebhookUrl'], body['webhookUrl']],
    ['Achieng', 'Otieno', url, ''],
  )
})

test('an empty URL unsets it', async (t) => {
  const malipo = await testMalipo(t)
  const merchant = await malipo.merchant()
  await merchant.call('PUT', users, { sandboxWebhookUrl: 'https://shop.example.com/hooks' })

  const { body } = await merchant.call('PUT', users, { sandboxWebhookUrl: '' })

  assert.equal(body['sandboxWebhookUrl'], '')
})

test('concurrent changes to different fields are all kept', async (t) => {
  const malipo = await testMalipo(t)
  const merchant = await malipo.merchant()
  await merchant.token()

  await Promise.all([
    merchant.call('PUT', users, { firstName: 'Achieng' }),
    merchant.call('PUT', users, { lastName: 'Kamau' }),
    merchant.call('PUT', users, { sandboxWebhookUrl: 'https://shop.example.com/hooks' }),
  ])

  const { body } = await merchant.call('GET', users)
  assert.deepEqual(
    [body['firstName'], body['lastName'], body['sandboxWebhookUrl']],
    ['Achieng', 'Kamau', 'https://shop.example.com/hooks'],
  )
})

test("a token changes only its own environment's URL, and a refused change has no effect", async (t) => {
  const malipo = await testMalipo(t)
  const [sandbox, live] = [await malipo.merchant(), await malipo.merchant({ env: 'live' })]
  const url = 'https://shop.example.com/hooks'

  const fromSandbox = await sandbox.call('PUT', users, { firstName: 'Achieng', webhookUrl: url })
  const fromLive = await live.call('PUT', users, { firstName: 'Achieng', sandboxWebhookUrl: url })

  assert.deepEqual([fromSandbox.status, fromSandbox.body['errorCode']], [403, 'LIVE_ONLY'])
  assert.deepEqual([fromLive.status, fromLive.body['errorCode']], [403, 'SANDBOX_ONLY'])
  for (const merchant of [sandbox, live]) assert.equal((await merchant.call('GET', users)).body['firstName'], 'Amina')
})

const unusable: [string, unknown][] = [
  ['sandboxWebhookUrl', 'not a url'],
  ['sandboxWebhookUrl', 'ftp://shop.example.com/hooks'],
  ['sandboxWebhookUrl', 'https://user:secret@shop.example.com/hooks'],
  ['sandboxWebhookUrl', 'https://shop.example.com/hooks#part'],
  ['sandboxWebhookUrl', `https://shop.example.com/${'x'.repeat(2048)}`],
  ['sandboxWebhookUrl', null],
  ['firstName', ''],
  ['firstName', 'x'.repeat(101)],
  ['firstName', { first: 'Amina' }],
  ['lastName', 7],
  ['lastName', '   '],
  ['lastName', 'two\nlines'],
  ['lastName', 'nul\u0000'],
  ['lastName', 'half \ud800'],
  ['sandboxWebhookUrl', ' https://shop.example.com/hooks'],
  ['sandboxWebhookUrl', 'https://shop.example.com/\r\nhooks'],
  ['lastname', 'Kamau'],
]

test('an invalid change is refused and its field named', async (t) => {
  const malipo = await testMalipo(t)
  const merchant = await malipo.merchant()

  for (const [field, value] of unusable) {
    const { status, body } = await merchant.call('PUT', users, { [field]: value })
    const label = `${field} ${JSON.stringify(value).slice(0, 40)}`
    assert.equal(status, 400, label)
    assert.equal(body['errorCode'], 'VALIDATION_ERROR', label)
    assert.deepEqual(
      (body['details'] as { field: string }[]).map((detail) => detail.field),
      [field],
      label,
    )
    assert.match(String(body['message']), new RegExp(`^Validation error: ${field} `), label)
  }
})

test('a live URL must be https', async (t) => {
  const malipo = await testMalipo(t)
  const live = await malipo.merchant({ env: 'live' })

  const plain = await live.call('PUT', users, { webhookUrl: 'http://shop.example.com/hooks' })
  const secure = await live.call('PUT', users, { webhookUrl: 'https://shop.example.com/hooks' })

  assert.equal(plain.body['message'], 'Validation error: webhookUrl must start with https://')
  assert.equal(secure.status, 200)
})

test('the error for a mistyped field suggests the right one', async (t) => {
  const malipo = await testMalipo(t)
  const merchant = await malipo.merchant()

  const { body } = await merchant.call('PUT', users, { fistName: 'Achieng' })

  assert.equal(body['message'], 'Validation error: fistName is not known; did you mean firstName?')
})

test('a new webhook secret is shown once and stored sealed, and the old one works for a day', async (t) => {
  const malipo = await testMalipo(t)
  const merchant = await malipo.merchant()
  const rotate = async () => {
    const { body } = await merchant.call('POST', `${users}/webhook-secret/rotate`)
    return (body['data'] as { secret: string }).secret
  }

  const [first, second] = [await rotate(), await rotate()]

  assert.match(first, /^whsec_[A-Za-z0-9+/]{43}=$/)
  assert.notEqual(first, second)
  const id = readId('merchant', merchant.id)
  const [row] = await malipo.ask<{ secret: string; previous_secret: string; hours: number }>(
    `select secret, previous_secret, extract(epoch from previous_secret_until - now())::float8 / 3600 as hours
     from webhook_endpoints where merchant_id = $1 and env = 'sandbox'`,
    [id],
  )
  const open = (sealed = '') => malipo.ctx.vault.open(sealed, `webhook_endpoints|secret|${id}|sandbox`)
  assert.deepEqual([open(row?.secret), open(row?.previous_secret)], [second, first])
  assert.ok(Math.abs(Number(row?.hours) - 24) < 0.01)
})

test("a rotation in one environment keeps the other environment's secret", async (t) => {
  const malipo = await testMalipo(t)
  const merchant = await malipo.merchant()
  const id = readId('merchant', merchant.id)
  const live = () => malipo.ask(`select * from webhook_endpoints where merchant_id = $1 and env = 'live'`, [id])
  const before = await live()

  await merchant.call('POST', `${users}/webhook-secret/rotate`)

  assert.deepEqual(await live(), before)
})

test('every change leaves an audit row with credential and origin, and without a secret', async (t) => {
  const malipo = await testMalipo(t)
  const merchant = await malipo.merchant()

  await merchant.call('PUT', users, { firstName: 'Achieng' })
  const { body } = await merchant.call('POST', `${users}/webhook-secret/rotate`)

  const rows = await malipo.ask<{ actor: string; action: string; detail: object; address: string; request_id: string }>(
    'select actor, action, detail, address, request_id from audit_entries where merchant_id = $1 order by id',
    [readId('merchant', merchant.id)],
  )
  assert.deepEqual(
    rows.map(({ action }) => action),
    ['merchant.create', 'key.create', 'token.issue', 'profile.update', 'webhook-secret.rotate'],
  )
  assert.match(rows[3]?.actor ?? '', /^cred_/)
  assert.deepEqual(rows[3]?.detail, { firstName: 'Achieng' })
  assert.deepEqual([rows[3]?.address, rows[3]?.request_id === ''], ['127.0.0.1', false])
  assert.ok(!JSON.stringify(rows).includes((body['data'] as { secret: string }).secret))
})

test('a deleted merchant gets the error for a missing user', async (t) => {
  const malipo = await testMalipo(t)
  const merchant = await malipo.merchant()
  const id = readId('merchant', merchant.id)
  await merchant.token()
  await malipo.ask('delete from webhook_endpoints where merchant_id = $1', [id])

  const read = await merchant.call('GET', users)
  const rotated = await merchant.call('POST', `${users}/webhook-secret/rotate`)

  for (const { status, body } of [read, rotated])
    assert.deepEqual([status, body['errorCode'], body['message']], [404, 'E-B2B-S-118', 'User does not exist'])
})

test('the error for a pair without the scope names that scope', async (t) => {
  const malipo = await testMalipo(t)
  const reader = await malipo.merchant({ scopes: ['profile:read'] })

  const read = await reader.call('GET', users)
  const write = await reader.call('PUT', users, { firstName: 'Achieng' })

  assert.equal(read.status, 200)
  assert.deepEqual([write.status, write.body['errorCode']], [403, 'INSUFFICIENT_SCOPE'])
  assert.deepEqual(write.body['details'], [{ field: 'scope', message: 'the token lacks the scope profile:write' }])
})

test("a change touches no other merchant's profile, URL or secret", async (t) => {
  const malipo = await testMalipo(t)
  const [mine, other] = [await malipo.merchant(), await malipo.merchant()]
  const rows = () =>
    malipo.ask(
      'select m.first_name, m.last_name, w.* from merchants m join webhook_endpoints w on w.merchant_id = m.id where m.id = $1 order by env',
      [readId('merchant', other.id)],
    )
  const before = await rows()

  await mine.call('PUT', users, {
    firstName: 'Achieng',
    lastName: 'Kamau',
    sandboxWebhookUrl: 'https://shop.example.com/hooks',
  })
  await mine.call('POST', `${users}/webhook-secret/rotate`)

  assert.deepEqual(await rows(), before)
})

test('a secret is rotated only with write scope, with or without an empty body', async (t) => {
  const malipo = await testMalipo(t)
  const [reader, writer] = [await malipo.merchant({ scopes: ['profile:read'] }), await malipo.merchant()]
  const path = `${users}/webhook-secret/rotate`
  const headers = { authorization: `Bearer ${await writer.token()}`, 'content-type': 'application/json' }

  assert.equal((await reader.call('POST', path)).body['errorCode'], 'INSUFFICIENT_SCOPE')
  assert.equal((await fetch(malipo.url + path, { method: 'POST', headers, body: '' })).status, 200)
})

test('ten unknown fields are all named', async (t) => {
  const malipo = await testMalipo(t)
  const merchant = await malipo.merchant()
  const names = Array.from({ length: 10 }, (_, index) => `unknown${index}`)

  const { body } = await merchant.call('PUT', users, Object.fromEntries(names.map((name) => [name, 1])))

  assert.deepEqual(
    (body['details'] as { field: string }[]).map(({ field }) => field),
    names,
  )
})
