import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { type TestContext, test } from 'node:test'
import { behindProxy, codeNow, invitedStaff, joinWithPassword, testBrowser } from '../testing/browser.ts'
import { type Malipo, testMalipo } from '../testing/malipo.ts'
import { breakGlass } from '../testing/people.ts'
import { endPerson } from './memberships.ts'
import { passwordContext } from './password-sign-in.ts'
import { peopleContext } from './people-context.ts'

const password = 'maji ya kunywa 7'

/** A person who joined with a password, by the address 198.51.100.1. */
async function setUp(t: TestContext) {
  const malipo = await testMalipo(t, behindProxy)
  await malipo.ask('delete from sign_in_failures')
  const email = `Wanjiru.${randomUUID().slice(0, 8)}@example.com`
  const browser = testBrowser(malipo)
  const joined = await joinWithPassword(malipo, browser, { token: await invitedStaff(malipo, { email }), password })
  assert.equal(joined.status, 200, JSON.stringify(joined.body))
  const me = (await browser.get('/me')).body['data'] as { id: string }
  return { malipo, email, browser, secret: joined.secret, id: me.id }
}

const signIn = (malipo: Malipo, body: object, address?: string) =>
  testBrowser(malipo, address).post('/sign-in/password', body)

/** Codes of the same minute are used up by joining, so the next sign-in is a minute later. */
async function laterBy(t: TestContext, { ask }: Malipo, interval: string) {
  t.after(() => ask(`update clock_offset set ahead = '0'`))
  await ask('update clock_offset set ahead = ahead + $1::interval', [interval])
}

test('a person joins with a password and signs in with it and a code, whatever the case of the address', async (t) => {
  const { malipo, email, secret } = await setUp(t)
  await laterBy(t, malipo, '2 minutes')

  const signedIn = await signIn(malipo, { email: email.toUpperCase(), password, code: await codeNow(malipo, secret) })

  assert.equal(signedIn.status, 200, JSON.stringify(signedIn.body))
})

test('a code works once, and no code before a used one works', async (t) => {
  const { malipo, email, secret } = await setUp(t)
  await laterBy(t, malipo, '2 minutes')
  const [early, code, late] = [
    await codeNow(malipo, secret, -1),
    await codeNow(malipo, secret),
    await codeNow(malipo, secret, 1),
  ]
  const statusOf = async (sent: string) => (await signIn(malipo, { email, password, code: sent })).status

  const both = await Promise.all([statusOf(code), statusOf(code)])

  assert.deepEqual(new Set(both), new Set([200, 401]))
  assert.deepEqual([await statusOf(code), await statusOf(early), await statusOf(late)], [401, 401, 200])
})

test('known and unknown addresses get the same response in similar time', async (t) => {
  const { malipo, email } = await setUp(t)
  // Without the throttle, whose delays would hide a difference.
  Object.assign(malipo.ctx.signIn.throttle, { delayMs: async () => 0 })
  const times: Record<'known' | 'unknown', number[]> = { known: [], unknown: [] }
  const responses = new Set<string>()
  const emails = { known: email, unknown: `Wanjiru.${randomUUID().slice(0, 8)}@example.com` }
  const attempt = async (kind: 'known' | 'unknown') => {
    const body = { email: emails[kind], password: 'wrong one 12', code: '000000' }
    const startedAt = performance.now()
    const { status, body: sent } = await malipo.call('POST', '/people/v1/sign-in/password', {}, body)
    times[kind].push(performance.now() - startedAt)
    responses.add(JSON.stringify([status, { ...sent, requestId: '' }]))
  }
  const median = (values: number[]) => values.toSorted((left, right) => left - right)[values.length >> 1] ?? 0

  for (let number = 0; number < 40; number += 1)
    for (const kind of number % 2 === 0 ? (['known', 'unknown'] as const) : (['unknown', 'known'] as const))
      await attempt(kind)
  const [known, unknown] = [median(times.known), median(times.unknown)]
  t.diagnostic(`medians of 40: known ${known.toFixed(1)} ms, unknown ${unknown.toFixed(1)} ms`)

  assert.equal(responses.size, 1, [...responses].join())
  assert.ok(Math.abs(known - unknown) < 0.25 * Math.max(known, unknown), `${known} and ${unknown} ms`)
})

