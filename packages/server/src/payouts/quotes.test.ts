import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { type ApiResponse, type Malipo, testMalipo } from '../testing/malipo.ts'
import { quote as setRate, walletsOf } from '../testing/paying.ts'
import { keepPartitions } from '../workers/partition-keeper.ts'

/** No worker runs, so accepted payouts stay accepted. */
const noProvider = {
  MALIPO_SIMULATOR_URL: 'http://127.0.0.1:9',
  MALIPO_SIMULATOR_TOKEN: 'unused-simulator-token',
  MALIPO_RATE_LIMIT_SANDBOX: '1000',
}
const path = '/api/b2b/fiat/payout'
const momo = (over: object = {}) => ({
  amount: 1000,
  currency: 'KES',
  country: 'KE',
  destination: 'MoMo',
  payoutMethod: { accountName: 'Amina Otieno', accountNumber: '+254703456789' },
  ...over,
})
const fromDollars = (over: object = {}) => momo({ debitCurrency: 'USD', debitCountry: 'KE', ...over })
const statusOf = ({ status, body }: ApiResponse) => (status === 200 ? 'accepted' : `${status} ${body['errorCode']}`)
const fieldsOf = ({ body }: ApiResponse) => ((body['details'] ?? []) as { field: string }[]).map(({ field }) => field)

interface Quote {
  readonly quoteId: string
  readonly amount: number
  readonly fee: number
  readonly debitAmount: number
  readonly expiresAt: string
}
type Merchant = Awaited<ReturnType<Malipo['merchant']>>

/** 1,000 KES are 7.79 USD and a fee of 0.08. */
async function quoting(t: TestContext, settings: Record<string, string> = {}) {
  const malipo = await testMalipo(t, { ...noProvider, ...settings })
  await malipo.ask('delete from rates')
  await setRate(malipo, 'USD/KES', '128.50', '130.25', { buy: '129.00', sell: '129.75' })
  const merchant = await malipo.merchant()
  return { malipo, merchant, ...callsOf(merchant) }
}

let references = 0
function callsOf(merchant: Merchant) {
  const quote = async (body: object) => {
    const response = await merchant.call('POST', '/api/b2b/quotes', body)
    assert.equal(response.status, 200, JSON.stringify(response.body))
    return response.body['data'] as Quote
  }
  const execute = (quoteId: string, over: object = {}) => {
    references += 1
    return merchant.call('POST', path, { externalReference: `quoted-${references}`, quoteId, ...over })
  }
  return { quote, execute }
}

const later = (malipo: Malipo, seconds: number) =>
  malipo.ask('update clock_offset set ahead = ahead + make_interval(secs => $1)', [seconds])

test('a quote holds nothing, and its payout needs only the reference and is made at its figures', async (t) => {
  const { malipo, merchant, quote, execute } = await quoting(t)
  const { quoteId, ...figures } = await quote(fromDollars())
  assert.deepEqual((await walletsOf(malipo, merchant.id)).get('USD'), { available: 1_000_000n, reserved: 0n })

  await malipo.ask('delete from rates')
  await setRate(malipo, 'USD/KES', '100', '101')
  const scope = { env: 'sandbox', operation: 'payout', currency: 'USD', merchant: merchant.id } as const
  await malipo.operator.fees.set({ ...scope, fixed: '5', basisPoints: 0, reason: 'a test' })
  const made = await execute(quoteId)

  assert.equal(statusOf(made), 'accepted')
  const { amount, fee, debitAmount } = figures
  assert.deepEqual({ amount, fee, debitAmount }, { amount: 1000, fee: 0.08, debitAmount: 7.87 })
  assert.equal((await walletsOf(malipo, merchant.id)).get('USD')?.reserved, 787n)
  const read = await merchant.call('GET', `/api/b2b/transactions/${made.body['transactionId']}`)
  const data = read.body['data'] as { rate: { value: string }; fee: number; senderAmount: number }
  assert.deepEqual([data.rate.value, data.fee, data.senderAmount], ['128.50', 0.08, 7.79])
  await malipo.operator.ledger.check({ isFull: true })
})

test('a debit amount pays the largest amount that the rail takes, and one step more costs more', async (t) => {
  const { quote } = await quoting(t)
  for (const debitAmount of [8, 7.87, 7.86, 100.01]) {
    const found = await quote({ ...fromDollars(), amount: undefined, debitAmount })
    const next = await quote(fromDollars({ amount: found.amount + 1 }))

    assert.ok(Number.isInteger(found.amount), 'M-Pesa takes whole shillings')
    assert.ok(found.debitAmount <= debitAmount && next.debitAmount > debitAmount, JSON.stringify({ found, next }))
  }
})

