import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { catalogue } from '../errors.ts'
import { type ApiResponse, testMalipo } from '../testing/malipo.ts'
import { payingMalipo, quote as setRate } from '../testing/paying.ts'

/** No provider answers: names are not resolved, and accepted payouts stay accepted. */
const noProvider = {
  MALIPO_SIMULATOR_URL: 'http://127.0.0.1:9',
  MALIPO_SIMULATOR_TOKEN: 'unused-simulator-token',
  MALIPO_RATE_LIMIT_SANDBOX: '1000',
}
const root = '/api/b2b/fiat'
let references = 0
function payout(over: object = {}) {
  references += 1
  return {
    amount: 1000,
    currency: 'KES',
    country: 'KE',
    destination: 'MoMo',
    payoutMethod: { accountName: 'Amina Otieno', accountNumber: '+254703456789' },
    externalReference: `tried-${references}`,
    ...over,
  }
}

interface Problem {
  readonly field: string
  readonly errorCode: string
  readonly message: string
  readonly fix: string
}
interface Tried extends Readonly<Record<string, unknown>> {
  readonly isAcceptable: boolean
  readonly problems: readonly Problem[]
}
interface TriedBulk {
  readonly isAcceptable: boolean
  readonly items: readonly Tried[]
  readonly totals: readonly Record<string, unknown>[]
}

async function trying(t: TestContext) {
  const malipo = await testMalipo(t, noProvider)
  await malipo.ask('delete from rates')
  await setRate(malipo, 'USD/KES', '128.50', '130.25')
  const merchant = await malipo.merchant()
  const tryOne = async (body: object) => dataOf<Tried>(await merchant.call('POST', `${root}/payout/validate`, body))
  const tryAll = async (payouts: unknown[]) =>
    dataOf<TriedBulk>(await merchant.call('POST', `${root}/payouts/bulk/validate`, { payouts }))
  const pay = (body: object) => merchant.call('POST', `${root}/payout`, body)
  return { malipo, merchant, tryOne, tryAll, pay }
}

function dataOf<Data>({ status, body }: ApiResponse): Data {
  assert.equal(status, 200, JSON.stringify(body))
  return body['data'] as Data
}
const codesOf = ({ problems }: Tried) => problems.map(({ errorCode, field }) => `${errorCode} ${field}`)

test('an acceptable payout is priced, and validating it leaves no trace', async (t) => {
  const { malipo, tryOne, pay } = await trying(t)
  const body = payout({ debitCurrency: 'USD', debitCountry: 'KE' })
  const rows = () =>
    malipo.ask('select from transactions union all select from external_references union all select from quotes')
  const before = (await rows()).length

  const { problems, isAcceptable, ...price } = await tryOne(body)

  assert.deepEqual([isAcceptable, problems], [true, []])
  assert.deepEqual(
    [price['amount'], price['fee'], price['debitAmount'], price['debitCurrency']],
    [1000, 0.08, 7.87, 'USD'],
  )
  assert.deepEqual(price['operator'], { id: 'MPESA_KE', name: 'M-Pesa' })
  assert.deepEqual(price['limits'], { min: 10, max: 250_000 })
  assert.equal(price['needsApproval'], false)
  assert.equal('accountName' in price, false)
  assert.equal((await rows()).length, before)
  assert.equal((await pay(body)).status, 200)
})

test('every problem is reported at once, each as the real request reports it', async (t) => {
  const { tryOne, pay } = await trying(t)
  const used = payout()
  await pay(used)
  const bank = { destination: 'Bank Account', country: 'NG', currency: 'NGN' }
  const body = payout({
    ...bank,
    amount: 100.005,
    payoutMethod: { accountName: 'Ngozi Obi', accountNumber: '0690000031' },
    externalReference: used.externalReference,
    debitCurrency: 'JPY',
    debitCountry: 'JP',
  })

  const { problems } = await tryOne(body)

  assert.deepEqual(
    new Set(problems.map(({ errorCode, field }) => `${errorCode} ${field}`)),
    new Set([
      'VALIDATION_ERROR payoutMethod.code',
      'VALIDATION_ERROR amount',
      'DEBIT_CURRENCY_NOT_SUPPORTED debitCurrency',
      'E-API-D.S-28 externalReference',
    ]),
  )
  for (const { errorCode, message, fix } of problems) {
    const entry = Object.values(catalogue).find((each) => each.errorCode === errorCode)
    assert.equal(fix, entry?.fix)
    assert.ok(message === entry?.message || message.startsWith('Validation error: '), message)
  }
})

