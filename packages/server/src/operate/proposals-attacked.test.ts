import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { test } from 'node:test'
import { readId } from '../platform/ids.ts'
import {
  decide,
  funding,
  newEvidence,
  type OperatorScene,
  operatorScene,
  proposeFunding,
} from '../testing/operator-scene.ts'
import { payingMalipo, payoutInDoubt } from '../testing/paying.ts'
import { breakGlass, type TestPerson, testPerson } from '../testing/people.ts'
import { type OperatorContext, OutcomeUnknown } from './operator-context.ts'
import { approveProposal } from './proposals.ts'

const fundPath = ({ merchant }: OperatorScene) => `/operator/v1/merchants/${merchant}/wallets/fund`

test('a query of a change is refused, so that it cannot replace what path and body name', async (t) => {
  const scene = await operatorScene(t)
  const [maker, checker] = [await scene.person('finance'), await scene.person('finance')]
  const first = await proposeFunding(maker, scene.merchant)
  const second = await proposeFunding(maker, scene.merchant)

  const path = `/operator/v1/proposals/${first.proposalId}/approve?proposal=${second.proposalId}`
  const { status } = await checker.call('POST', path, { reason: 'checked' })
  const limited = await testPerson(scene.malipo, { operator: ['finance'], countries: ['UG'], currencies: ['UGX'] })
  const order = { ...funding, evidence: newEvidence() }
  const claimed = await limited.call('POST', `${fundPath(scene)}?country=UG&currency=UGX`, order)

  assert.equal(status, 400)
  assert.equal(claimed.status, 400)
  assert.equal(await scene.balance(), 0n)
})

test('staff of one country resolve its payments, and no payment of another country', async (t) => {
  const malipo = await payingMalipo(t)
  const merchant = await malipo.merchant()
  malipo.work()
  const { id } = await payoutInDoubt(malipo, merchant)
  await malipo.later(60) // Its send cannot be under way any more.
  const order = { outcome: 'failed', reason: 'statement', evidence: newEvidence() }
  const resolve = async (country: string, currency: string) => {
    const scope = { countries: [country], currencies: [currency] }
    const person = await testPerson(malipo, { operator: ['operations'], ...scope })
    return (await person.call('POST', `/operator/v1/payments/${id}/resolve`, order)).status
  }

  assert.equal(await resolve('UG', 'UGX'), 403)
  assert.equal(await malipo.stateOf(id), 'unknown')
  assert.equal(await resolve('KE', 'KES'), 200)
})

test('what weakens a control needs two people: unfreezing and resuming a live provider', async (t) => {
  const scene = await operatorScene(t)
  const { malipo, merchant } = scene
  const [risk, other] = [await scene.person('risk'), await scene.person('risk')]
  const operations = await scene.person('operations')
  const frozen = await risk.call('POST', `/operator/v1/merchants/${merchant}/freeze`, { reason: 'fraud' })
  assert.equal(frozen.status, 200)

  const unfreeze = await risk.call('POST', `/operator/v1/merchants/${merchant}/unfreeze`, { reason: 'cleared' })
  assert.equal(unfreeze.status, 202, JSON.stringify(unfreeze.body))
  const { proposalId } = unfreeze.body['data'] as { proposalId: string }
  await malipo.operator.merchants.unfreeze(merchant, 'by another way')
  await malipo.operator.merchants.freeze(merchant, 'fraud again')
  assert.equal((await decide(other, proposalId, 'approve')).status, 422, 'the freeze is another one')
  assert.equal((await malipo.operator.merchants.show(merchant)).state, 'frozen')

  await malipo.operator.providers.pause('pawapay', { env: 'live', reason: 'incident' })
  const resumed = await operations.call('POST', '/operator/v1/providers/pawapay/resume', {
    env: 'live',
    reason: 'over',
  })
  assert.equal(resumed.status, 202)
})

interface Invitation {
  readonly link: string
  readonly token: string
  readonly code: string
}

