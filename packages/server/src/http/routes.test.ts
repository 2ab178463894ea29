import assert from 'node:assert/strict'
import { test } from 'node:test'
import Fastify from 'fastify'
import { dashboardRoot } from '../dashboard/access.ts'
import { giveToMembers } from '../dashboard/routes.ts'
import type { Access, App } from './app.ts'
import { collectRoutes } from './routes.ts'

/** The routes of a server, each with what it declares. */
function collected(declared: Readonly<Record<string, Access>>) {
  const app = Fastify() as unknown as App
  giveToMembers(app)
  const routes = collectRoutes(app)
  for (const [url, config] of Object.entries(declared)) app.get(url, { config }, async () => ({}))
  return routes
}

test('a route that declares no caller, or two kinds of callers, prevents the start', () => {
  assert.throws(() => collected({ '/api/b2b/new': {} }), /GET \/api\/b2b\/new does not declare who may call it/)
  const two: Access = { scope: 'payouts:write', operator: 'money:move' }
  assert.throws(() => collected({ '/api/b2b/new': two }), /does not declare who may call it/)
})

test("a route of merchants' people without a permission prevents the start, whatever else it declares", () => {
  for (const config of [{}, { scope: 'payouts:write' }, { isPublic: true }] as const)
    assert.throws(() => collected({ [`${dashboardRoot}/new`]: config }), /does not declare the permission/)
})

test("the permission of merchants' people replaces the scope of key pairs, for HEAD too", () => {
  const routes = collected({ [`${dashboardRoot}/transactions`]: { scope: 'transactions:read', refusal: 'empty' } })

  assert.deepEqual(
    routes.map(({ method, access }) => [method, access]),
    ['GET', 'HEAD'].map((method) => [method, { member: 'payments:read', isForLimited: true }]),
  )
})
