import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { type TestContext, test } from 'node:test'
import { createAuthenticator } from '../testing/authenticator.ts'
import { behindProxy, invitedStaff, joinWithPasskey, type TestBrowser, testBrowser } from '../testing/browser.ts'
import { testMalipo } from '../testing/malipo.ts'
import { breakGlass } from '../testing/people.ts'
import { endPerson } from './memberships.ts'
import { peopleContext } from './people-context.ts'

interface Started {
  readonly challenge: string
  readonly options: { readonly challenge: string }
}

const start = async (browser: TestBrowser, path = '/sign-in/passkey/options') =>
  (await browser.post(path)).body as unknown as Started

/** A person who joined with a passkey, and another browser of the same person. */
async function setUp(t: TestContext) {
  const malipo = await testMalipo(t, behindProxy)
  const email = `${randomUUID()}@example.com`
  const browser = testBrowser(malipo)
  const joined = await joinWithPasskey(malipo, browser, await invitedStaff(malipo, { email, role: 'admin' }))
  assert.equal(joined.status, 200, JSON.stringify(joined.body))
  return { malipo, email, browser, authenticator: joined.authenticator, other: testBrowser(malipo) }
}

const idOf = async (browser: TestBrowser) => String(((await browser.get('/me')).body['data'] as { id: string }).id)
const sessionOf = (browser: TestBrowser) => browser.cookies.get('__Host-malipo') ?? ''

test('a person joins with a passkey, and signs in with it in another browser', async (t) => {
  const { browser, other, authenticator } = await setUp(t)

  const { challenge, options } = await start(other)
  const signedIn = await other.post('/sign-in/passkey', { challenge, response: authenticator.assert(options) })

  assert.equal(signedIn.status, 200, JSON.stringify(signedIn.body))
  assert.equal(await idOf(other), await idOf(browser))
  assert.notEqual(sessionOf(other), sessionOf(browser))
})

test('the session cookie has the host prefix and is Secure, HttpOnly and SameSite', async (t) => {
  const { browser } = await setUp(t)

  for (const line of browser.setCookies)
    assert.match(line, /^__Host-malipo(-browser)?=[\w-]{43}; Path=\/; HttpOnly; SameSite=Lax; Secure$/)
  assert.equal(browser.setCookies.length, 2)
})

test('a sign-in never continues a session id that the browser had before, and ends that session', async (t) => {
  const { malipo, browser, other, authenticator } = await setUp(t)
  const planted = sessionOf(browser)
  other.cookies.set('__Host-malipo', planted)

  const { challenge, options } = await start(other)
  await other.post('/sign-in/passkey', { challenge, response: authenticator.assert(options) })

  assert.notEqual(sessionOf(other), planted)
  assert.equal((await other.get('/me')).status, 200)
  assert.equal((await browser.get('/me')).status, 401)
  const made = testBrowser(malipo)
  made.cookies.set('__Host-malipo', 'x'.repeat(43))
  assert.equal((await made.get('/me')).status, 401)
})

test('a passkey assertion works once, for its challenge, in its browser and for this origin', async (t) => {
  const { malipo, other, authenticator } = await setUp(t)
  const finish = (browser: TestBrowser, challenge: string, response: object) =>
    browser.post('/sign-in/passkey', { challenge, response })
  const first = await start(other)
  const response = authenticator.assert(first.options)
  assert.equal((await finish(other, first.challenge, response)).status, 200)

  const again = await start(other)
  const [wrongOrigin, unverified, otherBrowser] = [await start(other), await start(other), await start(other)]
  const refused = [
    await finish(other, first.challenge, response),
    await finish(other, again.challenge, response),
    await finish(other, again.challenge, authenticator.assert(again.options)), // Its challenge was taken by the refusal.
    await finish(
      other,
      wrongOrigin.challenge,
      authenticator.assert(wrongOrigin.options, { origin: 'https://pay.example.org' }),
    ),
    await finish(other, unverified.challenge, authenticator.assert(unverified.options, { isVerified: false })),
    await finish(testBrowser(malipo), otherBrowser.challenge, authenticator.assert(otherBrowser.options)),
    await finish(other, randomUUID(), authenticator.assert(first.options)),
  ]

  for (const { status, body } of refused) assert.deepEqual([status, body['errorCode']], [401, 'SIGN_IN_FAILED'])
})

test('a passkey whose counter does not grow, as a copied one, is refused', async (t) => {
  const { other, authenticator } = await setUp(t)
  const sign = async (counter: number) => {
    const { challenge, options } = await start(other)
    return (await other.post('/sign-in/passkey', { challenge, response: authenticator.assert(options, { counter }) }))
      .status
  }

  assert.deepEqual([await sign(7), await sign(7), await sign(6), await sign(8)], [200, 401, 401, 200])
})

test('a challenge older than 5 minutes is refused', async (t) => {
  const { malipo, other, authenticator } = await setUp(t)
  t.after(() => malipo.ask(`update clock_offset set ahead = '0'`))
  const { challenge, options } = await start(other)

  await malipo.ask(`update clock_offset set ahead = '5 minutes 1 second'`)
  const late = await other.post('/sign-in/passkey', { challenge, response: authenticator.assert(options) })

  assert.equal(late.status, 401)
})

