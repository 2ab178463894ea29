import assert from 'node:assert/strict'
import { test } from 'node:test'
import { merchantRoles, type OperatorPermission, operatorPermissions, operatorRoles } from '../../people/roles.ts'
import { testMachine } from '../../testing/machines.ts'
import { testMalipo } from '../../testing/malipo.ts'
import { testPerson } from '../../testing/people.ts'
import { operations } from './operations.ts'
import { operatorRoot } from './routes.ts'

const unlimited = { MALIPO_RATE_LIMIT_PEOPLE: '100000' }

const pathOf = (path: string) => `${operatorRoot}${path.replaceAll(/:\w+/g, 'nothing')}`

/** An empty body: what a caller may do is decided before the body is read. */
const bodyOf = (method: string) => (method === 'GET' ? undefined : {})

const isAllowed = (status: number, errorCode: unknown) => status !== 401 && errorCode !== 'PERMISSION_DENIED'

const operatorNames = Object.keys(operatorRoles) as (keyof typeof operatorRoles)[]
const merchantNames = Object.keys(merchantRoles) as (keyof typeof merchantRoles)[]

for (const role of operatorNames)
  test(`operator ${role} may call exactly the routes that its role declares`, async (t) => {
    const malipo = await testMalipo(t, unlimited)
    const person = await testPerson(malipo, { operator: [role] })
    const held: readonly string[] = operatorRoles[role].permissions

    for (const { method, path, permission, name } of operations) {
      const { status, body } = await person.call(method, pathOf(path), bodyOf(method))
      assert.equal(isAllowed(status, body['errorCode']), held.includes(permission), `${role} ${name}: ${status}`)
      assert.notEqual(status, 500, name)
    }
  })

test("no role of a merchant's people, no merchant's token and no stranger reaches an operator route", async (t) => {
  const malipo = await testMalipo(t, unlimited)
  const merchant = await malipo.merchant()
  const people = await Promise.all(
    merchantNames.map((role) => testPerson(malipo, { merchant: { id: merchant.id, roles: [role] } })),
  )

  for (const { method, path, name } of operations) {
    for (const person of people)
      assert.equal((await person.call(method, pathOf(path), bodyOf(method))).status, 403, name)
    assert.equal((await merchant.call(method, pathOf(path), bodyOf(method))).status, 401, name)
    assert.equal((await malipo.call(method, pathOf(path), {}, bodyOf(method))).status, 401, name)
  }
})

test('a machine may call exactly the routes of its permissions, and approves nothing', async (t) => {
  const malipo = await testMalipo(t, unlimited)
  const held: OperatorPermission[] = ['payments:read', 'money:approve', 'merchants:read']
  const call = await testMachine(malipo, held)

  for (const { method, path, permission, name } of operations) {
    const { status, body } = await call(method, pathOf(path), bodyOf(method))
    assert.equal(isAllowed(status, body['errorCode']), held.includes(permission), `${name}: ${status}`)
  }
})

test('a path that exists does not take other methods, and says which ones it takes', async (t) => {
  const malipo = await testMalipo(t, unlimited)
  const admin = await testPerson(malipo, { operator: ['admin'] })
  const byPath = Map.groupBy(operations, ({ path }) => path)

  for (const [path, same] of byPath) {
    const taken = same.map(({ method }) => method as string)
    for (const method of ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'].filter((each) => !taken.includes(each)))
      assert.equal((await admin.call(method, pathOf(path), bodyOf(method))).status, 405, `${method} ${path}`)
  }
})

test('a refused attempt is in the audit trail, with its person, route and role', async (t) => {
  const malipo = await testMalipo(t, unlimited)
  const support = await testPerson(malipo, { operator: ['support'], name: 'Otieno' })

  await support.call('POST', '/operator/v1/floats/adjust', {})

  const rows = await malipo.ask(
    'select actor_name, action, result, role, strength from audit_entries where actor = $1',
    [support.id],
  )
  const expected = { actor_name: 'Otieno', action: 'POST /operator/v1/floats/adjust', result: 'refused' }
  assert.deepEqual(rows, [{ ...expected, role: 'support', strength: 'passkey' }])
})

test('every permission of the table is used by a route or by a role that approves', () => {
  const used = new Set(operations.flatMap(({ permission, control }) => [permission, control?.approve]))
  const unused = Object.keys(operatorPermissions).filter((permission) => !used.has(permission as OperatorPermission))

  assert.deepEqual(unused, [])
})
