import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { type TestContext, test } from 'node:test'
import { behindProxy, invitedStaff, joinWithPasskey, testBrowser } from '../testing/browser.ts'
import { type Malipo, testMalipo } from '../testing/malipo.ts'
import { openOidcProvider } from '../testing/oidc-provider.ts'
import { breakGlass } from '../testing/people.ts'
import { inviteOperator } from './invite.ts'
import { endPerson } from './memberships.ts'
import { peopleContext } from './people-context.ts'

/** A browser that follows no redirect, so that the test plays the provider. */
function openBrowser({ url }: Malipo) {
  const cookies = new Map<string, string>()
  const get = async (path: string) => {
    const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ')
    const response = await fetch(url + path, { redirect: 'manual', headers: { cookie } })
    for (const line of response.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? []
      cookies.set(name, value)
    }
    return { status: response.status, location: response.headers.get('location') ?? '', text: await response.text() }
  }
  return { cookies, get }
}

async function setUp(t: TestContext) {
  const provider = await openOidcProvider()
  t.after(() => provider.close())
  const malipo = await testMalipo(t, { ...behindProxy, ...provider.settings })
  const email = `${randomUUID()}@example.com`
  const identity = { sub: randomUUID(), email, email_verified: true }
  const invite = () =>
    malipo.ctx.db.write.transaction((tx) =>
      inviteOperator(tx, peopleContext(malipo.ctx), breakGlass, {
        ...{ email, name: 'Baraka Mushi', role: 'support', isForOidc: true },
      }),
    )
  /** Returns where the browser ends. */
  const signIn = async (claims: object = identity, browser = openBrowser(malipo)) => {
    const { location } = await browser.get('/people/v1/sign-in/oidc?next=/device')
    return (await browser.get(provider.signIn(location, { ...claims }))).location
  }
  return { malipo, provider, email, identity, invite, signIn }
}

test('an invited person signs in at the provider, and later by its subject', async (t) => {
  const { malipo, identity, invite, signIn } = await setUp(t)
  await invite()
  const browser = openBrowser(malipo)

  assert.equal(await signIn(identity, browser), '/device')
  const me = JSON.parse((await browser.get('/people/v1/me')).text) as { data: { name: string; strength: string } }
  assert.deepEqual([me.data.name, me.data.strength], ['Baraka Mushi', 'oidc'])

  assert.equal(await signIn({ sub: identity.sub, email: 'changed@example.com', email_verified: false }), '/device')
})

test('an identity that was not invited, or whose address is not verified, is refused', async (t) => {
  const { malipo, email, identity, invite, signIn } = await setUp(t)
  const refused = '/sign-in?refused'

  assert.equal(await signIn(), refused)
  await invite()
  assert.equal(await signIn({ ...identity, email_verified: false }), refused)
  assert.equal(await signIn({ sub: identity.sub }), refused)
  const [found] = await malipo.ask('select from people where email = $1', [email])
  assert.equal(found, undefined)

  assert.equal(await signIn(), '/device')
})

test('a person who signs in otherwise is not taken over by the same address at the provider', async (t) => {
  const { malipo, email, invite, signIn } = await setUp(t)
  await joinWithPasskey(malipo, testBrowser(malipo), await invitedStaff(malipo, { email }))
  await invite()

  assert.equal(await signIn(), '/sign-in?refused')
})

test('the link of an invitation for the provider does not create another way to sign in', async (t) => {
  const { malipo, invite } = await setUp(t)
  const token = (await invite()).link.split('#')[1] ?? ''

  const { status, body } = await testBrowser(malipo).post('/invitations/totp', { token })

  assert.deepEqual([status, body['errorCode']], [409, 'INVITATION_NEEDS_SIGN_IN'])
})

test('a callback works once, in the browser that started it, with its own state and nonce', async (t) => {
  const { malipo, provider, identity, invite } = await setUp(t)
  await invite()
  const browser = openBrowser(malipo)
  const started = async () => (await browser.get('/people/v1/sign-in/oidc')).location
  const first = provider.signIn(await started(), identity)
  const another = openBrowser(malipo)
  await another.get('/people/v1/sign-in/oidc')
  const refused = '/sign-in?refused'

  assert.equal((await another.get(first)).location, refused)
  const wrongNonce = provider.signIn(await started(), { ...identity, nonce: 'another' })
  assert.equal((await browser.get(wrongNonce)).location, refused)
  const wrongState = provider.signIn(await started(), identity).replace(/state=[^&]*/, 'state=x.y')
  assert.equal((await browser.get(wrongState)).location, refused)
  const right = provider.signIn(await started(), identity)
  assert.equal((await browser.get(right)).location, '/account')
  assert.equal((await browser.get(right)).location, refused)
})

test('a person who left cannot sign in at the provider', async (t) => {
  const { malipo, email, invite, signIn } = await setUp(t)
  await invite()
  await signIn()
  const [row] = await malipo.ask<{ id: string }>('select id from people where email = $1', [email])
  const order = { person: `person_${row?.id.replaceAll('-', '')}`, reason: 'left' }

  await malipo.ctx.db.write.transaction((tx) => endPerson(tx, peopleContext(malipo.ctx), breakGlass, order))

  assert.equal(await signIn(), '/sign-in?refused')
})

test('presence is proved by a fresh sign-in at the provider, as the same person', async (t) => {
  const { malipo, provider, identity, invite, signIn } = await setUp(t)
  t.after(() => malipo.ask(`update clock_offset set ahead = '0'`))
  await invite()
  const browser = openBrowser(malipo)
  await signIn(identity, browser)
  const before = browser.cookies.get('__Host-malipo')
  const stepUp = async (claims: object) => {
    const { location } = await browser.get('/people/v1/step-up/oidc?next=/account')
    assert.equal(new URL(location).searchParams.get('prompt'), 'login')
    return (await browser.get(provider.signIn(location, { ...claims }))).location
  }

  assert.equal(await stepUp({ ...identity, auth_time: Math.floor(Date.now() / 1000) - 600 }), '/sign-in?refused')
  assert.equal(await stepUp({ ...identity, sub: 'another' }), '/sign-in?refused')
  assert.equal(await stepUp(identity), '/account')

  assert.notEqual(browser.cookies.get('__Host-malipo'), before)
})

test('the next page after a sign-in is always one of this service', async (t) => {
  const { malipo, provider, identity, invite, signIn } = await setUp(t)
  await invite()
  await signIn()

  for (const next of ['//evil.example.com', 'https://evil.example.com', '/\\evil.example.com', '']) {
    const browser = openBrowser(malipo)
    const { location } = await browser.get(`/people/v1/sign-in/oidc?next=${encodeURIComponent(next)}`)
    assert.equal((await browser.get(provider.signIn(location, identity))).location, '/account', next)
  }
})
