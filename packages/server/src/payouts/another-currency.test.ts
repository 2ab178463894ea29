import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { platformBalances } from '../ledger/deltas.ts'
import { type ApiResponse, type Malipo, testMalipo } from '../testing/malipo.ts'
import { quote, walletsOf } from '../testing/paying.ts'

/** No worker runs, so accepted payouts stay accepted. */
const noProvider = {
  MALIPO_SIMULATOR_URL: 'http://127.0.0.1:9',
  MALIPO_SIMULATOR_TOKEN: 'unused-simulator-token',
  MALIPO_RATE_LIMIT_SANDBOX: '1000',
}
const path = '/api/b2b/fiat/payout'
const payout = (externalReference: string, over: object = {}) => ({
  amount: 1000,
  currency: 'KES',
  country: 'KE',
  destination: 'MoMo',
  externalReference,
  payoutMethod: { accountName: 'Amina Otieno', accountNumber: '+254703456789' },
  debitCurrency: 'USD',
  debitCountry: 'KE',
  ...over,
})
const ugandan = (externalReference: string, over: object = {}) =>
  payout(externalReference, {
    currency: 'UGX',
    country: 'UG',
    payoutMethod: { accountName: 'Amina Otieno', accountNumber: '+256783456789' },
    ...over,
  })
const refusalOf = ({ status, body }: ApiResponse) => [status, body['errorCode']]
const dataOf = <Value>({ body }: ApiResponse) => body['data'] as Value

/** A Malipo with fixed rates: 1,000 KES are 7.79 USD, of which 0.03 are our markup, plus a fee of 0.08. */
async function malipoWithRates(t: TestContext): Promise<Malipo> {
  const malipo = await testMalipo(t, noProvider)
  await malipo.ask('delete from rates')
  await quote(malipo, 'USD/KES', '128.50', '130.25', { buy: '129.00', sell: '129.75' })
  await quote(malipo, 'KES/UGX', '27.9', '28.5')
  return malipo
}

/** The reserved amounts in the exchange accounts, credits less debits, over all tests of this file so far. */
async function reserved({ ctx }: Malipo): Promise<Map<string, bigint>> {
  const accounts = await platformBalances(ctx.db.write)
  return new Map(
    accounts.map(({ kind, currency, credits_pending, debits_pending }) => [
      `${kind} ${currency}`,
      credits_pending - debits_pending,
    ]),
  )
}

async function change(malipo: Malipo, during: () => Promise<unknown>): Promise<Record<string, bigint>> {
  const before = await reserved(malipo)
  await during()
  const after = await reserved(malipo)
  const names = ['fx_position USD', 'fx_position KES', 'fx_income USD', 'clearing KES', 'fees USD']
  return Object.fromEntries(names.map((name) => [name, (after.get(name) ?? 0n) - (before.get(name) ?? 0n)]))
}

test('a wallet in another currency is debited at the rate, rounded up, with its own fee on top', async (t) => {
  const malipo = await malipoWithRates(t)
  const { id, call } = await malipo.merchant()

  const moved = await change(malipo, async () => assert.equal((await call('POST', path, payout('r1'))).status, 200))

  assert.deepEqual((await walletsOf(malipo, id)).get('USD'), { available: 1_000_000n - 787n, reserved: 787n })
  assert.deepEqual((await walletsOf(malipo, id)).get('KES'), { available: 100_000_000n, reserved: 0n })
  assert.deepEqual(moved, {
    'fx_position USD': 776n,
    'fx_position KES': -100_000n,
    'fx_income USD': 3n,
    'clearing KES': 100_000n,
    'fees USD': 8n,
  })
  await malipo.operator.ledger.check({ isFull: true })
})

test('a wallet in the quoted currency pays at the selling rate, with two decimals and with none', async (t) => {
  const malipo = await malipoWithRates(t)
  const { id, call } = await malipo.merchant()
  const fromKenya = { debitCurrency: 'KES', debitCountry: undefined }

  await call('POST', path, ugandan('r1', { ...fromKenya, amount: 1000 }))
  const dear = (await walletsOf(malipo, id)).get('KES')?.reserved
  await call('POST', path, payout('r2', { amount: 100, debitCurrency: 'UGX', debitCountry: 'UG' }))

  assert.equal(dear, 3585n + 36n) // 1,000 ÷ 27.9 is 35.842…
  assert.equal((await walletsOf(malipo, id)).get('UGX')?.reserved, 2850n + 29n) // 100 × 28.5
  await malipo.operator.ledger.check({ isFull: true })
})

