import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import type { Command } from 'commander'
import { testMalipo } from '../../server/src/testing/malipo.ts'
import type { CliEnvironment } from './cli-environment.ts'
import { exitCodes } from './exit-codes.ts'
import { buildProgram } from './program.ts'
import { commandLine } from './testing/command-line.ts'
import { installationOf, openStaff } from './testing/staff.ts'

/** The command line of an admin on the machine of an installation; `run` returns what a person sees. */
async function operatorContext(t: TestContext) {
  const malipo = await testMalipo(t)
  const { person, variables } = await openStaff(t, malipo)
  const settings = { ...variables, ...(await installationOf(malipo)) }
  const runWith = (changed: Record<string, string | undefined>, cli: Partial<CliEnvironment> = {}) =>
    commandLine({ ...settings, ...changed }, cli)
  return { malipo, person, run: runWith({}), runWith }
}

type Run = Awaited<ReturnType<typeof operatorContext>>['run']

async function newMerchant(run: Run): Promise<string> {
  const who = ['--name', 'Duka Moja', '--email', 'amina@example.com', '--first-name', 'Amina', '--last-name', 'Otieno']
  const { out } = await run('--json', 'merchants', 'create', ...who, '--country', 'KE')
  return JSON.parse(out).id
}

test('three commands make a merchant and a key pair, and each names the next command', async (t) => {
  const { run } = await operatorContext(t)
  const who = ['--name', 'Duka', '--email', 'amina@example.com', '--first-name', 'Amina', '--last-name', 'Otieno']

  const created = await run('merchants', 'create', ...who, '--country', 'KE')
  const [, id = ''] = /Next: malipo keys create (mer_\w+) --env sandbox/.exec(created.out) ?? []
  const pair = await run('keys', 'create', id, '--env', 'sandbox')
  const listed = await run('keys', 'list', id)

  assert.match(pair.out, /public key {2}pk_test_\w{52}\n {2}API key {5}sk_test_\w{52}\n/)
  assert.match(
    listed.out,
    /^PUBLIC KEY +ENVIRONMENT +STATE +LAST TOKEN +FROM ADDRESSES +SCOPES\npk_test_\w{52} +sandbox +active +never +any/,
  )
})

test('every command prints JSON with --json', async (t) => {
  const { run } = await operatorContext(t)
  const id = await newMerchant(run)
  const pair = JSON.parse((await run('--json', 'keys', 'create', id, '--env', 'sandbox')).out)

  const outputs = [
    await run('--json', 'merchants', 'list'),
    await run('--json', 'merchants', 'freeze', id, '--reason', 'ticket 1'),
    await run('--json', '--break-glass', 'merchants', 'unfreeze', id, '--reason', 'ticket 1'),
    await run('--json', 'keys', 'list', id),
    await run('--json', 'keys', 'rotate', pair.publicKey),
    await run('--json', 'keys', 'revoke', pair.publicKey, '--reason', 'leaked'),
    await run('--json', 'migrate'),
    await run('--json', 'migrate', '--status'),
    await run('--json', 'secrets'),
  ]

  for (const { code, out, err } of outputs) {
    assert.equal(code, exitCodes.done, err)
    assert.doesNotThrow(() => JSON.parse(out), out)
  }
})

test('an action is in the audit trail under the person who is logged in, with role and reason', async (t) => {
  const { run, malipo, person } = await operatorContext(t)
  const id = await newMerchant(run)

  await run('merchants', 'freeze', id, '--reason', 'ticket 4711')

  const rows = await malipo.ask(
    'select actor_kind, actor, role, action, reason from audit_entries where subject = $1 order by id',
    [id],
  )
  const actor = { actor_kind: 'person', actor: person.id, role: 'operator admin' }
  assert.deepEqual(rows, [
    { ...actor, action: 'merchant.create', reason: null },
    { ...actor, action: 'merchant.freeze', reason: 'ticket 4711' },
  ])
})

