import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Tx } from '../platform/db.ts'
import { showId } from '../platform/ids.ts'
import { call, type Malipo, testMalipo } from '../testing/malipo.ts'
import { breakGlass, headersOf, testPerson } from '../testing/people.ts'
import { endPerson, endRole, endSessionsOf, grantRole, listMemberships } from './memberships.ts'
import { peopleContext } from './people-context.ts'
import { proveSession } from './sessions.ts'

const me = '/people/v1/me'
const site = { MALIPO_PUBLIC_URL: 'https://pay.example.com' }

const change = <Result>({ ctx }: Malipo, work: (tx: Tx, people: ReturnType<typeof peopleContext>) => Promise<Result>) =>
  ctx.db.write.transaction((tx) => work(tx, peopleContext(ctx)))

/** Moves the database's time of record, until the test ends. */
async function moveClock(t: { after(work: () => Promise<unknown>): void }, { ask }: Malipo, by: string) {
  t.after(() => ask(`update clock_offset set ahead = '0'`))
  await ask('update clock_offset set ahead = ahead + $1::interval', [by])
}

const statusOf = async (malipo: Malipo, headers: Record<string, string>) =>
  (await malipo.call('GET', me, headers)).status

test('a signed-in person sees its own rights, and a request without a session nothing', async (t) => {
  const malipo = await testMalipo(t, site)
  const { id: merchant } = await malipo.merchant()
  const person = await testPerson(malipo, { operator: ['support'], merchant: { id: merchant, roles: ['developer'] } })

  const { status, body } = await person.call('GET', me)

  const data = body['data'] as Record<string, unknown>
  assert.equal(status, 200, JSON.stringify(body))
  assert.equal(data['id'], person.id)
  assert.deepEqual(data['operator'], [
    {
      role: 'support',
      countries: [],
      currencies: [],
      permissions: ['payments:read', 'webhooks:resend', 'merchants:read', 'providers:read'],
    },
  ])
  assert.equal((data['merchants'] as { merchant: string }[])[0]?.merchant, merchant)
  const refused = await malipo.call('GET', me)
  assert.deepEqual([refused.status, refused.body['errorCode']], [401, 'SIGN_IN_REQUIRED'])
})

test("a merchant's token does not work on people's routes, nor a session on a merchant's", async (t) => {
  const malipo = await testMalipo(t, site)
  const merchant = await malipo.merchant()
  const browser = await testPerson(malipo, { merchant: { id: merchant.id, roles: ['owner'] } })
  const cli = await testPerson(malipo, { operator: ['admin'], kind: 'cli' })

  const withToken = await merchant.call('GET', me)
  const withCookie = await browser.call('GET', '/api/b2b/users')
  const withCli = await cli.call('GET', '/api/b2b/users')

  assert.deepEqual([withToken.status, withCookie.status, withCli.status], [401, 401, 401])
  assert.equal((await cli.call('GET', me)).status, 200)
})

test('a cookie with a command line session, or a header with a browser session, is refused', async (t) => {
  const malipo = await testMalipo(t, site)
  const [browser, cli] = [await testPerson(malipo), await testPerson(malipo, { kind: 'cli' })]

  assert.equal(await statusOf(malipo, headersOf(malipo.ctx, 'browser', cli.token)), 401)
  assert.equal(await statusOf(malipo, headersOf(malipo.ctx, 'cli', browser.token)), 401)
})

test('an unknown path of people or the operator is not revealed without a session', async (t) => {
  const malipo = await testMalipo(t, site)
  const person = await testPerson(malipo)

  for (const path of ['/people/v1/nothing', '/operator/v1/nothing', '/dashboard/v1/nothing']) {
    assert.equal((await malipo.call('GET', path)).status, 401, path)
    assert.equal((await person.call('GET', path)).status, 404, path)
  }
  assert.equal((await malipo.call('DELETE', me)).status, 401)
  assert.equal((await person.call('DELETE', me)).status, 405)
})

test('the session id is stored only as a keyed hash', async (t) => {
  const malipo = await testMalipo(t, site)
  const { token } = await testPerson(malipo)

  const [row] = await malipo.ask<{ text: string }>(
    `select string_agg(s::text, '') as text from sessions s where token_hash is not null`,
  )

  assert.ok(Buffer.from(token, 'base64url').length === 32)
  assert.ok(row && !row.text.includes(token))
})

