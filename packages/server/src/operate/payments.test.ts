import assert from 'node:assert/strict'
import { test } from 'node:test'
import { until } from '../dev-stack/until.ts'
import { putQuestion } from '../payments/model/store.ts'
import { readId } from '../platform/ids.ts'
import { type Malipo, testMalipo } from '../testing/malipo.ts'
import { type PayingMalipo, payingMalipo, payOut, payoutInDoubt, walletOf } from '../testing/paying.ts'

const resolution = { reason: 'case 4711', evidence: 'pawaPay statement line 88' }
const funded = 1_000_000_00n

/** After this a send cannot be under way any more. */
const sendEndsSeconds = 60

/** The ids of the database transactions that wrote these rows: the same id is the same transaction. */
async function writersOf({ ask }: Malipo, shownId: string, action: string): Promise<string[]> {
  const rows = await ask<{ writer: string }>(
    `select xmin::text as writer from audit_entries where subject = $1 and action = $2
     union all select xmin::text from events where transaction_id = $3 and cause = 'operator'
     union all select xmin::text from transfers where transaction_id = $3 and phase = 1`,
    [shownId, action, readId('transaction', shownId)],
  )
  return rows.map(({ writer }) => writer)
}

async function inDoubt(malipo: PayingMalipo) {
  const merchant = await malipo.merchant()
  malipo.work()
  const payout = await payoutInDoubt(malipo, merchant)
  return { merchant, ...payout }
}

test('a payout resolved as successful is paid: money, event and audit row are one transaction', async (t) => {
  const malipo = await payingMalipo(t)
  const { merchant, id } = await inDoubt(malipo)
  await malipo.later(sendEndsSeconds)

  const resolved = await malipo.operator.payments.resolve(id, { ...resolution, outcome: 'successful' })

  assert.equal(await malipo.stateOf(id), 'successful')
  assert.match(
    resolved.money,
    /^100\.00 KES and the fee of 1\.00 KES have permanently left .* pawapay in KE is lower by 100\.00 KES\.$/,
  )
  assert.deepEqual(await walletOf(malipo, merchant.id), { available: funded - 101_00n, reserved: 0n })
  const writers = await writersOf(malipo, id, 'payment.resolve')
  assert.equal(writers.length, 4) // Audit row, event, and the ends of two holds.
  assert.equal(new Set(writers).size, 1)
  await malipo.operator.ledger.check({ isFull: true })
})

test('money that an abandoned attempt moved does not count for the current attempt', async (t) => {
  const malipo = await payingMalipo(t)
  const { id, key } = await inDoubt(malipo)
  await malipo.later(sendEndsSeconds)
  const suspend = (amount: string) =>
    malipo.ask('update transactions set suspended = $2 where id = $1', [readId('transaction', id), amount])
  await suspend('-10000')
  const resolve = (name: string, outcome: 'successful' | 'failed') =>
    malipo.operator.payments.resolve(name, { ...resolution, outcome })

  await assert.rejects(resolve(id, 'successful'), /name it by the key on its statement/)
  await assert.rejects(resolve(key.replace(/01$/, '02'), 'failed'), /attempt 2 was abandoned; the current one is/)
  assert.equal(await malipo.stateOf(id), 'unknown')
  await resolve(key, 'successful')
  assert.equal(await malipo.stateOf(id), 'successful')
  await suspend('0') // No money moved for it here, and later tests check all books.
})

test('a payout resolved as failed returns its money; the audit row has operator and evidence', async (t) => {
  const malipo = await payingMalipo(t)
  const { merchant, id, key } = await inDoubt(malipo)
  await malipo.later(sendEndsSeconds)
  assert.deepEqual(await walletOf(malipo, merchant.id), { available: funded - 101_00n, reserved: 101_00n })

  await malipo.operator.payments.resolve(key, { ...resolution, outcome: 'failed' })

  assert.equal(await malipo.stateOf(id), 'failed')
  assert.deepEqual(await walletOf(malipo, merchant.id), { available: funded, reserved: 0n })
  const [entry] = await malipo.ask('select actor, action, env, reason, detail from audit_entries where subject = $1', [
    id,
  ])
  const from = { state: 'unknown', doubt: 'no_response', provider: 'pawapay', key }
  const detail = { outcome: 'failed', evidence: resolution.evidence, from }
  assert.deepEqual(entry, { actor: 'test', action: 'payment.resolve', env: 'sandbox', reason: 'case 4711', detail })
  const { events } = await malipo.operator.payments.show(id)
  assert.deepEqual([events.at(-1)?.cause, events.at(-1)?.detail], ['operator', { ...resolution, by: 'test' }])
  await malipo.operator.ledger.check({ isFull: true })
})

