import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { until } from '../dev-stack/until.ts'
import { readId } from '../platform/ids.ts'
import type { Malipo } from '../testing/malipo.ts'
import { member, pathIn } from '../testing/members.ts'
import { openTransaction } from '../testing/open-transaction.ts'
import { payingMalipo, payOut } from '../testing/paying.ts'
import type { TestPerson } from '../testing/people.ts'

const rules = { env: 'sandbox', reason: 'contract 17' } as const
const reason = 'invoice 12'

let references = 0
function payout(over: object = {}) {
  references += 1
  return {
    ...{ amount: 600, currency: 'KES', country: 'KE', destination: 'MoMo' },
    payoutMethod: { accountName: 'Amina', accountNumber: '+254703456789' },
    externalReference: `person-${references}`,
    ...over,
  }
}

const abroad = {
  ...{ amount: 5000, currency: 'UGX', country: 'UG' },
  payoutMethod: { accountName: 'Amina', accountNumber: '+256772123456', code: 'MTN_UG' },
}

/** A merchant whose payouts above 500 KES need approval. */
async function setUp(t: TestContext) {
  const malipo = await payingMalipo(t)
  const merchant = await malipo.merchant()
  await malipo.operator.payoutControls.setApprovals(merchant.id, { ...rules, above: '500', currency: 'KES' })
  const at = (path: string) => pathIn(merchant.id, 'sandbox', path)
  const person = (...[roles, options]: [Parameters<typeof member>[2], Parameters<typeof member>[3]?]) =>
    member(malipo, merchant.id, roles, options)
  const pay = async (by: TestPerson, over: object = {}) => {
    const { status, body } = await by.call('POST', at('/fiat/payout'), payout(over))
    assert.equal(status, 200, JSON.stringify(body))
    return String(body['transactionId'])
  }
  const decide = (by: TestPerson, verb: 'approve' | 'reject', id: string) =>
    by.call('POST', at(`/approvals/${id}/${verb}`), { reason })
  return { malipo, merchant, at, person, pay, decide }
}

const made = async ({ ask }: Malipo, id: string) =>
  (await ask('select made_by from controlled_payouts where transaction_id = $1', [readId('transaction', id)]))[0]

const trailOf = ({ ask }: Malipo, subject: string) =>
  ask(
    `select actor_kind, actor, action, role, strength, address, request_id is not null as has_request
     from audit_entries where subject = $1 and result = 'done' order by id`,
    [subject],
  )

const by = ({ id }: TestPerson, action: string, role: string) => ({
  ...{ actor_kind: 'person', actor: id, action, role },
  ...{ strength: 'passkey', address: '127.0.0.1', has_request: true },
})

test('a payout by a person names its maker, and each step is in the audit trail with its origin', async (t) => {
  const { malipo, at, person, pay, decide } = await setUp(t)
  const [maker, approver] = [await person(['finance']), await person(['approver'])]
  malipo.work()

  const [approved, cancelled] = [await pay(maker), await pay(maker)]
  const waiting = await approver.call('GET', at('/approvals'))
  assert.equal((await decide(approver, 'approve', approved)).status, 200)
  assert.equal((await maker.call('POST', at(`/fiat/payout/${cancelled}/cancel`))).status, 200)
  await malipo.comesTo(approved, 'successful')

  assert.deepEqual(await made(malipo, approved), { made_by: maker.id })
  const listed = waiting.body['data'] as Record<string, unknown>[]
  assert.deepEqual(
    listed.map((each) => [each['transactionId'], each['madeBy'], each['reasons']]),
    [approved, cancelled].map((id) => [id, maker.id, ['above_amount']]),
  )
  assert.deepEqual((await approver.call('GET', at('/approvals'))).body['data'], [])
  assert.deepEqual(await trailOf(malipo, approved), [
    by(maker, 'payout.create', 'finance'),
    by(approver, 'payout.approve', 'approver'),
  ])
  assert.deepEqual(await trailOf(malipo, cancelled), [
    by(maker, 'payout.create', 'finance'),
    by(maker, 'payout.cancel', 'finance'),
  ])
  await malipo.operator.ledger.check({ isFull: true })
})

