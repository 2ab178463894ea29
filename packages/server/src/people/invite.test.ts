import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Tx } from '../platform/db.ts'
import { newId, readId } from '../platform/ids.ts'
import { type Malipo, testMalipo } from '../testing/malipo.ts'
import { breakGlass, testPerson } from '../testing/people.ts'
import { acceptAsKnownPerson, acceptAsNewPerson } from './accept-invitation.ts'
import { findInvitation, inviteMerchantPerson, inviteOperator, revokeInvitation } from './invite.ts'
import { peopleContext } from './people-context.ts'
import type { Principal } from './principal.ts'
import { merchantRoles, operatorRoles } from './roles.ts'
import { sessionOf } from './sessions.ts'

const change = <Result>({ ctx }: Malipo, work: (tx: Tx, people: ReturnType<typeof peopleContext>) => Promise<Result>) =>
  ctx.db.write.transaction((tx) => work(tx, peopleContext(ctx)))

let number = 0
const invitee = () => ({ email: `Otieno-${Date.now()}-${++number}@example.com`, name: 'Otieno' })
const tokenIn = ({ link }: { link: string }) => link.split('#')[1] ?? ''

/** The outcome of an invitation that was refused: false, if for lack of a permission. */
function isDenied({ key }: { key?: string }): boolean {
  assert.equal(key, 'PERMISSION_DENIED')
  return false
}

const principalOf = async ({ ctx }: Malipo, { headers }: { headers: Readonly<Record<string, string>> }) => {
  const principal = await sessionOf(ctx, { cookie: headers['cookie'], authorization: undefined })
  assert.ok(principal)
  return principal
}

/** Accepts as a new person. Returns its id. */
const accept = (malipo: Malipo, token: string) =>
  change(malipo, async (tx, people) => {
    const person_id = newId(Date.now(), 0)
    const found = await findInvitation(tx, people.vault, token)
    await acceptAsNewPerson(tx, people, { ...found, person_id, origin: {} }, async () => undefined)
    return person_id
  })

test('an accepted invitation makes a person with its role, and is audited', async (t) => {
  const malipo = await testMalipo(t)
  const order = { ...invitee(), role: 'support', countries: ['KE'] } as const
  const made = await change(malipo, (tx, people) => inviteOperator(tx, people, breakGlass, order))

  const id = await accept(malipo, tokenIn(made))

  const roles = await malipo.ask('select role, countries, merchant_id from memberships where person_id = $1', [id])
  assert.deepEqual(roles, [{ role: 'support', countries: ['KE'], merchant_id: null }])
  const audited = await malipo.ask<{ action: string }>(
    `select action from audit_entries where subject = $1 or detail->>'email' = $2 or actor = $3 order by id`,
    [made.id, order.email, `person_${id.replaceAll('-', '')}`],
  )
  const actions = new Set(audited.map(({ action }) => action))
  assert.deepEqual(actions, new Set(['person.accept_invitation', 'person.invite']))
})

test('an invitation works once, and of two at the same time one is refused', async (t) => {
  const malipo = await testMalipo(t)
  const made = await change(malipo, (tx, people) =>
    inviteOperator(tx, people, breakGlass, { ...invitee(), role: 'support' }),
  )

  const both = await Promise.allSettled([accept(malipo, tokenIn(made)), accept(malipo, tokenIn(made))])

  assert.deepEqual(new Set(both.map(({ status }) => status)), new Set(['fulfilled', 'rejected']))
  await assert.rejects(accept(malipo, tokenIn(made)), { key: 'INVITATION_INVALID' })
})

test('an invitation that is revoked, older than 72 hours or mistyped is refused', async (t) => {
  const malipo = await testMalipo(t)
  const make = () =>
    change(malipo, (tx, people) => inviteOperator(tx, people, breakGlass, { ...invitee(), role: 'support' }))
  const [revoked, old, intime] = [await make(), await make(), await make()]
  t.after(() => malipo.ask(`update clock_offset set ahead = '0'`))

  await change(malipo, (tx, people) => revokeInvitation(tx, people, breakGlass, revoked.id))
  await malipo.ask(`update clock_offset set ahead = '71 hours 59 minutes'`)
  await accept(malipo, tokenIn(intime))
  await malipo.ask(`update clock_offset set ahead = '72 hours 1 minute'`)

  for (const token of [tokenIn(revoked), tokenIn(old), `${tokenIn(old)}x`, '', 'x'.repeat(5000)])
    await assert.rejects(accept(malipo, token), { key: 'INVITATION_INVALID' })
})

