import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { type TestContext, test } from 'node:test'
import { testDatabase } from '../dev-stack/servers.ts'
import { openWebhookSecret } from '../merchants/webhook-secret.ts'
import { passwordContext, totpContext } from '../people/password-sign-in.ts'
import type { Environment } from '../platform/db.ts'
import { readId } from '../platform/ids.ts'
import { noteKeys } from '../platform/secret-keys.ts'
import { invitedStaff, joinWithPassword, testBrowser } from '../testing/browser.ts'
import { sendHouseCallback } from '../testing/house-callbacks.ts'
import { exchange } from '../testing/malipo.ts'
import { openTransaction } from '../testing/open-transaction.ts'
import { type PayingMalipo, payingMalipo } from '../testing/paying.ts'
import { testPerson } from '../testing/people.ts'
import { examine } from './operator.ts'
import { secretContext } from './proposal-secrets.ts'
import { sealedColumns } from './sealed-columns.ts'

const path = '/api/b2b/external-accounts'
const account = (accountNumber: string) => ({
  country: 'NG',
  currency: 'NGN',
  destination: 'Bank Account',
  payoutMethod: { accountName: 'Amina Otieno', accountNumber, code: '058' },
})
const payout = (externalReference: string) => ({
  ...{ amount: 1000, currency: 'NGN', country: 'NG', destination: 'Bank Account', externalReference },
  payoutMethod: { accountName: 'Amina Bello', accountNumber: '0690000031', code: '044' },
})

/** The keys of this file's database, newest first. Every test starts with all values under the first. */
let keys = [`k0:${randomBytes(32).toString('base64url')}`]
let made = 0
const newest = () => String(keys[0]?.split(':')[0])

function addKey(): void {
  made += 1
  keys = [`k${made}:v2:${randomBytes(32).toString('base64url')}`, ...keys]
}

const start = (t: TestContext) => payingMalipo(t, { MALIPO_SECRET_KEYS: keys.join(',') })

/** A merchant with a value of every kind. */
async function shop(malipo: PayingMalipo) {
  const merchant = await malipo.merchant()
  await merchant.call('PUT', '/api/b2b/users', { webhookUrl: 'https://shop.example.com/hooks' })
  const rotated = await merchant.call('POST', '/api/b2b/users/webhook-secret/rotate')
  assert.equal(rotated.status, 200, JSON.stringify(rotated.body))
  const endpoint = await merchant.call('POST', '/api/b2b/webhook-endpoints', { url: 'https://shop.example.com/books' })
  const endpointId = (endpoint.body['data'] as { id: string }).id
  const again = await merchant.call('POST', `/api/b2b/webhook-endpoints/${endpointId}/rotate-secret`)
  assert.equal(again.status, 200, JSON.stringify(again.body))
  const added = await merchant.call('POST', path, account('1234567890'))
  const paid = await merchant.call('POST', '/api/b2b/fiat/payout', payout(`p-${randomBytes(4).toString('hex')}`))
  assert.deepEqual([added.status, paid.status], [200, 200], JSON.stringify([added.body, paid.body]))
  await sendHouseCallback(malipo.url, { key: 'unknown-key' })
  const token = await invitedStaff(malipo, { email: `${randomBytes(4).toString('hex')}@example.com` })
  const joined = await joinWithPassword(malipo, testBrowser(malipo), { token, password: 'maji ya kunywa 7' })
  assert.equal(joined.status, 200, JSON.stringify(joined.body))
  await approveInvitation(malipo)
  return {
    merchant,
    accountId: String((added.body['data'] as { id: string }).id),
    transactionId: String(paid.body['transactionId']),
  }
}

/** An invitation whose link its maker has not collected. */
async function approveInvitation(malipo: PayingMalipo): Promise<void> {
  const [maker, checker] = [
    await testPerson(malipo, { operator: ['admin'] }),
    await testPerson(malipo, { operator: ['admin'] }),
  ]
  const email = `${randomBytes(4).toString('hex')}@example.com`
  const order = { email, name: 'Achieng', role: 'support', reason: 'joins support' }
  const made = await maker.call('POST', '/operator/v1/people/invite', order)
  const { proposalId } = made.body['data'] as { proposalId: string }
  const approved = await checker.call('POST', `/operator/v1/proposals/${proposalId}/approve`, { reason: 'checked' })
  assert.equal(approved.status, 200, JSON.stringify(approved.body))
}

