import assert from 'node:assert/strict'
import { randomBytes, randomUUID } from 'node:crypto'
import { type TestContext, test } from 'node:test'
import type { Owner, Query, ReadDb } from '../platform/db.ts'
import { readId } from '../platform/ids.ts'
import { cardBody, cards, chargingMalipo } from '../testing/charging.ts'
import { copyTransaction } from '../testing/copying.ts'
import { type PayingMalipo, payingMalipo } from '../testing/paying.ts'
import {
  charge,
  idsOf,
  newPhone,
  page,
  payOut,
  payOutToBank,
  type SearchedRow,
  type SearchQuery,
  search,
  textOf,
  walk,
} from '../testing/searching.ts'
import { readFilter } from './filter.ts'
import { readTransactions } from './read.ts'
import { findPage, newestId } from './search.ts'

test('a transaction is found by its id and its reference, and by no part of them', async (t) => {
  const malipo = await payingMalipo(t)
  const merchant = await malipo.merchant()
  const reference = `order-${randomUUID()}`
  const id = await payOut(merchant, { reference })

  assert.deepEqual(await search(merchant, { q: id }), [id])
  assert.deepEqual(await search(merchant, { q: ` ${reference} ` }), [id])
  for (const q of [id.slice(0, -1), reference.slice(0, -1), reference.toUpperCase(), '%', '_', "' or 1=1 --"])
    assert.deepEqual(await search(merchant, { q }), [], q)
})

test('a phone number finds payouts to it and charges from it, in every form that people write', async (t) => {
  const malipo = await payingMalipo(t)
  const merchant = await malipo.merchant()
  const phone = newPhone()
  const national = phone.replace('+254', '0')
  const ids = [await payOut(merchant, { phone }), await charge(merchant, { phone })]
  await payOut(merchant)

  const spaced = `${national.slice(0, 4)} ${national.slice(4, 7)}-${national.slice(7)}`
  const arabic = national.replaceAll(/\d/g, (digit) => String.fromCharCode(0x660 + Number(digit)))
  const pasted = [`\u202a${phone}\u202c`, spaced.replaceAll(/[ -]/g, '\u2011'), `tel:${phone}`, arabic]
  for (const q of [phone, phone.slice(1), phone.replace('+', '00'), national, spaced, ...pasted])
    assert.deepEqual(await search(merchant, { q }), [ids[1], ids[0]], q)
  assert.deepEqual(await search(merchant, { q: phone.slice(0, -1) }), [])
})

test('an account number and a provider receipt find their payment, and no part of them does', async (t) => {
  const malipo = await payingMalipo(t)
  const merchant = await malipo.merchant()
  const id = await payOutToBank(merchant, '0690000031', 'Amina Bello')
  const paid = await payOut(merchant)
  malipo.work()
  await malipo.comesTo(paid, 'successful')
  const [{ providerReceipt = '' } = {}] = (await page(merchant, { q: paid })).data

  assert.notEqual(providerReceipt, '')
  assert.deepEqual(await search(merchant, { q: '0690-0000 31' }), [id])
  assert.deepEqual(await search(merchant, { q: '690000031' }), [])
  assert.deepEqual(await search(merchant, { q: providerReceipt.toLowerCase() }), [paid])
  assert.deepEqual(await search(merchant, { q: providerReceipt.slice(1) }), [])
})

test('the first words of a name find its payments, without case and accents', async (t) => {
  const malipo = await payingMalipo(t)
  const merchant = await malipo.merchant()
  const id = await payOutToBank(merchant, '0690000031', "Zoé N'Diaye Mbaye")
  await payOutToBank(merchant, '0690000031', 'Zoe Kamau')

  for (const q of ["zoe n'diaye", 'ZOÉ NDIAYE', 'zoé  ndiaye mbaye'])
    assert.deepEqual(await search(merchant, { q }), [id], q)
  assert.equal((await search(merchant, { q: 'zoe' })).length, 2)
  for (const q of ['zo', 'mbaye', 'zoe mbaye', 'zoe ndiaye fall', 'zoe ndiaye mbaye x'])
    assert.deepEqual(await search(merchant, { q }), [], q)
})

