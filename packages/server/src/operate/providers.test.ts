import assert from 'node:assert/strict'
import { test } from 'node:test'
import { until } from '../dev-stack/until.ts'
import { readId } from '../platform/ids.ts'
import { type PayingMalipo, payingMalipo, payOut, payoutInDoubt } from '../testing/paying.ts'
import { sweepPage } from '../workers/sweeper.ts'

const incident = { env: 'sandbox', reason: 'incident 12' } as const

const timersOf = async ({ ask }: PayingMalipo, id: string) =>
  (await ask('select from timers where transaction_id = $1', [readId('transaction', id)])).length

/** The explanation that the merchant reads. */
async function explanationOf({ call }: Awaited<ReturnType<PayingMalipo['merchant']>>, id: string): Promise<string> {
  const { body } = await call('GET', `/api/b2b/transactions/${id}`)
  return JSON.stringify((body['data'] as { explanation: unknown }).explanation)
}

test('a paused provider gets nothing while payouts are accepted, and resuming pays them at once', async (t) => {
  const malipo = await payingMalipo(t)
  const merchant = await malipo.merchant()
  malipo.work()
  await malipo.operator.providers.pause('pawapay', incident)
  const held = await payOut(merchant)
  const other = await payOut(merchant, { by: 'house' })
  await malipo.comesTo(other.id, 'successful')
  assert.equal(await malipo.stateOf(held.id), 'accepted')
  assert.deepEqual(await malipo.simulator.requests(held.key), [])
  const needPeople = await malipo.operator.payments.list({ isDoubtOnly: true, limit: 1 })
  assert.deepEqual(
    needPeople.payments.map(({ id, reason }) => [id, reason]),
    [[held.id, 'held: the provider is paused']],
  )
  await until('the explanation to say so', async () => /is paused/.test(await explanationOf(merchant, held.id)))

  const resumed = await malipo.operator.providers.resume('pawapay', incident)

  assert.equal(resumed.woken, 1)
  await malipo.comesTo(held.id, 'successful')
  assert.equal((await malipo.simulator.movements(held.key)).length, 1)
  assert.doesNotMatch(await explanationOf(merchant, held.id), /paused/)
  const trail = await malipo.ask(
    'select actor, action, env, reason from audit_entries where subject = $1 order by id',
    ['sandbox/pawapay'],
  )
  assert.deepEqual(trail, [
    { actor: 'test', action: 'provider.pause', env: 'sandbox', reason: 'incident 12' },
    { actor: 'test', action: 'provider.resume', env: 'sandbox', reason: 'incident 12' },
  ])
})

test('pausing twice, resuming when running, an unknown provider and no reason are refused', async (t) => {
  const { operator } = await payingMalipo(t)
  const { pause, resume } = operator.providers

  await assert.rejects(resume('house', incident), /house is not paused in sandbox/)
  await pause('house', incident)
  await assert.rejects(pause('house', incident), /house is paused in sandbox already/)
  await assert.rejects(pause('pawpay', incident), /pawpay is not a provider; use flutterwave, house, pawapay/)
  await assert.rejects(pause('house', { ...incident, reason: ' ' }), /the reason must not be empty/)
  await assert.rejects(resume('house', { ...incident, env: 'live' }), /house is not paused in live/)
  await resume('house', incident)
})

test("a frozen merchant's payouts are held, others are paid, and unfreezing pays them at once", async (t) => {
  const malipo = await payingMalipo(t)
  const [frozen, other] = [await malipo.merchant(), await malipo.merchant()]
  malipo.work()
  await malipo.operator.merchants.freeze(frozen.id, 'fraud report')
  const held = await payOut(frozen)
  const paid = await payOut(other)
  await malipo.comesTo(paid.id, 'successful')
  assert.equal(await malipo.stateOf(held.id), 'accepted')
  assert.deepEqual(await malipo.simulator.requests(held.key), [])
  assert.equal((await malipo.operator.payments.show(held.id)).next.what, 'Held until the merchant is unfrozen.')
  assert.match(await explanationOf(frozen, held.id), /once the operator unfreezes your account, which is frozen/)

  await malipo.operator.merchants.unfreeze(frozen.id, 'cleared')

  await malipo.comesTo(held.id, 'successful')
  assert.doesNotMatch(await explanationOf(frozen, held.id), /frozen/)
  assert.equal((await malipo.simulator.movements(held.key)).length, 1)
})

