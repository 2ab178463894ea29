import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { testMalipo } from '../testing/malipo.ts'
import { member, pathIn } from '../testing/members.ts'
import type { TestPerson } from '../testing/people.ts'

const reason = 'a test'

async function setUp(t: TestContext) {
  const malipo = await testMalipo(t, { MALIPO_RATE_LIMIT_PEOPLE: '100000' })
  const merchant = await malipo.merchant()
  const at = (path: string, env = 'live') => pathIn(merchant.id, env, path)
  const person = (...roles: Parameters<typeof member>[2]) => member(malipo, merchant.id, roles)
  return { malipo, merchant, at, person }
}

const codeOf = async (response: ReturnType<TestPerson['call']>) => {
  const { status, body } = await response
  return body['errorCode'] ?? status
}

interface Team {
  readonly people: { id: string; name: string; email: string; roles: { id: string; role: string }[] }[]
  readonly invitations: { id: string; email: string; role: string }[]
}

test('a key pair that a person creates works, is rotated and revoked, and each step is audited', async (t) => {
  const { malipo, at, person } = await setUp(t)
  const owner = await person('owner')
  const { body } = await owner.call('POST', at('/keys', 'sandbox'), { scopes: ['profile:read'], addresses: [] })
  const pair = body['data'] as { publicKey: string; apiKey: string }
  const keyAt = (verb: string) => at(`/keys/${pair.publicKey}/${verb}`, 'sandbox')
  const works = async (keys: typeof pair) => (await (await malipo.as(keys)).call('GET', '/api/b2b/users')).status

  assert.equal(await works(pair), 200)
  const rotated = (await owner.call('POST', keyAt('rotate'))).body['data'] as typeof pair
  assert.deepEqual([await works(rotated), await works(pair)], [200, 401])
  assert.equal(await codeOf(owner.call('POST', keyAt('revoke'), { reason })), 200)
  assert.equal(await works(rotated), 401)

  const listed = (await owner.call('GET', at('/keys', 'sandbox'))).body['data'] as {
    publicKey: string
    state: string
  }[]
  assert.deepEqual(
    new Set(listed.filter((key) => key.publicKey === pair.publicKey).map(({ state }) => state)),
    new Set(['revoked']),
  )
  const live = (await owner.call('GET', at('/keys'))).body['data'] as { publicKey: string }[]
  assert.ok(!live.some(({ publicKey }) => publicKey === pair.publicKey))
  const trail = await malipo.ask(
    `select action, actor, role from audit_entries where subject = $1 and action like 'key.%' order by id`,
    [pair.publicKey],
  )
  assert.deepEqual(
    trail,
    ['key.create', 'key.rotate', 'key.revoke'].map((action) => ({ action, actor: owner.id, role: 'owner' })),
  )
})

test('a developer receives no live key that can do what the developer may not', async (t) => {
  const { malipo, merchant, at, person } = await setUp(t)
  const developer = await person('developer')
  const money = await malipo.operator.keys.create(merchant.id, { env: 'live', scopes: ['payouts:write'] })

  for (const scope of ['payouts:write', 'external-accounts:write', 'transactions:read', 'profile:read'])
    assert.equal(await codeOf(developer.call('POST', at('/keys'), { scopes: [scope] })), 'PERMISSION_DENIED', scope)
  assert.equal(await codeOf(developer.call('POST', at(`/keys/${money.publicKey}/rotate`))), 'PERMISSION_DENIED')
  assert.equal(await codeOf(developer.call('POST', at('/keys'), { scopes: ['charges:write'] })), 200)
  assert.equal(await codeOf(developer.call('POST', at('/keys', 'sandbox'), { scopes: ['payouts:write'] })), 200)
  assert.equal(await codeOf(developer.call('POST', at(`/keys/${money.publicKey}/revoke`), { reason })), 200)
})

test('key pairs of another merchant or environment are refused like unknown ones', async (t) => {
  const { malipo, at, person } = await setUp(t)
  const owner = await person('owner')
  const other = await malipo.merchant({ env: 'live' })
  const messageOf = async (publicKey: string, verb: string) => {
    const { status, body } = await owner.call('POST', at(`/keys/${publicKey}/${verb}`), { reason })
    return [status, String(body['message']).replace(publicKey, 'KEY')]
  }

  for (const verb of ['rotate', 'revoke'])
    assert.deepEqual(await messageOf(other.publicKey, verb), await messageOf('pk_live_unknown', verb))
  assert.equal((await other.call('GET', '/api/b2b/users')).status, 200)
})

