import assert from 'node:assert/strict'
import { test } from 'node:test'
import { permissionsOf } from '../people/members.ts'
import { type MerchantPermission, type MerchantRole, merchantPermissions, merchantRoles } from '../people/roles.ts'
import { testMachine } from '../testing/machines.ts'
import { type ApiResponse, testMalipo } from '../testing/malipo.ts'
import { dashboardRoutesOf, emptyBody, member, pathIn } from '../testing/members.ts'
import { testPerson } from '../testing/people.ts'
import { memberAccess } from './access.ts'

const unlimited = { MALIPO_RATE_LIMIT_PEOPLE: '100000' }
const environments = ['live', 'sandbox'] as const
const roleNames = Object.keys(merchantRoles) as MerchantRole[]

/** A response without what differs between any two responses. */
function comparable({ status, headers, body }: ApiResponse) {
  const { requestId: _, ...rest } = body
  const kept = [...headers].filter(([name]) => !['date', 'x-request-id', 'content-length'].includes(name))
  return { status, headers: Object.fromEntries(kept), body: rest }
}

for (const role of roleNames)
  test(`${role} may call exactly the routes that the role declares, in both environments`, async (t) => {
    const malipo = await testMalipo(t, unlimited)
    const { id } = await malipo.merchant()
    const person = await member(malipo, id, [role])
    const routes = await dashboardRoutesOf(malipo)

    for (const env of environments)
      for (const { method, path, permission } of routes) {
        const { status, body } = await person.call(method, pathIn(id, env, path), emptyBody(method))
        const name = `${env} ${method} ${path}: ${status} ${body['errorCode']}`
        const isDeclared =
          permission === 'member' || permissionsOf(role, env).includes(permission as MerchantPermission)
        assert.equal(body['errorCode'] !== 'PERMISSION_DENIED', isDeclared, name)
        assert.ok(status !== 401 && status < 500 && body['errorCode'] !== 'MERCHANT_NOT_FOUND', name)
        if (method === 'GET') assert.equal((await person.call('HEAD', pathIn(id, env, path))).status, status, name)
      }
  })

test('another merchant, an unknown id and an unknown environment all get the same response', async (t) => {
  const malipo = await testMalipo(t, unlimited)
  const [own, other] = [await malipo.merchant(), await malipo.merchant()]
  const owner = await member(malipo, own.id, ['owner'])
  const unknown = `mer_${'0'.repeat(32)}`

  for (const { method, path } of await dashboardRoutesOf(malipo)) {
    const of = (id: string, env: string) => owner.call(method, pathIn(id, env, path), emptyBody(method))
    const expected = comparable(await of(unknown, 'live'))
    assert.deepEqual([expected.status, expected.body['errorCode']], [404, 'MERCHANT_NOT_FOUND'], path)
    for (const [id, env] of [
      [other.id, 'live'],
      [other.id, 'sandbox'],
      [own.id, 'test'],
      ['nothing', 'live'],
      [own.id.toUpperCase(), 'live'],
    ] as const)
      assert.deepEqual(comparable(await of(id, env)), expected, `${method} ${path} of ${id} ${env}`)
  }
})

test("operator staff, machines and people without a role get a merchant's unknown id", async (t) => {
  const malipo = await testMalipo(t, unlimited)
  const merchant = await malipo.merchant()
  const admin = await testPerson(malipo, { operator: ['admin'] })
  const stranger = await testPerson(malipo)
  const machine = { call: await testMachine(malipo, ['payments:read', 'merchants:read']) }
  const unknown = `mer_${'0'.repeat(32)}`

  for (const { method, path } of await dashboardRoutesOf(malipo))
    for (const sender of [admin, stranger, machine]) {
      const of = (id: string) => sender.call(method, pathIn(id, 'live', path), emptyBody(method))
      assert.equal((await of(merchant.id)).status, 404)
      assert.deepEqual(comparable(await of(merchant.id)), comparable(await of(unknown)), `${method} ${path}`)
    }
})

test("a merchant's token does not work for people's routes, nor a session below /api", async (t) => {
  const malipo = await testMalipo(t, unlimited)
  const merchant = await malipo.merchant()
  const browser = await member(malipo, merchant.id, ['owner'])
  const cli = await member(malipo, merchant.id, ['owner'], { kind: 'cli' })

  for (const { method, path } of await dashboardRoutesOf(malipo)) {
    const url = pathIn(merchant.id, 'sandbox', path)
    assert.equal((await merchant.call(method, url, emptyBody(method))).status, 401, `${method} ${path}`)
    assert.equal((await malipo.call(method, url, {}, emptyBody(method))).status, 401, `${method} ${path}`)
  }
  for (const path of ['/api/b2b/users', '/api/sandbox/b2b/users', '/api/b2b/transactions'])
    for (const person of [browser, cli]) assert.equal((await person.call('GET', path)).status, 401, path)
})

