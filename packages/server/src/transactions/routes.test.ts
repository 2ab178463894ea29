import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type ApiResponse, type Malipo, testMalipo } from '../testing/malipo.ts'

const noProvider = { MALIPO_SIMULATOR_URL: 'http://127.0.0.1:9', MALIPO_SIMULATOR_TOKEN: 'unused-simulator-token' }
const path = '/api/b2b/transactions'
const payout = (externalReference: string, over: object = {}) => ({
  amount: 100,
  currency: 'KES',
  country: 'KE',
  destination: 'MoMo',
  externalReference,
  payoutMethod: { accountName: 'Amina Otieno', accountNumber: '+254703456789' },
  ...over,
})
const charge = (externalReference: string) => ({
  amount: 500,
  currency: 'KES',
  phoneNumber: '254703456789',
  externalReference,
})
const rows = ({ body }: ApiResponse) => body['data'] as { transactionId: string; type: string; currency: string }[]
const reasonOf = ({ status, body, headers }: ApiResponse) => [status, body, headers.get('x-error-code')]

test('transactions are listed newest first, three at a time, and continue after any of them', async (t) => {
  const { call } = await (await testMalipo(t, noProvider)).merchant()
  const made: string[] = []
  for (let index = 0; index < 7; index += 1) {
    const { body } =
      index % 2 === 0
        ? await call('POST', '/api/b2b/fiat/payout', payout(`r${index}`))
        : await call('POST', '/api/b2b/fiat/deposit/momo', charge(`r${index}`))
    made.unshift(String(body['transactionId']))
  }
  const ids = async (query: string) => rows(await call('GET', `${path}${query}`)).map((row) => row.transactionId)

  assert.deepEqual(await ids(''), made.slice(0, 3))
  assert.deepEqual(await ids(`?limit=10&transactionId=${made[2]}`), made.slice(3))
  assert.deepEqual(
    await ids('?limit=10&type=payout'),
    made.filter((_, index) => index % 2 === 0),
  )
  assert.deepEqual(
    await ids('?limit=10&type=deposit&currency=KES'),
    made.filter((_, index) => index % 2 === 1),
  )
  assert.deepEqual(await ids('?limit=10&currency=UGX'), [])
  assert.deepEqual(
    await ids('?limit=10&status=pending&type=withdrawal&currency=KES'),
    await ids('?limit=10&type=payout'),
  )
  assert.deepEqual(await ids('?limit=10&status=successful'), [])
  assert.deepEqual(await ids('?externalReference=r3'), [made[3]])
  assert.deepEqual(await ids('?externalReference=r3&type=payout'), [])
  const today = new Date().toISOString().slice(0, 10)
  assert.deepEqual(await ids(`?limit=10&startDate=${today}&endDate=${today}`), made)
  assert.deepEqual(await ids('?limit=10&endDate=2020-01-01'), [])
})

test('an invalid list request returns an empty object, and the reason in the headers', async (t) => {
  const malipo = await testMalipo(t, noProvider)
  const { call } = await malipo.merchant()
  const other = await malipo.merchant()
  const { body } = await other.call('POST', '/api/b2b/fiat/payout', payout('r1'))
  const bad = [
    'limit=0',
    'limit=11',
    'limit=2.5',
    'status=SUCCESSFUL',
    'type=gift',
    'startDate=2026-02-30',
    'startDate=2026-02-02&endDate=2026-02-01',
    `transactionId=${body['transactionId']}`,
    'transactionId=nothing',
    'colour=red',
  ]
  for (const query of bad)
    assert.deepEqual(reasonOf(await call('GET', `${path}?${query}`)), [400, {}, 'VALIDATION_ERROR'], query)
})

test('a filter that matches little reports where it stopped, and the next page continues there', async (t) => {
  const malipo = await testMalipo(t, noProvider)
  const merchant = await malipo.merchant()
  await merchant.call(
    'POST',
    '/api/b2b/fiat/payout',
    payout('first', {
      currency: 'UGX',
      country: 'UG',
      amount: 600,
      payoutMethod: { accountName: 'A', accountNumber: '+256783456789' },
    }),
  )
  await merchant.call('POST', '/api/b2b/fiat/payout', payout('copied'))
  await copyTransactions(malipo, 20_500)

  const first = await merchant.call('GET', `${path}?currency=UGX`)
  const stop = first.headers.get('x-continue-after')
  const second = await merchant.call('GET', `${path}?currency=UGX&transactionId=${stop}`)

  assert.deepEqual(rows(first), [])
  assert.match(stop ?? '', /^txn_/)
  assert.equal(rows(second).length, 1)
  assert.equal(rows(await merchant.call('GET', `${path}?currency=UGX&type=payout`)).length, 1, 'its own index finds it')
})