test('what else a person changes for the merchant is in the audit trail under that person', async (t) => {
  const { malipo, at, person, pay } = await setUp(t)
  const owner = await person(['owner'])
  const { amount: _, externalReference: __, ...account } = payout()
  await owner.call('PUT', at('/webhook-url'), { url: 'https://shop.example/hook' })
  await pay(owner, { amount: 20 })
  const [webhook] = (await owner.call('GET', at('/webhooks'))).body['data'] as { id: string }[]
  const made = await owner.call('POST', at('/external-accounts'), account)
  const accountAt = at('/external-accounts/') + (made.body['data'] as { id: string }).id

  const statuses = [
    (await owner.call('POST', at(`/webhooks/${webhook?.id}/resend`))).status,
    (await owner.call('PUT', accountAt, account)).status,
    (await owner.call('DELETE', accountAt)).status,
    (await owner.call('POST', at('/users/webhook-secret/rotate'))).status,
  ]

  assert.deepEqual(statuses, [200, 200, 200, 200])
  const trail = await malipo.ask<{ action: string }>(
    `select action from audit_entries where actor = $1 and role = 'owner' and env = 'sandbox' order by id`,
    [owner.id],
  )
  assert.deepEqual(
    trail.map(({ action }) => action),
    [
      'profile.update',
      'payout.create',
      'external-account.create',
      'webhook.resend',
      'external-account.replace',
      'external-account.delete',
      'webhook-secret.rotate',
    ],
  )
})

test("a key pair's payouts are as before: its credential made them, and no person is recorded", async (t) => {
  const { malipo, merchant } = await setUp(t)

  const { id } = await payOut(merchant, { amount: 600 })

  assert.match(String((await made(malipo, id))?.['made_by']), /^cred_/)
  assert.deepEqual(await trailOf(malipo, id), [])
})

test('the maker of a payout cannot approve it, nor a second identity with the same passkey', async (t) => {
  const { malipo, person, pay, decide } = await setUp(t)
  const [maker, second] = [await person(['owner']), await person(['approver'])]
  for (const [index, { person_id }] of [maker, second].entries())
    await malipo.ask(
      `insert into passkeys (credential_id, person_id, public_key, counter, name) values ($1, $2, '\\xa1b3', 0, 'key')`,
      [`copy${index}-${person_id}`, person_id],
    )
  const id = await pay(maker)

  for (const approver of [maker, second]) {
    const { status, body } = await decide(approver, 'approve', id)
    assert.deepEqual([status, body['errorCode']], [403, 'APPROVAL_NOT_ALLOWED'])
  }
  assert.equal(await malipo.stateOf(id), 'unapproved')
  assert.equal((await decide(second, 'reject', id)).status, 200)
})

test('a person cannot approve what the API key that this person received has paid out', async (t) => {
  const { malipo, at, person, decide } = await setUp(t)
  const [holder, other] = [await person(['owner']), await person(['approver'])]
  const { body } = await holder.call('POST', at('/keys'), { scopes: ['payouts:write'] })
  const server = await malipo.as(body['data'] as { publicKey: string; apiKey: string })
  const { id } = await payOut(server, { amount: 600 })

  const refused = await decide(holder, 'approve', id)

  assert.deepEqual([refused.status, refused.body['errorCode']], [403, 'APPROVAL_NOT_ALLOWED'])
  assert.equal((await decide(other, 'approve', id)).status, 200)
})

test('of many approvers at once one approves, and the payout is approved once', async (t) => {
  const { malipo, person, pay, decide } = await setUp(t)
  const maker = await person(['finance'])
  const approvers = await Promise.all(Array.from({ length: 6 }, () => person(['approver'])))
  const id = await pay(maker)

  const decided = await Promise.all(approvers.map((approver) => decide(approver, 'approve', id)))

  const codes = decided.map(({ status, body }) => body['errorCode'] ?? status)
  assert.deepEqual(
    [
      codes.filter((code) => code === 200).length,
      codes.filter((code) => code === 'PAYOUT_NOT_AWAITING_APPROVAL').length,
    ],
    [1, 5],
  )
  assert.equal((await trailOf(malipo, id)).length, 2)
})

test('an approver whose role ends while the request is on its way approves nothing', async (t) => {
  const { malipo, person, pay, decide } = await setUp(t)
  const [maker, approver] = [await person(['finance']), await person(['approver'])]
  const [id, other] = [await pay(maker), await pay(maker)]
  const release = await openTransaction(
    t,
    `select from transactions where id = '${readId('transaction', id)}' for update`,
  )
  const decided = decide(approver, 'approve', id)
  await until('the approval waits for the payout', async () => {
    const waiting = await malipo.ask(
      `select from pg_stat_activity where wait_event_type = 'Lock' and query like '%transactions%'`,
    )
    return waiting.length > 0
  })
  await malipo.ask(`update memberships set ended_at = now(), ended_by = 'test' where person_id = $1`, [
    approver.person_id,
  ])
  await release()

  const { status, body } = await decided

  assert.deepEqual([status, body['errorCode']], [403, 'PERMISSION_DENIED'])
  assert.deepEqual([await malipo.stateOf(id), await malipo.stateOf(other)], ['unapproved', 'unapproved'])
})