test('whatever validation finds in one payout, the payout is refused with', async (t) => {
  const { tryOne, pay, malipo, merchant } = await trying(t)
  const order = { env: 'sandbox', currency: 'KES', reason: 'contract 17' } as const
  await malipo.operator.payoutControls.setLimits(merchant.id, { ...order, perPayout: '200000' })
  for (const over of [
    { amount: '20' },
    { amount: undefined },
    { amount: 20.5 },
    { amount: 250_001 },
    { amount: 200_001 },
    { payoutMethod: { accountName: 'Amina' } },
    { payoutMethod: { accountName: 'Amina', accountNumber: 'x' } },
    { destination: 'Pigeon' },
    { destination: undefined },
    { currency: 'JPY' },
    { country: 'XX' },
    { debitCurrency: 'USD' },
    { debitCurrency: 'NGN', debitCountry: 'NG' },
    { debitCurrency: 'XOF', debitCountry: 'BJ' },
    { externalAccountId: 'ea_unknown' },
    { quoteId: 'qt_unknown' },
    { debitAmount: 5 },
    { refund: true },
    { externalReference: 'with a space' },
  ]) {
    const body = payout(over)
    const { problems, isAcceptable } = await tryOne(body)
    const refused = await pay(body)

    assert.equal(isAcceptable, false, JSON.stringify(over))
    assert.ok(refused.status >= 400, JSON.stringify(over))
    const same = problems.filter(({ errorCode, message }) => {
      return errorCode === refused.body['errorCode'] && message === refused.body['message']
    })
    assert.equal(same.length, 1, JSON.stringify({ over, problems, refused: refused.body }))
  }
})

test('missing funds, an exceeded limit and a used reference are problems of one payout together', async (t) => {
  const { malipo, merchant, tryOne, pay } = await trying(t)
  const order = { env: 'sandbox', currency: 'KES', reason: 'contract 17' } as const
  for (let paid = 0; paid < 4; paid += 1) assert.equal((await pay(payout({ amount: 200_000 }))).status, 200)
  const used = payout()
  await pay(used)
  await malipo.operator.payoutControls.setLimits(merchant.id, { ...order, perPayout: '200000' })

  const tried = await tryOne(payout({ amount: 200_001, externalReference: used.externalReference }))

  assert.deepEqual(codesOf(tried), [
    'E-API-D.S-28 externalReference',
    'PAYOUT_LIMIT_EXCEEDED amount',
    'INSUFFICIENT_FUNDS amount',
  ])
  assert.equal(tried['debitAmount'], 202_001.01)
})

test('a payout that needs approval is acceptable, and says so', async (t) => {
  const { malipo, merchant, tryOne } = await trying(t)
  const rule = { env: 'sandbox', currency: 'KES', above: '500', reason: 'contract 17' } as const
  await malipo.operator.payoutControls.setApprovals(merchant.id, rule)

  const [large, small] = [await tryOne(payout()), await tryOne(payout({ amount: 500 }))]

  assert.deepEqual([large.isAcceptable, large['needsApproval']], [true, true])
  assert.deepEqual([small.isAcceptable, small['needsApproval']], [true, false])
})

test('a quote is validated without using it', async (t) => {
  const { malipo, merchant, tryOne, pay } = await trying(t)
  const { externalReference: _, ...body } = payout()
  const { quoteId } = dataOf<{ quoteId: string }>(await merchant.call('POST', '/api/b2b/quotes', body))
  const quoted = { externalReference: 'validated-quote', quoteId }

  assert.deepEqual(codesOf(await tryOne({ ...quoted, amount: 5 })), ['QUOTE_MISMATCH quoteId'])
  assert.equal((await tryOne(quoted)).isAcceptable, true)
  assert.equal((await pay(quoted)).status, 200)
  assert.deepEqual(codesOf(await tryOne({ ...quoted, externalReference: 'another' })), ['QUOTE_USED quoteId'])
  const late = dataOf<{ quoteId: string }>(await merchant.call('POST', '/api/b2b/quotes', body))
  await malipo.ask(`update clock_offset set ahead = ahead + interval '61 seconds'`)
  assert.deepEqual(codesOf(await tryOne({ ...quoted, externalReference: 'another', quoteId: late.quoteId })), [
    'QUOTE_EXPIRED quoteId',
  ])
})

