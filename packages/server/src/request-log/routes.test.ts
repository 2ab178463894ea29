import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { type TestContext, test } from 'node:test'
import { dropOldLogDays } from '../platform/partitions.ts'
import { cardBody, cards, chargingMalipo, codes } from '../testing/charging.ts'
import { call, type Malipo, testMalipo } from '../testing/malipo.ts'
import { member, pathIn } from '../testing/members.ts'
import { keepPartitions } from '../workers/partition-keeper.ts'

type TestMerchant = Awaited<ReturnType<Malipo['merchant']>>

interface Entry {
  readonly at: string
  readonly method: string
  readonly path: string
  readonly status: number
  readonly errorCode?: string
  readonly durationMs: number
  readonly requestId: string
  readonly credential: string
  readonly address: string
  readonly transactionId?: string
  readonly body?: Readonly<Record<string, unknown>>
}

const unlimited = { MALIPO_RATE_LIMIT_SANDBOX: '1000000' }
const payout = (over: object = {}) => ({
  ...{
    amount: 20,
    currency: 'KES',
    country: 'KE',
    destination: 'MoMo',
    externalReference: randomBytes(6).toString('hex'),
  },
  payoutMethod: { accountName: 'Juma Otieno', accountNumber: '+254703456789' },
  ...over,
})

/** Sends a request under its own request id, and returns the id with the response. */
async function named(malipo: Malipo, merchant: TestMerchant, method: string, path: string, body?: unknown) {
  const requestId = randomBytes(8).toString('hex')
  const headers = { authorization: `Bearer ${await merchant.token()}`, 'x-request-id': requestId }
  return { requestId, ...(await call(malipo.url, method, path, headers, body)) }
}

async function entries(malipo: Malipo, merchant: TestMerchant, query: Record<string, string> = {}): Promise<Entry[]> {
  return (await page(malipo, merchant, query)).data
}

async function page(malipo: Malipo, merchant: TestMerchant, query: Record<string, string>) {
  await malipo.ctx.requestLog.flush()
  const { status, body } = await merchant.call('GET', `/api/b2b/request-log?${new URLSearchParams(query)}`)
  assert.equal(status, 200, JSON.stringify(body))
  return body as unknown as { readonly data: Entry[]; readonly nextCursor?: string }
}

test('a read, a payout and a refusal are logged with their route, outcome and sender', async (t) => {
  const malipo = await chargingMalipo(t)
  const merchant = await malipo.merchant()
  const reading = await named(malipo, merchant, 'GET', '/api/b2b/transactions/order-77')
  const paying = await named(malipo, merchant, 'POST', '/api/b2b/fiat/payout', payout())
  const refusing = await named(malipo, merchant, 'POST', '/api/b2b/fiat/payout', payout({ amount: 20.555 }))

  const [read] = await entries(malipo, merchant, { requestId: reading.requestId })
  const [paid] = await entries(malipo, merchant, { requestId: paying.requestId })
  const [refused] = await entries(malipo, merchant, { requestId: refusing.requestId })

  const { at, durationMs, ...facts } = read ?? ({} as Entry)
  assert.ok(Math.abs(Date.parse(at) - Date.now()) < 60_000 && durationMs >= 0)
  assert.deepEqual(facts, {
    ...{
      method: 'GET',
      path: '/api/b2b/transactions/{transactionId}',
      status: 404,
      errorCode: 'TRANSACTION_NOT_FOUND',
    },
    ...{ requestId: reading.requestId, credential: merchant.publicKey, address: '127.0.0.1' },
  })
  assert.deepEqual([paid?.status, paid?.transactionId], [200, paying.body['transactionId']])
  const { accountNumber } = (paid?.body?.['payoutMethod'] ?? {}) as { accountNumber?: string }
  assert.equal(accountNumber, '••••6789')
  assert.deepEqual([refused?.errorCode, refused?.body?.['amount']], ['VALIDATION_ERROR', 20.555])
})

