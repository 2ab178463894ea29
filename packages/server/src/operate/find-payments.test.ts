import assert from 'node:assert/strict'
import { randomBytes, randomUUID } from 'node:crypto'
import { type TestContext, test } from 'node:test'
import { indexPage } from '../payments/model/index-older.ts'
import { sql } from '../platform/db.ts'
import { providerKeyOf, readId } from '../platform/ids.ts'
import { type PayingMalipo, payingMalipo } from '../testing/paying.ts'
import type { FindOrder } from './find-payments.ts'

type Merchant = Awaited<ReturnType<PayingMalipo['merchant']>>

let numbers = Number.parseInt(randomBytes(2).toString('hex'), 16)
/** A number that no other payment of this file has. */
const newPhone = () => {
  numbers += 1
  return `+2547120${String(numbers).padStart(5, '0')}`
}

async function post(merchant: Merchant, path: string, body: object): Promise<string> {
  const made = await merchant.call('POST', `/api/b2b/fiat/${path}`, body)
  assert.equal(made.status, 200, JSON.stringify(made.body))
  return String(made.body['transactionId'])
}

interface PaymentOptions {
  readonly phone?: string
  readonly reference?: string
}

const payOut = (merchant: Merchant, { phone = newPhone(), reference = randomUUID() }: PaymentOptions = {}) =>
  post(merchant, 'payout', {
    ...{ amount: 100, currency: 'KES', country: 'KE', destination: 'MoMo', externalReference: reference },
    payoutMethod: { accountName: 'Amina', accountNumber: phone },
  })

const payOutToBank = (merchant: Merchant, accountNumber: string) =>
  post(merchant, 'payout', {
    ...{ amount: 1000, currency: 'NGN', country: 'NG', destination: 'Bank Account', externalReference: randomUUID() },
    payoutMethod: { accountName: 'Amina Bello', accountNumber, code: '044' },
  })

const charge = (merchant: Merchant, phone: string) =>
  post(merchant, 'deposit/momo', { amount: 100, currency: 'KES', phoneNumber: phone, externalReference: randomUUID() })

const find = async ({ operator }: PayingMalipo, query: string, order: Partial<FindOrder> = {}) => {
  const { payments } = await operator.payments.find({ query, limit: 20, ...order })
  return payments.map(({ id, matched }) => [id, matched])
}

test('a payment is found by its id, and by the provider key of an attempt that was made', async (t) => {
  const malipo = await payingMalipo(t)
  const id = await payOut(await malipo.merchant())
  const plain = readId('transaction', id) ?? ''

  assert.deepEqual(await find(malipo, id), [[id, 'id']])
  assert.deepEqual(await find(malipo, ` ${plain.toUpperCase()} `), [[id, 'id']])
  assert.deepEqual(await find(malipo, providerKeyOf(plain, 1)), [[id, 'provider_key']])
  assert.deepEqual(await find(malipo, providerKeyOf(plain, 2)), [])
})

test('a reference finds the payments of every merchant that used it, or of the named one', async (t) => {
  const malipo = await payingMalipo(t)
  const [one, other, third] = [await malipo.merchant(), await malipo.merchant(), await malipo.merchant()]
  const reference = `order-${randomUUID()}`
  const first = await payOut(one, { reference })
  const second = await payOut(other, { reference })

  const both = await malipo.operator.payments.find({ query: reference, limit: 20 })
  assert.deepEqual(
    both.payments.map(({ id, merchant, externalReference }) => [id, merchant.id, externalReference]),
    [
      [second, other.id, reference],
      [first, one.id, reference],
    ],
  )
  assert.deepEqual(await find(malipo, reference, { merchant: one.id }), [[first, 'reference']])
  assert.deepEqual(await find(malipo, reference, { merchant: third.id }), [])
  assert.deepEqual(await find(malipo, reference, { env: 'live' }), [])
  assert.deepEqual(await find(malipo, reference, { merchant: one.id, env: 'live' }), [])
})

