import assert from 'node:assert/strict'
import { test } from 'node:test'
import { until } from '../dev-stack/until.ts'
import { cardBody, cards, keyOf, nextReference, transferBody } from '../testing/charging.ts'
import { type IntegratingMalipo, type Integrator, integratingMalipo } from '../testing/integrating.ts'
import { walletsOf } from '../testing/paying.ts'

const momo = () => ({ amount: 100, currency: 'KES', phoneNumber: '+254703456789', externalReference: nextReference() })
const till = () => ({
  amount: 100,
  currency: 'KES',
  country: 'KE',
  destination: 'Till',
  payoutMethod: { accountName: 'Duka', accountNumber: '5432100' },
  externalReference: nextReference(),
})
const toPhone = () => ({
  ...till(),
  destination: 'MoMo',
  payoutMethod: { accountName: 'Amina', accountNumber: '+254703456789' },
})

/** Payments through every provider's protocol. */
const kinds = {
  'mobile money charge': { path: '/fiat/deposit/momo', bodyOf: momo },
  'card charge': { path: '/fiat/deposit/card', bodyOf: () => cardBody(cards.succeeds) },
  'payout to a phone': { path: '/fiat/payout', bodyOf: toPhone },
  'payout to a till': { path: '/fiat/payout', bodyOf: till },
} as const
const charge = kinds['mobile money charge']

const causesOf = (malipo: IntegratingMalipo, id: string) =>
  malipo
    .ask<{ cause: string }>(
      `select cause from events where replace(transaction_id::text, '-', '') = substr($1, 5) order by number`,
      [id],
    )
    .then((rows) => rows.map(({ cause }) => cause))

/** Waits for this many webhooks, and until no more are due. */
async function settled(malipo: IntegratingMalipo, { hooksOf }: Integrator, id: string, count: number) {
  await until(`${count} webhooks of ${id}`, () => hooksOf(id).length >= count)
  await until('nothing to be due', async () => {
    const due = await malipo.ask(
      `select from webhook_records
       where replace(transaction_id::text, '-', '') = substr($1, 5) and (next_attempt_at is not null or attempts = 0)`,
      [id],
    )
    return due.length === 0
  })
  return hooksOf(id)
}

