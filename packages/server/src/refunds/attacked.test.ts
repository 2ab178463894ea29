import assert from 'node:assert/strict'
import { test } from 'node:test'
import { until } from '../dev-stack/until.ts'
import { lockWithCharges } from '../payments/model/lock-payments.ts'
import { putQuestion } from '../payments/model/store.ts'
import { openEndingRefunds } from '../payments/refunds/end-refunds.ts'
import { readId } from '../platform/ids.ts'
import { member, pathIn } from '../testing/members.ts'
import { quote, walletsOf } from '../testing/paying.ts'
import {
  available,
  keyOf,
  type RefundingMalipo,
  type RefundingMerchant,
  refundingMalipo,
  returnsFees,
} from '../testing/refunding.ts'

let payouts = 0
const payBackBody = (refundOf: string, over: object = {}) => {
  payouts += 1
  return {
    ...{ amount: 1000, currency: 'KES', country: 'KE', destination: 'MoMo', refundOf },
    payoutMethod: { accountName: 'Amina', accountNumber: '+254703456678' },
    externalReference: `paid-back-${payouts}`,
    ...over,
  }
}
const payBack = (merchant: RefundingMerchant, refundOf: string, over: object = {}) =>
  merchant.call('POST', '/api/b2b/fiat/payout', payBackBody(refundOf, over))

const adjustmentsOf = async (merchant: RefundingMerchant, id: string) =>
  ((await merchant.read(id))['adjustments'] as unknown[] | undefined)?.length ?? 0

test('a payout in place of a refund from a wallet in another currency returns no fee in that currency', async (t) => {
  const malipo = await refundingMalipo(t)
  const merchant = await malipo.refunding()
  await returnsFees(malipo, merchant)
  await quote(malipo, 'USD/KES', '128', '130')
  const charge = await merchant.paid(1000)
  const scope = { env: 'sandbox', merchant: merchant.id, operation: 'payout', currency: 'USD' } as const
  await malipo.operator.fees.set({ ...scope, basisPoints: 0, reason: 'a test' })
  const before = (await walletsOf(malipo, merchant.id)).get('USD')?.available ?? 0n

  const { status, body } = await payBack(merchant, charge.id, { debitCurrency: 'USD', debitCountry: 'KE' })
  assert.equal(status, 200, JSON.stringify(body))
  await malipo.comesTo(String(body['transactionId']), 'successful')

  // 1,000 KES cost 7.82 USD; the charge's fee was 33.30 KES, which is 0.26 USD at most.
  const after = (await walletsOf(malipo, merchant.id)).get('USD')?.available ?? 0n
  assert.ok(before - after >= 782n - 26n, `the wallet paid ${before - after} cents for 1000 KES`)
  await malipo.assertBooks()
})

test('a payout to another person than the payer returns no fee of the charge', async (t) => {
  const malipo = await refundingMalipo(t)
  const merchant = await malipo.refunding()
  await returnsFees(malipo, merchant)
  const free = { env: 'sandbox', merchant: merchant.id, operation: 'payout', currency: 'KES' } as const
  await malipo.operator.fees.set({ ...free, basisPoints: 0, reason: 'a test' })
  const charge = await merchant.paid(1000)
  const before = await available(malipo, merchant.id)

  const own = { accountName: 'The shop itself', accountNumber: '+254703000678' }
  const { body } = await payBack(merchant, charge.id, { payoutMethod: own })
  await malipo.comesTo(String(body['transactionId']), 'successful')

  assert.equal(await available(malipo, merchant.id), before - 100_000n)
})

test('the share of a fee that comes back is decided for refunds only, whatever is booked later', async (t) => {
  const malipo = await refundingMalipo(t)
  const merchant = await malipo.refunding()
  await returnsFees(malipo, merchant)
  const charge = await merchant.paid(1000)
  const approvals = { env: 'sandbox', currency: 'KES', above: '0', reason: 'a test' } as const
  await malipo.operator.payoutControls.setApprovals(merchant.id, approvals)
  const refund = await merchant.refunded(charge.id, { amount: 129 })
  const { body } = await payBack(merchant, charge.id, { amount: 500 })
  const ids = [refund, String(body['transactionId'])].map((shown) => readId('transaction', shown) ?? '')

  const shares = await malipo.ctx.db.write.transaction(async (tx) => {
    const payments = await lockWithCharges(tx, ids)
    const ending = await openEndingRefunds(tx, payments)
    return [...payments.values()].map(({ transaction }) => [transaction.type, ending.feeReturned(transaction)])
  })

  // 3.33 % of 129 KES, in cents.
  assert.deepEqual(shares, [
    ['deposit', 0n],
    ['refund', 429n],
    ['withdrew', 0n],
  ])
})

