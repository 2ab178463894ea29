import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { platformBalances } from '../../ledger/deltas.ts'
import { readId } from '../../platform/ids.ts'
import type { Connector } from '../../providers/contract.ts'
import { payingMalipo, payOut, walletOf } from '../../testing/paying.ts'
import { putQuestion } from '../model/store.ts'
import type { Observation } from './decision.ts'
import { createResolver } from './resolve.ts'

const paid: Observation = {
  kind: 'reported',
  providerStatus: { state: 'successful', settled: { amount: 10_000n, currency: 'KES' } },
}
const refused: Observation = {
  kind: 'reported',
  providerStatus: { state: 'failed', failure: { code: 'RECIPIENT_NOT_FOUND', message: '' } },
}
const nothing: Observation = { kind: 'not_submitted', cause: 'rate_limited', detail: '' }

/** A Malipo whose lanes do not run, with a resolver that knows two providers for everything. */
async function setUp(t: TestContext) {
  const malipo = await payingMalipo(t)
  const { ctx } = malipo
  const both = ['pawapay', 'house'].flatMap((id) => ctx.connectors.sandbox.get(id) ?? []) satisfies Connector[]
  const unusable = new Set<string>()
  const routing = { providersOf: () => both, isUsable: (_: string, id: string) => !unusable.has(id) }
  const resolver = createResolver({
    cell: 0,
    onMerchantEvents: () => undefined,
    db: ctx.db.write,
    log: ctx.log,
    accounts: ctx.accounts,
    connectors: ctx.connectors,
    routing,
  })
  const merchant = await malipo.merchant()
  const settle = async (shown: string, observation: Observation, attempt = 1, provider?: string) => {
    const transaction_id = readId('transaction', shown) ?? ''
    return resolver.submit({
      transaction_id,
      attempt,
      observation,
      ...(provider === undefined
        ? { cause: 'query', question: await putQuestion(ctx.db.write, transaction_id, attempt) }
        : { cause: 'callback', from: { env: 'sandbox' as const, provider } }),
    })
  }
  const send = (shown: string) =>
    malipo.ask(
      `with sent as (update transactions set state = 'sending' where id = $1 returning id)
       update attempts a set sends = a.sends + 1, send_deadline = now() from sent where a.transaction_id = sent.id and outcome is null`,
      [readId('transaction', shown)],
    )
  const isClean = async () => {
    await malipo.operator.ledger.check({ isFull: true })
  }
  return { malipo, merchant, settle, send, isClean, unusable }
}

const suspense = async (db: Parameters<typeof platformBalances>[0]) => {
  const account = (await platformBalances(db)).find(({ kind, currency }) => kind === 'suspense' && currency === 'KES')
  return account ? account.credits_posted - account.debits_posted : 0n
}

test('observations of one payment in one batch apply in order, with one effect and one end', async (t) => {
  const { malipo, merchant, settle, send, isClean } = await setUp(t)
  const { id } = await payOut(merchant)
  await send(id)

  const results = await Promise.all([settle(id, paid), settle(id, paid), settle(id, paid)])

  assert.equal(results.filter((result) => result?.isChanged).length, 1)
  assert.equal(await malipo.stateOf(id), 'successful')
  const wallet = await walletOf(malipo, merchant.id)
  assert.deepEqual(wallet, { available: 99_989_900n, reserved: 0n })
  await isClean()
})

test('what an attempt moved is kept when one batch abandons it and reports it paid', async (t) => {
  const { malipo, merchant, settle, send, isClean } = await setUp(t)
  const [first, { id }] = [await payOut(merchant), await payOut(merchant)]
  await send(id)

  // The first is written alone. The observations of the second arrive meanwhile and share one batch.
  await Promise.all([
    settle(first.id, { kind: 'announce' }, 1, 'pawapay'),
    settle(id, nothing, 1, 'pawapay'),
    settle(id, paid, 1),
  ])

  assert.equal(await malipo.stateOf(id), 'successful')
  assert.equal((await settle(id, paid, 1))?.isChanged, false)
  await isClean()
})

test('an unsubmitted payout is rerouted; a report that the first provider paid opens a case', async (t) => {
  const { malipo, merchant, settle, send, isClean } = await setUp(t)
  const { id } = await payOut(merchant)
  await send(id)
  const before = await suspense(malipo.ctx.db.write)

  await settle(id, nothing)
  const [rerouted] = await malipo.ask<{ provider: string; attempt: number; state: string }>(
    'select provider, attempt, state from transactions where id = $1',
    [readId('transaction', id)],
  )
  await send(id)
  await settle(id, paid, 2, 'house')
  const strays = [await settle(id, paid, 1), await settle(id, paid, 1)]

  assert.deepEqual(rerouted, { provider: 'house', attempt: 2, state: 'accepted' })
  assert.deepEqual(
    strays.map((result) => result?.isChanged),
    [true, false],
  )
  assert.equal((await suspense(malipo.ctx.db.write)) - before, -10_000n)
  assert.equal(strays[0]?.transaction.suspended, -10_000n)
  const [open] = (await malipo.operator.suspense.list({ limit: 1000 })).filter((each) => each.transactionId === id)
  assert.deepEqual([open?.kind, open?.amount], ['abandoned_attempt_success', '-100.00'])
  assert.ok(malipo.log.some((line) => line.includes('abandoned attempt moved money')))
  await isClean()
})

