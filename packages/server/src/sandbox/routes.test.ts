import assert from 'node:assert/strict'
import { test } from 'node:test'
import { scenarioNames } from '../scenarios/catalogue.ts'
import { type ApiResponse, testMalipo } from '../testing/malipo.ts'
import { payingMalipo } from '../testing/paying.ts'

const noProvider = { MALIPO_SIMULATOR_URL: 'http://127.0.0.1:9', MALIPO_SIMULATOR_TOKEN: 'unused-simulator-token' }
const root = '/api/sandbox/b2b/utilities'
const refusalOf = ({ status, body }: ApiResponse) => [status, body['errorCode']]
const charge = (externalReference: string) => ({
  amount: 100,
  currency: 'KES',
  phoneNumber: '+254703456789',
  externalReference,
})
const payout = (externalReference: string) => ({
  amount: 100,
  currency: 'KES',
  country: 'KE',
  destination: 'MoMo',
  payoutMethod: { accountName: 'Amina', accountNumber: '+254703456789' },
  externalReference,
})
const requests = [
  ['/fiat/deposit/momo', charge],
  ['/fiat/payout', payout],
  ['/fiat/payouts/bulk', (reference: string) => ({ payouts: [payout(reference)] })],
] as const

interface Value {
  readonly ending: string
  readonly outcome: string
}
interface Listed {
  readonly phones: Value[]
  readonly accounts: Value[]
  readonly refunds: Value[]
  readonly cards: { number: string; asks: string; pins?: string[]; otps?: string[] }[]
  readonly otps: { value: string; for: string }[]
  readonly amounts: { operator: string; currency: string; for: string; max: number; outcome: string }[]
  readonly scenarios: { name: string }[]
}

test('test values are those that the simulator reports, with limits and scenarios', async (t) => {
  const malipo = await payingMalipo(t)
  const { call } = await malipo.merchant()

  const { status, body } = await call('GET', `${root}/test-values`)

  assert.equal(status, 200, JSON.stringify(body))
  const { phones, accounts, refunds, cards, otps, amounts, scenarios } = body['data'] as Listed
  const outcomeOf = (list: Value[], wanted: string) => list.find(({ ending }) => ending === wanted)?.outcome
  assert.deepEqual(
    [outcomeOf(phones, '039'), outcomeOf(phones, '129'), outcomeOf(accounts, '109'), outcomeOf(accounts, '039')],
    ['PAYMENT_NOT_APPROVED', 'PENDING', 'RECIPIENT_LIMIT_REACHED', undefined],
  )
  assert.deepEqual([outcomeOf(refunds, '89'), outcomeOf(refunds, '29')], ['UNSPECIFIED_FAILURE', 'PENDING'])
  const card = cards.find(({ number }) => number === '5531886652142950')
  assert.deepEqual([card?.asks, card?.pins, card?.otps], ['pin', ['3310', '1234'], ['12345', '123456']])
  assert.ok(otps.some(({ value, for: use }) => value === '123456' && use === 'mobile money'))
  const limit = amounts.find(({ operator, for: way }) => operator === 'MPESA_KE' && way === 'charge')
  assert.deepEqual([limit?.currency, limit?.outcome], ['KES', 'AMOUNT_OUT_OF_BOUNDS'])
  const over = { ...charge('over'), amount: Number(limit?.max) + 1 }
  assert.deepEqual(refusalOf(await call('POST', '/api/b2b/fiat/deposit/momo', over)), [422, limit?.outcome])
  assert.deepEqual(
    scenarios.map(({ name }) => name),
    scenarioNames,
  )
})

test('a sandbox whose simulator does not respond says so', async (t) => {
  const { call } = await (await testMalipo(t, noProvider)).merchant()
  assert.deepEqual(refusalOf(await call('GET', `${root}/test-values`)), [503, 'PROVIDER_TEMPORARILY_UNAVAILABLE'])
})

test('the tools exist in the sandbox only, and for sandbox tokens with their scope', async (t) => {
  const malipo = await testMalipo(t, noProvider)
  const { id, call } = await malipo.merchant()
  const live = await malipo.as(await malipo.operator.keys.create(id, { env: 'live' }))
  const narrow = await malipo.as(await malipo.operator.keys.create(id, { env: 'sandbox', scopes: ['payouts:write'] }))
  const tools = [
    ['GET', '/test-values', undefined],
    ['GET', '/scenarios', undefined],
    ['PUT', '/scenarios/r1', { scenario: 'expiry' }],
    ['DELETE', '/scenarios/r1', undefined],
    ['POST', '/clock/advance', { seconds: 60 }],
  ] as const
  for (const [method, path, body] of tools) {
    assert.deepEqual(refusalOf(await live.call(method, root + path, body)), [403, 'SANDBOX_ONLY'], path)
    assert.deepEqual(refusalOf(await narrow.call(method, root + path, body)), [403, 'INSUFFICIENT_SCOPE'], path)
    for (const caller of [live.call, call])
      assert.deepEqual(
        refusalOf(await caller(method, `/api/b2b/utilities${path}`, body)),
        [404, 'ROUTE_NOT_FOUND'],
        path,
      )
  }
})