test('a payment whose audit row cannot be written is not resolved', async (t) => {
  const malipo = await payingMalipo(t)
  const { merchant, id } = await inDoubt(malipo)
  await malipo.later(sendEndsSeconds)
  const before = await walletOf(malipo, merchant.id)
  await malipo.ask('revoke insert (id) on audit_entries from malipo_write')
  t.after(() => malipo.ask('grant insert (id) on audit_entries to malipo_write'))

  await assert.rejects(malipo.operator.payments.resolve(id, { ...resolution, outcome: 'failed' }), /permission denied/)

  assert.equal(await malipo.stateOf(id), 'unknown')
  assert.deepEqual(await walletOf(malipo, merchant.id), before)
})

test('a manual resolution needs a reason, evidence and an existing payment', async (t) => {
  const malipo = await payingMalipo(t)
  const { id } = await inDoubt(malipo)
  const { resolve } = malipo.operator.payments
  const unknown = `txn_${'0'.repeat(32)}`

  await assert.rejects(resolve(id, { ...resolution, outcome: 'failed', reason: ' ' }), /the reason must not be empty/)
  await assert.rejects(
    resolve(id, { ...resolution, outcome: 'failed', evidence: '' }),
    /the evidence must not be empty/,
  )
  await assert.rejects(resolve(unknown, { ...resolution, outcome: 'failed' }), /no payment has the id txn_0/)
  await assert.rejects(resolve('order-17', { ...resolution, outcome: 'failed' }), /order-17 is not a payment/)

  assert.equal(await malipo.stateOf(id), 'unknown')
})

test('a payment that may be on its way is not resolved, and an unsent one cannot have succeeded', async (t) => {
  const malipo = await payingMalipo(t)
  const merchant = await malipo.merchant()
  const { resolve } = malipo.operator.payments
  const waiting = await payOut(merchant)

  await assert.rejects(resolve(waiting.id, { ...resolution, outcome: 'successful' }), /not sent to a provider yet/)
  await resolve(waiting.id, { ...resolution, outcome: 'failed' })
  malipo.work()
  const { id } = await payoutInDoubt(malipo, merchant)
  await assert.rejects(
    resolve(id, { ...resolution, outcome: 'failed' }),
    /may still reach pawapay until \d\d:\d\d:\d\d UTC/,
  )

  assert.deepEqual(await malipo.simulator.requests(waiting.key), [])
  assert.equal(await malipo.stateOf(id), 'unknown')
})

test('a final payment is not resolved again, and of many resolutions at once one counts', async (t) => {
  const malipo = await payingMalipo(t)
  const { merchant, id } = await inDoubt(malipo)
  await malipo.later(sendEndsSeconds)
  const outcomes = ['successful', 'failed', 'successful', 'failed'] as const

  const resolutions = await Promise.allSettled(
    outcomes.map((outcome) => malipo.operator.payments.resolve(id, { ...resolution, outcome })),
  )

  assert.equal(resolutions.filter(({ status }) => status === 'fulfilled').length, 1)
  for (const outcome of resolutions)
    if (outcome.status === 'rejected') assert.match(outcome.reason.message, /already, and that is final/)
  const trail = await malipo.ask('select from audit_entries where subject = $1', [id])
  assert.equal(trail.length, 1)
  assert.equal((await walletOf(malipo, merchant.id)).reserved, 0n)
  await malipo.operator.ledger.check({ isFull: true })
})

for (const moment of ['before', 'after'] as const) {
  test(`a response lost ${moment} the provider acts: the payout is resent under its key, paid once`, async (t) => {
    const malipo = await payingMalipo(t)
    const merchant = await malipo.merchant()
    malipo.work()
    const { id, key } = await payoutInDoubt(malipo, merchant, { moment })
    await malipo.simulator.clearFaults()

    const retried = await malipo.operator.payments.retry(id, 'the provider is back')

    assert.equal(retried.key, key)
    await malipo.comesTo(id, 'successful')
    const sent = (await malipo.simulator.requests(key)).filter(({ operation }) => operation === 'payout')
    assert.equal(sent.length, 2)
    assert.deepEqual(
      (await malipo.simulator.movements(key)).map(({ kind, amount }) => [kind, Number(amount)]),
      [['paid', 100]],
    )
    const [entry] = await malipo.ask('select action, reason from audit_entries where subject = $1', [id])
    assert.deepEqual(entry, { action: 'payment.retry', reason: 'the provider is back' })
    await malipo.operator.ledger.check({ isFull: true })
  })
}

