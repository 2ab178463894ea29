import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { until } from '../dev-stack/until.ts'
import { type Malipo, testMalipo } from '../testing/malipo.ts'
import { breakGlass, testPerson } from '../testing/people.ts'
import { decideDevice } from './device-codes.ts'
import { endPerson } from './memberships.ts'
import { peopleContext } from './people-context.ts'
import { sessionOf } from './sessions.ts'

interface Started {
  readonly deviceCode: string
  readonly userCode: string
  readonly verificationUrl: string
}

const start = async (malipo: Malipo) => {
  const { status, body } = await malipo.call('POST', '/people/v1/device-codes', { 'user-agent': 'malipo/1' })
  assert.equal(status, 200, JSON.stringify(body))
  return body as unknown as Started
}
const poll = async (malipo: Malipo, deviceCode: string) => {
  const { body } = await malipo.call('POST', '/people/v1/device-codes/token', {}, { deviceCode })
  return { code: body['errorCode'], token: body['token'] as string | undefined }
}

async function setUp(t: TestContext) {
  const malipo = await testMalipo(t, { MALIPO_PUBLIC_URL: 'https://pay.example.com' })
  return { malipo, person: await testPerson(malipo, { operator: ['admin'] }), started: await start(malipo) }
}

test('a command line gets a session after a person approved its code, and only once', async (t) => {
  const { malipo, person, started } = await setUp(t)
  const { deviceCode, userCode, verificationUrl } = started

  assert.match(userCode, /^[BCDFGHJKLMNPQRSTVWXZ]{4}-[BCDFGHJKLMNPQRSTVWXZ]{4}$/)
  assert.equal(verificationUrl, 'https://pay.example.com/device')
  assert.equal((await poll(malipo, deviceCode)).code, 'DEVICE_CODE_PENDING')
  const shown = await person.call('POST', '/people/v1/device-codes/show', { userCode: userCode.toLowerCase() })
  assert.equal((shown.body['data'] as { userAgent: string }).userAgent, 'malipo/1')
  assert.equal((await person.call('POST', '/people/v1/device-codes/approve', { userCode })).status, 200)
  const polls = await Promise.all([poll(malipo, deviceCode), poll(malipo, deviceCode), poll(malipo, deviceCode)])

  const tokens = polls.flatMap(({ token }) => token ?? [])
  assert.equal(tokens.length, 1)
  assert.match(tokens[0] ?? '', /^mls_[\w-]{43}$/)
  const me = await malipo.call('GET', '/people/v1/me', { authorization: `Bearer ${tokens[0]}` })
  assert.equal((me.body['data'] as { id: string }).id, person.id)
  assert.equal((await poll(malipo, deviceCode)).code, 'DEVICE_CODE_INVALID')
})

test('a denied code gives no session, and cannot be approved afterwards', async (t) => {
  const { malipo, person, started } = await setUp(t)
  const { deviceCode, userCode } = started

  assert.equal((await person.call('POST', '/people/v1/device-codes/deny', { userCode })).status, 200)

  assert.equal((await poll(malipo, deviceCode)).code, 'DEVICE_CODE_DENIED')
  assert.equal((await person.call('POST', '/people/v1/device-codes/approve', { userCode })).status, 404)
})

test('of an approval and a denial at the same time one counts', async (t) => {
  const { malipo, person, started } = await setUp(t)
  const { deviceCode, userCode } = started

  const both = await Promise.all(
    ['approve', 'deny'].map((word) => person.call('POST', `/people/v1/device-codes/${word}`, { userCode })),
  )

  assert.deepEqual(new Set(both.map(({ status }) => status)), new Set([200, 404]))
  const { code, token } = await poll(malipo, deviceCode)
  assert.equal(both[0]?.status === 200, token !== undefined)
  assert.equal(both[1]?.status === 200, code === 'DEVICE_CODE_DENIED')
})