test('a wrong password, a wrong code and a person who left get the same response', async (t) => {
  const { malipo, email, secret, id } = await setUp(t)
  await laterBy(t, malipo, '2 minutes')
  const code = await codeNow(malipo, secret)
  const responseTo = async (body: object) => {
    const { status, body: sent } = await signIn(malipo, body)
    return [status, sent['errorCode'], sent['message']]
  }

  const wrongPassword = await responseTo({ email, password: 'wrong password', code })
  const wrongCode = await responseTo({ email, password, code: '000000' })
  const order = { person: id, reason: 'left' }
  await malipo.ctx.db.write.transaction((tx) => endPerson(tx, peopleContext(malipo.ctx), breakGlass, order))
  const left = await responseTo({ email, password, code })

  assert.deepEqual(wrongPassword, [401, 'SIGN_IN_FAILED', 'Sign-in failed.'])
  assert.deepEqual([wrongCode, left], [wrongPassword, wrongPassword])
})

test('guessing from other addresses does not lock out a person at a familiar address', async (t) => {
  const { malipo, email, secret } = await setUp(t)
  await laterBy(t, malipo, '2 minutes')
  const attempts = Array.from({ length: 7 }, (_, number) =>
    signIn(malipo, { email, password: 'wrong password', code: '000000' }, `203.0.113.${number}`),
  )
  for (const { status } of await Promise.all(attempts)) assert.equal(status, 401)
  const account = malipo.ctx.vault.hash(email.toLowerCase(), 'sign-in account')
  const delayFrom = (address: string, isFamiliar: boolean) =>
    malipo.ctx.signIn.throttle.delayMs({ address, account, isFamiliar })

  const signedIn = await signIn(malipo, { email, password, code: await codeNow(malipo, secret) }, '198.51.100.1')

  assert.equal(signedIn.status, 200)
  assert.ok((await delayFrom('203.0.113.99', false)) >= 1000)
  assert.equal(await delayFrom('198.51.100.1', true), 0)
})

test('the first failed sign-in is audited at once, the others of its minute with their count', async (t) => {
  const { malipo, email, id } = await setUp(t)
  const rows = () =>
    malipo.ask<{ count: string; actor: string }>(
      `select detail->>'count' as count, actor from audit_entries
       where action = 'session.sign_in_failed' and subject = $1 order by id`,
      [id],
    )
  for (let times = 0; times < 4; times += 1) await signIn(malipo, { email, password: 'wrong password', code: '000000' })

  assert.deepEqual(await rows(), [{ count: '1', actor: 'anonymous' }])
  await malipo.ctx.signIn.failures.flush()

  assert.deepEqual(
    (await rows()).map(({ count }) => count),
    ['1', '3'],
  )
})

test('an unknown address is audited by a hash, because it may be a password', async (t) => {
  const { malipo } = await setUp(t)
  const typed = `my-secret-${randomUUID()}@example.com`

  await signIn(malipo, { email: typed, password: 'wrong password', code: '000000' })

  const found = await malipo.ask(`select from audit_entries a where a::text like '%' || $1 || '%'`, [typed])
  assert.deepEqual(found, [])
  assert.ok(!malipo.log.join('').includes(typed))
})

test('a hash with an old cost is replaced at the next sign-in', async (t) => {
  const { malipo, email, secret, id } = await setUp(t)
  const personId = id.replace('person_', '').replace(/(.{8})(.{4})(.{4})(.{4})(.{12})/, '$1-$2-$3-$4-$5')
  const { argon2Sync } = await import('node:crypto')
  const nonce = Buffer.from('saltsaltsaltsalt')
  const tag = argon2Sync('argon2id', {
    message: password,
    nonce,
    parallelism: 1,
    tagLength: 32,
    memory: 8192,
    passes: 2,
  })
  const old = `$argon2id$v=19$m=8192,t=2,p=1$${nonce.toString('base64url')}$${tag.toString('base64url')}`
  const { vault } = malipo.ctx
  await malipo.ask('update people set password_hash = $1 where id = $2', [
    vault.seal(old, passwordContext(personId)),
    personId,
  ])
  await laterBy(t, malipo, '2 minutes')

  assert.equal((await signIn(malipo, { email, password, code: await codeNow(malipo, secret) })).status, 200)

  const [row] = await malipo.ask<{ password_hash: string }>('select password_hash from people where id = $1', [
    personId,
  ])
  assert.match(vault.open(row?.password_hash ?? '', passwordContext(personId)), /^\$argon2id\$v=19\$m=19456,t=2,p=1\$/)
})