test('a change by cookie is refused without the header of its session or from another origin', async (t) => {
  const malipo = await testMalipo(t, site)
  const [person, other] = [await testPerson(malipo), await testPerson(malipo)]
  const { cookie = '', origin = '', 'x-malipo-csrf': csrf = '' } = person.headers
  const refused: Record<string, string>[] = [
    { cookie, origin },
    { cookie, origin, 'x-malipo-csrf': '' },
    { cookie, origin, 'x-malipo-csrf': String(other.headers['x-malipo-csrf']) },
    { cookie, origin: 'https://evil.example.com', 'x-malipo-csrf': csrf },
    { cookie, origin: 'null', 'x-malipo-csrf': csrf },
    { cookie, origin: 'http://pay.example.com', 'x-malipo-csrf': csrf },
    { cookie, origin, 'sec-fetch-site': 'same-site', 'x-malipo-csrf': csrf },
    { cookie, 'x-malipo-csrf': csrf },
  ]

  for (const headers of refused) {
    const { status, body } = await malipo.call('POST', '/people/v1/sign-out', headers)
    assert.deepEqual([status, body['errorCode']], [403, 'CROSS_SITE_REQUEST'], JSON.stringify(headers))
  }
  const rows = await malipo.ask<{ action: string; result: string; address: string | null }>(
    'select action, result, address from audit_entries where actor = $1',
    [person.id],
  )
  const recorded = { action: 'POST /people/v1/sign-out', result: 'refused', address: '127.0.0.1' }
  assert.deepEqual(
    rows,
    refused.map(() => recorded),
  )
  const signedOut = await malipo.call('POST', '/people/v1/sign-out', { cookie, origin, 'x-malipo-csrf': csrf })

  assert.equal(signedOut.status, 200)
  assert.match(
    signedOut.headers.get('set-cookie') ?? '',
    /^__Host-malipo=; Path=\/; HttpOnly; SameSite=Lax; Secure; Max-Age=0$/,
  )
  assert.equal(await statusOf(malipo, person.headers), 401)
  assert.equal(await statusOf(malipo, other.headers), 200)
})

test('a cookie that is sent twice is refused, so that a planted one is never used', async (t) => {
  const malipo = await testMalipo(t, site)
  const [own, planted] = [await testPerson(malipo), await testPerson(malipo)]

  assert.equal(await statusOf(malipo, { cookie: `${own.headers['cookie']}; ${planted.headers['cookie']}` }), 401)
})

test('a stolen cookie does not work after the session proved presence again', async (t) => {
  const malipo = await testMalipo(t, site)
  const person = await testPerson(malipo)

  const order = { id: person.session_id, strength: 'passkey' } as const
  const token = await change(malipo, (tx, people) => proveSession(tx, people, order))

  assert.ok(token)
  assert.equal(await statusOf(malipo, person.headers), 401)
  assert.equal(await statusOf(malipo, headersOf(malipo.ctx, 'browser', token)), 200)
})

const limits = [
  { who: 'operator staff', options: { operator: ['support'] }, idle: '30 minutes', most: 12 },
  { who: "a merchant's person", options: {}, idle: '2 hours', most: 12 },
] as const

for (const { who, options, idle, most } of limits)
  test(`a session of ${who} ends after ${idle} without a request, and after ${most} hours in all`, async (t) => {
    const malipo = await testMalipo(t, site)
    const [quiet, busy] = [await testPerson(malipo, options), await testPerson(malipo, options)]
    const steps = (most * 60) / (idle === '2 hours' ? 110 : 25)

    await moveClock(t, malipo, `${idle === '2 hours' ? 110 : 25} minutes`)
    assert.equal(await statusOf(malipo, busy.headers), 200)
    await moveClock(t, malipo, '15 minutes')
    assert.equal(await statusOf(malipo, quiet.headers), 401)
    for (let step = 1; step < steps; step += 1) {
      assert.equal(await statusOf(malipo, busy.headers), 200, `step ${step}`)
      await moveClock(t, malipo, `${idle === '2 hours' ? 110 : 25} minutes`)
    }
    await moveClock(t, malipo, '20 minutes')

    assert.equal(await statusOf(malipo, busy.headers), 401)
  })