test('a charge shows its payer and is found by the name of the cardholder', async (t) => {
  const malipo = await chargingMalipo(t)
  const merchant = await malipo.merchant()
  const order = cardBody(cards.succeeds, { firstName: 'Wanjirũ', lastName: 'Otieno' })
  const made = await merchant.call('POST', '/api/b2b/fiat/deposit/card', order)
  const { transactionId } = made.body['data'] as SearchedRow
  await malipo.comesTo(transactionId, 'successful')
  const { body } = await merchant.call('GET', `/api/b2b/transactions/${transactionId}`)
  const read = body['data'] as SearchedRow
  const { data } = await page(merchant, { q: 'wanjiru otieno' })

  const card = { brand: 'Visa', first6: '424242', last4: '4242' }
  assert.deepEqual(read.customer, { name: 'Wanjirũ Otieno', card })
  const { timeline: _, explanation: __, ...rest } = read
  const { explanation: ___, ...row } = data[0] ?? assert.fail()
  assert.deepEqual(row, rest)
})

test('the payer of mobile money is a number; of a bank transfer nothing is known', async (t) => {
  const malipo = await chargingMalipo(t)
  const merchant = await malipo.merchant()
  const phone = newPhone()
  const id = await charge(merchant, { phone })
  const { body } = await merchant.call('POST', '/api/b2b/fiat/deposit/bank-transfer', {
    ...{ amount: 1500, currency: 'NGN', email: 'amina@example.com', externalReference: randomUUID() },
  })
  const { transactionId, virtualAccount } = body['data'] as { transactionId: string; virtualAccount: SearchedRow }

  const [byPhone] = (await page(merchant, { q: id })).data
  const [transfer] = (await page(merchant, { q: virtualAccount['accountNumber'] as string })).data

  assert.deepEqual(byPhone?.customer, { phoneNumber: phone })
  assert.deepEqual([transfer?.transactionId, transfer?.customer], [transactionId, {}])
})

test('another merchant, and the other environment, find nothing by any value or cursor', async (t) => {
  const malipo = await payingMalipo(t)
  const [merchant, stranger] = [await malipo.merchant(), await malipo.merchant()]
  const live = await malipo.merchant({ env: 'live' })
  const [phone, reference] = [newPhone(), randomUUID()]
  const id = await payOut(merchant, { phone, reference, name: 'Kipchoge Rotich' })
  await payOut(merchant, { phone })
  const { nextCursor } = await page(merchant, { q: phone, limit: 1 })
  assert.notEqual(nextCursor, '')

  for (const other of [stranger, live])
    for (const query of [
      { q: id },
      { q: reference },
      { q: phone },
      { q: 'kipchoge' },
      { q: phone, cursor: nextCursor },
      {},
    ])
      assert.deepEqual((await page(other, query)).data, [], JSON.stringify(query))
})

test('filters select exactly, with and without a text', async (t) => {
  const malipo = await payingMalipo(t)
  const merchant = await malipo.merchant()
  const phone = newPhone()
  for (const amount of [101, 102, 103]) await charge(merchant, { phone, amount })
  await payOutToBank(merchant, '0690000031', 'Amina Bello')
  const today = new Date().toISOString().slice(0, 10)

  const counts: [SearchQuery, number][] = [
    [{ type: 'deposit' }, 3],
    [{ type: 'payout' }, 0],
    [{ method: 'momo' }, 3],
    [{ method: 'bank' }, 0],
    [{ currency: 'KES', type: 'deposit' }, 3],
    [{ currency: 'NGN' }, 0],
    [{ country: 'KE' }, 3],
    [{ country: 'NG' }, 0],
    [{ minAmount: 102 }, 2],
    [{ minAmount: 102.001 }, 1],
    [{ maxAmount: 102 }, 2],
    [{ maxAmount: 101.999 }, 1],
    [{ minAmount: 101.5, maxAmount: 102.5 }, 1],
    [{ status: 'pending' }, 3],
    [{ status: 'failed' }, 0],
    [{ stage: 'PROCESSING' }, 3],
    [{ stage: 'UNCONFIRMED' }, 0],
    [{ stage: 'PROCESSING', status: 'failed' }, 0],
    [{ startDate: today, endDate: today }, 3],
    [{ startDate: '2020-01-01', endDate: '2020-01-31' }, 0],
    [{ endDate: '2020-01-31' }, 0],
  ]
  for (const [filter, count] of counts)
    assert.equal((await search(merchant, { q: phone, ...filter })).length, count, JSON.stringify(filter))
  assert.equal((await search(merchant, { currency: 'KES', maxAmount: 102 })).length, 2)
  assert.equal((await search(merchant, { method: 'bank' })).length, 1)
  assert.equal((await search(merchant, {})).length, 4)
})

