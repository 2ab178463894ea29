import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import type { ApprovalsOrder } from '../operate/payout-controls.ts'
import type { Owner } from '../platform/db.ts'
import { providerKeyOf, readId } from '../platform/ids.ts'
import type { Malipo } from '../testing/malipo.ts'
import { makeApprover } from '../testing/members.ts'
import { type PayingMalipo, payingMalipo, walletsOf } from '../testing/paying.ts'
import { payoutBody, to } from '../testing/payout-body.ts'
import { sweepPage } from '../workers/sweeper.ts'
import { approvePayout, expireApprovals, type PayoutDecision, rejectPayout } from './approve.ts'

type Merchant = Awaited<ReturnType<Malipo['merchant']>>

const path = '/api/b2b/fiat/payout'
const approver = { id: 'person_0193000000007000800000000000000a', name: 'Wanjiru' }
const another = { ...approver, id: 'person_0193000000007000800000000000000b' }
const reason = 'invoice 12'
const rules = { env: 'sandbox', reason: 'contract 17' } as const

const ownerOf = ({ id }: Merchant): Owner => ({ merchant_id: readId('merchant', id) ?? '', env: 'sandbox' })

async function withRule(t: TestContext, rule: Partial<ApprovalsOrder> = { above: '500', currency: 'KES' }) {
  const malipo = await payingMalipo(t)
  t.after(() => malipo.ask(`update clock_offset set ahead = '0'`))
  const merchant = await malipo.merchant()
  await malipo.operator.payoutControls.setApprovals(merchant.id, { ...rules, ...rule })
  for (const person of [approver, another]) await makeApprover(malipo.ask, ownerOf(merchant), person)
  return { malipo, merchant, owner: ownerOf(merchant) }
}

async function pay(merchant: Merchant, amount: number, over: object = {}): Promise<string> {
  const { status, body } = await merchant.call('POST', path, payoutBody(amount, over))
  assert.deepEqual([status, body['status']], [200, 'PENDING'], JSON.stringify(body))
  return String(body['transactionId'])
}

async function read(merchant: Merchant, id: string) {
  const { body } = await merchant.call('GET', `/api/b2b/transactions/${id}`)
  return body['data'] as Record<string, unknown> & {
    explanation: { sentence: string; by: string }
    timeline: { stage: string; at: string }[]
  }
}

const stageOf = async (merchant: Merchant, id: string) => (await read(merchant, id))['stage']
const heldOf = async (malipo: Malipo, { id }: Merchant) => (await walletsOf(malipo, id)).get('KES')?.reserved
const decided = (transactionId: string, over: Partial<PayoutDecision> = {}) => ({
  transactionId,
  approver,
  reason,
  ...over,
})
const movements = ({ simulator }: PayingMalipo, id: string) =>
  simulator.movements(providerKeyOf(readId('transaction', id) ?? '', 1))
const attemptsOf = async ({ ask }: Malipo, id: string) =>
  ask('select sends, polls from attempts where transaction_id = $1', [readId('transaction', id)])

/** The payments that the sweeper would queue to be sent or queried. */
async function sweptBy({ ctx }: Malipo): Promise<string[]> {
  const swept: string[] = []
  const lane = {
    add: (work: readonly { id: string }[]) => swept.push(...work.map(({ id }) => id)),
    wake: () => undefined,
  }
  await sweepPage(ctx, () => lane)
  return swept
}