test('no card number, code, name or token of a payment is in the log', async (t) => {
  const malipo = await chargingMalipo(t)
  const merchant = await malipo.charging()
  const body = cardBody(cards.asksPin)
  const charged = await merchant.send('card', body)
  const { transactionId } = charged.body['data'] as { transactionId: string }
  await merchant.authorise(transactionId, 'pin', codes.wrongPin)
  await merchant.send('card', { ...body, amount: -1, note: body.cardDetails.number })
  await malipo.ctx.requestLog.flush()

  const rows = await malipo.ask<{ row: string; body: string | null }>('select r::text as row, body from request_log r')
  const text = rows.map(({ row }) => row).join('\n')
  assert.ok(rows.filter((row) => row.body !== null).length >= 3, text)
  for (const secret of [cards.asksPin, codes.wrongPin, `"${codes.cvv}"`, 'eyJ', 'sk_test_', body.email, body.lastName])
    assert.ok(!text.includes(secret), secret)
})

/** A JSON schema, as far as this test reads it. */
interface Schema {
  readonly type?: string
  readonly properties?: Readonly<Record<string, Schema>>
  readonly items?: Schema
  readonly anyOf?: readonly Schema[]
  readonly allOf?: readonly Schema[]
  readonly oneOf?: readonly Schema[]
  readonly $ref?: string
}

/** Every leaf of a body, as the path of names to it; a list is entered at its first item. */
function leavesOf(schema: Schema, find: (ref: string) => Schema, at: readonly string[] = []): string[][] {
  if (schema.$ref !== undefined) return leavesOf(find(schema.$ref), find, at)
  const parts = [...(schema.anyOf ?? []), ...(schema.allOf ?? []), ...(schema.oneOf ?? [])]
  const own = Object.entries(schema.properties ?? {}).flatMap(([name, inner]) => leavesOf(inner, find, [...at, name]))
  const items = schema.items ? leavesOf(schema.items, find, [...at, '0']) : []
  const all = [...own, ...items, ...parts.flatMap((part) => leavesOf(part, find, at))]
  return all.length > 0 ? all : [[...at]]
}

const bodyWith = ([name, ...rest]: readonly string[], value: unknown): unknown => {
  if (name === undefined) return value
  return name === '0' ? [bodyWith(rest, value)] : { [name]: bodyWith(rest, value) }
}

/** Fields of requests that are harmless, and kept as sent. A new field is hidden until it is added here and to the masker. */
const shown = new Set([
  ...['amount', 'debitAmount', 'toAmount', 'currency', 'country', 'walletCurrency', 'debitCurrency', 'debitCountry'],
  ...['fromCurrency', 'fromCountry', 'toCurrency', 'toCountry', 'externalReference', 'externalAccountId', 'quoteId'],
  ...['refundOf', 'transactionId', 'destination', 'method', 'type', 'code', 'bankCode', 'branchCode', 'momoOperator'],
  ...['momoOperatorId', 'webhookStatus', 'scenario', 'events'],
])