test('a poll that waits for the approval to commit gets the session', async (t) => {
  const { malipo, person, started } = await setUp(t)
  const { deviceCode, userCode } = started
  const [decided, released] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const principal = await sessionOf(malipo.ctx, { cookie: person.headers['cookie'], authorization: undefined })
  assert.ok(principal)
  const approving = malipo.ctx.db.write.transaction(async (tx) => {
    await decideDevice(tx, peopleContext(malipo.ctx), principal, { userCode, isApproved: true })
    decided.resolve()
    await released.promise
  })
  await decided.promise

  const polling = poll(malipo, deviceCode)
  await until('the poll to wait', async () => {
    const [row] = await malipo.ask<{ count: number }>(
      `select count(*)::int as count from pg_stat_activity where wait_event_type = 'Lock' and query like '%device_codes%'`,
    )
    return (row?.count ?? 0) > 0
  })
  released.resolve()
  await approving

  assert.match((await polling).token ?? '', /^mls_/)
})

test('an expired code is refused in the browser and at the command line', async (t) => {
  const { malipo, person, started } = await setUp(t)
  t.after(() => malipo.ask(`update clock_offset set ahead = '0'`))
  const [approved, waiting] = [started, await start(malipo)]
  await person.call('POST', '/people/v1/device-codes/approve', { userCode: approved.userCode })

  await malipo.ask(`update clock_offset set ahead = '10 minutes 1 second'`)

  for (const { deviceCode } of [approved, waiting])
    assert.equal((await poll(malipo, deviceCode)).code, 'DEVICE_CODE_INVALID')
  const late = await person.call('POST', '/people/v1/device-codes/deny', { userCode: waiting.userCode })
  assert.equal(late.body['errorCode'], 'DEVICE_CODE_INVALID')
})

test('wrong codes are refused, and a person who keeps trying is slowed down', async (t) => {
  const { malipo, person, started } = await setUp(t)

  assert.equal((await poll(malipo, started.deviceCode.replace(/.$/, 'x'))).code, 'DEVICE_CODE_INVALID')
  assert.equal((await poll(malipo, started.userCode)).code, 'DEVICE_CODE_INVALID')
  const statuses: number[] = []
  for (let times = 0; times < 12; times += 1)
    statuses.push((await person.call('POST', '/people/v1/device-codes/show', { userCode: 'BBBB-BBBB' })).status)

  assert.deepEqual(new Set(statuses.slice(0, 10)), new Set([404]))
  assert.deepEqual(new Set(statuses.slice(10)), new Set([429]))
})

test('approval needs a session with a fresh proof of presence', async (t) => {
  const { malipo, started } = await setUp(t)
  const { userCode } = started
  const old = await testPerson(malipo, { operator: ['admin'], isProved: false })

  const refused = await old.call('POST', '/people/v1/device-codes/approve', { userCode })
  const anonymous = await malipo.call('POST', '/people/v1/device-codes/approve', {}, { userCode })

  assert.deepEqual([refused.status, refused.body['errorCode']], [403, 'STEP_UP_REQUIRED'])
  assert.equal(anonymous.status, 401)
})

test('a command line cannot approve another one: its session would outlive itself', async (t) => {
  const { malipo, started } = await setUp(t)
  const commandLine = await testPerson(malipo, { operator: ['admin'], kind: 'cli' })

  const { status } = await commandLine.call('POST', '/people/v1/device-codes/approve', { userCode: started.userCode })

  assert.equal(status, 403)
  assert.equal((await poll(malipo, started.deviceCode)).code, 'DEVICE_CODE_PENDING')
})

test('a code approved by a person who left since gives no session', async (t) => {
  const { malipo, person, started } = await setUp(t)
  await person.call('POST', '/people/v1/device-codes/approve', { userCode: started.userCode })

  const order = { person: person.id, reason: 'left' }
  await malipo.ctx.db.write.transaction((tx) => endPerson(tx, peopleContext(malipo.ctx), breakGlass, order))

  assert.equal((await poll(malipo, started.deviceCode)).code, 'DEVICE_CODE_INVALID')
})
