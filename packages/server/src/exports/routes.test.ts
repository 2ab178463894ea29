import assert from 'node:assert/strict'
import { once } from 'node:events'
import { request as httpRequest, type IncomingMessage } from 'node:http'
import { test } from 'node:test'
import { until } from '../dev-stack/until.ts'
import { readId } from '../platform/ids.ts'
import { cardBody, cards, chargingMalipo } from '../testing/charging.ts'
import { copyTransaction } from '../testing/copying.ts'
import { member } from '../testing/members.ts'
import { type PayingMalipo, payingMalipo } from '../testing/paying.ts'
import { charge, newPhone, payOut, payOutToBank, type SearchQuery, textOf } from '../testing/searching.ts'

type Merchant = Awaited<ReturnType<PayingMalipo['merchant']>>

async function get(malipo: PayingMalipo, merchant: Merchant, path: string, query: SearchQuery = {}) {
  const headers = { authorization: `Bearer ${await merchant.token()}` }
  const response = await fetch(`${malipo.url}/api/b2b/exports/${path}?${textOf(query)}`, { headers })
  return { status: response.status, headers: response.headers, text: await response.text() }
}

/** The records of a document whose fields hold no line ends. */
function recordsOf(text: string): Record<string, string>[] {
  assert.ok(text.endsWith('\r\n'))
  const [header = '', ...records] = text.slice(0, -2).split('\r\n')
  const fieldsOf = (record: string) =>
    [...record.matchAll(/(?:^|,)(?:"((?:[^"]|"")*)"|([^",]*))/g)].map(
      ([, quoted, plain = '']) => quoted?.replaceAll('""', '"') ?? plain,
    )
  const names = fieldsOf(header)
  return records.map((record) =>
    Object.fromEntries(fieldsOf(record).map((field, index) => [names[index] ?? '', field])),
  )
}

const transactionColumns =
  'transactionId,externalReference,type,status,stage,method,amount,currency,fee,feeCurrency,senderAmount,senderCurrency,receiverAmount,receiverCurrency,customer,beneficiaryName,beneficiaryAccount,failureCode,providerReceipt,relatedTransactionId,createdAt,updatedAt'

test('CSV has the documented columns, exact amounts and every transaction once', async (t) => {
  const malipo = await chargingMalipo(t)
  const merchant = await malipo.merchant()
  const phone = newPhone()
  const charged = await charge(merchant, { phone })
  const paid = await payOutToBank(merchant, '0690000031', 'Amina Bello')
  const made = await merchant.call('POST', '/api/b2b/fiat/deposit/card', cardBody(cards.succeeds, { amount: 128.14 }))
  const { transactionId: card } = made.body['data'] as { transactionId: string }
  for (const id of [charged, paid, card]) await malipo.comesTo(id, 'successful')

  const { status, headers, text } = await get(malipo, merchant, 'transactions')

  assert.deepEqual([status, headers.get('content-type')], [200, 'text/csv; charset=utf-8; header=present'])
  assert.equal(text.slice(0, text.indexOf('\r\n')), transactionColumns)
  const records = recordsOf(text)
  assert.deepEqual(
    records.map(({ transactionId, customer, beneficiaryName, beneficiaryAccount, status: end }) => [
      ...[transactionId, customer, beneficiaryName, beneficiaryAccount, end],
    ]),
    [
      [card, 'Amina Otieno 424242******4242', '', '', 'SUCCESSFUL'],
      [paid, '', 'Amina Bello', '0690000031', 'SUCCESSFUL'],
      [charged, `'${phone}`, '', '', 'SUCCESSFUL'],
    ],
  )
  assert.deepEqual([records[0]?.['amount'], records[1]?.['amount']], ['128.14', '1000.00'])
  for (const record of records) assert.notEqual(record['providerReceipt'], '')
})

test('cells that start like a formula or hold separators are safe, and amounts stay numbers', async (t) => {
  const malipo = await payingMalipo(t)
  const merchant = await malipo.merchant()
  const references = ['=1+1|a', '+cmd-b', '-2+3-c', '@sum-d', `a,"b",'c';e`]
  for (const reference of references) await charge(merchant, { phone: newPhone(), reference })
  await payOut(merchant, { name: '＝1+1' })

  const { text } = await get(malipo, merchant, 'transactions')

  const [paid, ...charged] = recordsOf(text)
  assert.equal(paid?.['beneficiaryName'], `'＝1+1`)
  const found = charged.map(({ externalReference }) => externalReference)
  assert.deepEqual(found.toReversed(), [`'=1+1|a`, `'+cmd-b`, `'-2+3-c`, `'@sum-d`, `a,"b",'c';e`])
  assert.match(text, /"a,""b"",'c';e"/)
})