test('a command line session lasts 12 hours without requests, and not longer', async (t) => {
  const malipo = await testMalipo(t, site)
  const cli = await testPerson(malipo, { operator: ['admin'], kind: 'cli' })

  await moveClock(t, malipo, '11 hours 50 minutes')
  assert.equal(await statusOf(malipo, cli.headers), 200)
  await moveClock(t, malipo, '11 minutes')

  assert.equal(await statusOf(malipo, cli.headers), 401)
})

test('ending a role, a person or all sessions takes effect with the next request', async (t) => {
  const malipo = await testMalipo(t, site)
  const [first, second, third] = [
    await testPerson(malipo, { operator: ['support'] }),
    await testPerson(malipo, { operator: ['support'] }),
    await testPerson(malipo, { operator: ['support'] }),
  ]
  const [role] = await listMemberships(malipo.ctx.db.write, [first.person_id])
  const membership = showId('membership', role?.id ?? '')

  await change(malipo, (tx, people) => endRole(tx, people, breakGlass, { membership, reason: 'moved' }))
  await change(malipo, (tx, people) => endPerson(tx, people, breakGlass, { person: second.id, reason: 'left' }))
  await change(malipo, (tx, people) => endSessionsOf(tx, people, breakGlass, { person: third.id, reason: 'lost' }))

  for (const { headers } of [first, second, third]) assert.equal(await statusOf(malipo, headers), 401)
  const again = change(malipo, (tx, people) => endRole(tx, people, breakGlass, { membership, reason: 'twice' }))
  await assert.rejects(again, { key: 'ROLE_MISSING' })
  const twice = change(malipo, (tx, people) =>
    endPerson(tx, people, breakGlass, { person: second.id, reason: 'twice' }),
  )
  await assert.rejects(twice, { key: 'PERSON_MISSING' })
})

test('a person who gets another role must sign in again, so no session gains rights', async (t) => {
  const malipo = await testMalipo(t, site)
  const person = await testPerson(malipo, { operator: ['support'] })
  const order = { person_id: person.person_id, merchant_id: null, role: 'finance', countries: [], currencies: [] }

  await change(malipo, (tx, people) => grantRole(tx, people, breakGlass, order))

  assert.equal(await statusOf(malipo, person.headers), 401)
  await assert.rejects(
    change(malipo, (tx, people) => grantRole(tx, people, breakGlass, order)),
    { key: 'ROLE_HELD' },
  )
})

test('a person lists and ends its own sessions, and no session of another', async (t) => {
  const malipo = await testMalipo(t, site)
  const [person, other] = [await testPerson(malipo), await testPerson(malipo)]

  const listed = await person.call('GET', '/people/v1/sessions')
  const sessions = listed.body['data'] as { id: string; isThis: boolean }[]
  const refused = await person.call('DELETE', `/people/v1/sessions/${showId('session', other.session_id)}`)

  assert.deepEqual(
    sessions.map(({ id, isThis }) => [id, isThis]),
    [[showId('session', person.session_id), true]],
  )
  assert.deepEqual([refused.status, refused.body['errorCode']], [404, 'SESSION_NOT_FOUND'])
  assert.equal(await statusOf(malipo, other.headers), 200)
  assert.equal((await person.call('DELETE', `/people/v1/sessions/${sessions[0]?.id}`)).status, 200)
  assert.equal(await statusOf(malipo, person.headers), 401)
})

test('on http at a loopback address the cookie has no prefix and is not Secure', async (t) => {
  const malipo = await testMalipo(t, { MALIPO_PUBLIC_URL: 'http://localhost:8080' })
  const person = await testPerson(malipo)

  const { status, headers } = await call(malipo.url, 'POST', '/people/v1/sign-out', person.headers)

  assert.equal(status, 200)
  assert.equal(headers.get('set-cookie'), 'malipo=; Path=/; HttpOnly; SameSite=Lax; Max-Age=0')
})

test('a person over its request limit is refused, and another person is not', async (t) => {
  const malipo = await testMalipo(t, { ...site, MALIPO_RATE_LIMIT_PEOPLE: '1' })
  const [busy, other] = [await testPerson(malipo), await testPerson(malipo)]

  const statuses = await Promise.all(Array.from({ length: 20 }, () => statusOf(malipo, busy.headers)))

  assert.ok(statuses.includes(200) && statuses.filter((status) => status === 429).length >= 10, statuses.join())
  assert.equal(await statusOf(malipo, other.headers), 200)
})