test('a bulk is validated in order: funds and limits run out, and references repeat', async (t) => {
  const { malipo, merchant, tryAll } = await trying(t)
  const order = { env: 'sandbox', currency: 'KES', reason: 'contract 17' } as const
  await malipo.operator.payoutControls.setLimits(merchant.id, { ...order, perMerchantDay: '1000000' })
  const twice = payout()
  const large = () => payout({ amount: 200_000 })

  const { isAcceptable, items, totals } = await tryAll([
    ...[twice, twice, large(), large(), large(), large(), large(), payout()],
    ...[payout({ amount: 0.5 }), payout({ debitCurrency: 'USD', debitCountry: 'KE' }), 'not an object'],
  ])

  assert.equal(isAcceptable, false)
  assert.deepEqual(items.map(codesOf), [
    ...[[], ['E-API-D.S-28 externalReference'], [], [], [], []],
    ...[['PAYOUT_LIMIT_EXCEEDED amount', 'INSUFFICIENT_FUNDS amount'], [], ['VALIDATION_ERROR amount'], []],
    ['VALIDATION_ERROR body'],
  ])
  assert.deepEqual(totals, [
    {
      ...{ currency: 'KES', country: 'KE', amount: 802_000, fee: 8020, debitAmount: 810_020 },
      ...{ available: 1_000_000, missing: 0 },
    },
    {
      ...{ currency: 'USD', country: 'KE', amount: 7.79, fee: 0.08, debitAmount: 7.87 },
      ...{ available: 10_000, missing: 0 },
    },
  ])
})

test('a bulk says what each wallet lacks, and a smaller payout after a large one still fits', async (t) => {
  const { tryAll } = await trying(t)
  const large = () => payout({ amount: 240_000 })

  const { items, totals } = await tryAll([large(), large(), large(), large(), large(), payout()])

  assert.deepEqual(items.map(codesOf), [[], [], [], [], ['INSUFFICIENT_FUNDS amount'], []])
  assert.deepEqual([totals[0]?.['debitAmount'], totals[0]?.['missing']], [1_213_010, 213_010])
})

test('the name of the account holder is resolved and compared, and a silent name service delays nothing', async (t) => {
  const malipo = await payingMalipo(t)
  const merchant = await malipo.merchant()
  const tryOne = async (payoutMethod: object) =>
    dataOf<Tried>(await merchant.call('POST', `${root}/payout/validate`, payout({ payoutMethod })))
  const accountNumber = '+254703456789'
  const first = await tryOne({ accountName: 'Zbigniew Xyz', accountNumber })
  const accountName = String(first['accountName'])

  assert.ok(accountName.includes(' ') && Number(first['nameMatch']) < 0.5, JSON.stringify(first))
  const turned = accountName.toUpperCase().split(' ').reverse().join(' ')
  assert.equal((await tryOne({ accountName: turned, accountNumber }))['nameMatch'], 1)
  const unknown = await tryOne({ accountName, accountNumber: '+254703456089' })
  assert.deepEqual([unknown.isAcceptable, unknown['accountName'], unknown['nameMatch']], [true, '', 0])

  t.mock.method(malipo.ctx.routing, 'providersOf', slowNames(malipo.ctx.routing.providersOf))
  const silent = await tryOne({ accountName, accountNumber })
  assert.deepEqual([silent.isAcceptable, 'nameMatch' in silent], [true, false])
})

type ProvidersOf = Awaited<ReturnType<typeof payingMalipo>>['ctx']['routing']['providersOf']

/** Connectors whose name lookups wait until they are aborted. */
function slowNames(providersOf: ProvidersOf): ProvidersOf {
  const resolve = (_: unknown, signal: AbortSignal) =>
    new Promise<never>((_resolve, reject) => {
      signal.addEventListener('abort', () => reject(signal.reason as Error))
    })
  return (...query) => providersOf(...query).map((connector) => ({ ...connector, names: { resolve } }))
}