test("a frozen merchant's payout that waits for a resend is held, shown to staff, and not swept", async (t) => {
  const malipo = await payingMalipo(t)
  const merchant = await malipo.merchant()
  const lanes = malipo.work()
  const { id, key } = await payoutInDoubt(malipo, merchant, { moment: 'before' })
  await lanes.stop() // A response to a query that is under way would decide the payment again.
  await malipo.operator.merchants.freeze(merchant.id, 'fraud report')
  await malipo.ask(
    `with held as (
       update transactions set doubt = 'not_found', wake_at = record_time() - interval '2 minutes' where id = $1 returning id
     )
     update attempts set is_lost = true from held where transaction_id = held.id`,
    [readId('transaction', id)],
  )
  const before = await timersOf(malipo, id)

  const queued: string[] = []
  const add = (work: readonly { readonly id: string }[]) => queued.push(...work.map((each) => each.id))
  await sweepPage(malipo.ctx, () => ({ add, wake: () => undefined }))

  assert.ok(!queued.includes(readId('transaction', id) ?? ''))
  assert.equal(await timersOf(malipo, id), before)
  assert.ok(!malipo.log.some((line) => line.includes('overdue payments queued')))
  const { payments } = await malipo.operator.payments.list({ isDoubtOnly: true, limit: 100 })
  assert.match(payments.find((each) => each.id === id)?.reason ?? '', /^held: the merchant is frozen; /)
  assert.equal((await malipo.operator.payments.show(id)).next.what, 'Held until the merchant is unfrozen.')
  await malipo.simulator.clearFaults()
  malipo.work()
  await malipo.operator.merchants.unfreeze(merchant.id, 'cleared')
  await malipo.comesTo(id, 'successful')
  assert.equal((await malipo.simulator.movements(key)).length, 1)
})

test('a held payment gets new timers when its last hold ends, and not before', async (t) => {
  const malipo = await payingMalipo(t)
  const { merchants, providers } = malipo.operator
  const merchant = await malipo.merchant()
  await merchants.freeze(merchant.id, 'fraud report')
  await providers.pause('pawapay', incident)
  const { id } = await payOut(merchant)
  const first = await timersOf(malipo, id)

  await merchants.unfreeze(merchant.id, 'cleared')
  assert.equal(await timersOf(malipo, id), first)
  await merchants.freeze(merchant.id, 'another report')
  await providers.resume('pawapay', incident)
  assert.equal(await timersOf(malipo, id), first)
  await merchants.unfreeze(merchant.id, 'cleared')
  assert.equal(await timersOf(malipo, id), first + 1)
})

test('the status shows open, in-doubt, done and paused, and where our money is', async (t) => {
  const malipo = await payingMalipo(t)
  const merchant = await malipo.merchant()
  malipo.work()
  const paid = await payOut(merchant, { amount: 250, by: 'house' })
  await payoutInDoubt(malipo, merchant)
  await malipo.later(10)
  await malipo.comesTo(paid.id, 'successful')
  await malipo.operator.providers.pause('house', incident)
  t.after(() => malipo.operator.providers.resume('house', incident).catch(() => undefined))
  const { floats: before } = await malipo.operator.providers.status()
  const adjustment = { env: 'sandbox', provider: 'house', currency: 'KES', country: 'KE', amount: '5000.00' } as const
  await malipo.operator.floats.adjust({ ...adjustment, evidence: 'statement', reason: 'top-up' })

  const { providers, floats, isHourCut } = await malipo.operator.providers.status()

  const [house, pawapay] = ['house', 'pawapay'].map((id) => providers.find(({ provider }) => provider === id))
  assert.deepEqual([house?.state, house?.pauseReason], ['paused', 'incident 12'])
  assert.ok((house?.lastHour.successful ?? 0) >= 1)
  assert.equal(pawapay?.state, 'running')
  assert.ok((pawapay?.inDoubt ?? 0) >= 1 && (pawapay?.open['unknown'] ?? 0) >= 1)
  assert.ok((pawapay?.oldestOpenSeconds ?? 0) >= 10)
  assert.equal(isHourCut, false)
  const floatOf = (all: typeof floats) => Number(all.find(({ provider }) => provider === 'house')?.amount ?? 0)
  assert.equal(floatOf(floats) - floatOf(before), 5000)
})