test('neither password nor secret is readable in the database', async (t) => {
  const { malipo, secret, email } = await setUp(t)

  const [row] = await malipo.ask<{ text: string }>('select p::text as text from people p where email = $1', [email])

  assert.ok(row && !row.text.includes(secret) && !row.text.includes('argon2'))
})

test('a new password needs the code of its own app, within 15 minutes, and a good password', async (t) => {
  const { malipo, browser } = await setUp(t)
  const setup = (await browser.post('/totp')).body as { secret: string; ticket: string }
  const other = (await browser.post('/totp')).body as { secret: string; ticket: string }
  const put = async (fields: object) => {
    const code = await codeNow(malipo, setup.secret)
    const { status, body } = await browser.send('PUT', '/password', { password, ticket: setup.ticket, code, ...fields })
    return [status, body['errorCode'] ?? '']
  }

  assert.deepEqual(await put({ code: await codeNow(malipo, other.secret) }), [400, 'CODE_REFUSED'])
  assert.deepEqual(await put({ ticket: 'nothing' }), [400, 'CODE_REFUSED'])
  assert.deepEqual(await put({ password: 'short' }), [400, 'VALIDATION_ERROR'])
  assert.deepEqual(await put({ password: 'another word 9' }), [200, ''])
  const alone = await browser.send('DELETE', '/password')
  assert.deepEqual([alone.status, alone.body['errorCode']], [409, 'LAST_SIGN_IN_METHOD'])
})

test('a changed password ends the sessions of other browsers', async (t) => {
  const { malipo, browser, email, secret } = await setUp(t)
  await laterBy(t, malipo, '1 minute')
  const other = testBrowser(malipo)
  assert.equal(
    (await other.post('/sign-in/password', { email, password, code: await codeNow(malipo, secret) })).status,
    200,
  )
  const setup = (await browser.post('/totp')).body as { secret: string; ticket: string }
  const code = await codeNow(malipo, setup.secret)

  const changed = await browser.send('PUT', '/password', { password: 'another word 9', ticket: setup.ticket, code })

  assert.equal(changed.status, 200, JSON.stringify(changed.body))
  assert.equal((await browser.get('/me')).status, 200)
  assert.equal((await other.get('/me')).status, 401)
})

test('a stranger who fails under many names adds a bounded number of rows to the audit trail', async (t) => {
  const { malipo, id } = await setUp(t)
  const { failures } = malipo.ctx.signIn
  const count = async () => {
    const [row] = await malipo.ask<{ count: string }>(
      `select count(*) from audit_entries where action = 'session.sign_in_failed'`,
    )
    return Number(row?.count)
  }
  const before = await count()

  for (let number = 0; number < 300; number += 1)
    await failures.note({ address: `2001:db8:${number}::1`, account: `unknown ${number}`, how: 'password' })
  await failures.note({ address: '203.0.113.9', account: id, how: 'password' })

  assert.equal((await count()) - before, 52) // 50 of their own, one of all others, one of the known person.
  await failures.flush()
  const [row] = await malipo.ask<{ sum: string }>(
    `select sum((detail->>'count')::int) from audit_entries where subject = 'unknown accounts'`,
  )
  assert.equal(row?.sum, '250')
})

test('the id of a request of people is never the one that its sender names', async (t) => {
  const { malipo } = await setUp(t)
  const named = { 'x-request-id': 'of-another-request' }

  const ofPeople = await malipo.call('GET', '/people/v1/me', named)
  const ofMerchants = await malipo.call('GET', '/api/b2b/users', named)

  assert.match(ofPeople.headers.get('x-request-id') ?? '', /^req_/)
  assert.equal(ofMerchants.headers.get('x-request-id'), 'of-another-request')
})

test('password and code prove presence again, a code that was used does not', async (t) => {
  const { malipo, browser, secret } = await setUp(t)
  await laterBy(t, malipo, '6 minutes')
  assert.equal((await browser.post('/totp')).body['errorCode'], 'STEP_UP_REQUIRED')
  const body = { password, code: await codeNow(malipo, secret) }

  assert.equal((await browser.post('/step-up/password', { ...body, password: 'wrong password' })).status, 401)
  assert.equal((await browser.post('/step-up/password', body)).status, 200)

  assert.equal((await browser.post('/totp')).status, 200)
  assert.equal((await browser.post('/step-up/password', body)).status, 401)
})
