import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Principal } from '../people/principal.ts'
import { operatorRoles } from '../people/roles.ts'
import type { Access } from './app.ts'
import { refusalOf as reasonOf } from './principals.ts'

const person: Principal = {
  ...{ kind: 'person', id: 'person_1', name: 'Wanjiru', merchantGrants: [], strength: 'passkey' },
  operatorGrants: [{ role: 'finance', countries: [], currencies: [] }],
  provedAt: Date.now(),
}
const machine: Principal = {
  ...{
    kind: 'machine',
    id: 'machine_1',
    name: 'exporter',
    operatorGrants: [],
    merchantGrants: [],
    strength: 'api_key',
  },
  scopes: new Set(['payments:read']),
}

/** The error of a request by this sender to a route with this access; undefined when it is allowed. */
const refusalOf = (principal: Principal, access: Access) => reasonOf(principal, access)?.key

test('a person passes exactly the routes whose permission its role has', () => {
  for (const permission of operatorRoles.admin.permissions) {
    const held: readonly string[] = operatorRoles.finance.permissions
    const expected = held.includes(permission) ? undefined : 'PERMISSION_DENIED'
    assert.equal(refusalOf(person, { operator: permission }), expected, permission)
  }
})

test('a machine passes routes of its permissions, and never a route for people', () => {
  assert.equal(refusalOf(machine, { operator: 'payments:read' }), undefined)
  assert.equal(refusalOf(machine, { operator: 'money:move' }), 'PERMISSION_DENIED')
  assert.equal(refusalOf(machine, { isForPeople: true }), 'PERMISSION_DENIED')
  assert.equal(refusalOf(machine, { operator: 'payments:read', isSteppedUp: true }), undefined)
})

test('a route that needs a proof of presence takes one from the last 5 minutes only', () => {
  const access: Access = { operator: 'money:move', isSteppedUp: true }
  const { provedAt: _, ...never } = person
  const ago = (seconds: number) => ({ ...person, provedAt: Date.now() - seconds * 1000 })

  assert.equal(refusalOf(ago(290), access), undefined)
  assert.equal(refusalOf(ago(301), access), 'STEP_UP_REQUIRED')
  assert.equal(refusalOf(never, access), 'STEP_UP_REQUIRED')
  assert.equal(refusalOf({ ...ago(0), operatorGrants: [] }, access), 'PERMISSION_DENIED')
})
