import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { until } from '../dev-stack/until.ts'
import { claim } from '../payments/dispatch/claim.ts'
import { laneOf } from '../payments/dispatch/timers.ts'
import { createUnknownPayments } from '../payments/late-money/unknown-payments.ts'
import { putQuestion } from '../payments/model/store.ts'
import type { Observation } from '../payments/resolve/decision.ts'
import { newTransactionId, providerKeyOf, readId } from '../platform/ids.ts'
import type { ProviderStatus } from '../providers/contract.ts'
import { nextReference } from '../testing/charging.ts'
import { type PayingMalipo, payingMalipo, payOut, payoutInDoubt } from '../testing/paying.ts'
import { breakGlass } from '../testing/people.ts'
import { operatorBase } from './api/routes.ts'
import { type Clearing, clearCase } from './clear-suspense.ts'
import { foresee } from './dry-run.ts'
import { resolvePayment, retryPayment } from './manual-resolution.ts'

const words = { reason: 'statement', evidence: 'ticket 4711' } as const
const say = (providerStatus: ProviderStatus): Observation => ({ kind: 'reported', providerStatus })
const paid = (amount: bigint) => say({ state: 'successful', settled: { amount, currency: 'KES' } })
const refused = say({ state: 'failed', failure: { code: 'RECIPIENT_NOT_FOUND', message: '' } })
const reversed = say({ state: 'reversed', failure: { code: 'REVERSED', message: '' } })
const unanswered: Observation = { kind: 'unknown', detail: 'timeout' }

const contextOf = ({ ctx }: PayingMalipo) => ({ ...operatorBase(ctx), principal: breakGlass })

/** The hash of what a proposal would rest on now. */
async function groundOf(malipo: PayingMalipo, act: Parameters<typeof foresee>[1]): Promise<string> {
  return (await foresee(contextOf(malipo), act)).groundHash.toString('hex')
}

const resolving = (malipo: PayingMalipo, id: string, outcome: 'failed' | 'successful' = 'failed') =>
  groundOf(malipo, (acting) => resolvePayment(acting, id, { outcome, ...words }))

/** A Malipo without running lanes: the test says what the providers report. */
async function setUp(t: TestContext) {
  const malipo = await payingMalipo(t)
  const { ctx, operator } = malipo
  const merchant = await malipo.merchant()
  const send = (shown: string) =>
    malipo.ask(
      `with sent as (update transactions set state = 'sending' where id = $1 returning id)
       update attempts a set sends = a.sends + 1, send_deadline = record_time() from sent where a.transaction_id = sent.id`,
      [readId('transaction', shown)],
    )
  const post = async (path: string, body: object) => {
    const response = await merchant.call('POST', path, { externalReference: nextReference(), ...body })
    assert.equal(response.status, 200, JSON.stringify(response.body))
    const id = String(response.body['transactionId'])
    await send(id)
    return id
  }
  const unknown = createUnknownPayments({ db: ctx.db.write, cell: 0, accounts: ctx.accounts })
  const cases = () => operator.suspense.list({ limit: 1000 })
  return {
    malipo,
    charge: () => post('/api/b2b/fiat/deposit/momo', { amount: 100, currency: 'KES', phoneNumber: '+254703456789' }),
    refund: (charge: string) => post(`/api/b2b/transactions/${charge}/refunds`, {}),
    report: async (shown: string, observation: Observation) => {
      const transaction_id = readId('transaction', shown) ?? ''
      const question = await putQuestion(ctx.db.write, transaction_id, 1)
      return ctx.resolver.submit({ transaction_id, attempt: 1, observation, cause: 'query', question })
    },
    /** The money of a key that no payment has. */
    confirm: async (key: string, amount: bigint, currency: 'KES' | 'UGX' = 'KES') => {
      const money = { env: 'sandbox', provider: 'house', key, country: 'KE', currency, amount, fee: 0n } as const
      return (await unknown.submit(money)).change
    },
    newKey: () => providerKeyOf(newTransactionId(Date.now(), 0), 1),
    caseOf: async (shown: string) => (await cases()).find(({ transactionId }) => transactionId === shown)?.id ?? '',
    caseOfKey: async (key: string) => (await cases()).find(({ providerKey }) => providerKey === key)?.id ?? '',
    clearing: (id: string, kind: Clearing['kind'], payment?: string) =>
      groundOf(malipo, (acting) => clearCase(acting, id, { kind, ...words, ...(payment && { payment }) })),
  }
}