/** An invitation that one administrator proposed and another approved. */
async function approvedInvitation(
  scene: OperatorScene,
  maker: TestPerson,
): Promise<Invitation & { checker: TestPerson }> {
  const checker = await scene.person('admin')
  const order = { email: `${randomUUID()}@example.com`, name: 'Brian', role: 'admin', reason: 'joins' }
  const { body } = await maker.call('POST', '/operator/v1/people/invite', order)
  const { proposalId } = body['data'] as { proposalId: string }
  assert.equal((await decide(checker, proposalId, 'approve')).status, 200)
  const collect = async (person: TestPerson) =>
    (await person.call('POST', `/operator/v1/proposals/${proposalId}/collect`, {})).body['data'] as Record<
      string,
      string
    >
  const [{ link = '', ...more }, { code = '', ...others }] = [await collect(maker), await collect(checker)]
  assert.equal('code' in more, false)
  assert.deepEqual(others, {})
  return { link, token: link.split('#')[1] ?? '', code, checker }
}

const join = ({ malipo }: OperatorScene, token: string, confirmation?: string) =>
  malipo.call('POST', '/people/v1/invitations/password', {}, { token, confirmation, ...way })

/** Refused after the confirmation code, which is checked first. */
const way = { password: 'correct horse battery', ticket: 'none', code: '123456' }

test('joining needs the link of the one who proposed and the code of the one who approved', async (t) => {
  const scene = await operatorScene(t)
  const { token, code } = await approvedInvitation(scene, await scene.person('admin'))
  const errorOf = async (confirmation?: string) => (await join(scene, token, confirmation)).body['errorCode']

  assert.equal(await errorOf(), 'INVITATION_CODE_WRONG')
  assert.equal(await errorOf('BCDF-GHJK'), 'INVITATION_CODE_WRONG')
  assert.equal(
    await errorOf(code.toLowerCase().replace('-', ' ')),
    'CODE_REFUSED',
    'the way to sign in is checked next',
  )
})

test('a confirmation code is tried ten times, also at once, and then never again', async (t) => {
  const scene = await operatorScene(t)
  const { token, code } = await approvedInvitation(scene, await scene.person('admin'))

  await Promise.all(Array.from({ length: 12 }, () => join(scene, token, 'BCDF-GHJK')))

  assert.equal((await join(scene, token, code)).body['errorCode'], 'INVITATION_CODE_WRONG')
  const [row] = await scene.malipo.ask('select max(code_tries)::int as tries from invitations')
  assert.equal(row?.['tries'], 10)
})

test('the invitations that a person proposed end with the person', async (t) => {
  const scene = await operatorScene(t)
  const maker = await scene.person('admin')
  const { token, code, checker } = await approvedInvitation(scene, maker)
  await scene.person('admin')

  const ended = await checker.call('POST', `/operator/v1/people/${maker.id}/end`, { reason: 'left' })

  assert.equal(ended.status, 200, JSON.stringify(ended.body))
  assert.equal((await join(scene, token, code)).body['errorCode'], 'INVITATION_INVALID')
})

test('an administrator cannot end the last other administrator', async (t) => {
  const scene = await operatorScene(t)
  await scene.malipo.ask(`update memberships set ended_at = record_time(), ended_by = 'test' where role = 'admin'`)
  const [one, other] = [await scene.person('admin'), await scene.person('admin')]
  const end = () => one.call('POST', `/operator/v1/people/${other.id}/end`, { reason: 'alone at last' })

  assert.equal((await end()).status, 422)
  const { body } = await one.call('GET', '/operator/v1/people?limit=1000')
  const people = body['data'] as { id: string; roles: { id: string }[] }[]
  const role = people.find(({ id }) => id === other.id)?.roles[0]?.id ?? ''
  assert.equal((await one.call('POST', `/operator/v1/roles/${role}/end`, { reason: 'alone at last' })).status, 422)
  await scene.person('admin')
  assert.equal((await end()).status, 200)
})

