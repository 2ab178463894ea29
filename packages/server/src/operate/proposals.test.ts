import assert from 'node:assert/strict'
import { test } from 'node:test'
import { until } from '../dev-stack/until.ts'
import { readId } from '../platform/ids.ts'
import { openTransaction } from '../testing/open-transaction.ts'
import {
  decide,
  funding,
  newEvidence,
  type OperatorScene,
  operatorScene,
  proposeFunding,
} from '../testing/operator-scene.ts'
import { type TestPerson, testPerson } from '../testing/people.ts'

const stateOf = async ({ malipo }: OperatorScene, proposalId: string) => {
  const [row] = await malipo.ask<{ state: string }>('select state from proposals where id = $1', [
    readId('proposal', proposalId),
  ])
  return row?.state
}

test('one person cannot create live money: funding becomes a proposal that shows its postings', async (t) => {
  const scene = await operatorScene(t)
  const maker = await scene.person('finance')

  const { postings, state } = await proposeFunding(maker, scene.merchant)

  assert.equal(state, 'open')
  const expected = {
    debit: 'treasury KES',
    credit: `wallet KES KE of Duka (${scene.merchant})`,
    amount: '1000000.00',
    currency: 'KES',
  }
  assert.deepEqual(postings, [{ event: 'wallet_funded', kind: 'transfer', ...expected }])
  assert.equal(await scene.balance(), 0n)
})

test('another person executes the proposal, once, in one transaction with its audit entry', async (t) => {
  const scene = await operatorScene(t)
  const [maker, checker] = [await scene.person('finance', 'Amina'), await scene.person('finance', 'Brian')]
  const { proposalId } = await proposeFunding(maker, scene.merchant)

  const { status, body } = await decide(checker, proposalId, 'approve')

  assert.equal(status, 200, JSON.stringify(body))
  const data = body['data'] as Record<string, unknown>
  assert.deepEqual([data['state'], data['proposedBy'], data['decidedBy']], ['executed', 'Amina', 'Brian'])
  assert.equal(await scene.balance(), 100_000_000n)
  const rows = await scene.malipo.ask(
    `select actor, reason, detail->>'proposal' as proposal, detail->>'proposedBy' as maker from audit_entries
     where action = 'wallet.fund' and actor_kind = 'person'`,
  )
  assert.deepEqual(rows, [{ actor: checker.id, reason: 'prefunding', proposal: proposalId, maker: maker.id }])
  assert.equal((await decide(checker, proposalId, 'approve')).status, 422)
  assert.equal(await scene.balance(), 100_000_000n)
})

test('the maker cannot approve its own proposal', async (t) => {
  const scene = await operatorScene(t)
  const maker = await scene.person('admin')
  const { proposalId } = await proposeFunding(maker, scene.merchant)

  const { status, body } = await decide(maker, proposalId, 'approve')

  assert.equal(status, 422)
  assert.match(String(body['message']), /another person must approve it/)
  assert.deepEqual([await stateOf(scene, proposalId), await scene.balance()], ['open', 0n])
})

test('two identities with one passkey are one person, who cannot approve its own proposal', async (t) => {
  const scene = await operatorScene(t)
  const [maker, second] = [await scene.person('finance'), await scene.person('finance')]
  for (const [index, { person_id }] of [maker, second].entries())
    await scene.malipo.ask(
      `insert into passkeys (credential_id, person_id, public_key, counter, name) values ($1, $2, '\\xa1b2', 0, 'key')`,
      [`copy${index}-${person_id}`, person_id],
    )
  const { proposalId } = await proposeFunding(maker, scene.merchant)

  const { status, body } = await decide(second, proposalId, 'approve')

  assert.equal(status, 422)
  assert.match(String(body['message']), /the same passkey/)
  assert.deepEqual([await stateOf(scene, proposalId), await scene.balance()], ['open', 0n])
})

test('of many approvers at once one executes the proposal', async (t) => {
  const scene = await operatorScene(t)
  const maker = await scene.person('finance')
  const checkers = await Promise.all(Array.from({ length: 6 }, () => scene.person('finance')))
  const { proposalId } = await proposeFunding(maker, scene.merchant)

  const decided = await Promise.all(checkers.map((checker) => decide(checker, proposalId, 'approve')))

  assert.deepEqual(decided.map(({ status }) => status).sort(), [200, 422, 422, 422, 422, 422])
  assert.equal(await scene.balance(), 100_000_000n)
})

test('a person without the permission approves nothing', async (t) => {
  const scene = await operatorScene(t)
  const { proposalId } = await proposeFunding(await scene.person('finance'), scene.merchant)

  for (const role of ['support', 'operations', 'auditor'] as const)
    assert.equal((await decide(await scene.person(role), proposalId, 'approve')).status, 422, role)

  assert.deepEqual([await stateOf(scene, proposalId), await scene.balance()], ['open', 0n])
})

