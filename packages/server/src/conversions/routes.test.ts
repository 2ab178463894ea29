import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { platformBalances } from '../ledger/deltas.ts'
import { createEnabledCurrencies } from '../merchants/enabled-currencies.ts'
import { readId } from '../platform/ids.ts'
import { movement } from '../testing/ledger.ts'
import { type ApiResponse, type Malipo, testMalipo } from '../testing/malipo.ts'
import { quote as setRate, walletsOf } from '../testing/paying.ts'
import { createPoster } from '../testing/poster.ts'

const settings = {
  MALIPO_SIMULATOR_URL: 'http://127.0.0.1:9',
  MALIPO_SIMULATOR_TOKEN: 'unused-simulator-token',
  MALIPO_RATE_LIMIT_SANDBOX: '1000',
}
const path = '/api/b2b/conversions'
let references = 0
const toDollars = (over: object = {}) => {
  references += 1
  const wallets = { fromCurrency: 'KES', toCurrency: 'USD', toCountry: 'KE' }
  return { externalReference: `convert-${references}`, ...wallets, amount: 2000, ...over }
}
const toShillings = (over: object = {}) =>
  toDollars({
    ...{ fromCurrency: 'USD', fromCountry: 'KE', toCurrency: 'KES', toCountry: undefined, amount: 10 },
    ...over,
  })
const statusOf = ({ status, body }: ApiResponse) => (status === 200 ? 'converted' : `${status} ${body['errorCode']}`)
const fieldsOf = ({ body }: ApiResponse) => ((body['details'] ?? []) as { field: string }[]).map(({ field }) => field)
type Shown = Record<string, unknown>

/** Wallets of 1,000,000 KES and 10,000 USD, at fixed rates. */
async function converting(t: TestContext) {
  const malipo = await testMalipo(t, settings)
  await malipo.ask('delete from rates')
  await setRate(malipo, 'USD/KES', '128.50', '130.25', { buy: '129.00', sell: '129.75' })
  const merchant = await malipo.merchant()
  const convert = (body: object) => merchant.call('POST', path, body)
  const available = async () => {
    const wallets = await walletsOf(malipo, merchant.id)
    return [wallets.get('KES')?.available, wallets.get('USD')?.available]
  }
  return { malipo, merchant, convert, available }
}

async function positions({ ctx }: Malipo): Promise<Map<string, bigint>> {
  const accounts = await platformBalances(ctx.db.write)
  return new Map(
    accounts.map(({ kind, currency, credits_posted, debits_posted }) => [
      `${kind} ${currency}`,
      credits_posted - debits_posted,
    ]),
  )
}

test('an amount converts rounded down, and every account of both currencies is booked', async (t) => {
  const { malipo, convert, available } = await converting(t)
  const before = await positions(malipo)

  const { status, body } = await convert(toDollars())

  const after = await positions(malipo)
  const moved = (name: string) => (after.get(name) ?? 0n) - (before.get(name) ?? 0n)
  assert.equal(status, 200, JSON.stringify(body))
  assert.deepEqual([body['message'], body['status']], ['Conversion completed.', 'SUCCESSFUL'])
  assert.deepEqual([body['fromAmount'], body['toAmount']], [2000, 15.35]) // 2,000 ÷ 130.25 is 15.355…
  assert.deepEqual(await available(), [100_000_000n - 200_000n, 1_000_000n + 1535n])
  // 15.35 USD cost 1,991.67 KES at the provider's 129.75, rounded up: the rest is income.
  assert.deepEqual(['fx_position KES', 'fx_position USD', 'fx_income KES'].map(moved), [199_167n, -1535n, 833n])
  await malipo.operator.ledger.check({ isFull: true })
})

test('an exact target costs its price rounded up', async (t) => {
  const { malipo, convert, available } = await converting(t)

  const { body } = await convert(toShillings({ amount: undefined, toAmount: 777.77 }))

  assert.deepEqual([body['fromAmount'], body['toAmount']], [6.06, 777.77]) // 777.77 ÷ 128.50 is 6.052…
  assert.deepEqual(await available(), [100_000_000n + 77_777n, 1_000_000n - 606n])
  await malipo.operator.ledger.check({ isFull: true })
})

test('a conversion is read, listed, in the statement of both wallets, and notified once', async (t) => {
  const { merchant, convert } = await converting(t)
  const body = toDollars()
  const made = await convert(body)

  const get = async (query: string) => (await merchant.call('GET', `/api/b2b/${query}`)).body['data']
  const read = (await get(`transactions/${body.externalReference}`)) as Shown
  const listed = (await get('transactions?type=conversion')) as Shown[]
  const events = (await get('events')) as { event: string; data: Shown }[]
  const lines = async (query: string) =>
    ((await get(`wallets/statement?${query}`)) as { lines: Shown[] }).lines
      .filter(({ type }) => type === 'conversion')
      .map(({ kind, amount }) => [kind, amount])

  const sides = { senderAmount: 2000, senderCurrency: 'KES', receiverAmount: 15.35, receiverCurrency: 'USD', fee: 0 }
  const expected = { type: 'conversion', method: 'conversion', status: 'SUCCESSFUL', stage: 'COMPLETED', ...sides }
  for (const [name, value] of Object.entries(expected)) assert.equal(read[name], value, name)
  assert.deepEqual(read['rate'], made.body['rate'])
  assert.match(
    String((read['explanation'] as Shown)['sentence']),
    /^The conversion to USD 15\.35 is final: KES 2,000 left your KES wallet\.$/,
  )
  assert.deepEqual(
    listed.map(({ transactionId }) => transactionId),
    [made.body['transactionId']],
  )
  assert.deepEqual(
    events.map(({ event, data }) => [event, data['type'], data['status'], data['receiverAmount']]),
    [['transaction_created', 'conversion', 'successful', 15.35]],
  )
  assert.deepEqual(await lines('currency=KES'), [['exchange', -2000]])
  assert.deepEqual(await lines('currency=USD&country=KE'), [['exchange', 15.35]])
})