test('no field of any route but the harmless ones keeps its value in the log', { timeout: 120_000 }, async (t) => {
  const malipo = await testMalipo(t, unlimited)
  const merchant = await malipo.merchant()
  const headers = { authorization: `Bearer ${await merchant.token()}` }
  const { body: document } = await call(malipo.url, 'GET', '/openapi.json')
  const paths = document['paths'] as Record<
    string,
    Record<string, { requestBody?: { content: { 'application/json': { schema: Schema } } } }>
  >
  const find = (ref: string) =>
    ref
      .slice(2)
      .split('/')
      .reduce<unknown>((inner, name) => (inner as Record<string, unknown>)[name], document) as Schema
  const sent: { readonly field: string; readonly value: string; readonly route: string }[] = []

  for (const [path, methods] of Object.entries(paths))
    for (const [method, { requestBody }] of Object.entries(methods)) {
      if (!requestBody || path.includes('generate-bearer-token')) continue
      for (const leaf of leavesOf(requestBody.content['application/json'].schema, find)) {
        // Digits, so that a number field is recognised by its last four; the rest must not be there.
        const value = `9${String(Math.random()).slice(2, 14).padEnd(12, '1')}`
        const url = path.replaceAll(/\{\w+\}/g, 'none')
        await call(malipo.url, method.toUpperCase(), url, headers, bodyWith(leaf, value))
        sent.push({ field: leaf.filter((name) => name !== '0').at(-1) ?? '', value, route: `${method} ${path}` })
      }
    }
  await malipo.ctx.requestLog.flush()

  assert.ok(sent.length > 60, `${sent.length} fields`)
  const rows = await malipo.ask<{ row: string }>(
    'select r::text as row from request_log r where merchant_id is not null',
  )
  const text = rows.map(({ row }) => row).join('\n')
  const leaked = sent.filter(({ value }) => text.includes(value.slice(0, -4)))
  assert.deepEqual(new Set(leaked.map(({ field }) => field).filter((field) => !shown.has(field))), new Set())
  assert.ok(text.includes('••••'), 'numbers keep their last digits')
})

test('only refused requests and requests that move money keep their body, cut to 4 KiB', async (t) => {
  const malipo = await testMalipo(t)
  const merchant = await malipo.merchant()
  const renamed = await named(malipo, merchant, 'PUT', '/api/b2b/users', { firstName: 'Achieng' })
  const many = { payouts: Array.from({ length: 500 }, () => payout()) }
  const bulk = await named(malipo, merchant, 'POST', '/api/b2b/fiat/payouts/bulk', many)

  const [first] = await entries(malipo, merchant, { requestId: renamed.requestId })
  assert.deepEqual([first?.status, first?.body], [200, undefined])
  const [second] = await entries(malipo, merchant, { requestId: bulk.requestId })
  const kept = second?.body?.['payouts'] as unknown[]
  assert.ok(kept.length > 2 && kept.length < 100)
  assert.deepEqual(kept.at(-1), { cut: 'the rest is not kept' })
  assert.ok(Buffer.byteLength(JSON.stringify(second?.body)) <= 4096)
})

test('a PIN or code in the wrong field is hidden, however short, and codes of banks are not', async (t) => {
  const malipo = await testMalipo(t, unlimited)
  const merchant = await malipo.merchant()
  const path = '/api/b2b/fiat/deposit/none/authorise'

  for (const body of [{ type: 'otp', code: '7391' }, { type: '7391' }, { code: 7391 }, { method: '7 3-9.1' }]) {
    const { requestId } = await named(malipo, merchant, 'POST', path, body)
    const [entry] = await entries(malipo, merchant, { requestId })
    assert.ok(Object.values(entry?.body ?? {}).includes('[hidden]'), JSON.stringify([body, entry]))
  }
  const { requestId } = await named(malipo, merchant, 'POST', '/api/b2b/fiat/payout', {
    code: '044',
    bankCode: '40119',
  })
  const [entry] = await entries(malipo, merchant, { requestId })
  assert.deepEqual(entry?.body, { code: '044', bankCode: '40119' })
})

/** Bodies whose parts together look like a secret: hiding it across fields would break the JSON. */
const spanning: Record<string, object> = {
  'an amount that is a card number': { amount: 4242424242424242, currency: 'KES' },
  'a list of them': { amount: [4242424242424242, '4242424242424242'] },
  'a password in a URL across objects': { payoutMethod: { code: 'ftp://a:b' }, currency: 'c@d' },
  'half a character': { externalReference: `${'x'.repeat(99)}\u{1F600}` },
  'a nul and quotes': { externalReference: '\u0000"}],' },
}