/** Opens a value of every kind, as its readers do. */
async function readAll(malipo: PayingMalipo, { merchant, accountId, transactionId }: Awaited<ReturnType<typeof shop>>) {
  const caller = await malipo.as(merchant)
  const shown = await caller.call('GET', `${path}/${accountId}`)
  const { accountNumber } = (shown.body['data'] as { payoutMethod: { accountNumber: string } }).payoutMethod
  const payment = await malipo.operator.payments.show(transactionId)
  const endpoints = await malipo.ask<{
    merchant_id: string
    env: Environment
    endpoint_id: string
    secret: string
    previous_secret: string | null
  }>(`select merchant_id, env, id as endpoint_id, secret, previous_secret from webhook_endpoints
    union all select merchant_id, env, id, secret, previous_secret from added_webhook_endpoints`)
  for (const endpoint of endpoints)
    for (const sealed of [endpoint.secret, endpoint.previous_secret])
      if (sealed !== null) assert.match(openWebhookSecret(malipo.ctx.vault, endpoint, sealed), /^whsec_/)
  const people = await malipo.ask<{ id: string; password_hash: string; totp_secret: string }>(
    'select id, password_hash, totp_secret from people where password_hash is not null',
  )
  for (const { id, password_hash, totp_secret } of people) {
    assert.match(malipo.ctx.vault.open(password_hash, passwordContext(id)), /^\$argon2id\$/)
    assert.match(malipo.ctx.vault.open(totp_secret, totpContext(id)), /^[A-Z2-7]{32}$/)
  }
  const proposals = await malipo.ask<{ id: string; sealed_secret: string }>(
    'select id, sealed_secret from proposals where sealed_secret is not null',
  )
  for (const { id, sealed_secret } of proposals)
    assert.match(malipo.ctx.vault.open(sealed_secret, secretContext(id)), /invitation#/)
  for (const { id } of await malipo.operator.callbacks.list({ limit: 100 }))
    assert.equal((await malipo.operator.callbacks.show(id)).method, 'POST')
  return { accountNumber, payment: payment.id }
}

test('reseal moves values of every kind to the newest key, and all open without the old one', async (t) => {
  const before = await start(t)
  const goods = await shop(before)
  addKey()
  const during = await start(t)

  const first = await during.operator.secrets.reseal()
  assert.equal((await exchange(during.url, goods.merchant)).status, 200)
  const second = await during.operator.secrets.reseal()

  assert.deepEqual(new Set(Object.keys(first.moved)), new Set(sealedColumns.map(({ name }) => name)))
  assert.deepEqual([first.left, second.left, second.moved], [{}, {}, {}])
  assert.deepEqual(first.keys.find(({ key }) => key === 'k0')?.values, { 'credentials.api_key_hash': 1 })
  assert.deepEqual(second.keys.find(({ key }) => key === 'k0')?.values, {})
  keys = keys.slice(0, 1)
  const after = await start(t)
  assert.deepEqual(await readAll(after, goods), { accountNumber: '1234567890', payment: goods.transactionId })
  const twin = await (await after.as(goods.merchant)).call('POST', path, account('1234567890'))
  assert.equal(twin.status, 409, 'the number is recognised under the new key')
})

test('each run of reseal is in the audit trail, with what it moved', async (t) => {
  const malipo = await start(t)
  await shop(malipo)
  addKey()

  await (await start(t)).operator.secrets.reseal()

  const rows = await malipo.ask<{ action: string; actor: string; detail: { moved?: Record<string, number> } }>(
    `select action, actor, detail from audit_entries where subject = $1 order by id`,
    [newest()],
  )
  assert.deepEqual(
    rows.map(({ action, actor }) => [action, actor]),
    [
      ['secrets.reseal_started', 'test'],
      ['secrets.resealed', 'test'],
    ],
  )
  assert.ok((rows[1]?.detail.moved?.['transactions.counterparty'] ?? 0) > 0)
})

test('an interrupted reseal runs again and moves the rest', async (t) => {
  const before = await start(t)
  const goods = await shop(before)
  addKey()
  const malipo = await start(t)
  const stop = new AbortController()
  const seen: string[] = []
  const onPiece = ({ column }: { column: string }) => {
    seen.push(column)
    if (seen.length === 3) stop.abort()
  }

  await assert.rejects(malipo.operator.secrets.reseal({ onPiece, signal: stop.signal }))
  const halfway = await malipo.operator.secrets.list()
  const again = await malipo.operator.secrets.reseal()

  assert.ok((halfway.find(({ key }) => key === newest())?.values['webhook_endpoints.secret'] ?? 0) > 0)
  assert.ok((halfway.find(({ key }) => keys[1]?.startsWith(`${key}:`))?.values['transactions.counterparty'] ?? 0) > 0)
  assert.deepEqual(again.left, {})
  assert.equal(again.moved['webhook_endpoints.secret'], undefined)
  assert.deepEqual((await readAll(malipo, goods)).payment, goods.transactionId)
})

test('a merchant’s change during a reseal is kept', async (t) => {
  const before = await start(t)
  const goods = await shop(before)
  addKey()
  const malipo = await start(t)
  let number = 1_000_000_000
  const end = new AbortController()
  const write = async () => {
    while (!end.signal.aborted) {
      number += 1
      const changed = await goods.merchant.call('PUT', `${path}/${goods.accountId}`, account(String(number)))
      assert.equal(changed.status, 200)
    }
  }

  // The writer is a process that still has the old key first.
  const writing = write()
  for (let run = 0; run < 5; run += 1) await malipo.operator.secrets.reseal()
  end.abort()
  await writing

  assert.equal((await readAll(malipo, goods)).accountNumber, String(number))
  await malipo.operator.secrets.reseal()
  assert.equal((await readAll(malipo, goods)).accountNumber, String(number))
})

test('a value that changed after it was read is not replaced, in any column', async (t) => {
  const before = await start(t)
  await shop(before)
  addKey()
  const { ctx } = await start(t)

  for (const column of sealedColumns) {
    const wanted = { after: '', limit: 1, newest: ctx.vault.newestPattern }
    const [row] = await column.page(ctx.db.write, wanted)
    assert.ok(row?.sealed, column.name)
    const move = { id: row.id, before: `${row.sealed}x`, after: 'another', hashes: [['17']] }
    assert.deepEqual(await column.replace(ctx.db.write, [move]), [], column.name)
    assert.deepEqual(await column.page(ctx.db.write, wanted), [row], column.name)
  }
  await (await start(t)).operator.secrets.reseal()
})

test('reseal does not wait for a locked row, and moves it in the next run', async (t) => {
  const before = await start(t)
  const { transactionId } = await shop(before)
  addKey()
  const malipo = await start(t)
  const id = readId('transaction', transactionId)
  const release = await openTransaction(t, `select from transactions where id = '${id}' for update`)

  const held = await malipo.operator.secrets.reseal()
  await release()
  const free = await malipo.operator.secrets.reseal()

  assert.deepEqual(held.left, { 'transactions.counterparty': 1 })
  assert.deepEqual([free.left, free.moved], [{}, { 'transactions.counterparty': 1 }])
})

test('a value copied from another row is left unchanged and reported, and the others move', async (t) => {
  const before = await start(t)
  const [one, other] = [await shop(before), await shop(before)]
  const ids = [one, other].map(({ transactionId }) => readId('transaction', transactionId))
  const counterpartyOf = async (id: string | undefined) =>
    (await before.ask<{ counterparty: string }>('select counterparty from transactions where id = $1', [id]))[0]
      ?.counterparty
  const [copied, own] = [await counterpartyOf(ids[0]), await counterpartyOf(ids[1])]
  await before.ask('update transactions set counterparty = $1 where id = $2', [copied, ids[1]])
  addKey()
  const malipo = await start(t)

  const resealed = await malipo.operator.secrets.reseal()

  assert.deepEqual(resealed.left, { 'transactions.counterparty': 1 })
  assert.equal(await counterpartyOf(ids[1]), copied)
  assert.notEqual(await counterpartyOf(ids[0]), copied)
  await before.ask('update transactions set counterparty = $1 where id = $2', [own, ids[1]])
  assert.deepEqual((await malipo.operator.secrets.reseal()).left, {})
})

test('an API key moves to the newest secret key when it is exchanged, and never by a wrong one', async (t) => {
  const before = await start(t)
  const { publicKey, apiKey } = await before.merchant()
  const wrong = (await before.merchant()).apiKey
  addKey()
  const malipo = await start(t)
  const hashOf = async () =>
    (
      await malipo.ask<{ key: string }>(
        `select split_part(api_key_hash, '.', 1) as key from credentials where public_key = $1`,
        [publicKey],
      )
    )[0]?.key

  assert.equal((await exchange(malipo.url, { publicKey, apiKey: wrong })).status, 401)
  assert.notEqual(await hashOf(), newest())
  const answers = await Promise.all(Array.from({ length: 5 }, () => exchange(malipo.url, { publicKey, apiKey })))

  assert.deepEqual(new Set(answers.map(({ status }) => status)), new Set([200]))
  assert.equal(await hashOf(), newest())
  assert.equal((await exchange(malipo.url, { publicKey, apiKey })).status, 200)
})

test('the doctor reports an unconfigured key that still seals values, until it is retired', async (t) => {
  const before = await start(t)
  await noteKeys(before.ctx.db.write, before.ctx.vault)
  const { loginUrl, natsUrl } = await testDatabase()
  const old = newest()
  addKey()
  const found = async (keys: readonly string[]) => {
    const variables = { ...before.secrets, DATABASE_URL: loginUrl, NATS_URL: natsUrl, MALIPO_PORT: '0' }
    const findings = await examine({ ...variables, MALIPO_SECRET_KEYS: keys.join(',') })
    return findings.find(({ what }) => what === 'secret keys')
  }

  assert.equal((await found(keys))?.health, 'ok')
  const missing = await found(keys.slice(0, 1))
  assert.equal(missing?.health, 'bad')
  assert.match(missing?.message ?? '', new RegExp(`not configured: .*${old}`))
  await (await start(t)).operator.secrets.reseal()
  await before.ask('update credentials set revoked_at = now() where revoked_at is null')
  await (await start(t)).operator.secrets.reseal()
  assert.equal((await found(keys.slice(0, 1)))?.health, 'ok')
  await noteKeys(before.ctx.db.write, before.ctx.vault)
  assert.equal((await found(keys.slice(0, 1)))?.health, 'bad', 'a process still writes with it')
  assert.equal((await found([`plain:${randomBytes(32).toString('base64url')}`, ...keys]))?.health, 'poor')
})

test('an old key may be removed when nothing is under it and 30 days have passed', async (t) => {
  const before = await start(t)
  await noteKeys(before.ctx.db.write, before.ctx.vault)
  const old = newest()
  addKey()
  const { operator } = await start(t)
  await operator.secrets.reseal()
  const view = async () => (await operator.secrets.list()).find(({ key }) => key === old)

  assert.deepEqual([(await view())?.isWrittenWith, (await view())?.isRemovable], [true, false])
  await before.ask(`update secret_keys set used_at = now() - interval '29 days' where id = $1`, [old])
  assert.deepEqual([(await view())?.isWrittenWith, (await view())?.isRemovable], [false, false])
  await before.ask(`update secret_keys set used_at = now() - interval '31 days' where id = $1`, [old])
  assert.equal((await view())?.isRemovable, true)
})

test('a repeat of a request under a removed secret key is refused, and has no second effect', async (t) => {
  const before = await start(t)
  const merchant = await before.merchant()
  const headers = { authorization: `Bearer ${await merchant.token()}`, 'idempotency-key': 'once' }
  const body = payout(`p-${randomBytes(4).toString('hex')}`)
  const first = await before.call('POST', '/api/b2b/fiat/payout', headers, body)
  addKey()
  await exchange((await start(t)).url, merchant)
  const after = await payingMalipo(t, { MALIPO_SECRET_KEYS: String(keys[0]) })

  const again = await after.call('POST', '/api/b2b/fiat/payout', headers, body)

  assert.equal(first.status, 200)
  assert.deepEqual([again.status, again.body['errorCode']], [422, 'IDEMPOTENCY_KEY_REUSED'])
  await (await start(t)).operator.secrets.reseal()
})

/** Columns with keyed hashes that do not move: why the old key may go. */
const hashed: Readonly<Record<string, string>> = {
  'credentials.api_key_hash': 'moves with the next exchange, and is counted',
  'machines.api_key_hash': 'moves with the next exchange, and is counted',
  'external_accounts.account_number_hash': 'moves with the account number',
  'sessions.token_hash': 'the person signs in again',
  'invitations.token_hash': 'valid for 72 hours',
  'invitations.code_hash': 'valid for 72 hours',
  'idempotency_keys.fingerprint': 'kept for 30 days, and the key is needed until then',
}

test('no column holds sealed or hashed text but those that reseal moves or names', async (t) => {
  const malipo = await start(t)
  await shop(malipo)
  const columns = await malipo.ask<{ table: string; column: string }>(
    `select c.relname as table, a.attname as column
     from pg_class c
     join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
     where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p') and not c.relispartition
       and a.atttypid = 'text'::regtype`,
  )

  const found: string[] = []
  for (const { table, column } of columns) {
    const form = '^k[0-9]+[.]([0-9]{8}[.])?[A-Za-z0-9_-]{22,}$'
    const rows = await malipo.ask(`select from ${table} where "${column}" ~ $1 limit 1`, [form])
    if (rows.length > 0) found.push(`${table}.${column}`)
  }

  const moved = sealedColumns.map(({ name }) => name)
  assert.deepEqual(
    moved.filter((name) => !found.includes(name)),
    [],
  )
  assert.deepEqual(
    found.filter((name) => !moved.includes(name) && !(name in hashed)),
    [],
  )
})
