import assert from 'node:assert/strict'
import { connect } from 'node:net'
import { type TestContext, test } from 'node:test'
import { until } from '../dev-stack/until.ts'
import { cookiesFor } from '../people/cookies.ts'
import { type HeldInvitation, joinWithPassword, testBrowser } from '../testing/browser.ts'
import { call } from '../testing/malipo.ts'
import { member, pathIn } from '../testing/members.ts'
import { payingMalipo, payOut, quote } from '../testing/paying.ts'
import { headersOf, type TestPerson, testPerson } from '../testing/people.ts'

const reason = 'a test'
const above = { env: 'sandbox', reason, above: '500', currency: 'KES' } as const

let payouts = 0
const payout = (over: object = {}) => ({
  ...{ amount: 600, currency: 'KES', country: 'KE', destination: 'MoMo' },
  payoutMethod: { accountName: 'Amina', accountNumber: '+254703456789' },
  externalReference: `attack-${++payouts}`,
  ...over,
})

async function setUp(t: TestContext) {
  const malipo = await payingMalipo(t, { MALIPO_RATE_LIMIT_PEOPLE: '100000' })
  const merchant = await malipo.merchant()
  const at = (path: string, env = 'sandbox') => pathIn(merchant.id, env, path)
  const person = (...roles: Parameters<typeof member>[2]) => member(malipo, merchant.id, roles)
  return { malipo, merchant, at, person }
}
type Scene = Awaited<ReturnType<typeof setUp>>

async function endRoles({ at }: Pick<Scene, 'at'>, by: TestPerson, who: TestPerson): Promise<void> {
  const { body } = await by.call('GET', at('/people'))
  const { people } = body['data'] as { people: { id: string; roles: { id: string }[] }[] }
  for (const { id } of people.find((each) => each.id === who.id)?.roles ?? [])
    assert.equal((await by.call('POST', at(`/people/roles/${id}/end`), { reason })).status, 200)
}

async function invite({ at }: Pick<Scene, 'at'>, by: TestPerson, role: string) {
  const order = { email: `${role}-${++payouts}-${Date.now()}@example.com`, name: 'Njeri', role }
  const { body } = await by.call('POST', at('/people/invitations'), order)
  const { id, link, needsConfirmation } = body['data'] as { id: string; link: string; needsConfirmation: boolean }
  return { id, token: link.split('#')[1] ?? '', needsConfirmation }
}

async function join({ malipo }: Scene, held: HeldInvitation) {
  const browser = testBrowser(malipo)
  const joined = await joinWithPassword(malipo, browser, { ...held, password: 'tumbili anapanda mnazi leo' })
  const token = browser.cookies.get(cookiesFor(malipo.ctx.config.publicUrl).session) ?? ''
  const headers = headersOf(malipo.ctx, 'browser', token)
  const send = (method: string, path: string, body?: unknown) => call(malipo.url, method, path, headers, body)
  return { joined, call: send }
}

test('an owner whose role ended does not return by an invitation made before', async (t) => {
  const scene = await setUp(t)
  const [leaver, stays] = [await scene.person('owner'), await scene.person('owner')]
  const { token } = await invite(scene, leaver, 'owner')

  await endRoles(scene, stays, leaver)

  const { body } = await testBrowser(scene.malipo).post('/invitations/totp', { token })
  assert.equal(body['errorCode'], 'INVITATION_INVALID')
})

test('where payouts need approval, no owner joins a second time to approve its own payouts', async (t) => {
  const scene = await setUp(t)
  const { malipo, merchant, at, person } = scene
  const [owner, other] = [await person('owner'), await person('owner')]
  assert.equal((await invite(scene, owner, 'approver')).needsConfirmation, false)
  await malipo.operator.payoutControls.setApprovals(merchant.id, above)
  const { id, token, needsConfirmation } = await invite(scene, owner, 'approver')
  assert.equal((await invite(scene, owner, 'viewer')).needsConfirmation, false)
  const codeFor = (by: TestPerson) => by.call('POST', at(`/people/invitations/${id}/code`))

  assert.equal(needsConfirmation, true)
  assert.equal((await join(scene, { token })).joined.body['errorCode'], 'INVITATION_CODE_WRONG')
  assert.equal((await codeFor(owner)).body['errorCode'], 'APPROVAL_NOT_ALLOWED')
  const { code: confirmation } = (await codeFor(other)).body['data'] as { code: string }
  const { joined, call: approver } = await join(scene, { token, confirmation })
  assert.equal(joined.status, 200, JSON.stringify(joined.body))
  const paid = await owner.call('POST', at('/fiat/payout'), payout())
  const approve = at(`/approvals/${String(paid.body['transactionId'])}/approve`)
  assert.equal((await owner.call('POST', approve, { reason })).status, 403)
  assert.equal((await approver('POST', approve, { reason })).status, 200)
})