test('the person who has the key of a machine cannot approve what the machine proposes', async (t) => {
  const scene = await operatorScene(t)
  const [owner, approver, other] = [
    await scene.person('admin'),
    await scene.person('admin'),
    await scene.person('admin'),
  ]
  const proposalId = await proposedBy(scene, await machineOf(scene, owner.call, approver))

  assert.equal((await decide(owner, proposalId, 'approve')).status, 422)
  assert.equal((await decide(approver, proposalId, 'approve')).status, 422)
  assert.equal((await decide(other, proposalId, 'approve')).status, 200)
})

test('nor the person whose machine made the machine, nor a second identity of that person', async (t) => {
  const scene = await operatorScene(t)
  const [owner, alias, other, third] = [
    await scene.person('admin'),
    await scene.person('admin'),
    await scene.person('admin'),
    await scene.person('admin'),
  ]
  for (const { person_id } of [owner, alias])
    await scene.malipo.ask(
      `insert into passkeys (credential_id, person_id, public_key, counter, name) values ($1, $2, '\\xa1b2', 0, 'key')`,
      [`copy-${person_id}`, person_id],
    )
  const first = await machineOf(scene, owner.call, other, ['people:write', 'merchants:read', 'money:move'])
  const proposalId = await proposedBy(scene, await machineOf(scene, first, third))

  assert.equal((await decide(owner, proposalId, 'approve')).status, 422)
  assert.equal((await decide(alias, proposalId, 'approve')).status, 422)
  assert.equal(await scene.balance(), 0n)
})

test('what a person and its machines move alone counts together', async (t) => {
  const scene = await operatorScene(t)
  await scene.malipo.operator.thresholds.set({ currency: 'KES', amount: '500', reason: 'small amounts' })
  t.after(() => scene.malipo.operator.thresholds.set({ currency: 'KES', amount: '0', reason: 'as before' }))
  const [owner, other] = [await scene.person('admin'), await scene.person('admin')]
  const machine = await machineOf(scene, owner.call, other)
  const fund = async (call: TestPerson['call']) =>
    (await call('POST', fundPath(scene), { ...funding, amount: '499', evidence: newEvidence() })).status

  assert.deepEqual([await fund(owner.call), await fund(machine)], [200, 202])
})

/** A machine that one caller proposed, whose key that caller has, and that a person approved. */
async function machineOf(
  { malipo: { call } }: OperatorScene,
  by: TestPerson['call'],
  approver: TestPerson,
  permissions = ['money:move', 'merchants:read'],
): Promise<TestPerson['call']> {
  const order = { name: `payer ${randomUUID()}`, permissions, reason: 'treasury' }
  const made = await by('POST', '/operator/v1/machines', order)
  const { proposalId } = made.body['data'] as { proposalId: string }
  assert.equal((await decide(approver, proposalId, 'approve')).status, 200)
  const collected = await by('POST', `/operator/v1/proposals/${proposalId}/collect`, {})
  const { publicKey, apiKey = '' } = collected.body['data'] as Record<string, string>
  const path = '/operator/v1/auth/generate-bearer-token'
  const { body } = await call('POST', path, { 'api-key': apiKey }, { publicKey })
  return (method, to, sent) => call(method, to, { authorization: `Bearer ${String(body['token'])}` }, sent)
}

async function proposedBy(scene: OperatorScene, call: TestPerson['call']): Promise<string> {
  const { status, body } = await call('POST', fundPath(scene), { ...funding, evidence: newEvidence() })
  assert.equal(status, 202, JSON.stringify(body))
  return (body['data'] as { proposalId: string }).proposalId
}

