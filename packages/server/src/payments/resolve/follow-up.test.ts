import assert from 'node:assert/strict'
import { test } from 'node:test'
import { until } from '../../dev-stack/until.ts'
import { readId } from '../../platform/ids.ts'
import type { ProviderStatus, QueryOutcome } from '../../providers/contract.ts'
import { payingMalipo, payOut, walletOf } from '../../testing/paying.ts'
import { askWhatIsTrue, followUp } from '../dispatch/dispatch.ts'

test('a late response about an abandoned attempt queries the provider of that attempt', async (t) => {
  const malipo = await payingMalipo(t)
  const { ctx } = malipo
  const { id } = await payOut(await malipo.merchant())
  const transaction_id = readId('transaction', id) ?? ''
  for (const statement of [
    `update transactions set state = 'submitted', provider = 'house', attempt = 2 where id = $1`,
    `update attempts set sends = 1, outcome = 'not_submitted' where transaction_id = $1`,
    `insert into attempts (transaction_id, number, provider, sends) values ($1, 2, 'house', 1)`,
  ])
    await malipo.ask(statement, [transaction_id])
  const asked: string[] = []
  for (const name of ['pawapay', 'house']) {
    const payouts = ctx.connectors.sandbox.get(name)?.payouts
    assert(payouts)
    t.mock.method(payouts, 'query', async (): Promise<QueryOutcome> => {
      asked.push(name)
      return { found: 'no' }
    })
  }
  const paid = { state: 'successful', settled: { amount: 10_000n, currency: 'KES' } } as const
  const observation = { kind: 'reported', providerStatus: paid } as const
  const cause = 'attempt' as const
  const result = await ctx.resolver.submit({ transaction_id, attempt: 1, cause, observation })

  await followUp(ctx, 1, result, observation)

  assert.deepEqual(asked, ['pawapay'])
})

test('a reversal that the provider took back while the response about it was under way is not booked', async (t) => {
  const malipo = await payingMalipo(t)
  const { ctx } = malipo
  const merchant = await malipo.merchant()
  const lanes = malipo.work()
  const { id, key } = await payOut(merchant)
  await malipo.comesTo(id, 'successful')
  await lanes.stop()
  const before = await walletOf(malipo, merchant.id)
  const paid: ProviderStatus = { state: 'successful', settled: { amount: 10_000n, currency: 'KES' } }
  const reversed: ProviderStatus = { state: 'reversed', failure: { code: 'REVERSED', message: 'Taken back.' } }
  const [late, answers] = [Promise.withResolvers<QueryOutcome>(), { count: 0 }]
  const pawapay = ctx.connectors.sandbox.get('pawapay')
  assert(pawapay?.payouts)
  t.mock.method(pawapay.payouts, 'query', (): Promise<QueryOutcome> => {
    answers.count += 1
    return answers.count === 1 ? late.promise : Promise.resolve({ found: 'yes', providerStatus: paid })
  })
  const observation = { kind: 'reported', providerStatus: reversed } as const
  const transaction_id = readId('transaction', id) ?? ''
  const result = await ctx.resolver.submit({ transaction_id, attempt: 1, cause: 'callback', observation })
  assert(result)
  const asked = askWhatIsTrue(ctx, result.transaction, 1)
  await until('the provider to be queried', () => answers.count === 1)

  Object.assign(pawapay, {
    callbacks: { read: () => ({ isGenuine: true, isProof: true, observations: [{ key, providerStatus: paid }] }) },
  })
  const called = await fetch(`${malipo.url}/callbacks/sandbox/pawapay`, { method: 'POST', body: '{}' })
  late.resolve({ found: 'yes', providerStatus: reversed })

  assert.deepEqual([called.status, await asked], [200, true])
  assert.deepEqual(await walletOf(malipo, merchant.id), before)
})