for (const [name, { path, bodyOf }] of Object.entries(kinds))
  test(`lost-answer: a ${name} is in doubt, a query finds its outcome, and money moves once`, async (t) => {
    const malipo = await integratingMalipo(t)
    const integrator = await malipo.integrator()

    const id = await integrator.runScenario('lost-answer', path, bodyOf())
    const doubtful = await integrator.becomes(id, 'to be in doubt', ({ stage }) => stage === 'UNCONFIRMED')
    assert.match(doubtful.explanation.sentence, /is in doubt: the provider's response was lost/)
    await integrator.advance(60)
    const { status } = await integrator.ends(id)

    assert.equal(status, 'SUCCESSFUL')
    assert.deepEqual((await causesOf(malipo, id)).slice(-2), ['attempt', 'query'])
    assert.deepEqual(await malipo.simulator.callbacks(keyOf(id)), [])
    assert.equal((await malipo.simulator.movements(keyOf(id))).length, 1)
    assert.deepEqual(await malipo.simulator.faults(), [], 'nothing is left to strike another payment')
    await malipo.booksAgree()
  })

test('lost-answer: a bank transfer charge gets 503, and the same request again gets its account', async (t) => {
  const malipo = await integratingMalipo(t)
  const { call, ends } = await malipo.integrator()
  const body = transferBody()
  const send = () => call('POST', '/fiat/deposit/bank-transfer', body, { 'x-sandbox-scenario': 'lost-answer' })

  assert.deepEqual((await send()).status, 503)
  const again = await send()

  assert.equal(again.status, 200, JSON.stringify(again.body))
  const { transactionId } = again.body['data'] as { transactionId: string }
  await malipo.simulator.act(keyOf(transactionId), 'approve')
  await call('POST', '/utilities/clock/advance', { seconds: 60 })
  assert.equal((await ends(transactionId)).status, 'SUCCESSFUL')
  await malipo.booksAgree()
})

for (const [name, { path, bodyOf }] of Object.entries(kinds))
  test(`late-callback: the first query resolves a ${name}, and the callback changes nothing`, async (t) => {
    const malipo = await integratingMalipo(t)
    const integrator = await malipo.integrator()

    const id = await integrator.runScenario('late-callback', path, bodyOf())
    await until('the provider to have ended it', async () => (await malipo.simulator.movements(keyOf(id))).length === 1)
    if (!name.startsWith('card')) await integrator.advance(60) // The response to a card charge reports its end itself.
    const ended = await integrator.ends(id)
    const causes = await causesOf(malipo, id)
    await malipo.simulator.advance(11_000)
    await until('the callback to be heard', async () =>
      (await malipo.simulator.callbacks(keyOf(id))).some((callback) => callback.status === 'delivered'),
    )

    assert.equal(ended.status, 'SUCCESSFUL')
    assert.ok(!causes.includes('callback'), causes.join())
    assert.deepEqual(await causesOf(malipo, id), causes)
    await malipo.booksAgree()
  })

test('duplicate-webhook: every webhook of the payment comes twice under one id, for one event', async (t) => {
  const malipo = await integratingMalipo(t)
  const integrator = await malipo.integrator()
  const before = await walletsOf(malipo, integrator.id)

  const [id, plain] = [
    await integrator.runScenario('duplicate-webhook', charge.path, charge.bodyOf()),
    String((await integrator.call('POST', charge.path, charge.bodyOf())).body['transactionId']),
  ]
  for (const each of [id, plain]) await integrator.ends(each)
  const [twice, once] = [await settled(malipo, integrator, id, 4), await settled(malipo, integrator, plain, 2)]

  const byId = [...Map.groupBy(twice, (hook) => hook.id).values()]
  assert.deepEqual(
    byId.map((hooks) => [hooks.length, new Set(hooks.map(({ body }) => body)).size]),
    [
      [2, 1],
      [2, 1],
    ],
  )
  assert.equal(new Set(once.map((hook) => hook.id)).size, once.length)
  const feed = (await integrator.call('GET', '/events')).body['data'] as { id: string }[]
  assert.equal(feed.length, 4)
  const [was, is] = [before.get('KES')?.available ?? 0n, (await walletsOf(malipo, integrator.id)).get('KES')?.available]
  assert.equal(is, was + 2n * 9900n)
  await malipo.booksAgree()
})

test('duplicate-webhook: a failed delivery is retried, and repeated once it succeeds', async (t) => {
  const malipo = await integratingMalipo(t)
  const integrator = await malipo.integrator()
  integrator.inbox.statusOf = () => 500

  const id = await integrator.runScenario('duplicate-webhook', charge.path, charge.bodyOf())
  await integrator.ends(id)
  await until('both to have failed', () => new Set(integrator.hooksOf(id).map((hook) => hook.id)).size === 2)
  integrator.inbox.statusOf = () => 200
  const failed = integrator.hooksOf(id).length
  await until('all to be taken twice', async () => {
    await integrator.advance(60)
    return integrator.hooksOf(id).length >= failed + 4
  })

  const hooks = await settled(malipo, integrator, id, failed + 4)
  assert.equal(hooks.length, failed + 4)
})

test('out-of-order-webhook: the last webhook comes first, and sequence shows the order', async (t) => {
  const malipo = await integratingMalipo(t)
  const integrator = await malipo.integrator()

  const id = await integrator.runScenario('out-of-order-webhook', charge.path, charge.bodyOf())
  await integrator.ends(id)
  const hooks = await settled(malipo, integrator, id, 2)

  assert.deepEqual(
    hooks.map(({ sequence, status }) => [sequence, status]),
    [
      [2, 'successful'],
      [1, 'pending'],
    ],
  )
  const feed = (await integrator.call('GET', '/events')).body['data'] as { sequence: number }[]
  assert.deepEqual(
    feed.map(({ sequence }) => sequence),
    [1, 2],
    'the feed keeps the true order',
  )
})

test('out-of-order-webhook: the first waits until the last is delivered, after any retries', async (t) => {
  const malipo = await integratingMalipo(t)
  const integrator = await malipo.integrator()
  integrator.inbox.statusOf = () => 503

  const id = await integrator.runScenario('out-of-order-webhook', charge.path, charge.bodyOf())
  await integrator.ends(id)
  await until('the end to have failed three times', async () => {
    await integrator.advance(60)
    return integrator.hooksOf(id).length >= 3
  })
  assert.deepEqual(new Set(integrator.hooksOf(id).map(({ sequence }) => sequence)), new Set([2]))
  integrator.inbox.statusOf = () => 200
  await until('the beginning to come', async () => {
    await integrator.advance(3600)
    return integrator.hooksOf(id).some(({ sequence }) => sequence === 1)
  })

  assert.equal((await settled(malipo, integrator, id, 5)).at(-1)?.sequence, 1)
})

test('expiry: a charge without a customer’s answer expires; nothing is credited', async (t) => {
  const malipo = await integratingMalipo(t)
  const integrator = await malipo.integrator()
  const before = await walletsOf(malipo, integrator.id)

  for (const { path, bodyOf } of [charge]) {
    const id = await integrator.runScenario('expiry', path, bodyOf())
    await until('the provider to have it', async () => (await malipo.simulator.requests(keyOf(id))).length > 0)
    await integrator.advance(600)
    await integrator.becomes(id, 'to be with the provider', ({ stage }) => stage !== 'UNCONFIRMED')
    assert.equal((await integrator.read(id)).status, 'PENDING')
    await integrator.advance(3600)
    const { status, stage, failureReason } = await integrator.ends(id)
    assert.deepEqual([status, stage, failureReason?.failureCode], ['FAILED', 'EXPIRED', 'EXPIRED'])
    assert.deepEqual(await malipo.simulator.movements(keyOf(id)), [])
  }
  assert.deepEqual(await walletsOf(malipo, integrator.id), before)
  await malipo.booksAgree()
})

test('expiry: a payout never expires; its money stays held until an action ends it', async (t) => {
  const malipo = await integratingMalipo(t)
  const integrator = await malipo.integrator()
  const body = till()

  const id = await integrator.runScenario('expiry', '/fiat/payout', body)
  await malipo.comesTo(id, 'submitted')
  await integrator.advance(30 * 24 * 3600)
  await until('it to be asked about', async () => {
    const asked = await malipo.simulator.requests(keyOf(id))
    return asked.some(({ operation }) => operation === 'payout_status')
  })

  assert.equal((await integrator.read(id)).status, 'PENDING')
  assert.equal((await walletsOf(malipo, integrator.id)).get('KES')?.reserved, 10_100n)
  const input = { externalReference: body.externalReference, webhookStatus: 'failed' }
  await integrator.call('POST', '/utilities/simulate-webhook', input)
  assert.equal((await integrator.ends(id)).status, 'FAILED')
  assert.equal((await walletsOf(malipo, integrator.id)).get('KES')?.reserved, 0n)
  await malipo.booksAgree()
})

test('an armed scenario runs once, on the payment with its reference', async (t) => {
  const malipo = await integratingMalipo(t)
  const integrator = await malipo.integrator()
  const [body, other] = [charge.bodyOf(), charge.bodyOf()]
  const path = `/utilities/scenarios/${body.externalReference}`
  assert.equal((await integrator.call('PUT', path, { scenario: 'lost-answer' })).status, 200)

  const ids = await Promise.all(
    [body, other].map(async (each) => String((await integrator.call('POST', charge.path, each)).body['transactionId'])),
  )
  const [played = '', plain = ''] = ids
  await integrator.becomes(played, 'to be in doubt', ({ stage }) => stage === 'UNCONFIRMED')
  await integrator.advance(60)

  for (const id of ids) assert.equal((await integrator.ends(id)).status, 'SUCCESSFUL')
  assert.ok(!(await integrator.read(plain)).timeline.some(({ stage }) => stage === 'UNCONFIRMED'))
  assert.deepEqual((await integrator.call('GET', '/utilities/scenarios')).body['data'], [])
})

test('with many scenarios and every request repeated, payments end once and the books agree', async (t) => {
  const malipo = await integratingMalipo(t)
  const integrator = await malipo.integrator()
  const names = ['lost-answer', 'late-callback', 'duplicate-webhook', 'out-of-order-webhook', 'expiry']
  const orders = names.flatMap((scenario) => Array.from({ length: 6 }, () => ({ scenario, body: charge.bodyOf() })))

  const started = await Promise.all(
    orders.flatMap(({ scenario, body }) => {
      const headers = { 'idempotency-key': body.externalReference }
      return [1, 2].map(() => integrator.runScenario(scenario, charge.path, body, headers))
    }),
  )
  const ids = [...new Set(started)]
  assert.equal(ids.length, orders.length)
  for (const id of ids)
    await until('the provider to have it', async () => (await malipo.simulator.requests(keyOf(id))).length > 0)
  await integrator.advance(30)
  for (const [index, { scenario }] of orders.entries())
    if (scenario !== 'expiry') await integrator.ends(started[2 * index] ?? '')
  await integrator.advance(3600)
  for (const id of ids) await integrator.ends(id)

  const ends = await Promise.all(ids.map((id) => integrator.read(id)))
  const outcomes = Map.groupBy(ends, ({ status }) => status)
  assert.deepEqual([outcomes.get('SUCCESSFUL')?.length, outcomes.get('FAILED')?.length], [24, 6])
  for (const id of ids) assert.ok((await malipo.simulator.movements(keyOf(id))).length <= 1)
  assert.deepEqual(await malipo.simulator.faults(), [])
  await malipo.booksAgree()
})
