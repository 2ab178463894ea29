import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { test } from 'node:test'
import { type Malipo, testMalipo } from '../../server/src/testing/malipo.ts'
import { exitCodes } from './exit-codes.ts'
import { commandLine } from './testing/command-line.ts'
import { browserOf, installationOf, openStaff, type Staff } from './testing/staff.ts'

const order = { name: 'Duka', email: 'amina@example.com', firstName: 'Amina', lastName: 'Otieno', country: 'KE' }

async function newMerchant({ operator }: Malipo): Promise<string> {
  return (await operator.merchants.create(order)).id
}

/** The arguments that fund a live wallet, which needs two people. */
const fund = (merchant: string) => [
  ...['wallets', 'fund', merchant, '--env', 'live', '--currency', 'KES', '--country', 'KE', '--amount', '2500'],
  ...['--evidence', `bank line ${randomUUID()}`, '--reason', 'top-up'],
]

const proposalIn = (text: string) => /prp_\w+/.exec(text)?.[0] ?? ''

test('what needs two people prints the proposal and what to do next, with its own exit code', async (t) => {
  const malipo = await testMalipo(t)
  const { run } = await openStaff(t, malipo, { operator: ['finance'], name: 'Amina Otieno' })
  const merchant = await newMerchant(malipo)

  const { code, out, err } = await run(...fund(merchant))

  assert.equal(code, exitCodes.proposed, err)
  assert.match(out, new RegExp(`^prp_\\w+: Fund a wallet of ${merchant} with 2500 KES, open\n`))
  assert.match(out, /\nreason +top-up\nevidence +bank line .*\nproposed by +Amina Otieno \(person_\w+\), 20.* UTC\n/)
  assert.match(out, /\napprover +another person with the role finance or admin, until 20\d\d-\d\d-\d\d \d\d:\d\d UTC\n/)
  assert.match(out, /\nwallet_funded transfer +treasury KES +wallet KES KE of Duka \(mer_\w+\) +2500\.00 KES\n$/)
  assert.doesNotMatch(out, /Credited/)
  assert.equal(
    err,
    `Nothing is changed yet. Another person must approve it: malipo proposals approve ${proposalIn(out)} --reason "…"\n`,
  )
  assert.deepEqual(await malipo.operator.wallets.show(merchant, { env: 'live' }), [])
})

test('with --json a proposal is the result, and the error names its exit code', async (t) => {
  const malipo = await testMalipo(t)
  const { run } = await openStaff(t, malipo, { operator: ['finance'] })

  const { code, out, err } = await run(...fund(await newMerchant(malipo)), '--json')

  assert.equal(code, exitCodes.proposed)
  const proposal = JSON.parse(out) as { proposalId: string; state: string; postings: object[] }
  assert.deepEqual([proposal.state, proposal.postings.length], ['open', 1])
  const { error } = JSON.parse(err) as { error: { exit: string; code: number } }
  assert.deepEqual([error.exit, error.code], ['proposed', exitCodes.proposed])
})

test('another person lists, reads and approves a proposal, and its maker cannot', async (t) => {
  const malipo = await testMalipo(t)
  const maker = await openStaff(t, malipo, { operator: ['finance'], name: 'Amina' })
  const checker = await openStaff(t, malipo, { operator: ['finance'], name: 'Brian' })
  const merchant = await newMerchant(malipo)
  const id = proposalIn((await maker.run(...fund(merchant))).out)

  const listed = await checker.run('proposals')
  const own = await maker.run('proposals', 'approve', id, '--reason', 'mine')
  const approved = await checker.run('proposals', 'approve', id, '--reason', 'compared')
  const shown = await checker.run('proposals', 'show', id)
  const again = await checker.run('proposals', 'reject', id, '--reason', 'too late')

  assert.match(listed.out, new RegExp(`${id} +open +Amina +20.* UTC +Fund a wallet of ${merchant}`))
  assert.deepEqual([own.code, own.out], [exitCodes.refused, ''])
  assert.match(own.err, /^You proposed this: another person must approve it\.\n$/)
  assert.equal(approved.code, exitCodes.done, approved.err)
  assert.match(approved.out, new RegExp(`^Executed ${id}: Fund a wallet of ${merchant} with 2500 KES \\(`))
  assert.match(shown.out, /, executed\n[\s\S]*decided by +Brian, 20.*\nbecause +compared\n/)
  assert.equal(again.code, exitCodes.refused)
  assert.match(again.err, new RegExp(`^${id} is executed already\\.\n$`))
  const [wallet] = await malipo.operator.wallets.show(merchant, { env: 'live' })
  assert.equal(wallet?.available, '2500.00')
})