test('a payout above the amount waits for approval with its money held, and is sent once approved', async (t) => {
  const { malipo, merchant, owner } = await withRule(t)
  malipo.work()

  const below = await pay(merchant, 500)
  const above = await pay(merchant, 501)
  await malipo.comesTo(below, 'successful')

  const waiting = await read(merchant, above)
  assert.partialDeepStrictEqual(waiting, { status: 'PENDING', stage: 'AWAITING_APPROVAL' })
  assert.match(waiting.explanation.sentence, /waits for approval; a person of yours with the role approver or owner/)
  assert.equal(
    Date.parse(waiting.explanation.by) - Date.parse(waiting.timeline[0]?.at ?? ''),
    72 * 3_600_000,
    'the deadline is shown',
  )
  assert.deepEqual(await heldOf(malipo, merchant), 50_601n)
  assert.deepEqual(await attemptsOf(malipo, above), [{ sends: 0, polls: 0 }])

  await approvePayout(malipo.ctx, owner, decided(above))
  await malipo.comesTo(above, 'successful')

  assert.equal((await movements(malipo, above)).length, 1)
  const { timeline } = await read(merchant, above)
  assert.deepEqual(
    [timeline[0]?.stage, timeline[1]?.stage, timeline.at(-1)?.stage],
    ['AWAITING_APPROVAL', 'PROCESSING', 'COMPLETED'],
  )
  const [audit] = await malipo.ask(
    `select actor, action, subject, reason from audit_entries where action = 'payout.approve' and subject = $1`,
    [above],
  )
  assert.deepEqual(audit, { actor: approver.id, action: 'payout.approve', subject: above, reason })
  await malipo.operator.ledger.check({ isFull: true })
})

test('a rejected payout fails with its own code, and its money and its share of the limits are back', async (t) => {
  const { malipo, merchant, owner } = await withRule(t)
  await malipo.operator.payoutControls.setLimits(merchant.id, { ...rules, currency: 'KES', perMerchantDay: '700' })
  const id = await pay(merchant, 600)
  assert.equal((await merchant.call('POST', path, payoutBody(200))).status, 422)

  await rejectPayout(malipo.ctx, owner, decided(id, { reason: 'wrong account' }))

  const failed = await read(merchant, id)
  assert.partialDeepStrictEqual(failed, { status: 'FAILED', stage: 'FAILED' })
  assert.partialDeepStrictEqual(failed['failureReason'], { failureCode: 'REJECTED_BY_APPROVER' })
  assert.match(failed.explanation.sentence, /was rejected by a person .*its money is back/)
  assert.equal(await heldOf(malipo, merchant), 0n)
  assert.equal((await merchant.call('POST', path, payoutBody(200))).status, 200)
  await malipo.operator.ledger.check({ isFull: true })
})

test('the maker cannot approve, a key pair never, and an unknown or other payout is not found', async (t) => {
  const { malipo, merchant, owner } = await withRule(t)
  const { ctx, ask } = malipo
  const id = await pay(merchant, 600)
  const other = ownerOf(await malipo.merchant())
  const [row] = await ask<{ made_by: string }>('select made_by from controlled_payouts where transaction_id = $1', [
    readId('transaction', id),
  ])
  assert.match(row?.made_by ?? '', /^cred_[0-9a-f]{32}$/)

  const by = (who: string) => approvePayout(ctx, owner, decided(id, { approver: { id: who, name: 'x' } }))
  await assert.rejects(by(row?.made_by ?? ''), { key: 'APPROVAL_NOT_ALLOWED' })
  await assert.rejects(by('machine_01'), { key: 'APPROVAL_NOT_ALLOWED' })
  const own = readId('transaction', id)
  await ask('update controlled_payouts set made_by = $1 where transaction_id = $2', [approver.id, own])
  await assert.rejects(by(approver.id), { key: 'APPROVAL_NOT_ALLOWED' })
  await assert.rejects(
    ask(
      `update controlled_payouts set decision = 'approved', decided_by = $1, decided_by_name = 'x', decided_at = now(),
         decision_reason = 'x' where transaction_id = $2`,
      [approver.id, own],
    ),
    /maker_never_approves/,
  )
  await assert.rejects(approvePayout(ctx, other, decided(id)), { key: 'TRANSACTION_MISSING' })
  await assert.rejects(approvePayout(ctx, { ...owner, env: 'live' }, decided(id)), { key: 'TRANSACTION_MISSING' })
  await assert.rejects(approvePayout(ctx, owner, decided(id, { reason: ' ' })), { key: 'VALIDATION' })
  const below = await pay(merchant, 100)
  await assert.rejects(approvePayout(ctx, owner, decided(below)), { key: 'PAYOUT_NOT_AWAITING_APPROVAL' })
  assert.equal(await stageOf(merchant, id), 'AWAITING_APPROVAL')
})