test('a repeated conversion converts once, and its reference is taken for every payment', async (t) => {
  const { malipo, merchant, convert, available } = await converting(t)
  const body = toDollars()
  const headers = { authorization: `Bearer ${await merchant.token()}`, 'idempotency-key': 'once' }
  const send = (sent: object) => malipo.call('POST', path, headers, sent)

  const [first, second, other] = [await send(body), await send(body), await send({ ...body, amount: 1 })]

  assert.deepEqual([second.status, second.body], [200, first.body])
  assert.equal(second.headers.get('idempotency-replayed'), 'true')
  assert.equal(statusOf(other), '422 IDEMPOTENCY_KEY_REUSED')
  assert.equal(statusOf(await convert(body)), '409 E-API-D.S-28')
  assert.deepEqual(await available(), [99_800_000n, 1_001_535n])
})

test('what cannot be converted is refused by its field, and takes neither money nor reference', async (t) => {
  const { convert, available, malipo } = await converting(t)
  const body = toDollars()
  for (const [over, refusal, field] of [
    [{ fromCurrency: undefined, toCurrency: undefined }, '400 VALIDATION_ERROR', 'toCurrency'],
    [{ amount: undefined }, '400 VALIDATION_ERROR', 'amount'],
    [{ toAmount: 5 }, '400 VALIDATION_ERROR', 'amount'],
    [{ amount: 0 }, '400 VALIDATION_ERROR', 'amount'],
    [{ amount: 20.005 }, '400 VALIDATION_ERROR', 'amount'],
    [{ amount: undefined, toAmount: -1 }, '400 VALIDATION_ERROR', 'toAmount'],
    [{ toCurrency: 'KES', toCountry: undefined }, '400 VALIDATION_ERROR', 'toCurrency'],
    [
      { fromCurrency: 'XOF', fromCountry: 'CI', toCurrency: 'XOF', toCountry: 'SN' },
      '400 VALIDATION_ERROR',
      'toCurrency',
    ],
    [{ toCountry: undefined }, '400 VALIDATION_ERROR', 'toCountry'],
    [{ fromCountry: 'UG' }, '400 VALIDATION_ERROR', 'fromCountry'],
    [{ toCurrency: 'JPY' }, '422 UNSUPPORTED_CURRENCY', 'currency'],
    [{ toCurrency: 'ZMW', toCountry: undefined }, '422 DEBIT_CURRENCY_NOT_SUPPORTED', 'toCurrency'],
    [{ amount: 0.01 }, '422 AMOUNT_OUT_OF_BOUNDS', 'amount'],
    [{ amount: 1_000_000.01 }, '422 INSUFFICIENT_FUNDS', 'available'],
    [{ fromCurrency: 'NGN' }, '503 FX_RATE_UNAVAILABLE', undefined],
  ] as const) {
    const refused = await convert({ ...body, ...over })
    assert.equal(statusOf(refused), refusal, JSON.stringify(over))
    if (field) assert.ok(fieldsOf(refused).includes(field), JSON.stringify(refused.body))
  }
  assert.deepEqual(await available(), [100_000_000n, 1_000_000n])
  assert.equal(statusOf(await convert(body)), 'converted')
  await malipo.operator.ledger.check({ isFull: true })
})

test('a frozen merchant and a disabled currency convert nothing', async (t) => {
  const { malipo, merchant, convert } = await converting(t)
  await malipo.operator.merchants.freeze(merchant.id, 'a test')
  assert.equal(statusOf(await convert(toDollars())), '403 MERCHANT_FROZEN')

  await malipo.operator.merchants.unfreeze(merchant.id, 'a test')
  assert.equal(statusOf(await convert(toDollars())), 'converted')
  await malipo.operator.merchants.setCurrencies(merchant.id, { env: 'sandbox', reason: 'a test', disable: ['USD'] })
  const { refuseDisabled } = createEnabledCurrencies(malipo.ctx.db.write)
  t.mock.method(malipo.ctx.currencies, 'refuseDisabled', refuseDisabled) // A process reads a change within five seconds.
  assert.equal(statusOf(await convert(toDollars())), '403 CURRENCY_NOT_ENABLED')
})