test('a response to a question put before the end of a payment books nothing after it', async (t) => {
  const malipo = await payingMalipo(t)
  const { simulator, ctx } = malipo
  await simulator.setFault({ provider: 'pawapay', operation: 'payout', mode: 'callback_never' })
  await simulator.setFault({ provider: 'pawapay', operation: 'payout_status', mode: 'http_status' })
  const merchant = await malipo.merchant()
  const lanes = malipo.work()
  const { id, key } = await payOut(merchant)
  await malipo.comesTo(id, 'submitted')
  await lanes.stop()
  const paid: ProviderStatus = { state: 'successful', settled: { amount: 10_000n, currency: 'KES' } }
  const reversed: ProviderStatus = { state: 'reversed', failure: { code: 'REVERSED', message: 'Taken back.' } }
  const [late, answers] = [Promise.withResolvers<QueryOutcome>(), { count: 0 }]
  const pawapay = ctx.connectors.sandbox.get('pawapay')
  assert(pawapay?.payouts)
  t.mock.method(pawapay.payouts, 'query', (): Promise<QueryOutcome> => {
    answers.count += 1
    return answers.count === 1 ? late.promise : Promise.resolve({ found: 'yes', providerStatus: paid })
  })
  const callback = (providerStatus: ProviderStatus) => {
    const read = () => ({ isGenuine: true, isProof: false, observations: [{ key, providerStatus }] })
    Object.assign(pawapay, { callbacks: { read } })
    return fetch(`${malipo.url}/callbacks/sandbox/pawapay`, { method: 'POST', body: '{}' })
  }
  const first = callback(reversed)
  await until('the provider to be queried', () => answers.count === 1)

  assert.equal((await callback(paid)).status, 200)
  malipo.work()
  await malipo.comesTo(id, 'successful')
  const before = await walletOf(malipo, merchant.id)
  late.resolve({ found: 'yes', providerStatus: reversed })

  assert.equal((await first).status, 200)
  assert.deepEqual(await walletOf(malipo, merchant.id), before)
})

test('a response from before a hint ends nothing, also once a later query got no response', async (t) => {
  const malipo = await payingMalipo(t)
  const { simulator, ctx } = malipo
  await simulator.setFault({ provider: 'pawapay', operation: 'payout', mode: 'callback_never' })
  await simulator.setFault({ provider: 'pawapay', operation: 'payout_status', mode: 'http_status' })
  const merchant = await malipo.merchant()
  const lanes = malipo.work()
  const { id, key } = await payOut(merchant)
  await malipo.comesTo(id, 'submitted')
  await lanes.stop()
  const paid: ProviderStatus = { state: 'successful', settled: { amount: 10_000n, currency: 'KES' } }
  const failed: ProviderStatus = { state: 'failed', failure: { code: 'UNSPECIFIED_FAILURE', message: '' } }
  const [late, answers] = [Promise.withResolvers<QueryOutcome>(), { count: 0 }]
  const pawapay = ctx.connectors.sandbox.get('pawapay')
  assert(pawapay?.payouts)
  t.mock.method(pawapay.payouts, 'query', (): Promise<QueryOutcome> => {
    answers.count += 1
    if (answers.count === 1) return late.promise
    if (answers.count === 2) return Promise.resolve({ found: 'unclear', detail: 'timeout' })
    return Promise.resolve({ found: 'yes', providerStatus: paid })
  })
  const read = () => ({ isGenuine: true, isProof: false, observations: [{ key, providerStatus: paid }] })
  Object.assign(pawapay, { callbacks: { read } })
  malipo.work()
  await malipo.later(60)
  await until('the provider to be queried', () => answers.count === 1)

  assert.equal((await fetch(`${malipo.url}/callbacks/sandbox/pawapay`, { method: 'POST', body: '{}' })).status, 200)
  await until('the provider to be queried again', () => answers.count === 2)
  late.resolve({ found: 'yes', providerStatus: failed })
  await until('an end', async () => {
    await malipo.later(60)
    return ['successful', 'failed'].includes((await malipo.stateOf(id)) ?? '')
  })

  assert.equal(await malipo.stateOf(id), 'successful')
})