test('a proposal is rejected by another person or withdrawn by its maker, and changes nothing', async (t) => {
  const malipo = await testMalipo(t)
  const [maker, checker] = [await openStaff(t, malipo), await openStaff(t, malipo)]
  const threshold = ['thresholds', 'set', '--currency', 'KES', '--amount', '5000', '--reason', 'the board']
  const [first, second] = [
    proposalIn((await maker.run(...threshold)).out),
    proposalIn((await maker.run(...threshold)).out),
  ]

  const rejected = await checker.run('proposals', 'reject', first, '--reason', 'too much')
  const refused = await checker.run('proposals', 'withdraw', second, '--reason', 'not mine')
  const withdrawn = await maker.run('proposals', 'withdraw', second, '--reason', 'mistyped')

  assert.equal(rejected.out, `Rejected ${first}: Let one person move less than 5000 KES.\n`)
  assert.match(refused.err, /^Only the person who proposed this can withdraw it\.\n$/)
  assert.equal(withdrawn.out, `Withdrew ${second}: Let one person move less than 5000 KES.\n`)
  assert.match((await maker.run('thresholds')).out, /^No thresholds/)
})

test('the maker collects the key of an approved live pair once; the approver never sees it', async (t) => {
  const malipo = await testMalipo(t)
  const [maker, checker] = [await openStaff(t, malipo), await openStaff(t, malipo)]
  const merchant = await newMerchant(malipo)

  const silent = await maker.run('keys', 'create', merchant, '--env', 'live')
  const proposed = await maker.run('keys', 'create', merchant, '--env', 'live', '--reason', 'contract 17')
  const id = proposalIn(proposed.out)
  const approved = await checker.run('proposals', 'approve', id, '--reason', 'agreed', '--json')
  const stolen = await checker.run('proposals', 'collect', id)
  const collected = await maker.run('proposals', 'collect', id)
  const again = await maker.run('proposals', 'collect', id)

  assert.equal(silent.code, exitCodes.refused)
  assert.match(silent.err, /^The reason must not be empty: the approver reads it\.\n$/)
  assert.equal(proposed.code, exitCodes.proposed, proposed.err)
  assert.equal(approved.code, exitCodes.done, approved.err)
  assert.doesNotMatch(`${approved.out}${approved.err}${stolen.out}${stolen.err}`, /sk_live_/)
  assert.equal(stolen.code, exitCodes.refused)
  assert.match(collected.out, /public key {2}pk_live_\w+\n {2}API key {5}sk_live_\w+\n$/)
  assert.deepEqual([again.code, again.out], [exitCodes.refused, ''])
  const [entry] = await malipo.operator.audit.list({ merchant, action: 'key.create', limit: 1 })
  assert.deepEqual([entry?.reason, entry?.actor.id], ['contract 17', checker.person.id])
})