test('a quoted conversion keeps its figures, is made once, and refuses other values', async (t) => {
  const { malipo, merchant, convert, available } = await converting(t)
  const { externalReference: _, ...body } = toDollars()
  const quoted = await merchant.call('POST', '/api/b2b/quotes', body)
  const { quoteId, fromAmount, toAmount } = quoted.body['data'] as Shown
  assert.deepEqual([fromAmount, toAmount], [2000, 15.35])
  await malipo.ask('delete from rates')
  await setRate(malipo, 'USD/KES', '200', '201')

  const use = (externalReference: string, over: object = {}) => convert({ externalReference, quoteId, ...over })
  const other = await use('q1', { amount: 2001 })
  assert.deepEqual([statusOf(other), fieldsOf(other)], ['422 QUOTE_MISMATCH', ['amount']])
  assert.equal(statusOf(await use('q1', { ...body, toAmount: 15.35 })), 'converted')
  assert.equal(statusOf(await use('q2')), '409 QUOTE_USED')
  assert.deepEqual(await available(), [99_800_000n, 1_001_535n])

  const payout = { externalReference: 'q3', quoteId }
  assert.equal(statusOf(await merchant.call('POST', '/api/b2b/fiat/payout', payout)), '404 QUOTE_NOT_FOUND')
  const both = await merchant.call('POST', '/api/b2b/quotes', { ...body, destination: 'MoMo' })
  assert.deepEqual([statusOf(both), fieldsOf(both)], ['400 VALIDATION_ERROR', ['destination']])
})

test('a debt of the credited wallet is collected from the conversion', async (t) => {
  const { malipo, merchant, convert } = await converting(t)
  const wallet = () =>
    malipo.ask<{ id: string; owed: string }>(
      `select id, owed from wallets where merchant_id = $1 and currency = 'USD' and country = 'KE'`,
      [readId('merchant', merchant.id)],
    )
  const [{ id: wallet_id } = assert.fail()] = await wallet()
  const account = (kind: 'receivable' | 'cost', of = {}) =>
    malipo.ctx.accounts.idOf({ env: 'sandbox', kind, currency: 'USD', ...of })
  const [debit_account, credit_account] = [await account('receivable', { wallet_id }), await account('cost')]
  const debt = { wallet_id, account: debit_account }
  const owing = movement({ kind: 'transfer', debit_account, credit_account, amount: 500n, currency: 'USD', debt })
  await createPoster(malipo.ctx.db.write).submit({ wallets: [wallet_id], movements: [owing] })
  assert.equal((await wallet())[0]?.owed, '500')

  assert.equal(statusOf(await convert(toDollars())), 'converted')

  assert.equal((await wallet())[0]?.owed, '0')
  assert.equal((await walletsOf(malipo, merchant.id)).get('USD')?.available, 1_000_000n + 1535n - 500n)
  await malipo.operator.ledger.check({ isFull: true })
})

test('conversions in opposite directions at once neither deadlock nor overdraw', async (t) => {
  const { malipo, convert, available } = await converting(t)
  const bodies = Array.from({ length: 60 }, (_, index) =>
    index % 2 === 0 ? toDollars({ amount: 100_000 }) : toShillings({ amount: 1500 }),
  )

  const answers = await Promise.all(bodies.map(convert))

  const made = answers.filter(({ status }) => status === 200)
  for (const answer of answers.filter(({ status }) => status !== 200))
    assert.equal(statusOf(answer), '422 INSUFFICIENT_FUNDS')
  const minor = (value: unknown) => BigInt(Math.round(Number(value) * 100))
  const sum = (currency: string, side: 'from' | 'to') =>
    made
      .filter(({ body }) => body[`${side}Currency`] === currency)
      .reduce((total, { body }) => total + minor(body[`${side}Amount`]), 0n)
  assert.deepEqual(await available(), [
    100_000_000n - sum('KES', 'from') + sum('KES', 'to'),
    1_000_000n - sum('USD', 'from') + sum('USD', 'to'),
  ])
  assert.ok((await available()).every((amount) => amount !== undefined && amount >= 0n))
  await malipo.operator.ledger.check({ isFull: true })
})

test('the ledger check finds a conversion whose row differs from its books', async (t) => {
  const { malipo, convert } = await converting(t)
  const { externalReference } = toDollars()
  await convert(toDollars({ externalReference }))
  const touch = (how: string) =>
    malipo.ask(`update transactions set ${how} where external_reference = '${externalReference}'`)
  for (const [how, back] of [
    ['amount = amount + 1', 'amount = amount - 1'],
    ['wallet_amount = wallet_amount - 1', 'wallet_amount = wallet_amount + 1'],
    [`country = 'UG'`, `country = 'KE'`],
    ['fee = 1', 'fee = 0'],
    [`rate = rate || '{"spread": "7"}'`, `rate = rate || '{"spread": "833"}'`],
    [`state = 'failed'`, `state = 'successful'`],
  ] as const) {
    await touch(how)
    await assert.rejects(
      malipo.operator.ledger.check({ isFull: true }),
      /the postings of a conversion differ from its amounts/,
      how,
    )
    await touch(back)
  }
  await malipo.operator.ledger.check({ isFull: true })
})