test('only the sandbox takes a scenario header; an unknown one is refused with the known names', async (t) => {
  const malipo = await testMalipo(t, noProvider)
  const merchant = await malipo.merchant()
  const live = await malipo.as(await malipo.operator.keys.create(merchant.id, { env: 'live' }))
  const send = async (token: string, path: string, scenario: string, body: object) =>
    malipo.call('POST', `/api/b2b${path}`, { authorization: `Bearer ${token}`, 'x-sandbox-scenario': scenario }, body)
  const [own, alive] = [await merchant.token(), await live.token()]

  for (const [path, bodyOf] of requests) {
    assert.deepEqual(refusalOf(await send(alive, path, 'expiry', bodyOf('r1'))), [403, 'SANDBOX_ONLY'], path)
    const unknown = await send(own, path, 'surprise', bodyOf('r1'))
    assert.deepEqual(refusalOf(unknown), [400, 'VALIDATION_ERROR'], path)
    assert.match(String(unknown.body['message']), new RegExp(scenarioNames.join(', ')))
    assert.equal((await send(own, path, 'expiry', bodyOf(`by-header${path}`))).status, 200, path)
  }
  const kept = await malipo.ask(
    `select distinct env, scenario from transactions where external_reference like 'by-header%'`,
  )
  assert.deepEqual(kept, [{ env: 'sandbox', scenario: 'expiry' }])
  assert.equal((await live.call('GET', '/api/b2b/transactions')).status, 200)
  assert.deepEqual(await malipo.ask(`select id from transactions where env = 'live'`), [])
})

test('an armed scenario is listed, changed, removed, and used only by its payment', async (t) => {
  const malipo = await testMalipo(t, noProvider)
  const [{ call }, other] = [await malipo.merchant(), await malipo.merchant()]
  const set = (reference: string, scenario: string) =>
    call('PUT', `${root}/scenarios/${encodeURIComponent(reference)}`, { scenario })
  const armed = async () =>
    ((await call('GET', `${root}/scenarios`)).body['data'] as { externalReference: string; scenario: string }[]).map(
      ({ externalReference, scenario }) => [externalReference, scenario],
    )
  const slashed = `a/b?c#${'d'.repeat(94)}`
  for (const [reference, scenario] of [
    ['r1', 'expiry'],
    ['r2', 'lost-answer'],
    [slashed, 'expiry'],
    ['r1', 'duplicate-webhook'],
  ] as const)
    assert.equal((await set(reference, scenario)).status, 200)
  assert.deepEqual(await armed(), [
    [slashed, 'expiry'],
    ['r1', 'duplicate-webhook'],
    ['r2', 'lost-answer'],
  ])
  assert.deepEqual((await other.call('GET', `${root}/scenarios`)).body['data'], [])
  assert.deepEqual(refusalOf(await other.call('DELETE', `${root}/scenarios/r1`)), [404, 'SCENARIO_NOT_FOUND'])

  assert.equal((await other.call('POST', '/api/b2b/fiat/deposit/momo', charge('r1'))).status, 200)
  assert.equal((await call('POST', '/api/b2b/fiat/deposit/momo', charge('r1'))).status, 200)
  assert.equal((await call('DELETE', `${root}/scenarios/${encodeURIComponent(slashed)}`)).status, 200)

  assert.deepEqual(await armed(), [['r2', 'lost-answer']])
  assert.deepEqual(refusalOf(await call('DELETE', `${root}/scenarios/r1`)), [404, 'SCENARIO_NOT_FOUND'])
  assert.deepEqual(refusalOf(await set('r1', 'expiry')), [409, 'E-API-D.S-28'])
  assert.deepEqual(refusalOf(await set('r3', 'surprise')), [400, 'VALIDATION_ERROR'])
  assert.deepEqual(refusalOf(await set('no spaces', 'expiry')), [400, 'VALIDATION_ERROR'])
  const played = await malipo.ask<{ scenario: string | null }>(
    `select scenario from transactions where external_reference = 'r1' order by id`,
  )
  assert.deepEqual(
    played.map(({ scenario }) => scenario),
    [null, 'duplicate-webhook'],
  )
})

test('a refused request uses no scenario, and the header wins over the armed one', async (t) => {
  const malipo = await testMalipo(t, noProvider)
  const merchant = await malipo.merchant()
  const { call } = merchant
  await call('PUT', `${root}/scenarios/r1`, { scenario: 'expiry' })
  const dear = { ...payout('r1'), amount: 149_999, debitCurrency: 'KES' }
  for (const reference of ['r2', 'r3', 'r4', 'r5', 'r6', 'r7', 'r8'])
    await call('POST', '/api/b2b/fiat/payout', { ...dear, externalReference: reference })
  assert.deepEqual(refusalOf(await call('POST', '/api/b2b/fiat/payout', dear)), [422, 'INSUFFICIENT_FUNDS'])
  assert.equal(((await call('GET', `${root}/scenarios`)).body['data'] as unknown[]).length, 1)

  const headers = { authorization: `Bearer ${await merchant.token()}`, 'x-sandbox-scenario': 'late-callback' }
  assert.equal((await malipo.call('POST', '/api/b2b/fiat/payout', headers, payout('r1'))).status, 200)

  const [played] = await malipo.ask(
    `select scenario from transactions where external_reference = 'r1' order by id desc limit 1`,
  )
  assert.deepEqual(played, { scenario: 'late-callback' })
  assert.deepEqual((await call('GET', `${root}/scenarios`)).body['data'], [])
})

test('the clock advances by whole seconds, from one second to thirty days', async (t) => {
  const { call } = await (await testMalipo(t, noProvider)).merchant()
  const advance = (seconds: unknown) => call('POST', `${root}/clock/advance`, { seconds })
  for (const seconds of [0, -1, 1.5, 2_592_001, '60', null])
    assert.deepEqual(refusalOf(await advance(seconds)), [400, 'VALIDATION_ERROR'], String(seconds))
  for (const seconds of [1, 2_592_000])
    assert.deepEqual((await advance(seconds)).body, { success: true, data: { seconds, payments: 0, webhooks: 0 } })
})