test('a payment that is in progress, final or of a frozen merchant is not sent again', async (t) => {
  const malipo = await payingMalipo(t)
  const { retry } = malipo.operator.payments
  const [active, frozen] = [await malipo.merchant(), await malipo.merchant()]
  malipo.work()
  await malipo.simulator.setFault({ provider: 'house', operation: 'payout', mode: 'stuck_pending' })
  const stuck = await payOut(active, { by: 'house' })
  await malipo.comesTo(stuck.id, 'submitted')
  await malipo.operator.merchants.freeze(frozen.id, 'fraud report')
  const held = await payOut(frozen)
  const paid = await payOut(active)
  await malipo.comesTo(paid.id, 'successful')

  await assert.rejects(retry(stuck.id, 'impatient'), /is pending at house/)
  await assert.rejects(retry(paid.id, 'impatient'), /is successful already, and that is final/)
  await assert.rejects(retry(held.id, 'impatient'), /is frozen: nothing is sent for it/)
  await assert.rejects(retry(held.id, ''), /the reason must not be empty/)

  const trail = await malipo.ask(`select from audit_entries where action = 'payment.retry' and subject = any($1)`, [
    [stuck.id, paid.id, held.id],
  ])
  assert.equal(trail.length, 0)
})

test('open payments are listed oldest first, by the filter, and final ones are not', async (t) => {
  const malipo = await payingMalipo(t)
  const merchant = await malipo.merchant()
  const first = await payOut(merchant)
  await malipo.later(600)
  const [second, cancelled] = [await payOut(merchant, { by: 'house' }), await payOut(merchant)]
  await merchant.call('POST', `/api/b2b/fiat/payout/${cancelled.id}/cancel`)
  const mine = new Set([first.id, second.id, cancelled.id])
  const list = async (order: object) => {
    const { payments } = await malipo.operator.payments.list({ isDoubtOnly: false, limit: 1000, ...order })
    return payments.map(({ id }) => id).filter((id) => mine.has(id))
  }

  assert.deepEqual(await list({}), [first.id, second.id])
  assert.deepEqual(await list({ provider: 'house' }), [second.id])
  assert.deepEqual(await list({ olderThanMinutes: 5 }), [first.id])
  assert.deepEqual(await list({ env: 'live' }), [])
  assert.deepEqual(await list({ isDoubtOnly: true }), [])
  assert.equal((await malipo.operator.payments.list({ isDoubtOnly: false, limit: 1 })).payments.length, 1)
  for (const listing of [
    list({ provider: 'pawpay' }),
    malipo.operator.callbacks.list({ provider: 'pawpay', limit: 1 }),
  ])
    await assert.rejects(listing, /pawpay is not a provider; use flutterwave, house, pawapay/)
})

test('ended payments are listed newest first by merchant and state, page after page', async (t) => {
  const malipo = await payingMalipo(t)
  const [merchant, other] = [await malipo.merchant(), await malipo.merchant()]
  const cancelled: string[] = []
  for (const owner of [merchant, merchant, merchant, other]) {
    const { id } = await payOut(owner)
    assert.equal((await owner.call('POST', `/api/b2b/fiat/payout/${id}/cancel`)).status, 200)
    cancelled.unshift(id)
  }
  const [theirs = '', ...mine] = cancelled
  const { list } = malipo.operator.payments
  const failed = { isDoubtOnly: false, limit: 2, state: 'failed' } as const
  const idsOf = async (order: object) => (await list({ ...failed, ...order })).payments.map(({ id }) => id)

  const first = await list({ ...failed, merchant: merchant.id })
  const second = await list({ ...failed, merchant: merchant.id, after: first.next ?? '' })

  assert.deepEqual(
    [first, second].map(({ payments }) => payments.map(({ id }) => id)),
    [mine.slice(0, 2), mine.slice(2)],
  )
  assert.deepEqual([second.next, first.payments[0]?.merchant.id], [undefined, merchant.id])
  assert.deepEqual(await idsOf({}), [theirs, mine[0]])
  assert.deepEqual(await idsOf({ merchant: merchant.id, env: 'live' }), [])
  assert.deepEqual(await idsOf({ merchant: merchant.id, provider: 'house' }), [])
  assert.deepEqual(await idsOf({ merchant: merchant.id, olderThanMinutes: 5 }), [])
  assert.deepEqual(await idsOf({ merchant: merchant.id, state: 'successful' }), [])
})

