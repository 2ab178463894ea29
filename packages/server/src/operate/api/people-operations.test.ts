import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { type TestContext, test } from 'node:test'
import type { OperatorPermission } from '../../people/roles.ts'
import { type Malipo, testMalipo } from '../../testing/malipo.ts'
import { type PersonOptions, type TestPerson, testPerson } from '../../testing/people.ts'

interface Scene {
  readonly malipo: Malipo
  readonly person: (options?: PersonOptions) => Promise<TestPerson>
  /** A caller with the token of a new machine. */
  readonly machine: (permissions: readonly OperatorPermission[]) => Promise<TestPerson['call']>
}

async function setUp(t: TestContext): Promise<Scene> {
  const malipo = await testMalipo(t)
  return {
    malipo,
    person: (options = { operator: ['admin'] }) => testPerson(malipo, options),
    machine: async (permissions) => {
      const made = await malipo.operator.machines.create({ name: `machine ${randomUUID()}`, permissions })
      const path = '/operator/v1/auth/generate-bearer-token'
      const { body } = await malipo.call('POST', path, { 'api-key': made.apiKey }, { publicKey: made.publicKey })
      const authorization = `Bearer ${String(body['token'])}`
      return (method, to, sent) => malipo.call(method, to, { authorization }, sent)
    },
  }
}

const newMachine = (permissions: readonly string[]) => ({
  name: `report ${randomUUID()}`,
  permissions,
  reason: 'ticket 1',
})

const approve = (person: TestPerson, body: Record<string, unknown>) =>
  person.call('POST', `/operator/v1/proposals/${proposalOf(body)}/approve`, { reason: 'agreed' })

const proposalOf = (body: Record<string, unknown>) => (body['data'] as { proposalId: string }).proposalId

test('a role needs two people, is given once, and ends the sessions of its person', async (t) => {
  const { person } = await setUp(t)
  const [maker, checker, colleague] = [await person(), await person(), await person({ operator: ['support'] })]
  const path = `/operator/v1/people/${colleague.id}/roles`
  const order = { role: 'auditor', reason: 'new duty' }

  const proposed = await maker.call('POST', path, order)
  const before = await colleague.call('GET', '/operator/v1/audit?limit=1')
  const executed = await approve(checker, proposed.body)
  const again = await maker.call('POST', path, order)

  assert.deepEqual([proposed.status, before.status, executed.status], [202, 403, 200])
  assert.equal((await colleague.call('GET', '/people/v1/me')).status, 401)
  assert.equal(again.status, 422)
  assert.match(String(again.body['message']), /has this role already/)
})

test('a role is given only with a known name, a usable scope and a known person', async (t) => {
  const { person } = await setUp(t)
  const [maker, colleague] = [await person(), await person({ operator: ['support'] })]
  const grant = (id: string, order: object) =>
    maker.call('POST', `/operator/v1/people/${id}/roles`, { role: 'auditor', reason: 'new duty', ...order })

  const refused = [
    [await grant(colleague.id, { role: 'king' }), /king is not a role here/],
    [await grant(colleague.id, { countries: ['Kenya'] }), /two-letter codes/],
    [await grant(colleague.id, { currencies: ['shilling'] }), /three-letter codes/],
    [await grant(`person_${'0'.repeat(32)}`, {}), /Person not found/],
    [await grant(colleague.id, { merchant: `mer_${'0'.repeat(32)}`, role: 'viewer' }), /no merchant has/i],
  ] as const

  for (const [{ status, body }, message] of refused) {
    assert.equal(status, 422, JSON.stringify(body))
    assert.match(String(body['message']), message)
  }
})

test('an ended role is gone at once, and ending it twice is refused', async (t) => {
  const { malipo, person } = await setUp(t)
  const [admin, colleague] = [await person(), await person({ operator: ['auditor'] })]
  const found = (await malipo.operator.people.list({ limit: 1000 })).find(({ id }) => id === colleague.id)
  const path = `/operator/v1/roles/${found?.roles[0]?.id}/end`

  const ended = await admin.call('POST', path, { reason: 'duty over' })
  const again = await admin.call('POST', path, { reason: 'duty over' })

  assert.deepEqual([ended.status, again.status], [200, 422])
  assert.equal((await colleague.call('GET', '/operator/v1/audit?limit=1')).status, 401)
})

test('machines give no roles, and no permission that they lack', async (t) => {
  const { person, machine } = await setUp(t)
  const colleague = await person({ operator: ['support'] })
  const call = await machine(['people:write', 'payments:read'])

  const role = await call('POST', `/operator/v1/people/${colleague.id}/roles`, { role: 'support', reason: 'x' })
  const wider = await call('POST', '/operator/v1/machines', newMachine(['money:move']))
  const same = await call('POST', '/operator/v1/machines', newMachine(['payments:read']))

  assert.deepEqual([role.status, wider.status, same.status], [422, 422, 202])
  assert.match(String(wider.body['message']), /^Your roles do not allow this: the permission money:move /)
})

test('a machine needs two people; its API key is for its maker, once, and in no audit entry', async (t) => {
  const { malipo, person } = await setUp(t)
  const [maker, checker] = [await person(), await person()]
  const order = newMachine(['payments:read'])

  const proposed = await maker.call('POST', '/operator/v1/machines', order)
  const executed = await approve(checker, proposed.body)
  const collect = (by: TestPerson) => by.call('POST', `/operator/v1/proposals/${proposalOf(proposed.body)}/collect`)
  const [stolen, collected, again] = [await collect(checker), await collect(maker), await collect(maker)]

  assert.deepEqual([proposed.status, executed.status, stolen.status], [202, 200, 422])
  assert.deepEqual([collected.status, again.status], [200, 422])
  const { id, apiKey } = collected.body['data'] as { id: string; apiKey: string }
  const rows = await malipo.ask('select actor, reason, detail::text from audit_entries where subject = $1', [id])
  assert.equal(rows.length, 1)
  assert.deepEqual([rows[0]?.['actor'], rows[0]?.['reason']], [checker.id, 'ticket 1'])
  for (const text of [JSON.stringify(rows), JSON.stringify(executed.body), malipo.log.join('\n')])
    assert.ok(!text.includes(apiKey))
})

test('a role that is limited to a country creates no machine and gives no role', async (t) => {
  const { person } = await setUp(t)
  const limited = await person({ operator: ['admin'], countries: ['KE'] })
  const colleague = await person({ operator: ['support'] })
  const grant = { role: 'support', reason: 'x' }

  const machine = await limited.call('POST', '/operator/v1/machines', newMachine(['payments:read']))
  const role = await limited.call('POST', `/operator/v1/people/${colleague.id}/roles`, grant)

  assert.deepEqual([machine.status, machine.body['errorCode']], [403, 'PERMISSION_DENIED'])
  assert.notEqual(role.status, 202)
})

test('two machines with one name are refused, and a revoked one frees its name', async (t) => {
  const { malipo, person } = await setUp(t)
  const admin = await person()
  const order = newMachine(['payments:read'])
  const { id } = await malipo.operator.machines.create(order)

  const used = await admin.call('POST', '/operator/v1/machines', order)
  const revoked = await admin.call('POST', `/operator/v1/machines/${id}/revoke`, { reason: 'ticket 2' })
  const again = await admin.call('POST', `/operator/v1/machines/${id}/revoke`, { reason: 'ticket 2' })
  const free = await admin.call('POST', '/operator/v1/machines', order)

  assert.deepEqual([used.status, revoked.status, again.status, free.status], [422, 200, 422, 202])
})