test('a phone finds payouts to it and charges from it, in every form that people write', async (t) => {
  const malipo = await payingMalipo(t)
  const merchant = await malipo.merchant()
  const phone = newPhone()
  const national = phone.replace('+254', '0')
  const ids = [await payOut(merchant, { phone }), await charge(merchant, phone)]
  await payOut(merchant)

  const spaced = `${national.slice(0, 4)} ${national.slice(4, 7)}-${national.slice(7)}`
  const forms = [phone, phone.slice(1), phone.replace('+', '00'), national, spaced, `+254 (0) ${national.slice(1)}`]
  for (const form of forms)
    assert.deepEqual(await find(malipo, form), [
      [ids[1], 'phone'],
      [ids[0], 'phone'],
    ])
  const stranger = await malipo.merchant()
  assert.deepEqual(await find(malipo, phone, { merchant: stranger.id }), [])
  assert.deepEqual(await find(malipo, phone, { env: 'live' }), [])
})

test('an account number finds its payouts', async (t) => {
  const malipo = await payingMalipo(t)
  const id = await payOutToBank(await malipo.merchant(), '0690000031')

  const { payments } = await malipo.operator.payments.find({ query: '0690-0000 31', limit: 20 })

  assert.deepEqual(
    payments.map(({ id: found, matched, account }) => [found, matched, account]),
    [[id, 'account', '0690000031']],
  )
})

test('a provider receipt finds its payment, in any case', async (t) => {
  const malipo = await payingMalipo(t)
  const id = await payOut(await malipo.merchant())
  malipo.work()
  await malipo.comesTo(id, 'successful')
  const { receipt = '' } = await malipo.operator.payments.show(id)
  assert.notEqual(receipt, '')

  assert.deepEqual(await find(malipo, receipt), [[id, 'receipt']])
  assert.deepEqual(await find(malipo, receipt.toLowerCase()), [[id, 'receipt']])
})

test('the account opened for a bank transfer finds its charge, and so does each transfer', async (t) => {
  const malipo = await payingMalipo(t)
  const merchant = await malipo.merchant()
  const made = await merchant.call('POST', '/api/b2b/fiat/deposit/bank-transfer', {
    ...{ amount: 1000, currency: 'NGN', email: 'amina@example.com', externalReference: randomUUID() },
  })
  assert.equal(made.status, 200, JSON.stringify(made.body))
  const { transactionId: id, virtualAccount } = made.body['data'] as {
    transactionId: string
    virtualAccount: { accountNumber: string }
  }

  assert.deepEqual(await find(malipo, virtualAccount.accountNumber), [[id, 'account']])
  const settled = { id: 'TRF-0001', amount: 100_000n, currency: 'NGN' } as const
  await malipo.ctx.resolver.submit({
    transaction_id: readId('transaction', id) ?? '',
    attempt: 1,
    cause: 'callback',
    observation: { kind: 'reported', providerStatus: { state: 'received', receipts: [settled] } },
  })
  assert.equal(await malipo.stateOf(id), 'successful')
  assert.deepEqual(await find(malipo, 'trf-0001'), [[id, 'receipt']])
  assert.deepEqual(await find(malipo, virtualAccount.accountNumber), [[id, 'account']], 'also after its end')
})

test('a query that is nothing known finds nothing, and wildcards are plain characters', async (t) => {
  const malipo = await payingMalipo(t)
  await payOut(await malipo.merchant(), { reference: 'order_100%' })

  for (const query of ['%', '_', 'order%', 'order_100_', "' or 1=1 --", '*', '999', `txn_${'0'.repeat(32)}`, '💸'])
    assert.deepEqual(await find(malipo, query), [], query)
  assert.equal((await find(malipo, 'order_100%')).length, 1)
})

