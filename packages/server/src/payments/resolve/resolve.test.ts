import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { platformBalances } from '../../ledger/deltas.ts'
import { readId } from '../../platform/ids.ts'
import type { Connector } from '../../providers/contract.ts'
import { payingMalipo, payOut, walletOf } from '../../testing/paying.ts'
import { putQuestion } from '../model/store.ts'
import type { News } from './decision.ts'
import { createSettler } from './resolve.ts'

const paid: News = { kind: 'said', said: { state: 'successful', settled: { amount: 10_000n, currency: 'KES' } } }
const refused: News = { kind: 'said', said: { state: 'failed', failure: { code: 'RECIPIENT_NOT_FOUND', message: '' } } }
const nothing: News = { kind: 'not_submitted', cause: 'rate_limited', detail: '' }

/** A Malipo whose lanes nobody works, with a settler that knows two providers for everything. */
async function setUp(t: TestContext) {
  const malipo = await payingMalipo(t)
  const { ctx } = malipo
  const both = ['pawapay', 'house'].flatMap((id) => ctx.connectors.sandbox.get(id) ?? []) satisfies Connector[]
  const unusable = new Set<string>()
  const routing = { providersOf: () => both, isUsable: (_: string, id: string) => !unusable.has(id) }
  const settler = createSettler({
    cell: 0,
    onTold: () => undefined,
    db: ctx.db.write,
    log: ctx.log,
    accounts: ctx.accounts,
    connectors: ctx.connectors,
    routing,
  })
  const merchant = await malipo.merchant()
  const settle = async (shown: string, news: News, attempt = 1, provider?: string) => {
    const transaction_id = readId('transaction', shown) ?? ''
    return settler.submit({
      transaction_id,
      attempt,
      news,
      ...(provider === undefined
        ? { cause: 'query', question: await putQuestion(ctx.db.write, transaction_id, attempt) }
        : { cause: 'callback', from: { env: 'sandbox' as const, provider } }),
    })
  }
  const send = (shown: string) =>
    malipo.ask(
      `with sent as (update transactions set state = 'sending' where id = $1 returning id)
       update attempts a set sends = a.sends + 1, send_by = now() from sent where a.transaction_id = sent.id and outcome is null`,
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

test('news of one payment in one batch is taken one after another: one effect, one end', async (t) => {
  const { malipo, merchant, settle, send, isClean } = await setUp(t)
  const { id } = await payOut(merchant)
  await send(id)

  const standings = await Promise.all([settle(id, paid), settle(id, paid), settle(id, paid)])

  assert.equal(standings.filter((standing) => standing?.isChanged).length, 1)
  assert.equal(await malipo.stateOf(id), 'successful')
  const wallet = await walletOf(malipo, merchant.id)
  assert.deepEqual(wallet, { available: 99_989_900n, reserved: 0n })
  await isClean()
})

test('what an attempt moved is kept when it is given up and reported paid in one batch', async (t) => {
  const { malipo, merchant, settle, send, isClean } = await setUp(t)
  const [first, { id }] = [await payOut(merchant), await payOut(merchant)]
  await send(id)

  // The first is written alone; what is told of the second meanwhile is one batch.
  await Promise.all([
    settle(first.id, { kind: 'announce' }, 1, 'pawapay'),
    settle(id, nothing, 1, 'pawapay'),
    settle(id, paid, 1),
  ])

  assert.equal(await malipo.stateOf(id), 'successful')
  assert.equal((await settle(id, paid, 1))?.isChanged, false)
  await isClean()
})

test('after a provider took nothing another is tried, and a report that the first paid is booked with a case', async (t) => {
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
    strays.map((standing) => standing?.isChanged),
    [true, false],
  )
  assert.equal((await suspense(malipo.ctx.db.write)) - before, -10_000n)
  assert.equal(strays[0]?.transaction.suspended, -10_000n)
  const [open] = (await malipo.operator.suspense.list({ limit: 1000 })).filter((each) => each.transactionId === id)
  assert.deepEqual([open?.kind, open?.amount], ['abandoned_attempt_success', '-100.00'])
  assert.ok(malipo.log.some((line) => line.includes('an abandoned attempt moved money')))
  await isClean()
})

test('a payout that no provider has taken goes back to an earlier one when that is usable again, under a new key', async (t) => {
  const { malipo, merchant, settle, send, isClean, unusable } = await setUp(t)
  const { id } = await payOut(merchant)
  const refuse = async (attempt: number) => {
    await send(id)
    const standing = await settle(id, nothing, attempt)
    return [standing?.transaction.provider, standing?.transaction.attempt]
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

test('a payout is not routed to a provider that is paused or unhealthy, and waits where it is', async (t) => {
  const { merchant, settle, send, unusable } = await setUp(t)
  const { id } = await payOut(merchant)
  unusable.add('house')
  await send(id)

  const standing = await settle(id, nothing)

  const { provider, attempt, state, doubt } = standing?.transaction ?? {}
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

test('news of an attempt that was given up by other news in the same batch is not taken for its successor’s', async (t) => {
  const { malipo, merchant, settle, send } = await setUp(t)
  const [{ id: first }, { id }] = [await payOut(merchant), await payOut(merchant)]
  await send(id)

  const submitted: News = { kind: 'said', said: { state: 'submitted' } }
  // The first is written at once; what comes meanwhile is the next batch.
  await Promise.all([first, id, id].map((each, at) => settle(each, at === 1 ? nothing : submitted, 1, 'pawapay')))

  const rows = await malipo.ask('select state, attempt, provider from transactions where id = $1', [
    readId('transaction', id),
  ])
  assert.deepEqual(rows, [{ state: 'accepted', attempt: 2, provider: 'house' }])
})

test('a callback without proof about an attempt that was given up is asked about, and what it paid is the payout', async (t) => {
  const { malipo, merchant, settle, send, isClean } = await setUp(t)
  const { id, key } = await payOut(merchant)
  await send(id)
  await settle(id, nothing)
  const first = malipo.ctx.connectors.sandbox.get('pawapay')
  assert(first?.payouts && paid.kind === 'said')
  const { said } = paid
  t.mock.method(first.payouts, 'query', async () => ({ found: 'yes', said }))
  Object.assign(first, { callbacks: { read: () => ({ isGenuine: true, isProof: false, news: [{ key, said }] }) } })

  const called = await fetch(`${malipo.url}/callbacks/sandbox/pawapay`, { method: 'POST', body: '{}' })

  assert.equal(called.status, 200)
  const [payment] = await malipo.ask('select state, suspended, wake_at from transactions where id = $1', [
    readId('transaction', id),
  ])
  assert.deepEqual(payment, { state: 'successful', suspended: '0', wake_at: null })
  assert.deepEqual(await walletOf(malipo, merchant.id), { available: 99_989_900n, reserved: 0n })
  assert.ok(malipo.log.some((line) => line.includes('an abandoned attempt moved money')))
  assert.equal((await settle(id, paid, 1))?.isChanged, false)
  assert.equal((await settle(id, refused, 1))?.isChanged, true)
  assert.deepEqual(await walletOf(malipo, merchant.id), { available: 99_999_900n, reserved: 0n })
  await isClean()
})

test('nobody is heard about a payment of another provider or environment', async (t) => {
  const { malipo, merchant, settle, send } = await setUp(t)
  const { id } = await payOut(merchant)
  await send(id)

  assert.equal(await settle(id, paid, 1, 'house'), undefined)
  assert.equal(await settle(id, paid, 2, 'pawapay'), undefined)
  assert.equal(await malipo.stateOf(id), 'sending')
})

test('a success after failure and a reversal after that are each booked once, and the case is resolved', async (t) => {
  const { malipo, merchant, settle, send, isClean } = await setUp(t)
  const { id } = await payOut(merchant)
  await send(id)
  const before = await suspense(malipo.ctx.db.write)

  await settle(id, refused)
  assert.equal((await walletOf(malipo, merchant.id)).available, 100_000_000n)
  for (const news of [paid, paid, refused, refused]) await settle(id, news)

  assert.equal(await malipo.stateOf(id), 'failed')
  assert.equal(await suspense(malipo.ctx.db.write), before)
  assert.equal((await walletOf(malipo, merchant.id)).available, 100_000_000n)
  const open = await malipo.operator.suspense.list({ limit: 1000 })
  assert.ok(!open.some(({ transactionId }) => transactionId === id))
  await isClean()
})

test('a payment whose settlement is refused stays as it was, is told to the operator, and stops no other', async (t) => {
  const { malipo, merchant, settle, send } = await setUp(t)
  const [bad, good] = [await payOut(merchant), await payOut(merchant)]
  for (const { id } of [bad, good]) await send(id)
  // Last of this file, since it spoils the books. A hold that is gone from them: nothing can be posted for this payment any more.
  await malipo.ask('delete from transfers where transaction_id = $1', [readId('transaction', bad.id)])

  const [ofBad, ofGood] = await Promise.all([settle(bad.id, paid), settle(good.id, paid)])

  assert.deepEqual([ofBad?.isChanged, ofGood?.isChanged], [false, true])
  assert.equal(await malipo.stateOf(bad.id), 'sending')
  assert.ok(malipo.log.some((line) => line.includes('a settlement is refused')))
})