test('what a provider took back while a refund was open cannot be refunded after that refund fails', async (t) => {
  const malipo = await refundingMalipo(t)
  const merchant = await malipo.refunding()
  const charge = await merchant.paid(1000)
  const refund = await merchant.refunded(charge.id, { amount: 729 })
  await malipo.comesTo(refund, 'submitted')
  await malipo.simulator.reverse(charge.key)
  await until('the charge to be adjusted', async () => (await adjustmentsOf(merchant, charge.id)) === 1)
  await malipo.simulator.act(keyOf(refund), 'decline')
  await malipo.comesTo(refund, 'failed')

  assert.equal((await merchant.read(charge.id)).refundable, 0)
  const again = await payBack(merchant, charge.id, { amount: 729 })
  assert.equal(again.body['errorCode'], 'REFUND_EXCEEDS_CHARGE')
  await malipo.assertBooks()
})

test('a refund that its provider paid after its failure is not refunded once more', async (t) => {
  const malipo = await refundingMalipo(t)
  const merchant = await malipo.refunding()
  const charge = await merchant.paid(1000)
  const refund = await merchant.refunded(charge.id, { amount: 989 })
  await malipo.comesTo(refund, 'failed')
  const settled = { amount: 98_900n, currency: 'KES', receipt: 'late' } as const
  const transaction_id = readId('transaction', refund) ?? ''
  const late = await malipo.ctx.resolver.submit({
    transaction_id,
    attempt: 1,
    cause: 'query',
    question: await putQuestion(malipo.ctx.db.write, transaction_id, 1),
    observation: { kind: 'reported', providerStatus: { state: 'successful', settled } },
  })
  assert.equal(late?.isChanged, true)
  assert.equal(late.transaction.suspended, -98_900n)

  assert.equal((await merchant.read(charge.id)).refundable, 11)
  const again = await merchant.refund(charge.id, { amount: 900 })
  assert.equal(again.body['errorCode'], 'REFUND_EXCEEDS_CHARGE')
  await malipo.assertBooks()
})

test('all that is left is refused by name where it has decimals that the operator does not take', async (t) => {
  const malipo = await refundingMalipo(t)
  const merchant = await malipo.refunding()
  const charge = await merchant.paid(1000)
  const bank = { accountName: 'Amina', accountNumber: '1234567890', code: '01' }
  const paid = await payBack(merchant, charge.id, { amount: 0.5, destination: 'Bank Account', payoutMethod: bank })
  assert.equal(paid.status, 200, JSON.stringify(paid.body))

  const rest = await merchant.refund(charge.id)
  assert.equal(rest.status, 400, JSON.stringify(rest.body))
})

test('a person pays back only charges within their places', async (t) => {
  const malipo = await refundingMalipo(t)
  const merchant = await malipo.refunding()
  const charge = await merchant.paid(1000)
  const place = (country: string) =>
    malipo.ask('update transactions set country = $2, wallet_country = $2 where id = $1', [
      readId('transaction', charge.id),
      country,
    ])
  const limited = await member(malipo, merchant.id, ['finance'], { countries: ['KE'] })
  const byPerson = (path: string, body: object) => limited.call('POST', pathIn(merchant.id, 'sandbox', path), body)
  await place('UG')
  const refund = await byPerson(`/transactions/${charge.id}/refunds`, { externalReference: 'person-1', amount: 10 })
  const paid = await byPerson('/fiat/payout', payBackBody(charge.id, { amount: 100 }))
  await place('KE')

  assert.deepEqual([refund.body['errorCode'], paid.body['errorCode']], ['PERMISSION_DENIED', 'PERMISSION_DENIED'])
})