test('an empty, very long or unprintable query, and a wrong cursor or merchant, are refused', async (t) => {
  const malipo = await payingMalipo(t)

  await assert.rejects(find(malipo, '  '), /the query must not be empty/)
  await assert.rejects(find(malipo, 'x'.repeat(201)), /at most 200 characters/)
  await assert.rejects(find(malipo, 'order\u0000 1'), /must not contain control characters/)
  await assert.rejects(find(malipo, 'order', { before: 'order' }), /order is not a payment id/)
  await assert.rejects(find(malipo, 'order', { merchant: 'duka' }), /duka is not a merchant id/)
  await assert.rejects(find(malipo, 'order', { merchant: `mer_${'0'.repeat(32)}` }), /no merchant has the id mer_0/)
  assert.deepEqual(await find(malipo, 'x'.repeat(200)), [])
})

test('the pages of a find have every payment once, newest first', async (t) => {
  const malipo = await payingMalipo(t)
  const merchant = await malipo.merchant()
  const phone = newPhone()
  const made: string[] = []
  for (let count = 0; count < 5; count += 1) made.push(await payOut(merchant, { phone }))

  const pages: string[][] = []
  let before: string | undefined
  do {
    const { payments, next } = await malipo.operator.payments.find({
      query: phone,
      limit: 2,
      ...(before && { before }),
    })
    pages.push(payments.map(({ id }) => id))
    before = next
  } while (before !== undefined)

  assert.deepEqual(pages, [made.slice(3).reverse(), made.slice(1, 3).reverse(), made.slice(0, 1)])
})

test('a page with more candidates than it examines continues where it stopped', async (t) => {
  const malipo = await payingMalipo(t)
  const [busy, merchant] = [await malipo.merchant(), await malipo.merchant()]
  const phone = newPhone()
  const id = await payOut(merchant, { phone })
  const newer = await payOut(busy, { phone })
  // As many entries of other payments as one page examines, all newer than the wanted one.
  await malipo.ask(
    `insert into payment_lookups
     select l.hash, (substr($1::text, 1, 24) || lpad(to_hex(n), 12, '0'))::uuid
     from payment_lookups l, generate_series(1, 600) n
     where l.transaction_id = $1::uuid
     on conflict do nothing`,
    [readId('transaction', newer)],
  )

  const first = await malipo.operator.payments.find({ query: phone, merchant: merchant.id, limit: 20 })
  const second = await malipo.operator.payments.find({
    ...{ query: phone, merchant: merchant.id, limit: 20 },
    before: first.next ?? '',
  })

  assert.deepEqual(first.payments, [])
  assert.deepEqual([second.payments.map((each) => each.id), second.next], [[id], undefined])
})

/** Makes the payments of the file look as if an earlier release had accepted them all. */
async function forgetLookups(malipo: PayingMalipo): Promise<void> {
  await malipo.ask('delete from payment_lookups')
  await malipo.ask('delete from merchant_lookups')
  await malipo.ask(
    `insert into unindexed_payments values ('00000000-0000-0000-0000-000000000000', id_at(record_time()))`,
  )
}

async function indexAll({ ctx }: PayingMalipo): Promise<number> {
  let payments = 0
  for (let page = await indexPage(ctx.db.write, ctx.vault); page; page = await indexPage(ctx.db.write, ctx.vault)) {
    assert.equal(page.unopened, 0)
    payments += page.payments
  }
  return payments
}

test('payments of an earlier release are reported as not indexed, then indexed, and found', async (t) => {
  const malipo = await payingMalipo(t)
  const merchant = await malipo.merchant()
  const phone = newPhone()
  const reference = randomUUID()
  const id = await payOut(merchant, { phone, reference })
  await malipo.later(1)
  await forgetLookups(malipo)

  const before = await malipo.operator.payments.find({ query: phone, limit: 20 })
  assert.deepEqual([before.payments, before.notIndexed.length], [[], 1])
  assert.deepEqual(await find(malipo, reference, { merchant: merchant.id }), [[id, 'reference']])
  const indexed = await indexAll(malipo)

  const [{ count } = { count: '' }] = await malipo.ask<{ count: string }>('select count(*) from transactions')
  assert.equal(indexed, Number(count))
  const after = await malipo.operator.payments.find({ query: phone, limit: 20 })
  assert.deepEqual([after.payments.map((each) => each.id), after.notIndexed], [[id], []])
  assert.deepEqual(await find(malipo, reference), [[id, 'reference']])
})