test('who has lost the right since does not collect the key of an approved proposal', async (t) => {
  const scene = await operatorScene(t)
  const [maker, checker] = [
    await testPerson(scene.malipo, { operator: ['admin', 'support'] }),
    await scene.person('admin'),
  ]
  const order = { env: 'live', scopes: ['payouts:write'], reason: 'go-live' }
  const made = await maker.call('POST', `/operator/v1/merchants/${scene.merchant}/keys`, order)
  const { proposalId } = made.body['data'] as { proposalId: string }
  await decide(checker, proposalId, 'approve')
  await scene.malipo.ask(
    `update memberships set ended_at = record_time(), ended_by = 'test' where person_id = $1 and role = 'admin'`,
    [maker.person_id],
  )

  assert.equal((await maker.call('POST', `/operator/v1/proposals/${proposalId}/collect`, {})).status, 422)
})

test('staff join by an invitation to the staff, not by one of a merchant', async (t) => {
  const scene = await operatorScene(t)
  const [maker, stranger] = [
    await scene.person('admin'),
    await testPerson(scene.malipo, { merchant: { id: scene.merchant, roles: ['owner'] } }),
  ]

  const order = { role: 'finance', reason: 'knows the books' }
  const { status } = await maker.call('POST', `/operator/v1/people/${stranger.id}/roles`, order)

  assert.equal(status, 422)
})

test('a reason has one line, so that it cannot forge what the approver reads', async (t) => {
  const scene = await operatorScene(t)
  const maker = await scene.person('finance')

  for (const reason of ['rent\nLedger entries that it makes:', 'rent \u202e 1', 'rent\u2028more']) {
    const { status } = await maker.call('POST', fundPath(scene), { ...funding, evidence: newEvidence(), reason })
    assert.equal(status, 400, reason)
  }
})

test('support searches for few numbers in an hour, and each search is in the audit trail', async (t) => {
  const scene = await operatorScene(t)
  const support = await scene.person('support')
  const search = async (query: string) =>
    (await support.call('POST', '/operator/v1/payments/find', { query, limit: 5 })).status

  const statuses: number[] = []
  for (let number = 0; number < 61; number += 1)
    statuses.push(await search(`+2547000000${String(number).padStart(2, '0')}`))

  assert.deepEqual([...new Set(statuses.slice(0, 60))], [200])
  assert.equal(statuses[60], 422)
  assert.equal(await search('order-17'), 200)
  const [row] = await scene.malipo.ask<{ count: string }>(
    `select count(*) from audit_entries where actor = $1 and action = 'personal-data.search'`,
    [support.id],
  )
  assert.equal(row?.count, '60')
})

test('a proposal whose maker has lost the right since is void', async (t) => {
  const scene = await operatorScene(t)
  const [maker, checker] = [await scene.person('finance'), await scene.person('finance')]
  const { proposalId } = await proposeFunding(maker, scene.merchant)
  await scene.malipo.ask(`update memberships set ended_at = record_time(), ended_by = 'test' where person_id = $1`, [
    maker.person_id,
  ])

  assert.equal((await decide(checker, proposalId, 'approve')).status, 422)
  assert.equal(await scene.balance(), 0n)
  const [row] = await scene.malipo.ask('select state from proposals where id = $1', [readId('proposal', proposalId)])
  assert.equal(row?.['state'], 'void')
})

test('an approval whose commit is not confirmed leaves the proposal as it is, not void', async (t) => {
  const scene = await operatorScene(t)
  const { proposalId } = await proposeFunding(await scene.person('finance'), scene.merchant)
  const { db } = scene.malipo.ctx
  const grants = [{ role: 'finance', countries: [], currencies: [] }] as const
  const principal = { ...breakGlass, kind: 'person', operatorGrants: grants } as const
  const operation = {
    permission: 'money:move',
    approve: 'money:approve',
    act: () => Promise.reject(new OutcomeUnknown('no answer')),
  } as const

  const approval = approveProposal(
    { db, principal } as unknown as OperatorContext,
    proposalId,
    () => operation,
    'checked',
  )

  await assert.rejects(approval, OutcomeUnknown)
  const [row] = await scene.malipo.ask('select state from proposals where id = $1', [readId('proposal', proposalId)])
  assert.equal(row?.['state'], 'open')
})