test('an entry is readable whatever its body holds, and card numbers stay hidden', async (t) => {
  const malipo = await testMalipo(t, unlimited)
  const merchant = await malipo.merchant()

  for (const [name, body] of Object.entries(spanning)) {
    const { requestId, status } = await named(malipo, merchant, 'POST', '/api/b2b/fiat/payout', body)
    const [entry] = await entries(malipo, merchant, { requestId })
    assert.deepEqual([entry?.status, typeof entry?.body], [status, 'object'], name)
    assert.ok(!JSON.stringify(entry?.body).includes('42424242'), name)
  }
})

test('a merchant sees its own requests in its own environment only', async (t) => {
  const malipo = await testMalipo(t)
  const [mine, other] = [await malipo.merchant(), await malipo.merchant()]
  const live = await malipo.as(await malipo.operator.keys.create(mine.id, { env: 'live' }))
  const { requestId } = await named(malipo, mine, 'GET', '/api/b2b/users')

  assert.equal((await entries(malipo, mine, { requestId })).length, 1)
  assert.deepEqual(await entries(malipo, other, { requestId }), [])
  assert.deepEqual(await entries(malipo, { ...live, id: mine.id }, { requestId }), [])
  const sandboxed = await live.call('GET', '/api/sandbox/b2b/users')
  assert.equal(sandboxed.body['errorCode'], 'SANDBOX_ONLY')
})

test('a request without a valid token has no entry', async (t) => {
  const malipo = await testMalipo(t)
  const before = await count(malipo)

  await call(malipo.url, 'GET', '/api/b2b/users', { authorization: 'Bearer eyJhbGciOiJub25lIn0.e30.x' })
  await call(malipo.url, 'POST', '/api/b2b/auth/generate-bearer-token', { 'api-key': 'sk_test_x' }, { publicKey: 'pk' })

  assert.equal(await count(malipo), before)
})

async function count(malipo: Malipo): Promise<number> {
  await malipo.ctx.requestLog.flush()
  return Number((await malipo.ask<{ count: string }>('select count(*) from request_log'))[0]?.count)
}

test('a refused request of a person is logged with the person, and without the address', async (t) => {
  const malipo = await testMalipo(t)
  const merchant = await malipo.merchant()
  const developer = await member(malipo, merchant.id, ['developer'])
  const path = pathIn(merchant.id, 'sandbox', '/webhooks/none')
  assert.equal((await developer.call('GET', path)).status, 404)

  const own = (await entries(malipo, merchant)).find((entry) => entry.path.startsWith('/dashboard/'))

  assert.equal(own?.path, '/dashboard/v1/merchants/{merchantId}/{env}/webhooks/{id}')
  assert.match(own?.credential ?? '', /^person_[0-9a-f]{32}$/)
  assert.equal(own?.address, '')
})

test('filters find by status, class, route and day, and pages have no gaps or repeats', async (t) => {
  const malipo = await testMalipo(t, unlimited)
  const merchant = await malipo.merchant()
  for (let sent = 0; sent < 7; sent += 1) await merchant.call('GET', '/api/b2b/webhooks/none')
  await merchant.call('GET', '/api/b2b/users')
  const path = '/api/b2b/webhooks/{id}'

  const whole = await entries(malipo, merchant, { path, limit: '50' })
  assert.equal(whole.length, 7)
  assert.deepEqual(await entries(malipo, merchant, { status: '4xx' }), whole)
  assert.deepEqual(await entries(malipo, merchant, { status: '404' }), whole)
  assert.deepEqual(await entries(malipo, merchant, { status: '5XX' }), [])
  const today = new Date().toISOString().slice(0, 10)
  assert.equal((await entries(malipo, merchant, { path, startDate: today, endDate: today })).length, 7)
  assert.deepEqual(await entries(malipo, merchant, { startDate: '2020-01-01', endDate: '2020-01-02' }), [])
  const walked: Entry[] = []
  for (let cursor: string | undefined = ''; cursor !== undefined; ) {
    const next = await page(malipo, merchant, { path, limit: '2', ...(cursor && { cursor }) })
    walked.push(...next.data)
    cursor = next.nextCursor
  }
  assert.deepEqual(walked, whole)
})