test('an approver whose role ends while the request is on its way approves nothing', async (t) => {
  const scene = await operatorScene(t)
  const [maker, checker] = [await scene.person('finance'), await scene.person('finance')]
  const { proposalId } = await proposeFunding(maker, scene.merchant)
  const id = readId('proposal', proposalId)
  const release = await openTransaction(t, `select from proposals where id = '${id}' for update`)
  const decided = decide(checker, proposalId, 'approve')
  await until('the approval waits for the proposal', async () => {
    const waiting = await scene.malipo.ask(
      `select from pg_stat_activity where wait_event_type = 'Lock' and query like '%from proposals%'`,
    )
    return waiting.length > 0
  })
  await scene.malipo.ask(`update memberships set ended_at = now(), ended_by = 'test' where person_id = $1`, [
    checker.person_id,
  ])
  await release()

  const { status, body } = await decided

  assert.equal(status, 422)
  assert.match(String(body['message']), /do not have the permission money:approve/)
  assert.deepEqual([await stateOf(scene, proposalId), await scene.balance()], ['open', 0n])
})

test('a proposal whose ground has changed is void, and moves nothing', async (t) => {
  const scene = await operatorScene(t)
  const [maker, checker] = [await scene.person('finance'), await scene.person('finance')]
  const [first, second] = [
    await proposeFunding(maker, scene.merchant, 'statement A'),
    await proposeFunding(maker, scene.merchant, 'statement A'),
  ]
  assert.equal((await decide(checker, first.proposalId, 'approve')).status, 200)

  const { status, body } = await decide(checker, second.proposalId, 'approve')

  assert.equal(status, 422)
  assert.match(String(body['message']), /is void: "statement A" is the evidence of txn_/)
  assert.deepEqual([await stateOf(scene, second.proposalId), await scene.balance()], ['void', 100_000_000n])
})

test('a fee proposal is void once other fees were set', async (t) => {
  const scene = await operatorScene(t)
  const [maker, checker] = [await scene.person('finance'), await scene.person('finance')]
  const order = { env: 'live', basisPoints: 150, reason: 'new prices' }
  const { status, body } = await maker.call('POST', '/operator/v1/fees', order)
  assert.equal(status, 202, JSON.stringify(body))
  const { proposalId } = body['data'] as { proposalId: string }
  await scene.malipo.operator.fees.set({ env: 'live', basisPoints: 10, reason: 'meanwhile' })

  const decided = await decide(checker, proposalId, 'approve')

  assert.match(String(decided.body['message']), /is void: the state it rests on has changed/)
  assert.equal(await stateOf(scene, proposalId), 'void')
})

test('a proposal ends after 72 hours, when it is rejected, and when its maker withdraws it', async (t) => {
  const scene = await operatorScene(t)
  const [maker, checker] = [await scene.person('finance'), await scene.person('finance')]
  const [old, rejected, withdrawn] = [
    await proposeFunding(maker, scene.merchant),
    await proposeFunding(maker, scene.merchant),
    await proposeFunding(maker, scene.merchant),
  ]
  await scene.malipo.ask(`update proposals set expires_at = record_time() where id = $1`, [
    readId('proposal', old.proposalId),
  ])

  assert.equal((await decide(checker, withdrawn.proposalId, 'withdraw')).status, 422)
  assert.equal((await decide(maker, rejected.proposalId, 'reject')).status, 422)
  assert.equal((await decide(checker, rejected.proposalId, 'reject')).status, 200)
  assert.equal((await decide(maker, withdrawn.proposalId, 'withdraw')).status, 200)

  for (const { proposalId } of [old, rejected, withdrawn])
    assert.equal((await decide(checker, proposalId, 'approve')).status, 422)
  assert.equal(await scene.balance(), 0n)
})

test('below the threshold of its currency one person may move live money, and not at it', async (t) => {
  const scene = await operatorScene(t)
  const maker = await scene.person('finance')
  await scene.malipo.operator.thresholds.set({ currency: 'KES', amount: '500.00', reason: 'small corrections' })
  t.after(() => scene.malipo.ask(`update approval_thresholds set amount = 0`))
  const path = `/operator/v1/merchants/${scene.merchant}/wallets/fund`
  const fund = (amount: string, evidence: string) =>
    maker.call('POST', path, { ...funding, amount, evidence: `${evidence} ${newEvidence()}` })

  assert.equal((await fund('499.99', 'below')).status, 200)
  assert.equal((await fund('500', 'at')).status, 202)
  assert.equal(await scene.balance(), 49_999n)
})

