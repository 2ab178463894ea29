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
  const call = await machineOf(scene, owner, approver)
  const { status, body } = await call('POST', fundPath(scene), { ...funding, evidence: newEvidence() })
  assert.equal(status, 202, JSON.stringify(body))
  const { proposalId } = body['data'] as { proposalId: string }

  assert.equal((await decide(owner, proposalId, 'approve')).status, 422)
  assert.equal((await decide(approver, proposalId, 'approve')).status, 422)
  assert.equal((await decide(other, proposalId, 'approve')).status, 200)
})

/** A machine that one person proposed, whose key that person has, and that another approved. */
async function machineOf(
  { malipo: { call } }: OperatorScene,
  owner: TestPerson,
  approver: TestPerson,
): Promise<TestPerson['call']> {
  const order = { name: `payer ${randomUUID()}`, permissions: ['money:move', 'merchants:read'], reason: 'treasury' }
  const made = await owner.call('POST', '/operator/v1/machines', order)
  const { proposalId } = made.body['data'] as { proposalId: string }
  assert.equal((await decide(approver, proposalId, 'approve')).status, 200)
  const collected = await owner.call('POST', `/operator/v1/proposals/${proposalId}/collect`, {})
  const { publicKey, apiKey = '' } = collected.body['data'] as Record<string, string>
  const path = '/operator/v1/auth/generate-bearer-token'
  const { body } = await call('POST', path, { 'api-key': apiKey }, { publicKey })
  return (method, to, sent) => call(method, to, { authorization: `Bearer ${String(body['token'])}` }, sent)
}

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