test('a proposal to resolve a payment outlives status queries without news and hints, and is void after a real change', async (t) => {
  const malipo = await payingMalipo(t)
  const merchant = await malipo.merchant()
  malipo.work()
  const { id } = await payoutInDoubt(malipo, merchant)
  await malipo.later(60) // Its send cannot be under way any more.
  const transaction_id = readId('transaction', id) ?? ''
  const attempt = async () => {
    const query = 'select polls, is_hinted from attempts where transaction_id = $1'
    const [found] = await malipo.ask<{ polls: number; is_hinted: boolean }>(query, [transaction_id])
    assert(found)
    return found
  }
  const [proposed, { polls }] = [await resolving(malipo, id), await attempt()]

  await until('two more status queries', async () => {
    await malipo.later(900)
    return (await attempt()).polls >= polls + 2
  })
  assert.equal(await resolving(malipo, id), proposed)

  const why = { env: 'sandbox', reason: 'nothing is sent or queried meanwhile' } as const
  await malipo.operator.providers.pause('pawapay', why)
  t.after(() => malipo.operator.providers.resume('pawapay', why)) // The next test has the same database.
  const observation = { kind: 'hint' } as const
  await malipo.ctx.resolver.submit({ transaction_id, attempt: undefined, cause: 'callback', observation })
  assert.equal((await attempt()).is_hinted, true)
  assert.equal(await resolving(malipo, id), proposed)

  await retryPayment(contextOf(malipo), id, 'the provider asks for it')
  assert.notEqual(await resolving(malipo, id), proposed)
})

test('a proposal to resolve a payout is void once the payout was sent again, though state and doubt are as before', async (t) => {
  const { malipo, report } = await setUp(t)
  const merchant = await malipo.merchant()
  const { id } = await payOut(merchant)
  const connector = malipo.ctx.connectors.sandbox.get('pawapay')
  assert(connector)
  const work = [{ id: readId('transaction', id) ?? '', merchant_id: readId('merchant', merchant.id) ?? '' }]
  const isClaimedFor = async () => {
    await malipo.later(1)
    const { taken } = await claim(malipo.ctx.db.write, {
      lane: laneOf('sandbox', 'pawapay'),
      rates: connector,
      choose: () => [{ kind: 'payout', work: work.map((each) => ({ ...each, kind: 'payout' as const })), limit: 1 }],
    })
    return taken[0]?.claimed[0]?.todo
  }
  assert.equal(await isClaimedFor(), 'send')
  await report(id, unanswered)
  await malipo.later(3600)
  await report(id, { kind: 'not_found' })
  const [proposed, before] = [await resolving(malipo, id), await malipo.operator.payments.show(id)]

  assert.equal(await isClaimedFor(), 'send')
  await malipo.later(60)
  await report(id, { kind: 'not_found' })
  const after = await malipo.operator.payments.show(id)
  assert.deepEqual(
    [after.state, after.reason, after.events.length],
    [before.state, before.reason, before.events.length],
  )
  assert.notEqual(await resolving(malipo, id), proposed)
})

test('a proposal to credit a payment is void once it got other money', async (t) => {
  const { malipo, charge, report, newKey, confirm, caseOfKey, clearing } = await setUp(t)
  const id = await charge()
  await report(id, refused)
  const [one, two] = [newKey(), newKey()]
  for (const key of [one, two]) await confirm(key, 10_000n)
  const second = await caseOfKey(two)
  const proposed = await clearing(second, 'credit-merchant', id)
  await malipo.operator.suspense.clear(await caseOfKey(one), { kind: 'credit-merchant', payment: id, ...words })
  assert.notEqual(await clearing(second, 'credit-merchant', id), proposed)
})

test('a proposal to return a surplus is void once the charge is refunded, and outlives the end of a refund', async (t) => {
  const { charge, refund, report, caseOf, clearing } = await setUp(t)
  const id = await charge()
  await report(id, paid(10_000n))
  await report(id, paid(20_000n))
  const surplus = await caseOf(id)
  const proposed = await clearing(surplus, 'return-to-payer')
  const refunded = await refund(id)
  const again = await clearing(surplus, 'return-to-payer')
  assert.notEqual(again, proposed)
  await report(refunded, paid(10_000n))
  assert.equal(await clearing(surplus, 'return-to-payer'), again)
})

test('a proposal to resolve a refund is void once its charge was taken back', async (t) => {
  const { malipo, charge, refund, report } = await setUp(t)
  const id = await charge()
  await report(id, paid(10_000n))
  const refunded = await refund(id)
  await report(refunded, unanswered)
  await malipo.later(120) // Its send cannot be under way any more.
  const proposed = await resolving(malipo, refunded, 'successful')
  await report(id, reversed)
  assert.notEqual(await resolving(malipo, refunded, 'successful'), proposed)
})

test('a proposal to clear money of an unknown payment is void once it went back and came again', async (t) => {
  const { newKey, confirm, caseOfKey, clearing } = await setUp(t)
  const key = newKey()
  await confirm(key, 10_000n)
  const found = await caseOfKey(key)
  const proposed = await clearing(found, 'return-to-payer')
  assert.equal(await confirm(key, 10_000n), 'none')
  assert.equal(await clearing(found, 'return-to-payer'), proposed)
  assert.deepEqual([await confirm(key, 0n), await confirm(key, 10_000n)], ['changed', 'changed'])
  assert.notEqual(await clearing(found, 'return-to-payer'), proposed)
})

test('the same number in another currency contradicts the case of an unknown payment', async (t) => {
  const { newKey, confirm } = await setUp(t)
  const key = newKey()
  await confirm(key, 10_000n)
  assert.equal(await confirm(key, 10_000n, 'UGX'), 'contradicted')
})
