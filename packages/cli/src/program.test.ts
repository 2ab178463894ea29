import assert from 'node:assert/strict'
import { test } from 'node:test'
import { makeSecrets } from '@malipo/server/operate'
import { testDatabase } from '../../server/src/dev-stack/servers.ts'
import { ask } from '../../server/src/testing/malipo.ts'
import { exitCodes } from './exit-codes.ts'
import type { Surroundings } from './surroundings.ts'
import { commandLine } from './testing/command-line.ts'

const secrets = makeSecrets(new Date())

/** The command line on a database of this file's own; `run` gives what a person would see. */
async function operatorsDesk(changed: Record<string, string | undefined> = {}, around: Partial<Surroundings> = {}) {
  const { loginUrl, superuserUrl, natsUrl } = await testDatabase()
  const urls = { DATABASE_URL: loginUrl, DATABASE_OWNER_URL: superuserUrl, NATS_URL: natsUrl }
  return commandLine({ ...urls, ...secrets, ...changed }, around)
}

type Run = Awaited<ReturnType<typeof operatorsDesk>>

async function newMerchant(run: Run): Promise<string> {
  const who = ['--name', 'Duka Moja', '--email', 'amina@example.com', '--first-name', 'Amina', '--last-name', 'Otieno']
  const { out } = await run('--json', 'merchants', 'create', ...who, '--country', 'KE')
  return JSON.parse(out).id
}

test('a merchant and a key pair come from three commands, each telling the next', async () => {
  const run = await operatorsDesk()
  const who = ['--name', 'Duka', '--email', 'amina@example.com', '--first-name', 'Amina', '--last-name', 'Otieno']

  const created = await run('merchants', 'create', ...who, '--country', 'KE')
  const [, id = ''] = /Next: malipo keys create (mer_\w+) --env sandbox/.exec(created.out) ?? []
  const pair = await run('keys', 'create', id, '--env', 'sandbox')
  const listed = await run('keys', 'list', id)

  assert.match(pair.out, /public key {2}pk_test_\w{49}\n {2}API key {5}sk_test_\w{49}\n/)
  assert.match(
    listed.out,
    /^PUBLIC KEY +WHERE +STATE +LAST TOKEN +FROM ADDRESSES +SCOPES\npk_test_\w{49} +sandbox +active +never +any/,
  )
})

test('every command prints JSON when asked to', async () => {
  const run = await operatorsDesk()
  const id = await newMerchant(run)
  const pair = JSON.parse((await run('--json', 'keys', 'create', id, '--env', 'live')).out)

  const outputs = [
    await run('--json', 'merchants', 'list'),
    await run('--json', 'merchants', 'freeze', id, '--reason', 'ticket 1'),
    await run('--json', 'merchants', 'unfreeze', id, '--reason', 'ticket 1'),
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

test('what a person did is in the audit trail under their name, or the one they give', async () => {
  const run = await operatorsDesk()
  const id = await newMerchant(run)

  await run('merchants', 'freeze', id, '--reason', 'ticket 4711')
  await run('--as', 'night shift', 'merchants', 'unfreeze', id, '--reason', 'cleared')

  const { superuserUrl } = await testDatabase()
  const rows = await ask(
    superuserUrl,
    'select actor, action, reason from audit_entries where subject = $1 order by id',
    [id],
  )
  assert.deepEqual(rows, [
    { actor: 'wanjiru', action: 'merchant.create', reason: null },
    { actor: 'wanjiru', action: 'merchant.freeze', reason: 'ticket 4711' },
    { actor: 'night shift', action: 'merchant.unfreeze', reason: 'cleared' },
  ])
})

test('the exit code and the message tell what kind of trouble it is', async () => {
  const run = await operatorsDesk()
  const nobody = `mer_${'0'.repeat(32)}`

  const cases: [number, RegExp, string[]][] = [
    [exitCodes.refused, /^there is no merchant mer_0+\n$/, ['keys', 'list', nobody]],
    [exitCodes.refused, /^duka is no merchant id; they look like mer_/, ['keys', 'list', 'duka']],
    [exitCodes.usage, /unknown command 'merchant'\n\(Did you mean merchants\?\)/, ['merchant', 'list']],
    [exitCodes.usage, /required option '--reason <text>' not specified/, ['merchants', 'freeze', nobody]],
    [exitCodes.usage, /Allowed choices are sandbox, live/, ['keys', 'create', nobody, '--env', 'test']],
    [exitCodes.usage, /It must be from 1 to 1000/, ['merchants', 'list', '--limit', '0']],
  ]
  for (const [code, message, args] of cases) {
    const result = await run(...args)
    assert.equal(result.code, code, args.join(' '))
    assert.match(result.err, message)
    assert.equal(result.out, '')
  }
})

test('a database that is away and a configuration that is missing are told in plain words', async () => {
  const away = await operatorsDesk({ DATABASE_URL: 'postgres://x:y@127.0.0.1:9/z' })
  const missing = await operatorsDesk({ DATABASE_URL: undefined, MALIPO_SECRET_KEYS: 'short' })

  const unreachable = await away('merchants', 'list')
  const unusable = await missing('merchants', 'list')

  assert.equal(unreachable.code, exitCodes.unreachable)
  assert.match(unreachable.err, /^The database at DATABASE_URL cannot be used: connect ECONNREFUSED/)
  assert.equal(unusable.code, exitCodes.usage)
  assert.match(unusable.err, /DATABASE_URL is required\n {2}MALIPO_SECRET_KEYS must be/)
})

test('help is printed without asking any database', async () => {
  const run = await operatorsDesk({ DATABASE_URL: undefined })

  for (const args of [['--help'], ['keys', '--help'], ['merchants', 'create', '--help']]) {
    const { code, out } = await run(...args)
    assert.equal(code, exitCodes.done)
    assert.match(out, /^Usage: malipo/)
  }
})

test('a table has columns for a person and tabs for a program, which sees no colours either', async () => {
  const person = await operatorsDesk({ NO_COLOR: undefined })
  const program = await operatorsDesk({ NO_COLOR: undefined }, { terminal: undefined })
  await newMerchant(person)

  const shown = await person('merchants', 'list')
  const piped = await program('merchants', 'list')
  const plain = await person('merchants', 'list', '--no-color')

  assert.ok(shown.out.startsWith('\u001b[1mMERCHANT\u001b[22m '))
  assert.match(plain.out, /^MERCHANT {30,}NAME +COUNTRY +STATE +CREATED\nmer_\w{32} {2}/)
  assert.match(piped.out, /^MERCHANT\tNAME\tCOUNTRY\tSTATE\tCREATED\nmer_\w{32}\tDuka/)
})

test('what the operator asks of a database ends with 130 when it is interrupted', async () => {
  const interrupt = new AbortController()
  const run = await operatorsDesk({}, { signal: interrupt.signal })

  const listing = run('merchants', 'list')
  interrupt.abort()
  const { code, out, err } = await listing

  assert.deepEqual([code, out, err], [exitCodes.interrupted, '', 'Interrupted.\n'])
})