/** Everything that can end the wait of a payout. Each throws the same error when another was first. */
function enders({ ctx, ask }: Malipo, merchant: Merchant) {
  const owner = ownerOf(merchant)
  const tooLate = () => Object.assign(new Error(), { key: 'PAYOUT_NOT_AWAITING_APPROVAL' })
  return {
    approve: (id: string, who = approver) => approvePayout(ctx, owner, decided(id, { approver: who })),
    reject: (id: string) => rejectPayout(ctx, owner, decided(id)),
    cancel: async (id: string) => {
      if ((await merchant.call('POST', `${path}/${id}/cancel`)).status !== 200) throw tooLate()
    },
    expire: async (id: string) => {
      const of = [readId('transaction', id)]
      await ask(`update controlled_payouts set approval_expires_at = '2026-01-01' where transaction_id = $1`, of)
      await expireApprovals(ctx)
      const [row] = await ask(`select decision from controlled_payouts where transaction_id = $1`, of)
      if (row?.['decision'] !== 'expired') throw tooLate()
    },
  }
}

test('of approvals, rejections, a cancellation and the expiry at once, exactly one takes effect', async (t) => {
  const { malipo, merchant } = await withRule(t)
  const [one, two] = [enders(malipo, merchant), enders(await payingMalipo(t), merchant)]
  const races: Record<string, (id: string) => Promise<unknown>[]> = {
    'two approvers': (id) => [one.approve(id), two.approve(id, another), one.approve(id)],
    'approve and reject': (id) => [one.approve(id), two.reject(id)],
    'approve and expiry': (id) => [one.expire(id), two.approve(id)],
    'reject and cancel': (id) => [one.cancel(id), two.reject(id)],
    'all that decide': (id) => [one.expire(id), two.reject(id), two.approve(id), one.approve(id, another)],
  }

  for (const [name, race] of Object.entries(races)) {
    for (let time = 0; time < 5; time += 1) {
      const id = await pay(merchant, 600)

      const outcomes = await Promise.allSettled(race(id))

      const losers = outcomes.flatMap((outcome) => (outcome.status === 'rejected' ? [outcome.reason.key] : []))
      assert.equal(losers.length, outcomes.length - 1, name)
      assert.deepEqual(new Set(losers), new Set(['PAYOUT_NOT_AWAITING_APPROVAL']), name)
      const [events] = await malipo.ask(`select count(*)::int as count from events where transaction_id = $1`, [
        readId('transaction', id),
      ])
      assert.deepEqual(events, { count: 2 }, name)
    }
  }
  await malipo.operator.ledger.check({ isFull: true })
})

test('a payout approved and cancelled at once is sent or cancelled, and never both', async (t) => {
  const { malipo, merchant } = await withRule(t)
  const [one, two] = [enders(malipo, merchant), enders(await payingMalipo(t), merchant)]
  malipo.work()

  for (let time = 0; time < 10; time += 1) {
    const id = await pay(merchant, 600)
    const [cancelled, approved] = await Promise.allSettled([one.cancel(id), two.approve(id)])

    assert.ok([cancelled, approved].some(({ status }) => status === 'fulfilled'))
    await malipo.comesTo(id, cancelled.status === 'fulfilled' ? 'failed' : 'successful')
    assert.equal((await movements(malipo, id)).length, cancelled.status === 'fulfilled' ? 0 : 1)
  }
  assert.equal(await heldOf(malipo, merchant), 0n)
  await malipo.operator.ledger.check({ isFull: true })
})

test('a payout that no person approves in 72 hours is rejected, and its money is back', async (t) => {
  const { malipo, merchant } = await withRule(t)
  const id = await pay(merchant, 600)

  await malipo.later(72 * 3600 - 60)
  await expireApprovals(malipo.ctx)
  assert.equal(await malipo.stateOf(id), 'unapproved')
  await malipo.later(61)
  assert.ok((await expireApprovals(malipo.ctx)) > 0)
  assert.equal(await expireApprovals(malipo.ctx), 0)

  const expired = await read(merchant, id)
  assert.partialDeepStrictEqual(expired, { status: 'FAILED', failureReason: { failureCode: 'APPROVAL_EXPIRED' } })
  assert.match(expired.explanation.sentence, /rejected because no person approved it within 72 hours/)
  assert.equal(await heldOf(malipo, merchant), 0n)
})