test('a filter of the log that is invalid is refused', async (t) => {
  const malipo = await testMalipo(t)
  const merchant = await malipo.merchant()

  for (const query of [
    ...[
      'limit=0',
      'limit=201',
      'limit=ten',
      'status=lost',
      'status=6xx',
      'startDate=01/02/2026',
      'startDate=2026-02-30',
    ],
    ...['startDate=2026-02-02&endDate=2026-02-01', 'cursor=none', 'transactionId=none', 'unknown=1'],
  ]) {
    const { status, body } = await merchant.call('GET', `/api/b2b/request-log?${query}`)
    assert.deepEqual([status, body['errorCode']], [400, 'VALIDATION_ERROR'], query)
  }
})

test('a day of the log is dropped whole after a week, and days ahead are ready', async (t) => {
  const malipo = await testMalipo(t)
  t.after(async () => {
    await malipo.ask(`update clock_offset set ahead = '0'`)
    await keepPartitions(malipo.ctx)
  })
  const merchant = await malipo.merchant()
  await merchant.call('GET', '/api/b2b/users')
  assert.ok((await count(malipo)) > 0)
  const move = async (days: number) => {
    await malipo.ask(`update clock_offset set ahead = ahead + make_interval(days => $1)`, [days])
    await keepPartitions(malipo.ctx)
  }

  await move(7)
  const kept = await count(malipo)
  await merchant.call('GET', '/api/b2b/users')
  assert.ok((await count(malipo)) > kept, 'the day of the moved clock takes entries')
  await move(1)
  await dropOldLogDays(malipo.ctx.db.write, malipo.ctx.config.requestLogDays)

  const [oldest] = await malipo.ask<{ days: number }>(
    `select extract(day from max(record_time() - at))::int as days from request_log`,
  )
  assert.ok((oldest?.days ?? 99) < 8)
})

async function fill(t: TestContext) {
  const malipo = await testMalipo(t)
  const merchant_id = '01a1dcca-6078-7000-8e5b-057d3cc01da8'
  const add = (env: 'live' | 'sandbox', times: number, merchant = merchant_id) => {
    for (let added = 0; added < times; added += 1)
      malipo.ctx.requestLog.add({
        ...{ merchant_id: merchant, env, method: 'GET', path: '/api/b2b/users', status: 200, error_code: '' },
        ...{ duration_ms: 1, request_id: 'filled', credential: 'pk', address: '::1', transaction_id: null, body: null },
      })
  }
  const dropped = async (env: string) => {
    const { values } = await malipo.ctx.metrics.requestsNotLogged.get()
    return values.find(({ labels }) => labels.env === env)?.value ?? 0
  }
  const written = async (env: string) => {
    const rows = await malipo.ask<{ count: number }>(
      `select count(*)::int from request_log where request_id = 'filled' and env = $1`,
      [env],
    )
    return rows[0]?.count
  }
  t.after(() => malipo.ask(`delete from request_log where request_id = 'filled'`))
  return { malipo, add, dropped, written, other: merchant_id.replace('01a1', '01a2') }
}

test('a full buffer drops and counts, and the sandbox never takes the room of live', async (t) => {
  const { malipo, add, dropped, written, other } = await fill(t)

  add('sandbox', 5000)
  add('sandbox', 10, other)
  add('live', 2000)

  assert.deepEqual([await dropped('sandbox'), await dropped('live')], [4000, 0])
  await malipo.ctx.requestLog.flush()
  assert.deepEqual([await written('sandbox'), await written('live')], [1010, 2000])
})

test('entries that could not be written wait, and stopping writes them once', async (t) => {
  const { malipo, add, written } = await fill(t)
  await malipo.ask('alter table request_log rename to request_log_away')
  add('live', 700)
  await assert.rejects(malipo.ctx.requestLog.flush())
  await malipo.ask('alter table request_log_away rename to request_log')

  await malipo.ctx.requestLog.watch().stop()

  assert.equal(await written('live'), 700)
})