test('a payment that ends while a filtered list is read hides no other one', async (t) => {
  const malipo = await testMalipo(t, noProvider)
  const merchant = await malipo.merchant()
  const { body: wanted } = await merchant.call('POST', '/api/b2b/fiat/deposit/momo', charge('wanted'))
  await merchant.call('POST', '/api/b2b/fiat/payout', payout('copied'))
  await copyTransactions(malipo, 19_999)
  const { read } = malipo.ctx.db
  const within = read.within
  let isEnded = false
  Object.assign(read, {
    within: async (...read: Parameters<typeof within>) => {
      const found = await within(...read)
      if (!isEnded)
        await malipo.ask(`
          update transactions set state = 'failed', failure = '{"code": "X"}'
          where id = (select id from transactions where type = 'withdrew' order by id desc limit 1)`)
      isEnded = true
      return found
    },
  })

  const first = await merchant.call('GET', `${path}?status=pending&type=deposit`)
  const stop = first.headers.get('x-continue-after')
  const second = await merchant.call('GET', `${path}?status=pending&type=deposit&transactionId=${stop}`)

  assert.deepEqual(
    [first, second].flatMap(rows).map(({ transactionId }) => transactionId),
    [wanted['transactionId']],
  )
})

test('one transaction is read by its id or its reference, with its timeline', async (t) => {
  const { call } = await (await testMalipo(t, noProvider)).merchant()
  const { body } = await call('POST', '/api/b2b/fiat/deposit/momo', charge('r1'))

  const [byId, byReference] = [await call('GET', `${path}/${body['transactionId']}`), await call('GET', `${path}/r1`)]

  const data = byId.body['data'] as Record<string, unknown>
  assert.deepEqual(byId.body, byReference.body)
  assert.deepEqual(
    [data['method'], data['stage'], data['fee'], data['receiverAmount'], data['externalReference']],
    ['momo', 'PROCESSING', 5, 495, 'r1'],
  )
  assert.equal((data['nextAction'] as { type: string }).type, 'PIN_PROMPT')
  assert.equal((data['timeline'] as unknown[]).length, 1)
})

test('one transaction is read with an explanation in both environments, and lists have none', async (t) => {
  const malipo = await testMalipo(t, noProvider)
  const { id, call } = await malipo.merchant()
  const live = await malipo.as(await malipo.operator.keys.create(id, { env: 'live' }))
  await call('POST', '/api/b2b/fiat/deposit/momo', charge('r1'))
  await malipo.ask(
    `insert into transactions
     select copy.*
     from (select * from transactions order by id desc limit 1) t
     cross join lateral jsonb_populate_record(null::transactions, to_jsonb(t) || jsonb_build_object(
       'id', overlay(t.id::text placing 'ffff' from 25 for 4), 'env', 'live')) copy`,
  )
  const [{ transactionId = '' } = {}] = rows(await live.call('GET', path))

  const [sandbox, alive] = [await call('GET', `${path}/r1`), await live.call('GET', `${path}/${transactionId}`)]

  for (const { status, body } of [sandbox, alive]) {
    assert.equal(status, 200, JSON.stringify(body))
    const { explanation } = body['data'] as { explanation: { sentence: string; next: string; by: string } }
    assert.match(explanation.sentence, /^The charge of KES 500 by mobile money \(M-Pesa\) was accepted; .+\.$/)
    assert.equal(explanation.next, "the prompt goes to the customer's phone")
    assert.equal(new Date(explanation.by).toISOString(), explanation.by)
  }
  const listed = [...rows(await call('GET', path)), ...rows(await live.call('GET', path))]
  assert.deepEqual(
    listed.map((row) => 'explanation' in row),
    [false, false],
  )
})

/** Copies the newest transaction of its merchant many times, straight into the table. */
async function copyTransactions(malipo: Malipo, count: number): Promise<void> {
  await malipo.ask(
    `insert into transactions
     select copy.*
     from (select * from transactions order by id desc limit 1) t
     cross join generate_series(1, $1) n
     cross join lateral jsonb_populate_record(null::transactions, to_jsonb(t) || jsonb_build_object(
       'id', overlay(t.id::text placing lpad(to_hex(n), 8, '0') from 25 for 8))) copy
     on conflict do nothing`,
    [count],
  )
}