test('a person who sees masked numbers gets no key that reads them', async (t) => {
  const { at, person } = await setUp(t)
  const both = await person('support', 'developer')

  for (const scope of ['transactions:read', 'webhooks:read'])
    assert.equal((await both.call('POST', at('/keys', 'live'), { scopes: [scope] })).status, 403, scope)
})

test('a replaced API key continues the day limit of its pair', async (t) => {
  const { malipo, merchant, at, person } = await setUp(t)
  const limits = { env: 'sandbox', currency: 'KES', perCredentialDay: '1000', reason } as const
  await malipo.operator.payoutControls.setLimits(merchant.id, limits)
  const owner = await person('owner')
  interface Pair {
    readonly publicKey: string
    readonly apiKey: string
  }
  const pairIn = ({ body }: { readonly body: Record<string, unknown> }) => body['data'] as Pair
  const pay = async (pair: Pair) =>
    (await (await malipo.as(pair)).call('POST', '/api/b2b/fiat/payout', payout({ amount: 900 }))).status
  const made = pairIn(await owner.call('POST', at('/keys'), { scopes: ['payouts:write'] }))

  assert.deepEqual([await pay(made), await pay(made)], [200, 422])
  assert.equal(await pay(pairIn(await owner.call('POST', at(`/keys/${made.publicKey}/rotate`)))), 422)
})

test('who proposed a key pair and has its key does not approve what it pays', async (t) => {
  const { malipo, merchant, at } = await setUp(t)
  await malipo.operator.payoutControls.setApprovals(merchant.id, above)
  const maker = await testPerson(malipo, { operator: ['admin'], merchant: { id: merchant.id, roles: ['approver'] } })
  const checker = await testPerson(malipo, { operator: ['admin'] })
  const order = { env: 'live', scopes: ['payouts:write'], reason }
  const proposed = await maker.call('POST', `/operator/v1/merchants/${merchant.id}/keys`, order)
  const path = `/operator/v1/proposals/${(proposed.body['data'] as { proposalId: string }).proposalId}`
  assert.equal((await checker.call('POST', `${path}/approve`, { reason })).status, 200)
  const collected = await maker.call('POST', `${path}/collect`, {})
  const pair = collected.body['data'] as { publicKey: string; apiKey: string }
  // There is no live provider here, so the pair is moved to the sandbox.
  await malipo.ask(`update credentials set env = 'sandbox' where public_key = $1`, [pair.publicKey])

  const { id } = await payOut(await malipo.as(pair), { amount: 600 })

  assert.equal(await malipo.stateOf(id), 'unapproved')
  const approved = await maker.call('POST', at(`/approvals/${id}/approve`), { reason })
  assert.equal(approved.body['errorCode'], 'APPROVAL_NOT_ALLOWED')
})