test('of an invitation the maker collects the link and the approver the code, each once', async (t) => {
  const malipo = await testMalipo(t)
  const [maker, checker] = [await openStaff(t, malipo), await openStaff(t, malipo)]
  const email = `${randomUUID()}@example.com`
  const order = ['--email', email, '--name', 'Brian', '--role', 'support', '--reason', 'new colleague']
  const id = proposalIn((await maker.run('people', 'invite', ...order)).out)

  const approved = await checker.run('proposals', 'approve', id, '--reason', 'interviewed')
  const link = await maker.run('proposals', 'collect', id)
  const code = await checker.run('proposals', 'collect', id)

  assert.match(approved.out, new RegExp(`Collect the code for the invited person: malipo proposals collect ${id}\n`))
  assert.match(link.out, /\/invitation#\S+\nIf another person approved it, the invited person also needs the code/)
  assert.match(code.out, /^Give this code to the invited person yourself, .*\n[A-Z]{4}-[A-Z]{4}\n$/)
  assert.equal((await checker.run('proposals', 'collect', id)).code, exitCodes.refused)
})

test('a role is given by two people and ends the sessions of its person, and one ends it again', async (t) => {
  const malipo = await testMalipo(t)
  const [maker, checker] = [await openStaff(t, malipo), await openStaff(t, malipo)]
  const colleague = await openStaff(t, malipo, { operator: ['support'] })
  const grant = ['people', 'grant', colleague.person.id, '--role', 'auditor', '--reason', 'new duty']

  const refused = await colleague.run(...grant)
  const id = proposalIn((await maker.run(...grant)).out)
  assert.equal((await checker.run('proposals', 'approve', id, '--reason', 'agreed')).code, exitCodes.done)
  const people = JSON.parse((await maker.run('people', 'list', '--limit', '1000', '--json')).out) as Person[]
  const roles = people.find(({ id: person }) => person === colleague.person.id)?.roles ?? []
  const ended = await maker.run('people', 'end-role', roles.at(-1)?.id ?? '', '--reason', 'duty over')

  assert.equal(refused.code, exitCodes.unauthorised)
  assert.match(refused.err, /^Your roles do not allow this\.\n {2}permission: the permission people:write /)
  assert.deepEqual(
    roles.map(({ role }) => role),
    ['support', 'auditor'],
  )
  assert.match((await colleague.run('merchants')).err, /Run malipo login --operator\.\n$/) // The grant ended the session.
  assert.equal(ended.out, `Ended ${roles.at(-1)?.id}.\n`)
})

interface Person {
  readonly id: string
  readonly roles: readonly { readonly id: string; readonly role: string }[]
}

test('a machine is made by two people, has its permissions only, and works until it is revoked', async (t) => {
  const malipo = await testMalipo(t)
  const [maker, checker] = [await openStaff(t, malipo), await openStaff(t, malipo)]
  const name = `report ${randomUUID()}`
  const create = ['machines', 'create', '--name', name, '--reason', 'ticket 1', '--permission']

  const unknown = await maker.run(...create, 'payments:everything')
  const id = proposalIn((await maker.run(...create, 'merchants:read')).out)
  await checker.run('proposals', 'approve', id, '--reason', 'agreed')
  const pair = JSON.parse((await maker.run('proposals', 'collect', id, '--json')).out) as Pair
  const machine = commandLine({
    MALIPO_URL: malipo.url,
    MALIPO_OPERATOR_PUBLIC_KEY: pair.publicKey,
    MALIPO_OPERATOR_API_KEY: pair.apiKey,
  })
  const allowed = await machine('merchants', 'list')
  const denied = await machine('people', 'list')
  const who = await machine('whoami')
  const revoked = await maker.run('machines', 'revoke', pair.id, '--reason', 'ticket 2')
  const ended = await machine('merchants', 'list')

  assert.equal(unknown.code, exitCodes.refused)
  assert.match(unknown.err, /payments:everything is not/)
  assert.deepEqual([allowed.code, denied.code], [exitCodes.done, exitCodes.unauthorised])
  assert.match(who.out, new RegExp(`^Operator commands act as machine ${pair.publicKey}\n`))
  assert.equal(revoked.out, `Revoked ${pair.id}.\n`)
  assert.equal(ended.code, exitCodes.unauthorised)
  assert.match((await maker.run('machines')).out, new RegExp(`${pair.id} +${name} +${pair.publicKey} +revoked`))
})

interface Pair {
  readonly id: string
  readonly publicKey: string
  readonly apiKey: string
}

test('break-glass warns first, acts alone, and is audited under the account of the machine', async (t) => {
  const malipo = await testMalipo(t)
  const run = commandLine(await installationOf(malipo), { actor: 'root of db1' })
  const merchant = await newMerchant(malipo)

  const { code, out, err } = await run('--break-glass', ...fund(merchant))
  const decided = await run('--break-glass', 'proposals', 'approve', 'prp_1', '--reason', 'alone')

  assert.equal(code, exitCodes.done, err)
  assert.match(out, /^Credited 2500\.00 KES by txn_\w+\.\n$/)
  assert.match(
    err,
    /^WARNING: --break-glass [\s\S]*no second person approves\.[\s\S]*by root of db1, the account of this machine\.\n$/,
  )
  const [entry] = await malipo.operator.audit.list({ merchant, action: 'wallet.fund', limit: 1 })
  assert.deepEqual(entry?.actor, { kind: 'break_glass', id: 'root of db1', name: 'root of db1' })
  assert.deepEqual(
    [decided.code, decided.err],
    [exitCodes.usage, 'Proposals are decided by two people, so not with --break-glass.\n'],
  )
})

test('without a login operator commands say how to log in, also where the database is at hand', async (t) => {
  const malipo = await testMalipo(t)
  const run = commandLine(await installationOf(malipo))

  const { code, out, err } = await run('merchants', 'list')
  const named = await run('--as', 'night shift', 'merchants', 'list')

  assert.deepEqual([code, out], [exitCodes.unauthorised, ''])
  assert.match(
    err,
    /^You are not logged in as operator staff \(profile default\)\. Run malipo login --operator, or set /,
  )
  assert.equal(named.code, exitCodes.usage)
})

test('a login that is too old for money says what to do, and a new login is enough', async (t) => {
  const malipo = await testMalipo(t)
  const old = await openStaff(t, malipo, { operator: ['finance'], isProved: false })
  const merchant = await newMerchant(malipo)

  const { code, err } = await old.run(...fund(merchant))
  const read = await old.run('merchants', 'show', merchant)
  await loginAgain(malipo, old)
  const repeated = await old.run(...fund(merchant))

  assert.equal(code, exitCodes.unauthorised)
  assert.match(
    err,
    /^Prove that you are present[^\n]*\nThis needs a proof of presence from the last 5 minutes\. Run malipo login --operator again/,
  )
  assert.equal(read.code, exitCodes.done, read.err)
  assert.equal(repeated.code, exitCodes.proposed, repeated.err)
})

/** Logs in by a code that another browser session of the same person approves, which proved presence just now. */
async function loginAgain(malipo: Malipo, { person, variables }: Staff): Promise<void> {
  const browser = await browserOf(malipo, person)
  const write = (text: string) => {
    const [, userCode] = /code: ([A-Z]{4}-[A-Z]{4})/.exec(text) ?? []
    if (userCode) browser.call('POST', '/people/v1/device-codes/approve', { userCode }).catch(() => undefined)
  }
  const login = await commandLine(variables, { write })('login', '--operator')
  assert.equal(login.code, exitCodes.done, login.err)
  assert.equal((await person.call('GET', '/people/v1/me')).status, 401, 'the session that was replaced has ended')
}

test('forgetting a login ends its session at the server, and whoami shows who commands act as', async (t) => {
  const malipo = await testMalipo(t)
  const { run, person } = await openStaff(t, malipo, { operator: ['support', 'auditor'], name: 'Brian' })

  const who = await run('whoami')
  const forgotten = await run('login', '--operator', '--forget')
  const after = await malipo.call('GET', '/people/v1/me', person.headers)
  const nothing = await run('login', '--operator', '--forget')

  assert.match(
    who.out,
    new RegExp(
      `^Operator commands act as Brian, ${person.id}, support, auditor\n +at +${malipo.url}\n +from +profile default\n$`,
    ),
  )
  assert.equal(forgotten.out, 'Deleted profile default. The staff session is ended.\n')
  assert.equal(after.status, 401)
  assert.deepEqual([nothing.code, nothing.err], [exitCodes.usage, 'Profile default does not exist for staff.\n'])
})
