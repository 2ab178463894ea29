import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { type TestContext, test } from 'node:test'
import { readId } from '../platform/ids.ts'
import {
  behindProxy,
  codeNow,
  type HeldInvitation,
  invitedStaff,
  joinWithPasskey,
  joinWithPassword,
  type TestBrowser,
  testBrowser,
} from '../testing/browser.ts'
import { testMachine } from '../testing/machines.ts'
import { type Malipo, testMalipo } from '../testing/malipo.ts'
import { type TestPerson, testPerson } from '../testing/people.ts'

const reason = 'lost phone, seen in person'
const password = 'maji ya kunywa 7'

async function setUp(t: TestContext) {
  const malipo = await testMalipo(t, behindProxy)
  const [maker, checker] = [
    await testPerson(malipo, { operator: ['admin'] }),
    await testPerson(malipo, { operator: ['admin'] }),
  ]
  return { malipo, maker, checker }
}

/** A member of staff with a passkey and a password, signed in. */
async function member(malipo: Malipo) {
  const email = `${randomUUID()}@example.com`
  const browser = testBrowser(malipo)
  const joined = await joinWithPassword(malipo, browser, { token: await invitedStaff(malipo, { email }), password })
  assert.equal(joined.status, 200, JSON.stringify(joined.body))
  const me = (await browser.get('/me')).body['data'] as { id: string }
  return { email, browser, id: me.id, secret: joined.secret }
}

const recover = (by: TestPerson, person: string) => by.call('POST', `/operator/v1/people/${person}/recover`, { reason })

const decide = (by: TestPerson, proposal: string, verb: 'approve' | 'collect') =>
  by.call('POST', `/operator/v1/proposals/${proposal}/${verb}`, verb === 'approve' ? { reason: 'known' } : {})

const proposalIn = ({ body }: { readonly body: Record<string, unknown> }) =>
  (body['data'] as { proposalId: string }).proposalId