test('the exit code and the message identify the kind of error', async (t) => {
  const { run } = await operatorContext(t)
  const unknown = `mer_${'0'.repeat(32)}`

  const cases: [number, RegExp, string[]][] = [
    [exitCodes.refused, /^No merchant has the id mer_0+\.\n$/, ['keys', 'list', unknown]],
    [exitCodes.refused, /^mer-1 is not a merchant id; they look like mer_/, ['keys', 'list', 'mer-1']],
    [exitCodes.usage, /unknown command 'merchant'\n\(Did you mean merchants\?\)/, ['merchant', 'list']],
    [exitCodes.usage, /required option '--reason <text>' not specified/, ['merchants', 'freeze', unknown]],
    [exitCodes.usage, /Allowed choices are sandbox, live/, ['keys', 'create', unknown, '--env', 'test']],
    [exitCodes.usage, /It must be from 1 to 1000/, ['merchants', 'list', '--limit', '0']],
  ]
  for (const [code, message, args] of cases) {
    const result = await run(...args)
    assert.equal(result.code, code, args.join(' '))
    assert.match(result.err, message)
    assert.equal(result.out, '')
  }
})

test('an unreachable database and a missing setting are reported in plain words', async (t) => {
  const { runWith } = await operatorContext(t)

  const unreachable = await runWith({ DATABASE_URL: 'postgres://x:y@127.0.0.1:9/z' })('secrets', 'list')
  const unusable = await runWith({ DATABASE_URL: undefined, MALIPO_SECRET_KEYS: 'short' })('secrets', 'list')

  assert.equal(unreachable.code, exitCodes.unreachable)
  assert.match(unreachable.err, /^The database at DATABASE_URL cannot be used: connect ECONNREFUSED/)
  assert.equal(unusable.code, exitCodes.usage)
  assert.match(unusable.err, /DATABASE_URL is required: .*\n {2}MALIPO_SECRET_KEYS must be/)
})

/** The verbs that a help line may start with: the list keeps them few and imperative. */
const verbs =
  'Accept Add Adjust Bring Charge Check Clear Collect Control Convert Create Credit End Explain Export Find Generate List Make Manage Migrate Move Pay ' +
  'Print Reject Remove Replace Resume Revoke Send Set Show Start Stop Test Verify'

test('every help line is one imperative sentence that fits on a line', () => {
  const silent = { variables: {}, actor: '', write: () => undefined, writeError: () => undefined }
  const everything = (command: Command): Command[] => [command, ...command.commands.flatMap(everything)]

  for (const command of everything(buildProgram(silent))) {
    const line = command.description()
    assert.ok(verbs.split(' ').includes(line.split(/[ ,]/)[0] ?? ''), `${command.name()}: ${line}`)
    assert.match(line, /^[^\n]{10,90}\.$/, command.name())
    assert.equal(command.summary(), '', command.name())
  }
})

test('help is printed without a login and a database', async () => {
  for (const args of [['--help'], ['keys', '--help'], ['merchants', 'create', '--help']]) {
    const { code, out } = await commandLine({})(...args)
    assert.equal(code, exitCodes.done)
    assert.match(out, /^Usage: malipo/)
  }
})

test('a table has columns for a person, and tabs without colours for a program', async (t) => {
  const { runWith } = await operatorContext(t)
  const person = runWith({ NO_COLOR: undefined })
  await newMerchant(person)

  const shown = await person('merchants', 'list')
  const piped = await runWith({ NO_COLOR: undefined }, { terminal: undefined })('merchants', 'list')
  const plain = await person('merchants', 'list', '--no-color')

  assert.ok(shown.out.startsWith('\u001b[1mMERCHANT\u001b[22m '))
  assert.match(plain.out, /^MERCHANT {30,}NAME +COUNTRY +STATE +CREATED\nmer_\w{32} {2}/)
  assert.match(piped.out, /^MERCHANT\tNAME\tCOUNTRY\tSTATE\tCREATED\nmer_\w{32}\tDuka/)
})

test('an interrupted operator command exits with 130', async (t) => {
  const { runWith } = await operatorContext(t)
  const interrupt = new AbortController()

  const listing = runWith({}, { signal: interrupt.signal })('merchants', 'list')
  interrupt.abort()
  const { code, out, err } = await listing

  assert.deepEqual([code, out, err], [exitCodes.interrupted, '', 'Interrupted.\n'])
})