test('a payout no provider took returns to an earlier provider, once usable, under a new key', async (t) => {
  const { malipo, merchant, settle, send, isClean, unusable } = await setUp(t)
  const { id } = await payOut(merchant)
  const refuse = async (attempt: number) => {
    await send(id)
    const result = await settle(id, nothing, attempt)
    return [result?.transaction.provider, result?.transaction.attempt]
  }

  assert.deepEqual(await refuse(1), ['house', 2])
  unusable.add('pawapay')
  for (let times = 0; times < 4; times += 1) assert.deepEqual(await refuse(2), ['house', 2])
  unusable.delete('pawapay')
  assert.deepEqual(await refuse(2), ['pawapay', 3])
  await send(id)
  await settle(id, paid, 3, 'pawapay')

  assert.equal(await malipo.stateOf(id), 'successful')
  await isClean()
})

test('a payout is not routed to a paused or unhealthy provider, and waits where it is', async (t) => {
  const { merchant, settle, send, unusable } = await setUp(t)
  const { id } = await payOut(merchant)
  unusable.add('house')
  await send(id)

  const result = await settle(id, nothing)

  const { provider, attempt, state, doubt } = result?.transaction ?? {}
  assert.deepEqual(
    { provider, attempt, state, doubt },
    {
      provider: 'pawapay',
      attempt: 1,
      state: 'accepted',
      doubt: 'rate_limited',
    },
  )
})

test('a report on an attempt abandoned in the same batch does not count for its successor', async (t) => {
  const { malipo, merchant, settle, send } = await setUp(t)
  const [{ id: first }, { id }] = [await payOut(merchant), await payOut(merchant)]
  await send(id)

  const submitted: Observation = { kind: 'reported', providerStatus: { state: 'submitted' } }
  // The first is written at once. The next two arrive meanwhile and share the next batch.
  await Promise.all([first, id, id].map((each, at) => settle(each, at === 1 ? nothing : submitted, 1, 'pawapay')))

  const rows = await malipo.ask('select state, attempt, provider from transactions where id = $1', [
    readId('transaction', id),
  ])
  assert.deepEqual(rows, [{ state: 'accepted', attempt: 2, provider: 'house' }])
})

test('an unproven callback on an abandoned attempt is verified, and what it paid is the payout', async (t) => {
  const { malipo, merchant, settle, send, isClean } = await setUp(t)
  const { id, key } = await payOut(merchant)
  await send(id)
  await settle(id, nothing)
  const first = malipo.ctx.connectors.sandbox.get('pawapay')
  assert(first?.payouts && paid.kind === 'reported')
  const { providerStatus } = paid
  t.mock.method(first.payouts, 'query', async () => ({ found: 'yes', providerStatus }))
  Object.assign(first, {
    callbacks: { read: () => ({ isGenuine: true, isProof: false, observations: [{ key, providerStatus }] }) },
  })

  const called = await fetch(`${malipo.url}/callbacks/sandbox/pawapay`, { method: 'POST', body: '{}' })

  assert.equal(called.status, 200)
  const [payment] = await malipo.ask('select state, suspended, wake_at from transactions where id = $1', [
    readId('transaction', id),
  ])
  assert.deepEqual(payment, { state: 'successful', suspended: '0', wake_at: null })
  assert.deepEqual(await walletOf(malipo, merchant.id), { available: 99_989_900n, reserved: 0n })
  assert.ok(malipo.log.some((line) => line.includes('abandoned attempt moved money')))
  assert.equal((await settle(id, paid, 1))?.isChanged, false)
  assert.equal((await settle(id, refused, 1))?.isChanged, true)
  assert.deepEqual(await walletOf(malipo, merchant.id), { available: 99_999_900n, reserved: 0n })
  await isClean()
})

test('a report on a payment of another provider or environment is ignored', async (t) => {
  const { malipo, merchant, settle, send } = await setUp(t)
  const { id } = await payOut(merchant)
  await send(id)

  assert.equal(await settle(id, paid, 1, 'house'), undefined)
  assert.equal(await settle(id, paid, 2, 'pawapay'), undefined)
  assert.equal(await malipo.stateOf(id), 'sending')
})

test('a success after failure and a later reversal are booked once each, and the case resolves', async (t) => {
  const { malipo, merchant, settle, send, isClean } = await setUp(t)
  const { id } = await payOut(merchant)
  await send(id)
  const before = await suspense(malipo.ctx.db.write)

  await settle(id, refused)
  assert.equal((await walletOf(malipo, merchant.id)).available, 100_000_000n)
  for (const observation of [paid, paid, refused, refused]) await settle(id, observation)

  assert.equal(await malipo.stateOf(id), 'failed')
  assert.equal(await suspense(malipo.ctx.db.write), before)
  assert.equal((await walletOf(malipo, merchant.id)).available, 100_000_000n)
  const open = await malipo.operator.suspense.list({ limit: 1000 })
  assert.ok(!open.some(({ transactionId }) => transactionId === id))
  await isClean()
})

test('a refused resolution changes nothing, alerts the operator and blocks no other payment', async (t) => {
  const { malipo, merchant, settle, send } = await setUp(t)
  const [bad, good] = [await payOut(merchant), await payOut(merchant)]
  for (const { id } of [bad, good]) await send(id)
  // Last in this file, because it corrupts the books: without its hold nothing can be posted for this payment.
  await malipo.ask('delete from transfers where transaction_id = $1', [readId('transaction', bad.id)])

  const [ofBad, ofGood] = await Promise.all([settle(bad.id, paid), settle(good.id, paid)])

  assert.deepEqual([ofBad?.isChanged, ofGood?.isChanged], [false, true])
  assert.equal(await malipo.stateOf(bad.id), 'sending')
  assert.ok(malipo.log.some((line) => line.includes('resolution refused')))
})