test('pages have neither gaps nor repetitions, while new transactions are accepted', async (t) => {
  const malipo = await payingMalipo(t)
  const merchant = await malipo.merchant()
  const phone = newPhone()
  const ids: string[] = []
  for (let count = 0; count < 7; count += 1) ids.unshift(await charge(merchant, { phone }))

  for (const limit of [1, 2, 3, 7]) {
    assert.deepEqual(idsOf(await walk(merchant, { q: phone }, limit)), ids, `by ${limit}`)
    assert.deepEqual(idsOf(await walk(merchant, {}, limit)), ids, `all by ${limit}`)
  }
  const first = await page(merchant, { q: phone, limit: 4 })
  await charge(merchant, { phone })
  const second = await page(merchant, { q: phone, limit: 100, cursor: first.nextCursor })
  assert.deepEqual([...idsOf(first.data), ...idsOf(second.data)], ids)
})

/** The keys of this file's database, newest first. */
let keys = [`f0:v2:${randomBytes(32).toString('base64url')}`]
const startWith = (t: TestContext) => payingMalipo(t, { MALIPO_SECRET_KEYS: keys.join(',') })

test('numbers and names are found under every key, and without the old key after a reseal', async (t) => {
  const phone = newPhone()
  const before = await startWith(t)
  const pair = await before.merchant()
  const id = await payOut(pair, { phone, name: 'Kiptoo Rono' })
  keys = [`f1:v2:${randomBytes(32).toString('base64url')}`, ...keys]
  const during = await startWith(t)
  const later = await payOut(await during.as(pair), { phone, name: 'Kiptoo Rono' })
  const finds = async (malipo: PayingMalipo) => {
    const merchant = await malipo.as(pair)
    return [await search(merchant, { q: phone }), await search(merchant, { q: 'kiptoo rono' })]
  }

  assert.deepEqual(await finds(during), [
    [later, id],
    [later, id],
  ])
  await during.operator.secrets.reseal()
  keys = keys.slice(0, 1)
  assert.deepEqual(await finds(await startWith(t)), [
    [later, id],
    [later, id],
  ])
  const [counted] = await during.ask<{ count: string }>(
    'select count(*) from merchant_lookups where transaction_id = $1',
    [readId('transaction', id)],
  )
  assert.equal(counted?.count, '3', 'no hash of the old key is left')
})

const refused: Record<string, SearchQuery> = {
  'a limit of 0': { limit: 0 },
  'a limit of 101': { limit: 101 },
  'an unknown status': { status: 'lost' },
  'an unknown type': { type: 'gift' },
  'an unknown method': { method: 'cash' },
  'a date in another form': { startDate: '01/02/2026' },
  'a day that is none': { startDate: '2026-02-30' },
  'a start after the end': { startDate: '2026-02-02', endDate: '2026-02-01' },
  'a least amount above the most': { minAmount: 5, maxAmount: 4 },
  'an amount that is a word': { minAmount: 'ten' },
  'an unknown cursor': { cursor: 'unknown' },
  'a blank text': { q: '  ' },
  'an unknown parameter': { page: 2 },
}

test('a currency that does not exist is refused instead of finding nothing', async (t) => {
  const merchant = await (await payingMalipo(t)).merchant()

  for (const path of ['search', 'exports'])
    for (const currency of ['kes', 'KSH', 'toString']) {
      const { status, body } = await merchant.call('GET', `/api/b2b/${path}/transactions?currency=${currency}`)
      assert.deepEqual([status, body['errorCode']], [422, 'UNSUPPORTED_CURRENCY'], `${path} ${currency}`)
    }
})

test('an invalid search is refused with VALIDATION_ERROR', async (t) => {
  const malipo = await payingMalipo(t)
  const merchant = await malipo.merchant()

  for (const [name, query] of Object.entries(refused)) {
    const { status, body } = await merchant.call('GET', `/api/b2b/search/transactions?${textOf(query)}`)
    assert.deepEqual([status, body['errorCode']], [400, 'VALIDATION_ERROR'], name)
  }
})

test('a key pair without the scope transactions:read cannot search', async (t) => {
  const malipo = await payingMalipo(t)
  const merchant = await malipo.merchant({ scopes: ['payouts:write'] })

  const { status, body } = await merchant.call('GET', '/api/b2b/search/transactions')

  assert.deepEqual([status, body['errorCode']], [403, 'INSUFFICIENT_SCOPE'])
})