test('an owner invites people, sees the invitations and withdraws them, of its own merchant only', async (t) => {
  const { malipo, at, person } = await setUp(t)
  const owner = await person('owner')
  const invite = (role: string, email: string) =>
    owner.call('POST', at('/people/invitations'), { email, name: 'Njeri', role })
  const team = async () => (await owner.call('GET', at('/people'))).body['data'] as Team

  const { status, body } = await invite('finance', 'njeri@example.com')
  assert.equal(status, 200, JSON.stringify(body))
  const { id, link } = body['data'] as { id: string; link: string }
  assert.match(link, /\/invitation#/)
  assert.deepEqual(
    (await team()).invitations.map((each) => [each.id, each.email, each.role]),
    [[id, 'njeri@example.com', 'finance']],
  )
  assert.deepEqual(
    (await team()).people.map((each) => [each.id, each.roles.map(({ role }) => role)]),
    [[owner.id, ['owner']]],
  )
  assert.equal(await codeOf(invite('admin', 'a@example.com')), 'VALIDATION_ERROR')

  const elsewhere = await member(malipo, (await malipo.merchant()).id, ['owner'])
  const { merchants } = (await elsewhere.call('GET', '/people/v1/me')).body['data'] as {
    merchants: { merchant: string }[]
  }
  const foreign = pathIn(merchants[0]?.merchant ?? '', 'live', `/people/invitations/${id}/revoke`)
  assert.equal(await codeOf(elsewhere.call('POST', foreign)), 'INVITATION_INVALID')
  assert.equal(await codeOf(owner.call('POST', at(`/people/invitations/${id}/revoke`))), 200)
  assert.deepEqual((await team()).invitations, [])
  const [entry] = await malipo.ask(
    `select actor, role, strength, address from audit_entries where subject = $1 and action = 'person.invite'`,
    [id],
  )
  assert.deepEqual(entry, { actor: owner.id, role: 'owner', strength: 'passkey', address: '127.0.0.1' })
})

test('a role that is ended ends the sessions of its person, and the last owner stays', async (t) => {
  const { malipo, merchant, at, person } = await setUp(t)
  const [owner, second] = [await person('owner'), await person('owner')]
  const limited = await member(malipo, merchant.id, ['owner'], {
    currencies: ['KES'],
  })
  const roleOf = async ({ id }: TestPerson) => {
    const { people } = (await owner.call('GET', at('/people'))).body['data'] as Team
    return people.find((each) => each.id === id)?.roles[0]?.id ?? ''
  }
  const end = (role: string) => owner.call('POST', at(`/people/roles/${role}/end`), { reason })
  const own = await roleOf(owner)

  assert.equal(await codeOf(end(await roleOf(second))), 200)
  assert.equal((await second.call('GET', at('/people'))).status, 401)
  assert.equal(await codeOf(end(own)), 'LAST_OWNER')
  assert.equal(await codeOf(end(await roleOf(limited))), 200)
  assert.equal(await codeOf(end('role_nothing')), 'ROLE_NOT_FOUND')

  const elsewhere = await malipo.merchant()
  const stranger = await member(malipo, elsewhere.id, ['owner', 'viewer'])
  const [foreign] = await malipo.ask<{ id: string }>(
    `select 'role_' || replace(id::text, '-', '') as id from memberships where person_id = $1 and role = 'viewer'`,
    [stranger.person_id],
  )
  assert.equal(await codeOf(end(foreign?.id ?? '')), 'ROLE_NOT_FOUND')
  assert.equal((await stranger.call('GET', '/people/v1/me')).status, 200)
})

test('of two owners who end the role of each other at once, one stays', async (t) => {
  const { at, person } = await setUp(t)
  for (let time = 0; time < 5; time += 1) {
    const [one, two] = [await person('owner'), await person('owner')]
    const { people } = (await one.call('GET', at('/people'))).body['data'] as Team
    const roleOf = ({ id }: TestPerson) => people.find((each) => each.id === id)?.roles[0]?.id ?? ''
    for (const { id, roles } of people)
      if (![one.id, two.id].includes(id)) await one.call('POST', at(`/people/roles/${roles[0]?.id}/end`), { reason })

    const codes = await Promise.all([
      codeOf(one.call('POST', at(`/people/roles/${roleOf(two)}/end`), { reason })),
      codeOf(two.call('POST', at(`/people/roles/${roleOf(one)}/end`), { reason })),
    ])

    assert.equal(codes.filter((code) => code === 200).length, 1, codes.join())
  }
})

test('one person tightens live payout controls and cannot weaken them; in the sandbox both work', async (t) => {
  const { malipo, at, person } = await setUp(t)
  const owner = await person('owner')
  const limits = (env: string, perPayout: string) =>
    owner.call('PUT', at('/payout-controls/limits', env), { currency: 'KES', perPayout, reason })
  const approvals = (env: string, rule: object) =>
    owner.call('PUT', at('/payout-controls/approvals', env), { ...rule, reason })

  assert.equal(await codeOf(limits('live', '500')), 200)
  assert.equal(await codeOf(limits('live', '400')), 200)
  for (const weaker of ['401', 'none']) assert.equal(await codeOf(limits('live', weaker)), 'CONTROLS_WEAKER', weaker)
  assert.equal(await codeOf(approvals('live', { bulk: true, above: '100', currency: 'KES' })), 200)
  for (const weaker of [{ bulk: false }, { above: '101', currency: 'KES' }, { above: 'none', currency: 'KES' }])
    assert.equal(await codeOf(approvals('live', weaker)), 'CONTROLS_WEAKER')
  for (const perPayout of ['500', '600', 'none']) assert.equal(await codeOf(limits('sandbox', perPayout)), 200)

  const { body } = await owner.call('GET', at('/payout-controls'))
  assert.partialDeepStrictEqual(body['data'], {
    env: 'live',
    currencies: [{ currency: 'KES', perPayout: '400.00', approvalAbove: '100.00' }],
    bulkNeedsApproval: true,
  })
  const trail = await malipo.ask(
    `select action, env from audit_entries where actor = $1 and result = 'done' order by id`,
    [owner.id],
  )
  assert.equal(trail.length, 6)
})

test('a developer sets the webhook URL and its secret, and sees no balance by it', async (t) => {
  const { at, person } = await setUp(t)
  const developer = await person('developer')
  const url = 'https://shop.example/hook'

  const set = await developer.call('PUT', at('/webhook-url'), { url })

  assert.deepEqual(set.body, { success: true, data: { url } })
  assert.deepEqual((await developer.call('GET', at('/webhook-url'))).body, { success: true, data: { url } })
  assert.deepEqual((await developer.call('GET', at('/webhook-url', 'sandbox'))).body['data'], { url: '' })
  assert.equal(
    await codeOf(developer.call('PUT', at('/webhook-url'), { url: 'http://shop.example' })),
    'VALIDATION_ERROR',
  )
  const { body } = await developer.call('POST', at('/users/webhook-secret/rotate'))
  assert.match((body['data'] as { secret: string }).secret, /^whsec_/)
  assert.equal(await codeOf(developer.call('GET', at('/users'))), 'PERMISSION_DENIED')
})

test("the merchant's trail hides who of the operator acted and why, and pages without a gap", async (t) => {
  const { malipo, merchant, at, person } = await setUp(t)
  const owner = await person('owner')
  await malipo.operator.merchants.freeze(merchant.id, 'suspected fraud')
  await owner.call('PUT', at('/webhook-url'), { url: 'https://shop.example/hook' })
  const page = async (query: string) =>
    (await owner.call('GET', at(`/audit${query}`))).body['data'] as (Record<string, unknown> & {
      id: string
      actor: { kind: string; id: string }
    })[]

  const all = await page('?limit=200')
  const paged: string[] = []
  for (let after = ''; ; after = `&after=${paged.at(-1)}`) {
    const next = await page(`?limit=2${after}`)
    paged.push(...next.map(({ id }) => id))
    if (next.length < 2) break
  }

  assert.deepEqual(
    paged,
    all.map(({ id }) => id),
  )
  const frozen = all.find(({ action }) => action === 'merchant.freeze')
  assert.partialDeepStrictEqual(frozen, { actor: { kind: 'operator', id: 'operator' }, detail: {} })
  assert.doesNotMatch(JSON.stringify(all), /suspected fraud/)
  const own = all.find(({ action }) => action === 'profile.update')
  assert.partialDeepStrictEqual(own, { actor: { kind: 'person', id: owner.id }, role: 'owner', strength: 'passkey' })
  const other = await member(malipo, (await malipo.merchant()).id, ['owner'])
  assert.ok(!all.some(({ actor }) => actor.id === other.id))
})