test('a debit amount that covers no amount, or one outside the limits of the operator, is refused', async (t) => {
  const { merchant } = await quoting(t)
  const ask = (body: object) => merchant.call('POST', '/api/b2b/quotes', body)

  assert.equal(statusOf(await ask({ ...momo(), amount: undefined, debitAmount: 0.01 })), '422 AMOUNT_OUT_OF_BOUNDS')
  assert.equal(statusOf(await ask({ ...momo(), amount: undefined, debitAmount: 900_000 })), '422 AMOUNT_OUT_OF_BOUNDS')
  const three = await ask({ ...momo(), amount: undefined, debitAmount: 10.005 })
  assert.deepEqual([statusOf(three), fieldsOf(three)], ['400 VALIDATION_ERROR', ['debitAmount']])
  const both = await ask(momo({ debitAmount: 30 }))
  assert.equal(statusOf(both), '400 VALIDATION_ERROR')
})

test('a repeated body matches its quote in any form, and any other value is a mismatch', async (t) => {
  const { quote, execute } = await quoting(t)
  const forms = [
    momo({ payoutMethod: { accountName: 'Amina Otieno', accountNumber: '254703456789' } }),
    momo({ debitCurrency: 'KES', debitCountry: 'KE' }),
    { amount: 1000 },
    { debitCurrency: 'KES' },
    {},
  ]
  for (const body of forms) assert.equal(statusOf(await execute((await quote(momo())).quoteId, body)), 'accepted')

  const { quoteId } = await quote(momo())
  for (const [over, field] of [
    [{ amount: 1001 }, 'amount'],
    [{ payoutMethod: { accountNumber: '+254703456788' } }, 'payoutMethod.accountNumber'],
    [{ payoutMethod: { accountName: 'Juma Ali' } }, 'payoutMethod.accountName'],
    [{ payoutMethod: { accountNumber: '12' } }, 'payoutMethod'],
    [{ destination: 'Till', payoutMethod: { accountNumber: '522533' } }, 'destination'],
    [{ debitCurrency: 'USD', debitCountry: 'KE' }, 'debitCurrency'],
    [{ debitCountry: 'UG' }, 'debitCountry'],
    [{ debitAmount: 1 }, 'debitAmount'],
    [{ externalAccountId: 'ea_of-another' }, 'externalAccountId'],
  ] as const) {
    const refused = await execute(quoteId, over)
    assert.equal(statusOf(refused), '422 QUOTE_MISMATCH', JSON.stringify(over))
    assert.ok(fieldsOf(refused).includes(field), JSON.stringify(refused.body))
  }
  assert.equal(statusOf(await execute(quoteId)), 'accepted')
})

test('a body that names the beneficiary means the default wallet too', async (t) => {
  const { quote, execute } = await quoting(t)
  const { quoteId } = await quote(fromDollars())

  assert.equal(statusOf(await execute(quoteId, momo())), '422 QUOTE_MISMATCH')
  assert.equal(statusOf(await execute(quoteId, fromDollars())), 'accepted')
})

test('an expired, used, foreign or unknown quote pays nothing', async (t) => {
  const { malipo, merchant, quote, execute } = await quoting(t)
  const used = await quote(momo())
  assert.equal(statusOf(await execute(used.quoteId)), 'accepted')
  const other = callsOf(await malipo.merchant())
  const { quoteId } = await quote(momo())

  assert.equal(statusOf(await execute(used.quoteId)), '409 QUOTE_USED')
  assert.equal(statusOf(await other.execute(quoteId)), '404 QUOTE_NOT_FOUND')
  assert.equal(statusOf(await execute('qt_unknown')), '404 QUOTE_NOT_FOUND')
  await later(malipo, 61)
  assert.equal(statusOf(await execute(quoteId)), '409 QUOTE_EXPIRED')
  assert.equal((await walletsOf(malipo, merchant.id)).get('KES')?.reserved, 101_000n)
})

test('a quote never outlives its exchange rate', async (t) => {
  const { malipo, quote } = await quoting(t, { MALIPO_QUOTE_SECONDS: '300' })
  await malipo.ask(`update rates set at = now() - interval '4 minutes'`)

  const plainMs = Date.parse((await quote(momo())).expiresAt) - Date.now()
  const exchangedMs = Date.parse((await quote(fromDollars())).expiresAt) - Date.now()

  assert.ok(plainMs > 250_000, `${plainMs}`)
  assert.ok(exchangedMs > 0 && exchangedMs <= 61_000, `${exchangedMs}`)
})