test('a person whose role is limited to KES pays, stores, approves and cancels only in KES', async (t) => {
  const { malipo, merchant, at, person, pay, decide } = await setUp(t)
  await malipo.operator.payoutControls.setApprovals(merchant.id, { ...rules, bulk: true })
  const [limited, free] = [await person(['approver'], { currencies: ['KES'] }), await person(['approver'])]
  const { amount: _, externalReference: __, ...account } = payout(abroad)
  const isDenied = async (...request: [string, string, unknown?]) => {
    const { body } = await limited.call(...request)
    assert.equal(body['errorCode'], 'PERMISSION_DENIED', `${request[0]} ${request[1]} ${JSON.stringify(body)}`)
  }

  await pay(limited, { amount: 20 })
  await isDenied('POST', at('/fiat/payout'), payout(abroad))
  await isDenied('POST', at('/fiat/payout'), payout({ debitCurrency: 'USD', debitCountry: 'UG' }))
  await isDenied('POST', at('/external-accounts'), account)
  const bulk = await limited.call('POST', at('/fiat/payouts/bulk'), {
    payouts: [payout({ amount: 20 }), payout(abroad)],
  })
  const [inKes, inUgx] = bulk.body['data'] as { success: boolean; errorCode?: string }[]
  assert.deepEqual([inKes?.success, inUgx?.errorCode], [true, 'PERMISSION_DENIED'])

  const stored = await free.call('POST', at('/external-accounts'), account)
  assert.equal(stored.status, 200, JSON.stringify(stored.body))
  const storedAt = at('/external-accounts/') + (stored.body['data'] as { id: string }).id
  await isDenied('DELETE', storedAt)
  const { payoutMethod } = payout()
  await isDenied('PUT', storedAt, { country: 'KE', currency: 'KES', destination: 'MoMo', payoutMethod })

  const id = await pay(free)
  await malipo.ask(`update transactions set currency = 'UGX', country = 'UG' where id = $1`, [
    readId('transaction', id),
  ])
  assert.equal((await decide(limited, 'approve', id)).body['errorCode'], 'PERMISSION_DENIED')
  await isDenied('POST', at(`/fiat/payout/${id}/cancel`))
  const refused = await malipo.ask(
    `select from audit_entries where actor = $1 and result = 'refused' and merchant_id = $2 and role = 'approver'`,
    [limited.id, readId('merchant', merchant.id)],
  )
  assert.equal(refused.length, 7, 'each refused request is in the audit trail')
})

test("one key is two requests when two people send it, or a person and the merchant's server", async (t) => {
  const { malipo, merchant, at, person } = await setUp(t)
  const [one, two] = [await person(['finance']), await person(['finance'])]
  const body = payout()
  const other = payout()
  const key = { 'idempotency-key': 'order-1' }
  const send = (headers: Readonly<Record<string, string>>, path: string, sent: object) =>
    malipo.call('POST', path, { ...headers, ...key }, sent)

  const first = await send(one.headers, at('/fiat/payout'), body)
  const again = await send(one.headers, at('/fiat/payout'), body)
  const byOther = await send(two.headers, at('/fiat/payout'), other)
  const byServer = await send({ authorization: `Bearer ${await merchant.token()}` }, '/api/b2b/fiat/payout', payout())
  const changed = await send(one.headers, at('/fiat/payout'), other)

  assert.deepEqual([first.status, byOther.status, byServer.status], [200, 200, 200])
  assert.deepEqual([again.body, again.headers.get('idempotency-replayed')], [first.body, 'true'])
  assert.equal(byOther.headers.get('idempotency-replayed'), null)
  assert.equal(changed.body['errorCode'], 'IDEMPOTENCY_KEY_REUSED')
})

test("a person's payouts count together for the limit per credential and day", async (t) => {
  const { malipo, merchant, at, person, pay } = await setUp(t)
  await malipo.operator.payoutControls.setLimits(merchant.id, { ...rules, currency: 'KES', perCredentialDay: '100' })
  const [one, two] = [await person(['finance']), await person(['finance'])]
  await pay(one, { amount: 90 })

  const over = await one.call('POST', at('/fiat/payout'), payout({ amount: 20 }))

  assert.equal(over.body['errorCode'], 'PAYOUT_LIMIT_EXCEEDED')
  await pay(two, { amount: 20 })
})