test('open payments are listed by merchant and state, page after page', async (t) => {
  const malipo = await payingMalipo(t)
  const [merchant, other] = [await malipo.merchant(), await malipo.merchant()]
  const made = [await payOut(merchant), await payOut(merchant), await payOut(merchant)].map(({ id }) => id)
  await payOut(other)
  const { list } = malipo.operator.payments
  const order = { isDoubtOnly: false, limit: 2, merchant: merchant.id } as const

  const first = await list(order)
  const second = await list({ ...order, after: first.next ?? '' })

  assert.deepEqual(
    [first, second].map(({ payments }) => payments.map(({ id }) => id)),
    [made.slice(0, 2), made.slice(2)],
  )
  assert.deepEqual((await list({ ...order, state: 'unknown' })).payments, [])
  assert.equal((await list({ ...order, state: 'accepted' })).payments.length, 2)
})

test('a list with a wrong merchant, a wrong cursor, or doubts of ended payments is refused', async (t) => {
  const { list } = (await payingMalipo(t)).operator.payments
  const order = { isDoubtOnly: false, limit: 2 } as const

  await assert.rejects(async () => list({ ...order, merchant: 'duka' }), /duka is not a merchant id/)
  await assert.rejects(async () => list({ ...order, merchant: `mer_${'0'.repeat(32)}` }), /no merchant has the id/)
  await assert.rejects(async () => list({ ...order, after: 'order-1' }), /order-1 is not a payment id/)
  await assert.rejects(
    async () => list({ ...order, isDoubtOnly: true, state: 'failed' }),
    /are listed without a final state/,
  )
})

test('the list of doubts names each reason, also for final payments with money in suspense', async (t) => {
  const malipo = await payingMalipo(t)
  const { id: lost } = await inDoubt(malipo)
  await malipo.simulator.setFault({ provider: 'pawapay', operation: 'payout', mode: 'float_empty' })
  const merchant = await malipo.merchant()
  const { id: short } = await payOut(merchant)
  const { id: over } = await payOut(merchant, { by: 'house' })
  await malipo.comesTo(over, 'successful')
  const transaction_id = readId('transaction', over) ?? ''
  await malipo.ctx.resolver.submit({
    transaction_id,
    attempt: 1,
    cause: 'query',
    question: await putQuestion(malipo.ctx.db.write, transaction_id, 1),
    observation: {
      kind: 'reported',
      providerStatus: { state: 'successful', settled: { amount: 10_500n, currency: 'KES' } },
    },
  })
  const listed = async (wanted: string) =>
    (await malipo.operator.payments.list({ isDoubtOnly: true, limit: 1000 })).payments.find(({ id }) => id === wanted)
  const reasonOf = async (wanted: string) => (await until(`${wanted} to be listed`, () => listed(wanted))).reason

  assert.equal(await reasonOf(lost), 'no clear response: the money may have moved')
  assert.equal(await reasonOf(short), 'our float at the provider is used up; nothing was paid')
  assert.equal(await reasonOf(over), 'the provider moved another amount than the payment has')
  const { cases } = await malipo.operator.ledger.check({ isFull: true })
  const found = cases.find(({ transactionId }) => transactionId === over)
  assert.deepEqual([found?.amount, found?.kind], ['-5.00', 'amount_mismatch'])
})

test('a payment shows its account, attempts, events, entries and next step', async (t) => {
  const malipo = await payingMalipo(t)
  const { merchant, id, key } = await inDoubt(malipo)

  const shown = await malipo.operator.payments.show(id)

  assert.deepEqual([shown.type, shown.amount, shown.state, shown.provider], ['payout', '100.00', 'unknown', 'pawapay'])
  assert.equal(shown.merchant.id, merchant.id)
  assert.match(shown.account, /^\+25471\d+678$/)
  assert.deepEqual([shown.attempts[0]?.key, shown.attempts[0]?.sends], [key, 1])
  assert.deepEqual(
    shown.events.map(({ cause }) => cause),
    ['request', 'attempt'],
  )
  assert.match(shown.ledger ?? '', /payout accepted\n {4}0 {2}wallet KES KE of Duka/)
  assert.equal(shown.next.what, 'Malipo queries pawapay again.')
  assert.ok(shown.next.at)
})

test('a payment that does not exist cannot be shown', async (t) => {
  const { operator } = await testMalipo(t)

  await assert.rejects(operator.payments.show(`txn_${'0'.repeat(32)}`), /no payment has the id txn_0/)
  await assert.rejects(operator.payments.show('mer_1'), /mer_1 is not a payment/)
})