test('sandbox money needs one person only', async (t) => {
  const scene = await operatorScene(t)
  const maker = await scene.person('finance')
  const path = `/operator/v1/merchants/${scene.merchant}/wallets/fund`

  const { status } = await maker.call('POST', path, { ...funding, env: 'sandbox', evidence: newEvidence() })

  assert.equal(status, 200)
})

test('a key pair that can move money is approved by another person, and only its maker gets the key', async (t) => {
  const scene = await operatorScene(t)
  const [maker, checker] = [await scene.person('admin'), await scene.person('risk')]
  const order = { env: 'live', reason: 'go-live of Duka' }
  const made = await maker.call('POST', `/operator/v1/merchants/${scene.merchant}/keys`, order)
  const { proposalId } = made.body['data'] as { proposalId: string }
  const approved = await decide(checker, proposalId, 'approve')
  assert.equal(approved.status, 200, JSON.stringify(approved.body))
  assert.doesNotMatch(JSON.stringify(approved.body), /sk_live_/)
  const collect = (person: TestPerson) => person.call('POST', `/operator/v1/proposals/${proposalId}/collect`, {})

  assert.notEqual((await collect(await scene.person('admin'))).status, 200)
  const { status, body } = await collect(maker)
  assert.equal(status, 200, JSON.stringify(body))
  const pair = body['data'] as { publicKey: string; apiKey: string }
  assert.match(pair.apiKey, /^sk_live_/)
  assert.equal((await collect(maker)).status, 422)
  assert.match(await (await scene.malipo.as(pair)).token(), /^ey/)
})

test('a live key pair needs two people whatever its scopes, a sandbox pair one', async (t) => {
  const scene = await operatorScene(t)
  const maker = await scene.person('admin')
  const create = (order: object) => maker.call('POST', `/operator/v1/merchants/${scene.merchant}/keys`, order)

  const live = await create({ env: 'live', scopes: ['transactions:read'], reason: 'reports' })
  const sandbox = await create({ env: 'sandbox' })

  assert.deepEqual([live.status, sandbox.status], [202, 200])
})

test('money and keys need presence proved within 5 minutes', async (t) => {
  const scene = await operatorScene(t)
  const maker = await testPerson(scene.malipo, { operator: ['admin'], isProved: false })
  const path = `/operator/v1/merchants/${scene.merchant}/wallets/fund`

  const { status, body } = await maker.call('POST', path, { ...funding, evidence: 'line 1' })

  assert.deepEqual([status, body['errorCode']], [403, 'STEP_UP_REQUIRED'])
})

test('a new member of staff is approved by another person, and only the inviter gets the link', async (t) => {
  const scene = await operatorScene(t)
  const [maker, checker] = [await scene.person('admin'), await scene.person('admin')]
  const order = { email: `new-${Date.now()}@example.com`, name: 'New Person', role: 'admin', reason: 'joins finance' }
  const made = await maker.call('POST', '/operator/v1/people/invite', order)
  assert.equal(made.status, 202, JSON.stringify(made.body))
  const { proposalId } = made.body['data'] as { proposalId: string }

  const approved = await decide(checker, proposalId, 'approve')

  assert.equal(approved.status, 200, JSON.stringify(approved.body))
  const { body } = await maker.call('POST', `/operator/v1/proposals/${proposalId}/collect`, {})
  assert.match((body['data'] as { link: string }).link, /^http/)
  const [row] = await scene.malipo.ask<{ invited_by: string }>('select invited_by from invitations where email = $1', [
    order.email,
  ])
  assert.equal(row?.invited_by, checker.id)
})

test('a role limited to a country and a currency moves and approves money only there', async (t) => {
  const scene = await operatorScene(t)
  const limited = { operator: ['finance'], countries: ['KE'], currencies: ['KES'] } as const
  const [kenyan, checker] = [await testPerson(scene.malipo, limited), await testPerson(scene.malipo, limited)]
  const path = `/operator/v1/merchants/${scene.merchant}/wallets/fund`
  const order = (over: object) => ({ ...funding, evidence: newEvidence(), ...over })

  const outside = await kenyan.call('POST', path, order({ currency: 'UGX', country: 'UG', amount: '1000' }))
  const fees = await kenyan.call('POST', '/operator/v1/fees', { env: 'live', basisPoints: 1, reason: 'cheaper' })
  const abroad = await (await scene.person('finance')).call(
    'POST',
    path,
    order({ currency: 'UGX', country: 'UG', amount: '1000' }),
  )
  const { proposalId } = abroad.body['data'] as { proposalId: string }
  const own = await proposeFunding(kenyan, scene.merchant)

  assert.deepEqual([outside.status, outside.body['errorCode']], [403, 'PERMISSION_DENIED'])
  assert.equal(fees.status, 403)
  assert.equal((await decide(checker, proposalId, 'approve')).status, 422)
  assert.equal((await decide(checker, own.proposalId, 'approve')).status, 200)
})