test('an invitation for a known address does not create a way to sign in as that person', async (t) => {
  const malipo = await testMalipo(t)
  const person = await testPerson(malipo, { operator: ['support'] })
  const order = { email: person.email.toUpperCase(), name: 'Another', role: 'finance' } as const
  const made = await change(malipo, (tx, people) => inviteOperator(tx, people, breakGlass, order))

  await assert.rejects(accept(malipo, tokenIn(made)), { key: 'INVITATION_NEEDS_SIGN_IN' })
  const other = await principalOf(malipo, await testPerson(malipo))
  const own = await principalOf(malipo, person)
  const acceptAs = (principal: Principal) =>
    change(malipo, async (tx, people) =>
      acceptAsKnownPerson(
        tx,
        people,
        { ...(await findInvitation(tx, people.vault, tokenIn(made))), origin: {} },
        principal,
      ),
    )
  await assert.rejects(acceptAs(other), { key: 'INVITATION_FOR_ANOTHER' })
  await acceptAs(own)

  const rows = await malipo.ask('select role from memberships where person_id = $1', [person.person_id])
  assert.deepEqual(new Set(rows.map(({ role }) => role)), new Set(['finance', 'support']))
  assert.equal((await person.call('GET', '/people/v1/me')).status, 401, 'no session gains rights')
})

test('staff give only roles whose every permission they hold, in a scope that is not wider', async (t) => {
  const malipo = await testMalipo(t)
  const roles = Object.keys(operatorRoles) as (keyof typeof operatorRoles)[]
  const scopes = [{}, { countries: ['KE'] }, { currencies: ['KES'] }, { countries: ['KE', 'UG'] }]
  const invite = (by: Principal, order: object) =>
    change(malipo, (tx, people) => inviteOperator(tx, people, by, { ...invitee(), ...order } as never)).then(
      () => true,
      isDenied,
    )

  for (const own of roles) {
    const by = await principalOf(malipo, await testPerson(malipo, { operator: [own] }))
    for (const role of roles) assert.equal(await invite(by, { role }), own === 'admin', `${own} gives ${role}`)
  }
  const inKenya = await principalOf(malipo, await testPerson(malipo, { operator: ['admin'], countries: ['KE'] }))
  const given = await Promise.all(scopes.map((scope) => invite(inKenya, { role: 'support', ...scope })))
  assert.deepEqual(given, [false, true, false, false])
})

test("a merchant's owner invites people of that merchant only, and no other role can", async (t) => {
  const malipo = await testMalipo(t)
  const [mine, other] = [await malipo.merchant(), await malipo.merchant()]
  const roles = Object.keys(merchantRoles) as (keyof typeof merchantRoles)[]
  const invite = (by: Principal, { id }: { id: string }, role: (typeof roles)[number]) =>
    change(malipo, (tx, people) =>
      inviteMerchantPerson(tx, people, by, { ...invitee(), role, merchant_id: readId('merchant', id) ?? '' }),
    ).then(() => true, isDenied)

  for (const own of roles) {
    const by = await principalOf(malipo, await testPerson(malipo, { merchant: { id: mine.id, roles: [own] } }))
    for (const role of roles) assert.equal(await invite(by, mine, role), own === 'owner', `${own} gives ${role}`)
    assert.equal(await invite(by, other, 'viewer'), false, `${own} in another merchant`)
  }
  const admin = await principalOf(malipo, await testPerson(malipo, { operator: ['admin'] }))
  const support = await principalOf(malipo, await testPerson(malipo, { operator: ['support'] }))
  assert.deepEqual([await invite(admin, mine, 'owner'), await invite(support, mine, 'viewer')], [true, false])
})

test('the roles of the database are the roles of the table', async (t) => {
  const malipo = await testMalipo(t)
  const [row] = await malipo.ask<{ rule: string }>(
    `select pg_get_constraintdef(oid) as rule from pg_constraint where conname = 'memberships_role_is_known'`,
  )

  const [operator = '', merchant = ''] = (row?.rule ?? '').split('ELSE')
  const rolesIn = (text: string) => new Set([...text.matchAll(/'(\w+)'/g)].map(([, role]) => role))

  assert.deepEqual(rolesIn(operator), new Set(Object.keys(operatorRoles)))
  assert.deepEqual(rolesIn(merchant), new Set(Object.keys(merchantRoles)))
})

test('an invitation with an unusable address, name or scope is refused', async (t) => {
  const malipo = await testMalipo(t)
  const wrong = [{ email: 'nothing' }, { name: ' ' }, { countries: ['Kenya'] }, { currencies: ['K'] }]

  for (const fields of wrong) {
    const order = { ...invitee(), role: 'support' as const, ...fields }
    const made = change(malipo, (tx, people) => inviteOperator(tx, people, breakGlass, order))
    await assert.rejects(made, { key: 'VALIDATION' }, JSON.stringify(fields))
  }
})