test('a request whose body arrives after the role has ended changes nothing', async (t) => {
  const scene = await setUp(t)
  const { malipo, at, person } = scene
  const [leaver, stays] = [await person('owner'), await person('owner')]
  const body = JSON.stringify({ email: 'late@example.com', name: 'Late', role: 'owner' })
  const socket = connect(Number(new URL(malipo.url).port), '127.0.0.1')
  t.after(() => socket.destroy())
  let received = ''
  socket.on('data', (chunk) => {
    received += String(chunk)
  })
  const headers = { ...leaver.headers, 'content-type': 'application/json', 'content-length': body.length }
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`)
  const head = [`POST ${at('/people/invitations')} HTTP/1.1`, 'host: localhost', ...lines, '', body.slice(0, 1)]
  await new Promise<void>((resolve) => socket.write(head.join('\r\n'), () => resolve()))
  const [before] = await malipo.ask('select last_seen_at from sessions where id = $1', [leaver.session_id])
  assert.ok(before)

  await endRoles(scene, stays, leaver)
  socket.write(body.slice(1))

  await until('the response', () => received.includes('\r\n\r\n'))
  assert.match(received, /^HTTP\/1\.1 401 /)
  assert.deepEqual(await malipo.ask(`select from invitations where email = 'late@example.com'`), [])
})

test('what a use case refuses to a person is in the audit trail', async (t) => {
  const scene = await setUp(t)
  const { malipo, merchant, at, person } = scene
  const owner = await person('owner')
  const limits = { env: 'sandbox', currency: 'KES', perPayout: '10', reason } as const
  await malipo.operator.payoutControls.setLimits(merchant.id, limits)

  await owner.call('POST', at('/fiat/payout'), payout())
  await owner.call('POST', at('/keys/pk_test_unknown/revoke'), { reason })
  await owner.call('POST', at('/approvals/txn_unknown/approve'), { reason })

  const rows = await malipo.ask<{ code: string }>(
    `select detail->>'errorCode' as code from audit_entries where actor = $1 and result = 'refused' order by id`,
    [owner.id],
  )
  assert.deepEqual(
    rows.map(({ code }) => code),
    ['PAYOUT_LIMIT_EXCEEDED', 'OPERATION_REFUSED', 'TRANSACTION_NOT_FOUND'],
  )
})

test('what staff did as staff hides its reason, also where the person has a role in the merchant', async (t) => {
  const { malipo, merchant, at, person } = await setUp(t)
  const staff = await testPerson(malipo, { operator: ['risk'], merchant: { id: merchant.id, roles: ['viewer'] } })
  const frozen = await staff.call('POST', `/operator/v1/merchants/${merchant.id}/freeze`, { reason: 'suspicion' })
  assert.equal(frozen.status, 200)

  const { body } = await (await person('owner')).call('GET', at('/audit', 'live'))

  const rows = body['data'] as { action: string; actor: { kind: string } }[]
  const row = rows.find(({ action }) => action === 'merchant.freeze')
  assert.equal(row?.actor.kind, 'operator')
  assert.ok(!JSON.stringify(row).includes('suspicion'))
})

test('an encoded path does not let the sender name the request id of the audit trail', async (t) => {
  const { malipo, at, person } = await setUp(t)
  const owner = await person('owner')
  const headers = { ...owner.headers, 'x-request-id': 'of-another' }

  const path = at('/keys').replace('/dashboard/', '/%64ashboard/')
  const { status } = await call(malipo.url, 'POST', path, headers, { scopes: ['reference:read'] })

  assert.equal(status, 200)
  const rows = await malipo.ask('select request_id from audit_entries where actor = $1', [owner.id])
  assert.ok(rows.length > 0 && rows.every(({ request_id }) => request_id !== 'of-another'))
})

test('a wallet in another currency does not avoid the approval of what is paid', async (t) => {
  const { malipo, merchant, at, person } = await setUp(t)
  await malipo.ask('delete from rates')
  await quote(malipo, 'USD/KES', '128.50', '130.25')
  await malipo.operator.payoutControls.setApprovals(merchant.id, above)
  const order = payout({ amount: 50_000, debitCurrency: 'USD', debitCountry: 'KE' })

  const paid = await (await person('finance')).call('POST', at('/fiat/payout'), order)

  assert.equal(await malipo.stateOf(String(paid.body['transactionId'])), 'unapproved')
})

test('an address or a URL that looks like a token is readable in the audit trail', async (t) => {
  const { malipo, at, person } = await setUp(t)
  const developer = await person('developer')

  await developer.call('PUT', at('/webhook-url', 'live'), { url: 'https://eyJhbGciOi.collect.example/hook' })

  const rows = await malipo.ask('select detail::text from audit_entries where actor = $1', [developer.id])
  assert.match(JSON.stringify(rows), /collect\.example/)
})