test('neither timers, sweepers, hints, retries nor a resumed provider send an unapproved payout', async (t) => {
  const { malipo, merchant, owner } = await withRule(t)
  const { ctx, operator } = malipo
  malipo.work()
  const id = await pay(merchant, 600)
  const key = readId('transaction', id) ?? ''
  const timers = await malipo.ask('select from timers where transaction_id = $1', [key])

  await ctx.resolver.submit({
    transaction_id: key,
    attempt: undefined,
    cause: 'callback',
    observation: { kind: 'hint' },
  })
  await assert.rejects(operator.payments.retry(id, 'try it'), /waits for approval by a person of the merchant/)
  const evidence = { evidence: 'statement 3', reason: 'paid' }
  await assert.rejects(operator.payments.resolve(id, { outcome: 'successful', ...evidence }), /was not sent/)
  await operator.merchants.freeze(merchant.id, 'a test')
  await operator.merchants.unfreeze(merchant.id, 'a test')
  await operator.providers.pause('pawapay', { env: 'sandbox', reason: 'a test' })
  await operator.providers.resume('pawapay', { env: 'sandbox', reason: 'a test' })
  await operator.payoutControls.setApprovals(merchant.id, { ...rules, above: 'none', currency: 'KES' })
  await malipo.later(3600)
  assert.ok(!(await sweptBy(malipo)).includes(key))
  const control = await pay(merchant, 600)
  await malipo.comesTo(control, 'successful')

  assert.equal(timers.length, 0)
  assert.deepEqual(await attemptsOf(malipo, id), [{ sends: 0, polls: 0 }])
  assert.equal((await movements(malipo, id)).length, 0)
  assert.equal(await stageOf(merchant, id), 'AWAITING_APPROVAL', 'a rule that ended still binds what waits')
  const listed = (await operator.payments.list({ isDoubtOnly: false, limit: 50 })).payments.find(
    (each) => each.id === id,
  )
  assert.equal(listed?.reason, 'waits for approval by a person of the merchant')
  assert.match((await operator.payments.show(id)).next.what, /approves or rejects it/)

  await operator.payments.resolve(id, { outcome: 'failed', ...evidence })
  assert.equal(await heldOf(malipo, merchant), 0n)
  await assert.rejects(approvePayout(ctx, owner, decided(id)), { key: 'PAYOUT_NOT_AWAITING_APPROVAL' })
})

test('a payout approved while its merchant is frozen is held, and is sent once unfrozen', async (t) => {
  const { malipo, merchant, owner } = await withRule(t)
  malipo.work()
  const id = await pay(merchant, 600)
  await malipo.operator.merchants.freeze(merchant.id, 'a test')

  await approvePayout(malipo.ctx, owner, decided(id))
  await malipo.later(120)
  const control = await malipo.merchant()
  await malipo.comesTo(await pay(control, 20), 'successful')

  assert.ok(!(await sweptBy(malipo)).includes(readId('transaction', id) ?? ''))
  assert.deepEqual(await attemptsOf(malipo, id), [{ sends: 0, polls: 0 }])
  await malipo.operator.merchants.unfreeze(merchant.id, 'a test')
  await malipo.comesTo(id, 'successful')
})

