import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { type TestContext, test } from 'node:test'
import { codeNow, invitedStaff, joinWithPasskey, joinWithPassword, testBrowser } from '../testing/browser.ts'
import { testMalipo } from '../testing/malipo.ts'
import { testPerson } from '../testing/people.ts'
import { cookiesFor } from './cookies.ts'
import { peopleContext } from './people-context.ts'
import { createSignInLink } from './sign-in-link.ts'

// An attacker plants a session cookie in a browser, and waits until its owner signs in. Passkeys: passkeys.test.ts.

const development = { MALIPO_PUBLIC_URL: 'http://localhost:8080', MALIPO_DEVELOPMENT: 'on' }
const password = 'maji ya kunywa 7'

async function setUp(t: TestContext) {
  const malipo = await testMalipo(t, development)
  const { session: name } = cookiesFor(development.MALIPO_PUBLIC_URL)
  const attacker = await testPerson(malipo, { operator: ['support'] })
  const browser = testBrowser(malipo)
  const me = async (token: string) => {
    const { status, body } = await malipo.call('GET', '/people/v1/me', { cookie: `${name}=${token}` })
    return status === 200 ? (body['data'] as { id: string }).id : undefined
  }
  /** Signs in with a planted cookie. Returns who has the session then, and who the planted one. */
  const signIn = async (planted: string, how: () => Promise<{ readonly status: number }>) => {
    browser.cookies.set(name, planted)
    assert.equal((await how()).status, 200)
    const given = browser.cookies.get(name) ?? ''
    assert.notEqual(given, planted)
    return { given: await me(given), planted: await me(planted) }
  }
  return { malipo, attacker, browser, signIn }
}

const invented = 'A'.repeat(43)

test('the session after a sign-in link is not the one that was planted before', async (t) => {
  const { malipo, attacker, browser, signIn } = await setUp(t)
  const person = await testPerson(malipo, { operator: ['admin'] })
  for (const planted of [invented, attacker.token]) {
    const link = await createSignInLink(malipo.ctx.db.write, peopleContext(malipo.ctx), person.person_id)
    const code = new URL(link).hash.slice(1)

    const after = await signIn(planted, () => browser.post('/sign-in/link', { code }))

    assert.deepEqual(after, { given: person.id, planted: undefined })
  }
})

test('the session after a password, or after joining by an invitation, is not the one that was planted', async (t) => {
  const { malipo, attacker, browser, signIn } = await setUp(t)
  const email = `${randomUUID()}@example.com`
  const first = testBrowser(malipo)
  const { secret } = await joinWithPassword(malipo, first, { token: await invitedStaff(malipo, { email }), password })
  const { id } = (await first.get('/me')).body['data'] as { id: string }
  t.after(() => malipo.ask(`update clock_offset set ahead = '0'`))
  await malipo.ask(`update clock_offset set ahead = ahead + interval '2 minutes'`)

  const code = await codeNow(malipo, secret)
  const after = await signIn(attacker.token, () => browser.post('/sign-in/password', { email, password, code }))
  assert.deepEqual(after, { given: id, planted: undefined })

  const invitation = await invitedStaff(malipo, { email: `${randomUUID()}@example.com` })
  const joined = await signIn(invented, () => joinWithPasskey(malipo, browser, invitation))
  assert.equal(joined.planted, undefined)
  assert.ok(joined.given !== undefined && joined.given !== id)
})

test('a planted second cookie is refused instead of chosen, and signing out ends the own session', async (t) => {
  const { malipo, attacker, browser } = await setUp(t)
  const person = await testPerson(malipo)
  const { session: name } = cookiesFor(development.MALIPO_PUBLIC_URL)
  const both = `${name}=${attacker.token}; ${name}=${person.token}`

  assert.equal((await malipo.call('GET', '/people/v1/me', { cookie: both })).status, 401)
  browser.cookies.set(name, person.token)
  assert.equal((await browser.post('/sign-out')).status, 200)
  assert.equal(browser.cookies.get(name), undefined)
  assert.equal((await person.call('GET', '/people/v1/me')).status, 401)
})