test('every change by a browser needs the header of its own session', async (t) => {
  const malipo = await testMalipo(t, unlimited)
  const { id } = await malipo.merchant()
  const [owner, other] = [await member(malipo, id, ['owner']), await member(malipo, id, ['owner'])]
  const { 'x-malipo-csrf': _, ...without } = owner.headers
  const foreign = { ...owner.headers, 'x-malipo-csrf': String(other.headers['x-malipo-csrf']) }
  const elsewhere = { ...owner.headers, origin: 'https://attacker.example' }

  const changes = (await dashboardRoutesOf(malipo)).filter(({ method }) => method !== 'GET')
  for (const { method, path } of changes)
    for (const headers of [without, foreign, elsewhere]) {
      const { status, body } = await malipo.call(method, pathIn(id, 'sandbox', path), headers, {})
      assert.deepEqual([status, body['errorCode']], [403, 'CROSS_SITE_REQUEST'], `${method} ${path}`)
    }
})

test('money, keys, people and limits need a proof of presence, and nothing else does', async (t) => {
  const malipo = await testMalipo(t, unlimited)
  const { id } = await malipo.merchant()
  const absent = await member(malipo, id, ['owner'], { isProved: false })

  for (const { method, path, isSteppedUp } of await dashboardRoutesOf(malipo)) {
    const { body } = await absent.call(method, pathIn(id, 'sandbox', path), emptyBody(method))
    assert.equal(body['errorCode'] === 'STEP_UP_REQUIRED', isSteppedUp, `${method} ${path}`)
  }
  const free = Object.entries(memberAccess).filter(([name, access]) => !name.startsWith('GET') && !access.isSteppedUp)
  assert.deepEqual(
    free.map(([name]) => name),
    [
      ...['POST /saved-views', 'PUT /saved-views/:viewId', 'DELETE /saved-views/:viewId'],
      ...['POST /search/transactions', 'POST /exports/transactions'],
      ...['POST /quotes', 'POST /fiat/payout/validate', 'POST /fiat/payouts/bulk/validate'],
      ...['POST /fiat/payout/:transactionId/cancel', 'POST /webhooks/:id/resend', 'POST /utilities/account/resolve'],
      ...['PUT /utilities/scenarios/:externalReference', 'DELETE /utilities/scenarios/:externalReference'],
      'POST /utilities/clock/advance',
    ],
  )
})

test('a role that is limited to a currency changes nothing that has no currency', async (t) => {
  const malipo = await testMalipo(t, unlimited)
  const { id } = await malipo.merchant()
  const limited = await member(malipo, id, ['owner'], { currencies: ['KES'] })

  for (const [name, { isForLimited }] of Object.entries(memberAccess)) {
    const [method = '', path = ''] = name.split(' ')
    const url = pathIn(id, 'sandbox', path.replaceAll(/:(\w+)/g, '{$1}'))
    const { body } = await limited.call(method, url, emptyBody(method))
    assert.equal(body['errorCode'] === 'PERMISSION_DENIED', !isForLimited, `${name} ${body['errorCode']}`)
  }
})

test('refused attempts are in the audit trail, those within a merchant in its own', async (t) => {
  const malipo = await testMalipo(t, unlimited)
  const [own, other] = [await malipo.merchant(), await malipo.merchant()]
  const viewer = await member(malipo, own.id, ['viewer'], { name: 'Otieno' })
  const owner = await member(malipo, own.id, ['owner'])

  await viewer.call('POST', pathIn(own.id, 'live', '/fiat/payout'), {})
  await viewer.call('GET', pathIn(other.id, 'live', '/users'))

  const rows = await malipo.ask(
    `select actor_name, action, subject, result, role, strength, merchant_id is not null as is_of_merchant
     from audit_entries where actor = $1 and result = 'refused' order by id`,
    [viewer.id],
  )
  const common = { actor_name: 'Otieno', result: 'refused', role: 'viewer', strength: 'passkey' }
  const root = '/dashboard/v1/merchants/:merchantId/:env'
  assert.deepEqual(rows, [
    {
      ...common,
      action: `POST ${root}/fiat/payout`,
      subject: pathIn(own.id, 'live', '/fiat/payout'),
      is_of_merchant: true,
    },
    { ...common, action: `GET ${root}/users`, subject: pathIn(other.id, 'live', '/users'), is_of_merchant: false },
  ])
  const { body } = await owner.call('GET', pathIn(own.id, 'live', '/audit'))
  const seen = (body['data'] as { action: string; result: string }[]).filter(({ result }) => result === 'refused')
  assert.deepEqual(
    seen.map(({ action }) => action),
    [`POST ${root}/fiat/payout`],
  )
})

test('a path takes no other method, whether the merchant is known or not', async (t) => {
  const malipo = await testMalipo(t, unlimited)
  const [own, other] = [await malipo.merchant(), await malipo.merchant()]
  const owner = await member(malipo, own.id, ['owner'])
  const byPath = Map.groupBy(await dashboardRoutesOf(malipo), ({ path }) => path)

  for (const [path, same] of byPath)
    for (const method of ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'].filter(
      (each) => !same.some((route) => route.method === each),
    ))
      for (const { id } of [own, other])
        assert.equal((await owner.call(method, pathIn(id, 'live', path), emptyBody(method))).status, 405, path)
})

test('every permission of the table is used', () => {
  const used = new Set<string>([...Object.values(memberAccess).map((each) => each.member), 'personal-data:read'])

  const unused = Object.keys(merchantPermissions).filter((permission) => !used.has(permission))

  assert.deepEqual(unused, [])
})