test('a success that a provider reports for an unapproved payout is booked with an alert; nothing else is', async (t) => {
  const { malipo, merchant } = await withRule(t)
  const id = await pay(merchant, 600)
  const key = readId('transaction', id) ?? ''
  const report = (providerStatus: object) =>
    malipo.ctx.resolver.submit({
      transaction_id: key,
      attempt: 1,
      cause: 'callback',
      observation: { kind: 'reported', providerStatus } as never,
    })

  await report({ state: 'submitted' })
  await report({ state: 'failed', failure: { code: 'UNSPECIFIED_FAILURE', message: 'x' }, isOurShortfall: true })
  assert.equal(await malipo.stateOf(id), 'unapproved')
  await report({ state: 'successful', settled: { amount: 60_000n, currency: 'KES' } })

  assert.equal(await malipo.stateOf(id), 'successful')
  assert.ok(malipo.log.some((line) => line.includes('provider reports a payout that was not approved')))
  assert.equal(await expireApprovals(malipo.ctx), 0)
  await malipo.operator.ledger.check({ isFull: true })
})

test('every payout of a bulk request waits for approval, and a single one does not', async (t) => {
  const { merchant } = await withRule(t, { bulk: true })

  const bulk = await merchant.call('POST', '/api/b2b/fiat/payouts/bulk', { payouts: [payoutBody(20), payoutBody(30)] })
  const single = await pay(merchant, 20)

  for (const { transactionId } of bulk.body['data'] as { transactionId: string }[])
    assert.equal(await stageOf(merchant, transactionId), 'AWAITING_APPROVAL')
  assert.equal(await stageOf(merchant, single), 'PROCESSING')
})

test('a beneficiary is new until 24 hours after it was saved or first paid with approval', async (t) => {
  const { malipo, merchant, owner } = await withRule(t, { newBeneficiaries: true })
  const saved = { country: 'KE', currency: 'KES', destination: 'MoMo' }
  const account = (accountNumber: string) => ({ ...saved, payoutMethod: { accountName: 'Amina', accountNumber } })
  const made = await merchant.call('POST', '/api/b2b/external-accounts', account('+254703456780'))
  const accountId = (made.body['data'] as { id: string }).id
  const isHeld = async (accountNumber: string) =>
    (await stageOf(merchant, await pay(merchant, 20, to(accountNumber)))) === 'AWAITING_APPROVAL'

  const first = await pay(merchant, 20)
  assert.equal(await stageOf(merchant, first), 'AWAITING_APPROVAL')
  assert.ok(await isHeld('+254703456780'), 'saved just now')
  await malipo.later(25 * 3600)
  assert.ok(await isHeld('+254703456789'), 'an unapproved payout makes no beneficiary known')
  assert.ok(!(await isHeld('+254703456780')), 'saved a day ago')

  await approvePayout(malipo.ctx, owner, decided(first))
  assert.ok(await isHeld('+254703456789'), 'first paid just now')
  await malipo.later(25 * 3600)
  assert.ok(!(await isHeld('+254703456789')), 'first paid a day ago')

  const changed = await merchant.call('PUT', `/api/b2b/external-accounts/${accountId}`, account('+254703456781'))
  assert.equal(changed.status, 200, JSON.stringify(changed.body))
  assert.ok(await isHeld('+254703456781'), 'an old external account with another number is new')
  assert.ok(await isHeld('+254703456780'), 'and its earlier number is not saved any more')
  const stranger = await malipo.merchant()
  assert.equal(await stageOf(stranger, await pay(stranger, 20, to('+254703456799'))), 'PROCESSING')
})

test('a merchant cancels a payout that waits for approval, and the clock of the sandbox ends one', async (t) => {
  const { malipo, merchant } = await withRule(t)
  const [cancelled, ended] = [await pay(merchant, 600), await pay(merchant, 700)]

  assert.equal((await merchant.call('POST', `${path}/${cancelled}/cancel`)).status, 200)
  const moved = await merchant.call('POST', '/api/sandbox/b2b/utilities/clock/advance', { seconds: 72 * 3600 })
  assert.equal(moved.status, 200, JSON.stringify(moved.body))
  assert.equal(await expireApprovals(malipo.ctx), 1)

  assert.partialDeepStrictEqual(await read(merchant, cancelled), {
    failureReason: { failureCode: 'MANUALLY_CANCELLED' },
  })
  assert.partialDeepStrictEqual(await read(merchant, ended), { failureReason: { failureCode: 'APPROVAL_EXPIRED' } })
  assert.equal(await heldOf(malipo, merchant), 0n)
})