test('a read shows the rate and its time; list, read and webhook show debit and payout amount', async (t) => {
  const malipo = await malipoWithRates(t)
  const { call } = await malipo.merchant()
  await call('POST', path, payout('r1'))
  const sides = { senderAmount: 7.79, senderCurrency: 'USD', receiverAmount: 1000, receiverCurrency: 'KES' }
  const shown = ({ senderAmount, senderCurrency, receiverAmount, receiverCurrency }: Record<string, unknown>) => ({
    senderAmount,
    senderCurrency,
    receiverAmount,
    receiverCurrency,
  })

  const read = dataOf<Record<string, unknown>>(await call('GET', '/api/b2b/transactions/r1'))
  const [listed = {}] = dataOf<Record<string, unknown>[]>(await call('GET', '/api/b2b/transactions'))
  const [notified] = dataOf<{ data: Record<string, unknown> }[]>(await call('GET', '/api/b2b/events'))

  const [{ at } = assert.fail()] = await malipo.ask<{ at: Date }>(`select at from rates where base = 'USD'`)
  assert.deepEqual(read['rate'], { pair: 'USD/KES', side: 'buy', value: '128.50', at: at.toISOString() })
  for (const each of [read, listed, notified?.data ?? {}]) assert.deepEqual(shown(each), sides)
  assert.deepEqual([read['amount'], read['currency'], read['fee']], [1000, 'KES', 0.08])
  assert.deepEqual([notified?.data['amount'], notified?.data['currency'], notified?.data['fee']], [1000, 'KES', 0.08])
  assert.equal('rate' in listed, false)
})

test('a rate older than five minutes refuses payouts with a retryable error', async (t) => {
  const malipo = await malipoWithRates(t)
  const { id, call } = await malipo.merchant()
  await malipo.ask(`update rates set at = now() - interval '5 minutes 1 second'`)

  const refused = await call('POST', path, payout('r1'))
  const plain = await call('POST', path, payout('r2', { debitCurrency: 'KES' }))
  await quote(malipo, 'USD/KES', '128.50', '130.25')
  const later = await call('POST', path, payout('r1'))

  assert.deepEqual(refusalOf(refused), [503, 'FX_RATE_UNAVAILABLE'])
  assert.equal(refused.body['retryable'], true)
  assert.deepEqual([plain.status, later.status], [200, 200])
  assert.equal((await walletsOf(malipo, id)).get('USD')?.reserved, 787n)
})

test('only quoted pairs are exchanged, and a shared currency needs its country', async (t) => {
  const { call } = await (await malipoWithRates(t)).merchant()
  const over = [
    { debitCurrency: 'JPY' },
    { debitCurrency: 'ZMW', debitCountry: 'ZM' },
    { debitCurrency: 'XOF', debitCountry: 'CI' },
    { debitCountry: undefined },
    { debitCurrency: 'NGN', debitCountry: 'KE' },
    { debitCurrency: 'NGN', debitCountry: 'NG' },
  ]

  const answers = await Promise.all(over.map((each, index) => call('POST', path, payout(`r${index}`, each))))

  assert.deepEqual(answers.map(refusalOf), [
    [422, 'DEBIT_CURRENCY_NOT_SUPPORTED'],
    [422, 'DEBIT_CURRENCY_NOT_SUPPORTED'],
    [422, 'DEBIT_CURRENCY_NOT_SUPPORTED'],
    [400, 'DEBIT_COUNTRY_REQUIRED'],
    [400, 'VALIDATION_ERROR'],
    [503, 'FX_RATE_UNAVAILABLE'],
  ])
})

test('a payout cancelled before it was sent returns its money in both currencies', async (t) => {
  const malipo = await malipoWithRates(t)
  const { id, call } = await malipo.merchant()

  const moved = await change(malipo, async () => {
    const { body } = await call('POST', path, payout('r1'))
    assert.equal((await call('POST', `${path}/${body['transactionId']}/cancel`)).status, 200)
  })

  assert.deepEqual((await walletsOf(malipo, id)).get('USD'), { available: 1_000_000n, reserved: 0n })
  assert.ok(Object.values(moved).every((sum) => sum === 0n))
  await malipo.operator.ledger.check({ isFull: true })
})