test('two answers to one challenge at the same time sign in once', async (t) => {
  const { other, authenticator } = await setUp(t)
  const { challenge, options } = await start(other)
  const body = { challenge, response: authenticator.assert(options, { counter: 0 }) }

  const both = await Promise.all([other.post('/sign-in/passkey', body), other.post('/sign-in/passkey', body)])

  assert.deepEqual(new Set(both.map(({ status }) => status)), new Set([200, 401]))
})

test('one passkey is never registered for a second person, not even after it was removed', async (t) => {
  const { malipo, browser, authenticator } = await setUp(t)
  const second = async () => {
    const token = await invitedStaff(malipo, { email: `${randomUUID()}@example.com` })
    const { status, body } = await joinWithPasskey(malipo, testBrowser(malipo), token, authenticator)
    return [status, body['errorCode']]
  }

  assert.deepEqual(await second(), [409, 'PASSKEY_USED'])
  const spare = createAuthenticator(malipo.ctx.config.publicUrl)
  const { challenge, options } = (await browser.post('/passkeys/options')).body as never
  const added = await browser.post('/passkeys', { challenge, name: 'Key', response: spare.register(options) })
  assert.equal(added.status, 200, JSON.stringify(added.body))
  assert.equal((await browser.send('DELETE', `/passkeys/${authenticator.id}`)).status, 200)

  assert.deepEqual(await second(), [409, 'PASSKEY_USED'])
})

test('a removed passkey and a person who left cannot sign in', async (t) => {
  const { malipo, browser, other, authenticator } = await setUp(t)
  const spare = createAuthenticator(malipo.ctx.config.publicUrl)
  const { challenge, options } = (await browser.post('/passkeys/options')).body as never
  await browser.post('/passkeys', { challenge, name: 'Key', response: spare.register(options) })
  const signIn = async (with_: typeof spare) => {
    const started = await start(other)
    const response = with_.assert(started.options)
    return (await other.post('/sign-in/passkey', { challenge: started.challenge, response })).status
  }

  await browser.send('DELETE', `/passkeys/${authenticator.id}`)
  assert.deepEqual([await signIn(authenticator), await signIn(spare)], [401, 200])
  const order = { person: await idOf(browser), reason: 'left' }
  await malipo.ctx.db.write.transaction((tx) => endPerson(tx, peopleContext(malipo.ctx), breakGlass, order))

  assert.equal(await signIn(spare), 401)
})

test('the last way to sign in cannot be removed, also by two requests at once', async (t) => {
  const { malipo, browser, authenticator } = await setUp(t)
  const spare = createAuthenticator(malipo.ctx.config.publicUrl)

  const alone = await browser.send('DELETE', `/passkeys/${authenticator.id}`)
  assert.deepEqual([alone.status, alone.body['errorCode']], [409, 'LAST_SIGN_IN_METHOD'])
  const { challenge, options } = (await browser.post('/passkeys/options')).body as never
  await browser.post('/passkeys', { challenge, name: 'Key', response: spare.register(options) })
  const both = await Promise.all([authenticator, spare].map(({ id }) => browser.send('DELETE', `/passkeys/${id}`)))

  assert.deepEqual(new Set(both.map(({ status }) => status)), new Set([200, 409]))
})

test('5 minutes after the last proof a change of passkeys needs another, which renews the session id', async (t) => {
  const { malipo, browser, authenticator } = await setUp(t)
  t.after(() => malipo.ask(`update clock_offset set ahead = '0'`))
  await malipo.ask(`update clock_offset set ahead = '5 minutes 1 second'`)

  const refused = await browser.post('/passkeys/options')
  const before = sessionOf(browser)
  const { challenge, options } = await start(browser, '/step-up/passkey/options')
  const body = { challenge, response: authenticator.assert(options) }
  const proved = await browser.post('/step-up/passkey', body)

  assert.deepEqual([refused.status, refused.body['errorCode']], [403, 'STEP_UP_REQUIRED'])
  assert.equal(proved.status, 200, JSON.stringify(proved.body))
  assert.notEqual(sessionOf(browser), before)
  assert.equal((await browser.post('/passkeys/options')).status, 200)
  assert.equal((await browser.post('/step-up/passkey', body)).status, 401)
})

test("another person's passkey, or a sign-in challenge, does not prove presence", async (t) => {
  const { malipo, browser, authenticator } = await setUp(t)
  const token = await invitedStaff(malipo, { email: `${randomUUID()}@example.com` })
  const { authenticator: foreign } = await joinWithPasskey(malipo, testBrowser(malipo), token)

  const stepUp = await start(browser, '/step-up/passkey/options')
  const byOther = { challenge: stepUp.challenge, response: foreign.assert(stepUp.options) }
  const signIn = await start(browser)
  const byChallenge = { challenge: signIn.challenge, response: authenticator.assert(signIn.options) }

  assert.equal((await browser.post('/step-up/passkey', byOther)).status, 401)
  assert.equal((await browser.post('/step-up/passkey', byChallenge)).status, 401)
})

test('a page of another site cannot sign a browser in', async (t) => {
  const { malipo } = await setUp(t)
  const path = '/people/v1/sign-in/passkey/options'

  for (const headers of [{ origin: 'https://evil.example.com' }, { 'sec-fetch-site': 'cross-site' }] as const) {
    const { status, body } = await malipo.call('POST', path, headers)
    assert.deepEqual([status, body['errorCode']], [403, 'CROSS_SITE_REQUEST'])
  }
})