test('a process leaves a range that another one is indexing, and finds nothing to do', async (t) => {
  const malipo = await payingMalipo(t)
  await payOut(await malipo.merchant())
  await malipo.later(1)
  await forgetLookups(malipo)
  const { write } = malipo.ctx.db

  await write.transaction(async (tx) => {
    await tx.query(sql`select from unindexed_payments for update`)
    assert.equal(await indexPage(write, malipo.ctx.vault), undefined)
  })

  assert.ok((await indexAll(malipo)) > 0)
})

test('a range that ends in the future is left until then', async (t) => {
  const malipo = await payingMalipo(t)
  await malipo.ask(
    `insert into unindexed_payments values (id_at(record_time()), id_at(record_time() + interval '1 hour'))`,
  )

  assert.equal(await indexPage(malipo.ctx.db.write, malipo.ctx.vault), undefined)
  await malipo.later(3601)
  assert.deepEqual(await indexPage(malipo.ctx.db.write, malipo.ctx.vault), { payments: 0, unopened: 0 })
})

test('indexing writes the same lookups as acceptance and resolution do', async (t) => {
  const malipo = await payingMalipo(t)
  const merchant = await malipo.merchant()
  malipo.work()
  const ids = [await payOut(merchant), await charge(merchant, newPhone()), await payOutToBank(merchant, '0690000031')]
  for (const id of ids) await malipo.comesTo(id, 'successful')
  await malipo.later(1)
  const lookups = (table: string) =>
    malipo.ask(
      `select hash::text, transaction_id from ${table} where transaction_id = any($1) order by transaction_id, hash`,
      [ids.map((id) => readId('transaction', id))],
    )
  const written = [await lookups('payment_lookups'), await lookups('merchant_lookups')]
  const [staff = [], own = []] = written
  assert.equal(staff.length, 9, 'reference, number and receipt of each')
  assert.equal(own.length, 9, 'number and receipt of each, one word of a name, and two words of another')

  await forgetLookups(malipo)
  await indexAll(malipo)

  assert.deepEqual([await lookups('payment_lookups'), await lookups('merchant_lookups')], written)
})

/** The keys of a file's database, newest first. */
let keys = [`f0:v2:${randomBytes(32).toString('base64url')}`]
const startWith = (t: TestContext) => payingMalipo(t, { MALIPO_SECRET_KEYS: keys.join(',') })

test('a phone is found under every key, and without the old key after a reseal', async (t) => {
  const phone = newPhone()
  const before = await startWith(t)
  const id = await payOut(await before.merchant(), { phone })
  const hashes = () =>
    before.ask('select hash from payment_lookups where transaction_id = $1', [readId('transaction', id)])
  const first = await hashes()
  keys = [`f1:v2:${randomBytes(32).toString('base64url')}`, ...keys]
  const during = await startWith(t)
  const later = await payOut(await during.merchant(), { phone })

  const found = [
    [later, 'phone'],
    [id, 'phone'],
  ]
  assert.deepEqual(await find(during, phone), found)
  await during.operator.secrets.reseal()
  assert.deepEqual(await find(during, phone), found)
  keys = keys.slice(0, 1)
  const after = await startWith(t)
  assert.deepEqual(await find(after, phone), found)
  const second = await hashes()
  assert.equal(second.length, first.length)
  assert.notDeepEqual(second, first, 'the hash under the old key is gone')
})
