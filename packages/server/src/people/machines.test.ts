import assert from 'node:assert/strict'
import { test } from 'node:test'
import { makeOperatorKey } from '../auth/keys.ts'
import { call, type Malipo, testMalipo } from '../testing/malipo.ts'
import { breakGlass, testPerson } from '../testing/people.ts'
import { createMachine, listMachines, type MachineOrder, machineOf, revokeMachine } from './machines.ts'
import { peopleContext } from './people-context.ts'
import { mayOperate, type Principal } from './principal.ts'
import { sessionOf } from './sessions.ts'

const create = ({ ctx }: Malipo, order: Partial<MachineOrder> = {}, by: Principal = breakGlass) =>
  ctx.db.write.transaction((tx) =>
    createMachine(tx, peopleContext(ctx), by, {
      name: `nightly ${crypto.randomUUID()}`,
      permissions: ['payments:read'],
      ...order,
    }),
  )

const exchange = ({ url }: Malipo, { publicKey, apiKey }: { publicKey: string; apiKey: string }) =>
  call(url, 'POST', '/operator/v1/auth/generate-bearer-token', { 'api-key': apiKey }, { publicKey })

const tokenOf = async (malipo: Malipo, pair: { publicKey: string; apiKey: string }) =>
  String((await exchange(malipo, pair)).body['token'])

test('a machine exchanges its keys for one token, which has its permissions and no others', async (t) => {
  const malipo = await testMalipo(t)
  const machine = await create(malipo)

  const [first, second] = await Promise.all([tokenOf(malipo, machine), tokenOf(malipo, machine)])
  const principal = await machineOf(malipo.ctx, { token: first, address: '127.0.0.1' })

  assert.equal(first, second)
  assert.ok(principal)
  assert.deepEqual([principal.kind, principal.id, principal.provedAt], ['machine', machine.id, undefined])
  assert.deepEqual([mayOperate(principal, 'payments:read'), mayOperate(principal, 'money:move')], [true, false])
})

test("a merchant's token is not a machine's, nor the reverse, and people's routes refuse both", async (t) => {
  const malipo = await testMalipo(t)
  const merchant = await malipo.merchant()
  const token = await tokenOf(malipo, await create(malipo))

  const asMerchant = await malipo.call('GET', '/api/b2b/users', { authorization: `Bearer ${token}` })
  const asPerson = await malipo.call('GET', '/people/v1/me', { authorization: `Bearer ${token}` })

  assert.equal(asMerchant.status, 401)
  assert.deepEqual([asPerson.status, asPerson.body['errorCode']], [403, 'PERMISSION_DENIED'])
  assert.equal(await machineOf(malipo.ctx, { token: await merchant.token(), address: '127.0.0.1' }), undefined)
})

test('a wrong or mistyped pair is refused, and a revoked machine ends with its tokens', async (t) => {
  const malipo = await testMalipo(t)
  const [machine, other] = [await create(malipo), await create(malipo)]
  const token = await tokenOf(malipo, machine)
  const wrong = [
    { ...machine, apiKey: other.apiKey },
    { ...machine, apiKey: `${machine.apiKey.slice(0, -1)}x` },
    { publicKey: 'opk_1', apiKey: 'osk_1' },
  ]

  for (const pair of wrong) assert.equal((await exchange(malipo, pair)).body['errorCode'], 'INVALID_API_KEY')
  const order = { machine: machine.id, reason: 'replaced' }
  const revoke = () =>
    malipo.ctx.db.write.transaction((tx) => revokeMachine(tx, peopleContext(malipo.ctx), breakGlass, order))
  await revoke()

  assert.equal(await machineOf(malipo.ctx, { token, address: '127.0.0.1' }), undefined)
  assert.equal((await exchange(malipo, machine)).status, 401)
  await assert.rejects(revoke, { key: 'MACHINE_MISSING' })
  const states = (await listMachines(malipo.ctx.db.write)).filter(({ id }) => id === machine.id)
  assert.deepEqual(
    states.map(({ state }) => state),
    ['revoked'],
  )
})

test('a machine works only from its allowed addresses', async (t) => {
  const malipo = await testMalipo(t)
  const [near, far] = [
    await create(malipo, { addresses: ['127.0.0.0/8'] }),
    await create(malipo, { addresses: ['203.0.113.0/24'] }),
  ]
  const token = await tokenOf(malipo, near)

  assert.equal((await exchange(malipo, far)).body['errorCode'], 'IP_NOT_ALLOWED')
  await assert.rejects(machineOf(malipo.ctx, { token, address: '203.0.113.9' }), { key: 'ADDRESS_NOT_ALLOWED' })
})

test('a machine gets only permissions that its creator holds, a known name is refused', async (t) => {
  const malipo = await testMalipo(t)
  const admin = await testPerson(malipo, { operator: ['admin'] })
  const finance = await testPerson(malipo, { operator: ['finance'] })
  const principal = async (headers: Readonly<Record<string, string>>) =>
    (await sessionOf(malipo.ctx, { cookie: headers['cookie'], authorization: undefined })) as Principal

  await create(malipo, { name: 'exporter', permissions: ['money:move'] }, await principal(admin.headers))

  await assert.rejects(create(malipo, {}, await principal(finance.headers)), { key: 'PERMISSION_DENIED' })
  await assert.rejects(create(malipo, { name: 'Exporter' }), { key: 'MACHINE_NAME_USED' })
  await assert.rejects(create(malipo, { permissions: ['everything'] }), { key: 'VALIDATION' })
  await assert.rejects(create(malipo, { permissions: [] }), { key: 'VALIDATION' })
  await assert.rejects(create(malipo, { addresses: ['here'] }), { key: 'VALIDATION' })
})

test("a machine's new token is audited once, and its refused exchanges with their count", async (t) => {
  const malipo = await testMalipo(t)
  const machine = await create(malipo)
  const far = await create(malipo, { addresses: ['203.0.113.0/24'] })
  await Promise.all(Array.from({ length: 5 }, () => exchange(malipo, machine)))
  for (let count = 0; count < 3; count += 1)
    await exchange(malipo, { publicKey: machine.publicKey, apiKey: makeOperatorKey('osk') })
  await exchange(malipo, far)

  await malipo.ctx.failedExchanges.write()

  const rows = await malipo.ask(
    `select actor_kind, action, result, address, request_id is not null as has_request, detail->>'error' as error,
       detail->>'count' as count
     from audit_entries where subject = any($1) and action like 'token.%' order by id`,
    [[machine.id, machine.publicKey, far.publicKey]],
  )
  const from = { address: '127.0.0.1', has_request: true }
  const refused = { ...from, actor_kind: 'anonymous', action: 'token.exchange', result: 'refused' }
  assert.deepEqual(rows, [
    { ...from, actor_kind: 'machine', action: 'token.issue', result: 'done', error: null, count: null },
    { ...refused, error: 'INVALID_API_KEY', count: '3' },
    { ...refused, error: 'ADDRESS_NOT_ALLOWED', count: '1' },
  ])
})