test('NDJSON has the same transactions with their own references and numbers', async (t) => {
  const malipo = await payingMalipo(t)
  const merchant = await malipo.merchant()
  const phone = newPhone()
  await charge(merchant, { phone, reference: '=1+1' })
  await payOut(merchant)

  const { headers, text } = await get(malipo, merchant, 'transactions', { format: 'ndjson', q: phone })

  assert.equal(headers.get('content-type'), 'application/x-ndjson; charset=utf-8')
  const lines = text.split('\n')
  assert.equal(lines.pop(), '')
  const [line = {}] = lines.map((each) => JSON.parse(each) as Record<string, unknown>)
  assert.deepEqual(
    [lines.length, line['externalReference'], line['amount'], line['customer']],
    [1, '=1+1', 100, { phoneNumber: phone }],
  )
})

test('the byte order mark comes on request only', async (t) => {
  const malipo = await payingMalipo(t)
  const merchant = await malipo.merchant()
  const headers = { authorization: `Bearer ${await merchant.token()}` }
  const bytesOf = async (query: string) =>
    Buffer.from(await (await fetch(`${malipo.url}/api/b2b/exports/transactions${query}`, { headers })).arrayBuffer())

  const [bare, marked] = [await bytesOf(''), await bytesOf('?bom=1')]

  assert.equal(bare.toString(), `${transactionColumns}\r\n`)
  assert.deepEqual(marked, Buffer.concat([Buffer.from([0xef, 0xbb, 0xbf]), bare]))
})

test('an export of many pages has every transaction accepted before it, once, and none later', async (t) => {
  const malipo = await payingMalipo(t)
  const merchant = await malipo.merchant()
  const first = await charge(merchant, { phone: newPhone() })
  const copies = await copyTransaction(malipo, first, 2300)
  await malipo.later(1)

  const response = await open(malipo, merchant, 'transactions')
  const later = await charge(merchant, { phone: newPhone(), reference: 'accepted-later' })
  const text = await textOfResponse(response)

  const ids = recordsOf(text).map(({ transactionId }) => transactionId)
  assert.deepEqual([ids.length, new Set(ids).size, ids.includes(later)], [2301, 2301, false])
  assert.equal(copies.length, 2300)
})

test('the lines of an exported statement equal the statement, and their sum the ledger', async (t) => {
  const malipo = await payingMalipo(t)
  const merchant = await malipo.merchant()
  malipo.work()
  const phone = newPhone()
  const ids = [await charge(merchant, { phone }), await payOut(merchant, { phone, name: 'Amina Otieno' })]
  for (const id of ids) await malipo.comesTo(id, 'successful')

  const { text } = await get(malipo, merchant, 'statement', { currency: 'KES' })
  const { body } = await merchant.call('GET', '/api/b2b/wallets/statement?currency=KES')

  const { lines, closing } = body['data'] as { lines: Record<string, unknown>[]; closing: number }
  const records = recordsOf(text)
  assert.equal(
    text.slice(0, text.indexOf('\r\n')),
    'at,kind,transactionId,externalReference,type,method,counterparty,amount,balance,currency,country',
  )
  const facts = (line: Record<string, unknown>) => [
    ...[line['transactionId'], line['kind'], line['method'], Number(line['amount']), Number(line['balance'])],
  ]
  assert.deepEqual(records.map(facts), lines.map(facts))
  const [wallet] = await malipo.ask<{ balance: string }>(
    `select (credits_posted - debits_posted)::text as balance from wallets where merchant_id = $1 and currency = 'KES'`,
    [readId('merchant', merchant.id)],
  )
  const sum = records.reduce((total, { amount = '' }) => total + BigInt(amount.replace('.', '')), 0n)
  assert.deepEqual([String(sum), closing * 100], [wallet?.balance, Number(wallet?.balance)])
  assert.deepEqual(records.find(({ transactionId }) => transactionId === ids[1])?.['counterparty'], 'Amina Otieno')
  assert.deepEqual(records.find(({ transactionId }) => transactionId === ids[0])?.['counterparty'], `'${phone}`)
})

const refused: Record<string, [string, SearchQuery, number, string]> = {
  'an unknown format': ['transactions', { format: 'xml' }, 400, 'VALIDATION_ERROR'],
  'an unknown status': ['transactions', { status: 'lost' }, 400, 'VALIDATION_ERROR'],
  'a start after the end': [
    'transactions',
    { startDate: '2026-02-02', endDate: '2026-02-01' },
    400,
    'VALIDATION_ERROR',
  ],
  'a cursor': ['transactions', { cursor: 'x' }, 400, 'VALIDATION_ERROR'],
  'no currency': ['statement', {}, 400, 'VALIDATION_ERROR'],
  'an unknown currency': ['statement', { currency: 'JPY' }, 422, 'UNSUPPORTED_CURRENCY'],
}

test('an invalid export is refused before its first byte', async (t) => {
  const malipo = await payingMalipo(t)
  const merchant = await malipo.merchant()

  for (const [name, [path, query, status, code]] of Object.entries(refused)) {
    const answer = await get(malipo, merchant, path, query)
    assert.deepEqual([answer.status, JSON.parse(answer.text)['errorCode']], [status, code], name)
  }
})