/** The token of the link that the maker gets after the approval, and the code that the approver gets. */
async function linkOf(
  { maker, checker }: Pick<Awaited<ReturnType<typeof setUp>>, 'maker' | 'checker'>,
  person: string,
): Promise<Required<HeldInvitation>> {
  const made = await recover(maker, person)
  assert.equal(made.status, 202, JSON.stringify(made.body))
  const approved = await decide(checker, proposalIn(made), 'approve')
  assert.equal(approved.status, 200, JSON.stringify(approved.body))
  assert.doesNotMatch(JSON.stringify(approved.body), /#/)
  const { status, body } = await decide(maker, proposalIn(made), 'collect')
  assert.equal(status, 200, JSON.stringify(body))
  const code = await decide(checker, proposalIn(made), 'collect')
  const token = (body['data'] as { link: string }).link.split('#')[1] ?? ''
  return { token, confirmation: (code.body['data'] as { code: string }).code }
}

const isSignedIn = async (browser: TestBrowser) => (await browser.get('/me')).status === 200

test('recovery ends old ways to sign in and sessions, and the link adds a new one; roles stay', async (t) => {
  const scene = await setUp(t)
  const { malipo } = scene
  const { id, email, browser, secret } = await member(malipo)
  const proposed = await recover(scene.maker, id)
  assert.equal(proposed.status, 202)
  assert.ok(await isSignedIn(browser), 'a proposal changes nothing')

  const held = await linkOf(scene, id)

  assert.equal(await isSignedIn(browser), false)
  const old = { email, password, code: await codeNow(malipo, secret, 1) }
  assert.equal((await testBrowser(malipo).post('/sign-in/password', old)).status, 401)
  const fresh = testBrowser(malipo)
  const shown = await fresh.post('/invitations/show', { token: held.token })
  const { isRecovery, isKnownPerson } = shown.body['data'] as Record<string, unknown>
  assert.deepEqual([isRecovery, isKnownPerson], [true, false])
  assert.equal((await joinWithPasskey(malipo, fresh, held)).status, 200)
  const me = (await fresh.get('/me')).body['data'] as { id: string; operator: { role: string }[] }
  assert.deepEqual([me.id, me.operator.map(({ role }) => role)], [id, ['support']])
  const again = await testBrowser(malipo).post('/invitations/passkey/options', { token: held.token })
  assert.equal(again.body['errorCode'], 'INVITATION_INVALID')
  const rows = await malipo.ask<{ action: string; actor: string }>(
    `select action, actor from audit_entries where subject = $1 and action like 'person.recover%' order by id`,
    [id],
  )
  assert.deepEqual(rows, [
    { action: 'person.recover', actor: scene.checker.id },
    { action: 'person.recovered', actor: id },
  ])
})

test('a recovered person can set a password and an authenticator app instead', async (t) => {
  const scene = await setUp(t)
  const { id } = await member(scene.malipo)
  const held = await linkOf(scene, id)
  const browser = testBrowser(scene.malipo)

  const joined = await joinWithPassword(scene.malipo, browser, { ...held, password: 'chai ya asubuhi 9' })

  assert.equal(joined.status, 200, JSON.stringify(joined.body))
  assert.equal(((await browser.get('/me')).body['data'] as { id: string }).id, id)
})

test('no person recovers itself or its second identity, as maker or as approver', async (t) => {
  const { malipo, maker, checker } = await setUp(t)
  const second = await testPerson(malipo, { operator: ['support'] })
  for (const { person_id } of [checker, second])
    await malipo.ask(
      `insert into passkeys (credential_id, person_id, public_key, counter, name) values ($1, $2, '\\xe5f6', 0, 'key')`,
      [`copy-${person_id}`, person_id],
    )

  assert.equal((await recover(maker, maker.id)).status, 422)
  assert.equal((await recover(checker, second.id)).status, 422)
  const proposed = await recover(maker, second.id)
  assert.equal(proposed.status, 202)
  assert.equal((await decide(checker, proposalIn(proposed), 'approve')).status, 422)
  const links = await malipo.ask('select from invitations where recovers = $1', [second.person_id])
  assert.deepEqual(links, [])
})

test('recovery needs the right to grant every role of the person, and a person', async (t) => {
  const { malipo, checker } = await setUp(t)
  const limited = await testPerson(malipo, { operator: ['admin'], countries: ['KE'] })
  const machine = await testMachine(malipo, ['people:write'])
  const path = `/operator/v1/people/${checker.id}/recover`

  assert.notEqual((await recover(limited, checker.id)).status, 202)
  assert.equal((await machine('POST', path, { reason })).status, 422)
  assert.equal((await recover(checker, `person_${'0'.repeat(32)}`)).status, 422)
  assert.equal((await recover(await testPerson(malipo, { operator: ['auditor'] }), checker.id)).status, 403)
})

test('a newer recovery ends the link before, and a link of an ended person does not work', async (t) => {
  const scene = await setUp(t)
  const { malipo } = scene
  const { id } = await member(malipo)
  const start = ({ token }: HeldInvitation) => testBrowser(malipo).post('/invitations/passkey/options', { token })
  const [first, second] = [await linkOf(scene, id), await linkOf(scene, id)]

  assert.deepEqual([(await start(first)).status, (await start(second)).status], [404, 200])
  await malipo.operator.people.end(id, 'left')
  const browser = testBrowser(malipo)
  assert.equal((await joinWithPasskey(malipo, browser, second)).status, 404)
  assert.equal(await isSignedIn(browser), false)
})

test('a signed-in person cannot take a recovery link as an invitation', async (t) => {
  const scene = await setUp(t)
  const { id } = await member(scene.malipo)
  const held = await linkOf(scene, id)
  const other = await member(scene.malipo)

  assert.equal((await other.browser.post('/invitations/join', held)).status, 404)
})

test('of two browsers with one recovery link at once, one gets in', async (t) => {
  const scene = await setUp(t)
  const { malipo } = scene
  const { id } = await member(malipo)
  const held = await linkOf(scene, id)
  const browsers = [testBrowser(malipo), testBrowser(malipo)]

  const joined = await Promise.all(browsers.map((browser) => joinWithPasskey(malipo, browser, held)))

  assert.deepEqual(joined.map(({ status }) => status).sort(), [200, 404])
  const passkeys = await malipo.ask('select from passkeys where person_id = $1 and removed_at is null', [
    readId('person', id),
  ])
  assert.equal(passkeys.length, 1)
})