test('payouts of people of a frozen merchant are accepted, held, and sent once it is unfrozen', async (t) => {
  const { malipo, merchant, person, pay } = await setUp(t)
  const maker = await person(['finance'])
  malipo.work()
  await malipo.operator.merchants.freeze(merchant.id, 'a test')
  const id = await pay(maker, { amount: 20 })
  const control = await malipo.merchant()
  await malipo.comesTo((await payOut(control)).id, 'successful')
  assert.equal(await malipo.stateOf(id), 'accepted')

  await malipo.operator.merchants.unfreeze(merchant.id, 'a test')
  await malipo.comesTo(id, 'successful')
})

test('people without the permission see masked numbers on every route, and the others full ones', async (t) => {
  const { merchant, at, person, pay } = await setUp(t)
  const [support, viewer, owner] = [await person(['support']), await person(['viewer']), await person(['owner'])]
  const accountNumber = '+254703456789'
  const id = await pay(owner)
  const { amount: _, externalReference: __, ...account } = payout()
  const made = await owner.call('POST', at('/external-accounts'), account)
  const accountId = (made.body['data'] as { id: string }).id
  await merchant.call('PUT', '/api/b2b/users', { sandboxWebhookUrl: 'https://shop.example/hook' })
  const number = accountNumber.slice(1)
  const routes = [
    '/transactions',
    `/transactions/${id}`,
    '/external-accounts',
    `/external-accounts/${accountId}`,
    '/approvals',
    '/webhooks',
    '/events',
    '/wallets/statement?currency=KES',
    '/users',
  ]
  const textOf = async (reader: TestPerson, path: string) => {
    const { status, body } = await reader.call('GET', at(path))
    return status === 403 ? undefined : JSON.stringify(body)
  }

  for (const path of routes) {
    assert.doesNotMatch((await textOf(support, path)) ?? '', new RegExp(number), path)
    const full = (await textOf(viewer, path)) ?? (await textOf(owner, path)) ?? ''
    assert.equal(full.includes(number), /transactions|external|approvals/.test(path), path)
    assert.ok(full.length > 20, path)
  }
  const { body } = await support.call('GET', at(`/transactions/${id}`))
  const { destination, beneficiary } = body['data'] as { destination: string; beneficiary: { accountNumber: string } }
  assert.deepEqual([destination, beneficiary.accountNumber], ['MoMo', '••••6789'])
})

test('people see who made a waiting payout, and what was decided lately, of their own merchant only', async (t) => {
  const { malipo, at, person, pay, decide } = await setUp(t)
  const [maker, approver] = [
    await person(['finance'], { name: 'Brian' }),
    await person(['approver'], { name: 'Faith' }),
  ]
  const [approved, rejected, waiting] = [await pay(maker), await pay(maker), await pay(maker)]
  await decide(approver, 'approve', approved)
  await decide(approver, 'reject', rejected)

  const listed = (await maker.call('GET', at('/approvals'))).body['data'] as Record<string, unknown>[]
  const decided = (await maker.call('GET', at('/approvals/decided'))).body['data'] as Record<string, unknown>[]
  const other = await malipo.merchant()
  const stranger = await member(malipo, other.id, ['owner'])
  const others = await stranger.call('GET', pathIn(other.id, 'sandbox', '/approvals/decided'))
  const live = await approver.call('GET', at('/approvals/decided').replace('/sandbox/', '/live/'))

  assert.deepEqual(
    listed.map((each) => [each['transactionId'], each['madeByName']]),
    [[waiting, 'Brian']],
  )
  assert.deepEqual(
    decided.map((each) => [each['transactionId'], each['decision'], each['madeByName'], each['decidedByName']]),
    [
      [rejected, 'rejected', 'Brian', 'Faith'],
      [approved, 'approved', 'Brian', 'Faith'],
    ],
  )
  assert.deepEqual([others.body['data'], live.body['data']], [[], []])
})

test("scenarios and the clock are tools of the sandbox, for the merchant's developers", async (t) => {
  const { at, person } = await setUp(t)
  const [developer, finance] = [await person(['developer']), await person(['finance'])]
  const clock = { seconds: 60 }
  const live = at('/utilities/clock/advance').replace('/sandbox/', '/live/')

  const armed = await developer.call('PUT', at('/utilities/scenarios/order-1'), { scenario: 'expiry' })
  const listed = await developer.call('GET', at('/utilities/scenarios'))
  const advanced = await developer.call('POST', at('/utilities/clock/advance'), clock)
  const refusals = [
    await developer.call('POST', live, clock),
    await finance.call('POST', at('/utilities/clock/advance'), clock),
  ]

  assert.deepEqual([armed.status, advanced.status], [200, 200])
  assert.equal((listed.body['data'] as unknown[]).length, 1)
  assert.deepEqual(
    refusals.map(({ body }) => body['errorCode']),
    ['SANDBOX_ONLY', 'PERMISSION_DENIED'],
  )
})