test('the audit trail names the charge that a person gives back, by a refund or a payout', async (t) => {
  const malipo = await refundingMalipo(t)
  const merchant = await malipo.refunding()
  const charge = await merchant.paid(1000)
  const person = await member(malipo, merchant.id, ['finance'])
  const byPerson = (path: string, body: object) => person.call('POST', pathIn(merchant.id, 'sandbox', path), body)
  const { externalReference } = await merchant.read(charge.id)

  const refund = { externalReference: 'by-person', amount: 129 }
  const made = [
    await byPerson(`/transactions/${externalReference}/refunds`, refund),
    await byPerson('/fiat/payout', payBackBody(String(externalReference), { amount: 100 })),
    await byPerson('/fiat/payout', payBackBody('', { amount: 100, refundOf: undefined })),
  ]

  const entries = await malipo.ask<{ action: string; subject: string; detail: Record<string, unknown> }>(
    'select action, subject, detail from audit_entries where actor = $1 and subject = any($2) order by id',
    [person.id, made.map(({ body }) => body['transactionId'])],
  )
  assert.deepEqual(
    entries.map(({ action, detail }) => [action, detail['amount'], detail['refundOf']]),
    [
      ['refund.create', '129.00', charge.id],
      ['payout.create', '100.00', charge.id],
      ['payout.create', '100.00', undefined],
    ],
  )
})

/** Each change, and what undoes it. */
const tamperings = {
  'sum of what is pending': ['set pending = pending - 1', 'set pending = pending + 1'],
  'sum of what went back': ['set successful = successful - 1', 'set successful = successful + 1'],
  'turn of a refund': ['set turn_of = charge_id', 'set turn_of = null'],
} as const

for (const [what, [change, undo]] of Object.entries(tamperings))
  test(`the ledger check finds a changed ${what}`, async (t) => {
    const malipo = await refundingMalipo(t)
    const merchant = await malipo.refunding()
    const charge = await merchant.paid(1000)
    await malipo.comesTo(await merchant.refunded(charge.id, { amount: 100 }), 'successful')
    if (what.includes('pending')) await malipo.comesTo(await merchant.refunded(charge.id, { amount: 129 }), 'submitted')
    await malipo.assertBooks()
    const tamper = (how: string) =>
      malipo.ask(`update refund_totals ${how} where charge_id = $1`, [readId('transaction', charge.id)])
    await tamper(change)

    const checked = await malipo.assertBooks().catch((error: Error) => error)
    await tamper(undo)
    assert.ok(checked instanceof Error, 'the check found nothing')
    await malipo.assertBooks()
  })

test('the ledger check finds a changed amount of a refund', async (t) => {
  const malipo = await refundingMalipo(t)
  const merchant = await malipo.refunding()
  const charge = await merchant.paid(1000)
  await malipo.comesTo(await merchant.refunded(charge.id, { amount: 129 }), 'submitted')
  const set = (how: string) =>
    malipo.ask(`update transactions set amount = amount ${how} where related_transaction_id = $1`, [
      readId('transaction', charge.id),
    ])
  await set('- 1')

  const checked = await malipo.assertBooks().catch((error: Error) => error)
  await set('+ 1')
  assert.ok(checked instanceof Error, 'the check found nothing')
  await malipo.assertBooks()
})

test('the ledger check finds a payout in place of a refund that no longer names its charge', async (t) => {
  const malipo = await refundingMalipo(t)
  const merchant = await malipo.refunding()
  const charge = await merchant.paid(1000)
  const { body } = await payBack(merchant, charge.id, { amount: 300 })
  await malipo.comesTo(String(body['transactionId']), 'successful')
  const set = (related: string, reference: string) =>
    malipo.ask(
      `update transactions set related_transaction_id = ${related}, related_reference = ${reference} where id = $1`,
      [readId('transaction', String(body['transactionId']))],
    )
  await set('null', 'null')

  const checked = await malipo.assertBooks().catch((error: Error) => error)
  await set(`'${readId('transaction', charge.id)}'`, `'x'`)
  assert.ok(checked instanceof Error, 'the check found nothing')
})

test('the ledger check finds sums of a charge that has no refunds', async (t) => {
  const malipo = await refundingMalipo(t)
  const merchant = await malipo.refunding()
  const charge = await merchant.paid(1000)
  const id = readId('transaction', charge.id)
  await malipo.ask(
    `insert into refund_totals (charge_id, merchant_id, env, pending, successful)
     select id, merchant_id, env, amount, 0 from transactions where id = $1`,
    [id],
  )
  assert.equal((await merchant.read(charge.id)).refundable, 0)

  const checked = await malipo.assertBooks().catch((error: Error) => error)
  await malipo.ask('delete from refund_totals where charge_id = $1', [id])
  assert.ok(checked instanceof Error, 'the check found nothing')
})