test('a refused payout does not use its quote, and a repeated request gets the first response', async (t) => {
  const { malipo, merchant, quote, execute } = await quoting(t)
  const { quoteId } = await quote(momo({ amount: 200_000 }))
  const first = await Promise.all(
    Array.from({ length: 4 }, async () => (await quote(momo({ amount: 200_000 }))).quoteId),
  )
  const payouts = await Promise.all(first.map((each) => execute(each)))
  assert.deepEqual(new Set(payouts.map(statusOf)), new Set(['accepted']))

  assert.equal(statusOf(await execute(quoteId)), '422 INSUFFICIENT_FUNDS')
  const cancelled = await merchant.call('POST', `${path}/${payouts[0]?.body['transactionId']}/cancel`)
  assert.equal(cancelled.status, 200)
  const headers = { authorization: `Bearer ${await merchant.token()}`, 'idempotency-key': 'once' }
  const send = () => malipo.call('POST', path, headers, { externalReference: 'with-key', quoteId })
  const [one, two] = [await send(), await send()]

  assert.deepEqual([one.status, two.status, two.body], [200, 200, one.body])
  assert.equal(two.headers.get('idempotency-replayed'), 'true')
})

test('an external account that was changed or deleted after its quote is not paid', async (t) => {
  const { merchant, quote, execute } = await quoting(t)
  const account = { country: 'KE', currency: 'KES', destination: 'MoMo', payoutMethod: momo().payoutMethod }
  const made = await merchant.call('POST', '/api/b2b/external-accounts', account)
  const { id: externalAccountId } = made.body['data'] as { id: string }
  const [first, second] = [
    await quote({ amount: 25, externalAccountId }),
    await quote({ amount: 25, externalAccountId }),
  ]
  assert.equal(statusOf(await execute(first.quoteId, { externalAccountId, amount: 25 })), 'accepted')

  const payoutMethod = { accountName: 'Amina Otieno', accountNumber: '+254703456780' }
  const put = await merchant.call('PUT', `/api/b2b/external-accounts/${externalAccountId}`, {
    ...account,
    payoutMethod,
  })
  assert.equal(put.status, 200, JSON.stringify(put.body))
  assert.equal(statusOf(await execute(second.quoteId)), '422 QUOTE_MISMATCH')
  await merchant.call('DELETE', `/api/b2b/external-accounts/${externalAccountId}`)
  assert.equal(statusOf(await execute(second.quoteId)), '404 E-BEN.S-90')
})

test('limits and disabled currencies are checked when the quote is executed', async (t) => {
  const { malipo, merchant, quote, execute } = await quoting(t)
  const { quoteId } = await quote(momo())
  const order = { env: 'sandbox', currency: 'KES', reason: 'contract 17' } as const
  await malipo.operator.payoutControls.setLimits(merchant.id, { ...order, perPayout: '999' })

  assert.equal(statusOf(await execute(quoteId)), '422 PAYOUT_LIMIT_EXCEEDED')
  await malipo.operator.payoutControls.setLimits(merchant.id, { ...order, perPayout: '1000' })
  assert.equal(statusOf(await execute(quoteId)), 'accepted')
})

test('payouts in bulk may each execute a quote', async (t) => {
  const { merchant, quote } = await quoting(t)
  const [one, two] = [await quote(momo()), await quote(momo())]
  const payouts = [one, two, one].map(({ quoteId }, index) => ({ externalReference: `bulk-${index}`, quoteId }))

  const { body } = await merchant.call('POST', '/api/b2b/fiat/payouts/bulk', { payouts })

  const results = body['data'] as { success: boolean; errorCode?: string }[]
  assert.deepEqual(
    results.map(({ success, errorCode }) => (success ? 'accepted' : errorCode)),
    ['accepted', 'accepted', 'QUOTE_USED'],
  )
})

test('quotes are emptied by the hour, two hours later, and their account numbers are sealed', async (t) => {
  const { malipo, quote } = await quoting(t)
  await quote(momo())
  const rows = await malipo.ask<{ terms: string }>('select terms from quotes')
  assert.ok(rows.length > 0 && rows.every(({ terms }) => !terms.includes('254703456789')))

  const empty = () => keepPartitions(malipo.ctx)
  await empty()
  const kept = await malipo.ask('select from quotes')
  await later(malipo, 2 * 3600)
  await empty()

  assert.equal(kept.length, rows.length)
  assert.deepEqual(await malipo.ask('select from quotes'), [])
})