test('a page that examined its limit is short and continues where it stopped', async (t) => {
  const malipo = await payingMalipo(t)
  const merchant = await malipo.merchant()
  const rare = await charge(merchant, { phone: newPhone(), amount: 777 })
  const template = await charge(merchant, { phone: newPhone() })
  await copyTransaction(malipo, template, 10_500)

  const first = await page(merchant, { minAmount: 777 })
  const second = await page(merchant, { minAmount: 777, cursor: first.nextCursor })

  assert.deepEqual([first.data, first.nextCursor !== ''], [[], true])
  assert.deepEqual([idsOf(second.data), second.nextCursor], [[rare], ''])
})

/** Runs a search and explains every statement that walked along an index: how many rows each of its scans returned at most. */
async function rowsReadBy(
  malipo: PayingMalipo,
  owner: Owner,
  wanted: { readonly q: string; readonly before?: string | undefined },
) {
  const walked: Query[] = []
  const { read } = malipo.ctx.db
  const recording: ReadDb = {
    ...read,
    within: (of, range, query) => {
      if (query.text.includes('merchant_lookups')) walked.push(query)
      return read.within(of, range, query)
    },
  }
  const { rows } = await findPage({ ...malipo.ctx, db: { read: recording } }, owner, {
    filter: readFilter({ q: wanted.q }),
    before: wanted.before ?? newestId,
    limit: 20,
    read: (of, ids) => readTransactions(read, of, ids),
  })
  const explained = walked.map(({ text, values }) =>
    read.walk<{ 'QUERY PLAN': string }>(owner, {
      ...{ name: '', values },
      text: `explain (analyze, buffers, costs off, timing off, summary off) ${text}`,
    }),
  )
  const plans = (await Promise.all(explained)).map((lines) => lines.map((line) => line['QUERY PLAN']).join('\n'))
  return { rows, plans }
}

const rowsOfPlan = (plan: string) => [...plan.matchAll(/actual rows=(\d+)/g)].map(([, rows]) => Number(rows))

test('each page of a value with thousands of payments reads its own index entries only', async (t) => {
  const malipo = await payingMalipo(t)
  const [merchant, other] = [await malipo.merchant(), await malipo.merchant()]
  const phone = newPhone()
  const own = await charge(merchant, { phone })
  const theirs = await charge(other, { phone })
  const copies = await copyTransaction(malipo, own, 3000)
  await copyTransaction(malipo, theirs, 3000)
  await malipo.ask('analyze merchant_lookups')
  const owner: Owner = { merchant_id: readId('merchant', merchant.id) ?? '', env: 'sandbox' }

  for (const before of [newestId, copies[1500]]) {
    const { rows, plans } = await rowsReadBy(malipo, owner, { q: phone, before })
    assert.equal(rows.length, 20)
    const read = plans.filter((plan) => !plan.includes('One-Time Filter: false')) // There are no older months.
    assert.notDeepEqual(read, [])
    for (const plan of read) {
      assert.doesNotMatch(plan, /Sort|Seq Scan|Bitmap/, plan)
      assert.match(plan, /Index (Only )?Scan/, plan)
      assert.ok(Math.max(...rowsOfPlan(plan)) <= 21 * 4, plan)
      assert.doesNotMatch(plan, /Rows Removed by Filter: [1-9]/, plan)
    }
  }
})

test('a filter that most transactions pass reads no more of them than its page has, in any round', async (t) => {
  const malipo = await payingMalipo(t)
  const merchant = await malipo.merchant()
  await copyTransaction(malipo, await charge(merchant, { phone: newPhone() }), 300)
  const owner: Owner = { merchant_id: readId('merchant', merchant.id) ?? '', env: 'sandbox' }
  const reads: number[] = []
  const page = (before: string) =>
    findPage(malipo.ctx, owner, {
      ...{ filter: readFilter({ type: 'deposit' }), before, limit: 20 },
      read: (of, ids) => {
        reads.push(ids.length)
        return readTransactions(malipo.ctx.db.read, of, ids)
      },
    })

  const found: string[] = []
  for (let before: string | undefined = newestId; before !== undefined; ) {
    const { rows, next } = await page(before)
    found.push(...rows.map(({ id }) => id))
    before = next
  }

  assert.deepEqual([found.length, new Set(found).size], [301, 301])
  assert.ok(Math.max(...reads) <= 21, `${reads}`)
})