test('no hostile refund is accepted, and each is refused by name', async (t) => {
  const malipo = await refundingMalipo(t)
  const merchant = await malipo.refunding()
  const charge = await merchant.paid(1000)
  const before = await available(malipo, merchant.id)
  const bodies: object[] = [
    ...[0, -0, -1, 1e21, 1e308, 1e-7, 0.001, 1000.000001, '10', null, true, [1], { valueOf: 1 }].map((amount) => ({
      amount,
    })),
    ...['x'.repeat(201), 'a\u0000b', '\ud800', 5, null].map((reason) => ({ amount: 10, reason })),
    { amount: 10, currency: 'USD' },
    { amount: 10, constructor: {} },
    JSON.parse('{"amount": 10, "__proto__": {"isAdmin": true}}') as object,
    ...['', ' ', 'a b', 'é', 'x'.repeat(101)].map((externalReference) => ({ amount: 10, externalReference })),
  ]
  for (const body of bodies) {
    const { status, body: said } = await merchant.refund(charge.id, body)
    assert.ok(status === 400 || status === 422, `${JSON.stringify(body)}: ${status} ${JSON.stringify(said)}`)
  }
  for (const id of [
    '__proto__',
    'constructor',
    '%00',
    '..%2f..',
    'txn_',
    'x'.repeat(100),
    'txn_ffffffffffffffffffffffffffffffff',
    "'--",
  ]) {
    const { status, body } = await merchant.refund(id, { amount: 10 })
    assert.ok(status === 404 || status === 400, `${id}: ${status} ${JSON.stringify(body)}`)
    const paid = await payBack(merchant, id, { amount: 10 })
    assert.ok(paid.status === 404 || paid.status === 400, `${id}: ${paid.status} ${JSON.stringify(paid.body)}`)
  }
  assert.equal(await available(malipo, merchant.id), before)
})

const isEnded = async (malipo: RefundingMalipo, id: string) =>
  /failed|successful/.test(String(await malipo.stateOf(id)))

/** Makes two equal refunds of a charge, and moves both clocks until they have ended. */
async function refundTwice(malipo: RefundingMalipo, merchant: RefundingMerchant, charge: string): Promise<void> {
  const refunds = [await merchant.refunded(charge, { amount: 400 }), await merchant.refunded(charge, { amount: 400 })]
  await until('both refunds to end', async () => {
    await malipo.later(300)
    await malipo.simulator.advance(300_000)
    const ends = await Promise.all(refunds.map((id) => isEnded(malipo, id)))
    return ends.every(Boolean)
  })
}

for (const provider of ['flutterwave', 'house'] as const)
  test(`our empty float at ${provider} delays two refunds of a charge and fails neither`, async (t) => {
    const malipo = await refundingMalipo(t)
    const merchant = await malipo.refunding()
    const charge = provider === 'house' ? await merchant.paidByTransfer() : await merchant.paidByCard()
    await malipo.simulator.setFault({ provider, operation: 'refund', mode: 'float_empty', times: 1 })

    await refundTwice(malipo, merchant, charge.id)

    assert.equal((await merchant.read(charge.id)).refunded, 800)
    assert.equal((await malipo.simulator.refunds(charge.key)).length, 2)
    await malipo.assertBooks()
  })

for (const [what, fault] of [
  ['no comments', { mode: 'refund_without_comments' }],
  ['a late list', { mode: 'not_found_window', seconds: 600 }],
] as const)
  test(`two equal refunds with lost responses and ${what} at flutterwave end as two, never three`, async (t) => {
    const malipo = await refundingMalipo(t)
    const merchant = await malipo.refunding()
    const charge = await merchant.paidByCard()
    const refund = { provider: 'flutterwave', operation: 'refund', times: 2 } as const
    await malipo.simulator.setFault({ ...refund, ...fault })
    await malipo.simulator.setFault({ ...refund, mode: 'drop_after_processing' })

    await refundTwice(malipo, merchant, charge.id)

    assert.equal((await merchant.read(charge.id)).refunded, 800)
    assert.equal((await malipo.simulator.refunds(charge.key)).length, 2)
    assert.doesNotMatch(JSON.stringify(await malipo.simulator.faults()), /"left":[1-9]/, 'every fault took effect')
    await malipo.assertBooks()
  })