test('another merchant exports nothing of this one', async (t) => {
  const malipo = await payingMalipo(t)
  const [merchant, other] = [await malipo.merchant(), await malipo.merchant()]
  await charge(merchant, { phone: newPhone() })

  const { text } = await get(malipo, other, 'transactions')

  assert.deepEqual(recordsOf(text), [])
})

/** Starts an export and reads nothing of it yet. */
async function open(malipo: PayingMalipo, merchant: Merchant, path: string): Promise<IncomingMessage> {
  const headers = { authorization: `Bearer ${await merchant.token()}` }
  const sent = httpRequest(`${malipo.url}/api/b2b/exports/${path}`, { headers, agent: false })
  sent.on('error', () => undefined)
  sent.end()
  const [response] = (await once(sent, 'response')) as [IncomingMessage]
  return response
}

async function textOfResponse(response: IncomingMessage): Promise<string> {
  const parts: Buffer[] = []
  for await (const part of response) parts.push(part as Buffer)
  return Buffer.concat(parts).toString()
}

/** Enough for an export to wait for its reader: more than sockets and streams hold. */
const manyRows = 40_000

test('a third export at once is refused with 429, until a client leaves', async (t) => {
  const malipo = await payingMalipo(t)
  const merchant = await malipo.merchant()
  await copyTransaction(malipo, await charge(merchant, { phone: newPhone() }), manyRows)
  await malipo.later(1)
  const [first, second] = [await open(malipo, merchant, 'transactions'), await open(malipo, merchant, 'transactions')]

  const third = await get(malipo, merchant, 'statement', { currency: 'KES' })
  const other = await get(malipo, await malipo.merchant(), 'transactions')
  first.destroy()

  assert.deepEqual([third.status, third.headers.get('retry-after')], [429, '10'])
  assert.equal(JSON.parse(third.text)['errorCode'], 'RATE_LIMIT_EXCEEDED')
  assert.equal(other.status, 200)
  await until(
    'the slot to be free',
    async () => (await get(malipo, merchant, 'statement', { currency: 'KES' })).status === 200,
  )
  second.destroy()
})

/** Two places for each merchant. */
const taken = ['function', 'function', 'undefined']

test('slow readers of other merchants, or of live, keep no merchant from exporting', async (t) => {
  const malipo = await payingMalipo(t)
  const merchant = await malipo.merchant()
  const { exports } = malipo.ctx
  for (let other = 0; other < 20; other += 1)
    assert.deepEqual(
      taken.map(() => typeof exports.sandbox.take(`merchant ${other}`)),
      taken,
    )
  while (exports.live.take(`merchant ${Math.random()}`));

  assert.equal((await get(malipo, merchant, 'transactions')).status, 200)
})

test('HEAD gets the headers of an export and reads none of it', async (t) => {
  const malipo = await payingMalipo(t)
  const merchant = await malipo.merchant()
  await copyTransaction(malipo, await charge(merchant, { phone: newPhone() }), 2300)
  const headers = { authorization: `Bearer ${await merchant.token()}` }
  const made: string[] = []
  const { run } = malipo.ctx.exports.pages
  Object.assign(malipo.ctx.exports.pages, {
    run: <Result>(key: string, work: () => Promise<Result>) => {
      made.push(key)
      return run(key, work)
    },
  })

  for (const _ of taken) {
    const head = await fetch(`${malipo.url}/api/b2b/exports/transactions`, { method: 'HEAD', headers })
    assert.deepEqual([head.status, head.headers.get('content-type')], [200, 'text/csv; charset=utf-8; header=present'])
  }
  assert.equal((await get(malipo, merchant, 'statement', { currency: 'KES' })).status, 200)
  assert.ok(made.length < 5, `${made.length} pages`)
})

test('an export that fails half-way breaks the connection instead of ending', async (t) => {
  const malipo = await payingMalipo(t)
  const merchant = await malipo.merchant()
  const copies = await copyTransaction(malipo, await charge(merchant, { phone: newPhone() }), 1500)
  await malipo.later(1)
  // The counterparty of the oldest copy does not open, so its page fails.
  await malipo.ask(`update transactions set counterparty = 'missing.key' where id = $1`, [copies[0]])

  const response = await open(malipo, merchant, 'transactions')

  assert.equal(response.statusCode, 200)
  await assert.rejects(textOfResponse(response), { code: 'ECONNRESET' })
  assert.ok(malipo.log.some((line) => line.includes('export failed')))
})

test('people with few rights export nothing, and others only what they may see', async (t) => {
  const malipo = await payingMalipo(t)
  const merchant = await malipo.merchant()
  const phone = newPhone()
  await charge(merchant, { phone })
  const root = `/dashboard/v1/merchants/${merchant.id}/sandbox`
  const support = await member(malipo, merchant.id, ['support'])

  const exported = await support.call('GET', `${root}/exports/transactions`)
  const found = await support.call('GET', `${root}/search/transactions?q=${encodeURIComponent(phone)}`)

  assert.equal(exported.status, 403)
  const [row] = found.body['data'] as { customer: object }[]
  assert.deepEqual(row?.customer, { phoneNumber: `••••${phone.slice(-4)}` })
})