test('a bulk from wallets in several currencies is priced at one rate, each payout by itself', async (t) => {
  const malipo = await malipoWithRates(t)
  const { id, call } = await malipo.merchant()
  const reads: string[] = []
  const { read } = malipo.ctx.db
  const query = read.query.bind(read)
  t.mock.method(read, 'query', (owner: never, asked: Parameters<typeof query>[1]) => {
    if (/from rates/.test(asked.text)) reads.push(asked.text)
    return query(owner, asked)
  })
  const payouts = [
    ...Array.from({ length: 200 }, (_, index) => payout(`usd${index}`)),
    ...Array.from({ length: 50 }, (_, index) => payout(`kes${index}`, { debitCurrency: 'KES' })),
    ...Array.from({ length: 50 }, (_, index) => payout(`ugx${index}`, { debitCurrency: 'UGX', debitCountry: 'UG' })),
    payout('zmw', { debitCurrency: 'ZMW', debitCountry: 'ZM' }),
    payout('ngn', { debitCurrency: 'NGN', debitCountry: 'NG' }),
  ]

  const answer = await call('POST', '/api/b2b/fiat/payouts/bulk', { payouts })

  const results = dataOf<{ success: boolean; errorCode?: string }[]>(answer)
  assert.equal(results.filter(({ success }) => success).length, 300)
  assert.deepEqual(
    results.slice(300).map(({ errorCode }) => errorCode),
    ['DEBIT_CURRENCY_NOT_SUPPORTED', 'FX_RATE_UNAVAILABLE'],
  )
  assert.equal(reads.length, 3) // USD/KES, KES/UGX and NGN/KES.
  const wallets = await walletsOf(malipo, id)
  assert.deepEqual(
    ['USD', 'KES', 'UGX'].map((currency) => wallets.get(currency)?.reserved),
    [200n * 787n, 50n * 101_000n, 50n * 28_785n],
  )
  await malipo.operator.ledger.check({ isFull: true })
})

test('payouts for twice the balance are accepted up to the balance, and the books net out', async (t) => {
  const malipo = await malipoWithRates(t)
  const merchant = await malipo.merchant()
  const headers = { authorization: `Bearer ${await merchant.token()}` }
  const amount = 25_000 // 194.56 USD and a fee of 1.95: 10,000 USD pay for fifty payouts.
  const [each, taken] = [19_651n, 50n]

  const moved = await change(malipo, async () => {
    const asked = Array.from({ length: 100 }, (_, index) =>
      malipo.call('POST', path, headers, payout(`r${index}`, { amount })),
    )
    const answers = await Promise.all(asked)
    assert.equal(answers.filter(({ status }) => status === 200).length, Number(taken))
    for (const answer of answers.filter(({ status }) => status !== 200))
      assert.deepEqual(refusalOf(answer), [422, 'INSUFFICIENT_FUNDS'])
  })

  assert.deepEqual((await walletsOf(malipo, merchant.id)).get('USD'), {
    available: 1_000_000n - taken * each,
    reserved: taken * each,
  })
  assert.deepEqual(moved, {
    'fx_position USD': taken * 19_380n, // 193.80 at the provider's own rate.
    'fx_position KES': -taken * 2_500_000n,
    'fx_income USD': taken * 76n,
    'clearing KES': taken * 2_500_000n,
    'fees USD': taken * 195n,
  })
  await malipo.operator.ledger.check({ isFull: true })
})

test('the ledger check finds a cross-currency payment whose row differs from its books', async (t) => {
  const malipo = await malipoWithRates(t)
  const { call } = await malipo.merchant()
  await call('POST', path, payout('tampered-with'))
  const touch = (how: string) => malipo.ask(`update transactions set ${how} where external_reference = 'tampered-with'`)
  const rateOfIt = `select rate from transactions where external_reference = 'tampered-with'`
  const [{ rate } = assert.fail()] = await malipo.ask(rateOfIt)

  for (const [how, back] of [
    ['wallet_amount = wallet_amount - 1', 'wallet_amount = wallet_amount + 1'],
    [`rate = rate || '{"spread": "7"}'`, `rate = '${JSON.stringify(rate)}'`],
    ['rate = null', `rate = '${JSON.stringify(rate)}'`],
    [`wallet_currency = 'EUR'`, `wallet_currency = 'USD'`],
    ['amount = amount + 1', 'amount = amount - 1'],
  ] as const) {
    await touch(how)
    await assert.rejects(
      malipo.operator.ledger.check({ isFull: true }),
      /the postings of a payment contradict its state/,
      how,
    )
    await touch(back)
  }
  await malipo.operator.ledger.check({ isFull: true })
})
