import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { chmodSync, mkdirSync, mkdtempSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import type { CliEnvironment } from './cli-environment.ts'
import { findDevFolder, findLastStack, findProjectStack } from './dev-stack.ts'
import { exitCodes } from './exit-codes.ts'
import { operatorAccess, saveSession } from './operator-access.ts'
import { findAccess, type Profile, saveProfile } from './profiles.ts'
import { commandLine } from './testing/command-line.ts'

const silent = { actor: '', write: () => undefined, writeError: () => undefined }
const pair = (name: string) => ({
  url: 'http://127.0.0.1:8080',
  publicKey: `pk_test_${name}`,
  apiKey: `sk_test_${name}`,
})

function writeEnv(data: string, { url, publicKey, apiKey }: Profile): void {
  const ofMerchant = [`MALIPO_URL=${url}`, `MALIPO_PUBLIC_KEY=${publicKey}`, `MALIPO_API_KEY=${apiKey}`]
  const ofStaff = ['MALIPO_OPERATOR_PUBLIC_KEY=opk_dev', 'MALIPO_OPERATOR_API_KEY=osk_dev']
  writeFileSync(join(data, 'env'), [...ofMerchant, ...ofStaff, ''].join('\n'), { mode: 0o600 })
}

/** A home, and a project in it with the files that a running `npm run dev` writes. */
function openProject(t: TestContext) {
  const home = mkdtempSync(join(tmpdir(), 'malipo-dev-stack-'))
  t.after(() => rmSync(home, { recursive: true }))
  const project = join(home, 'shop')
  const data = join(project, '.malipo')
  const below = join(project, 'src/orders')
  mkdirSync(data, { recursive: true })
  mkdirSync(below, { recursive: true })
  chmodSync(data, 0o711)
  writeEnv(data, pair('dev'))
  writeFileSync(join(data, 'api.pid'), String(process.pid), { mode: 0o600 })
  const state = join(home, '.local/state/malipo')
  mkdirSync(state, { recursive: true })
  writeFileSync(join(state, 'dev-stack'), `${data}\n`, { mode: 0o600 })
  const at = (folder: string, variables: CliEnvironment['variables'] = {}): CliEnvironment => ({
    ...silent,
    folder,
    variables: { HOME: home, ...variables },
  })
  return { home, project, data, below, registry: join(state, 'dev-stack'), at }
}

test('a running stack is found from its project, from below it, and from anywhere', (t) => {
  const { home, project, data, below, at } = openProject(t)

  for (const folder of [project, below]) assert.equal(findProjectStack(at(folder))?.folder, data)
  assert.equal(findProjectStack(at(home)), undefined)
  assert.equal(findLastStack(at(home))?.folder, data)
  assert.deepEqual(findAccess(at(below), undefined), {
    ...pair('dev'),
    source: `npm run dev in ${project}`,
    env: 'sandbox',
  })
  assert.equal(findDevFolder(at(below)), data)
  assert.equal(findDevFolder(at('/', { MALIPO_FOLDER: data })), data)
})

test('a stack that has stopped is not used', (t) => {
  const { below, data, at } = openProject(t)
  rmSync(join(data, 'api.pid'))

  assert.deepEqual([findProjectStack(at(below)), findLastStack(at(below))], [undefined, undefined])
  assert.throws(() => findAccess(at(below), undefined), /No key pair is configured/)
})

test('a stack or registry that other users can read or write is not used', (t) => {
  const { home, below, data, registry, at } = openProject(t)
  const found = () => [findProjectStack(at(below)), findLastStack(at(home))].map((stack) => stack?.folder)

  for (const [path, closed, open] of [
    [registry, 0o600, 0o644],
    [join(data, 'env'), 0o600, 0o660],
    [join(data, 'api.pid'), 0o600, 0o622],
    [data, 0o711, 0o777],
  ] as const) {
    chmodSync(path, open)
    assert.deepEqual(found(), [undefined, undefined], path)
    chmodSync(path, closed)
    assert.deepEqual(found(), [data, data], path)
  }
})

test('a link or a pipe in place of a file of the stack is not followed, and nothing waits for it', async (t) => {
  const { home, data, at } = openProject(t)
  const env = join(data, 'env')
  renameSync(env, join(home, 'env'))
  symlinkSync(join(home, 'env'), env)
  assert.equal(findLastStack(at(home)), undefined)
  rmSync(env)
  execFileSync('mkfifo', ['-m', '600', env])
  assert.equal(findLastStack(at(home)), undefined)

  writeFileSync(join(home, 'secret'), 'a secret\n')
  symlinkSync(join(home, 'secret'), join(data, 'api.log'))
  const { code, out, err } = await commandLine({ MALIPO_FOLDER: data })('logs')

  assert.deepEqual([code, out], [exitCodes.usage, ''])
  assert.match(err, /api\.log cannot be read: ELOOP/)
})

test('a folder that npm run dev did not register is not used unless MALIPO_FOLDER names it', (t) => {
  const { home, registry, data, below, project, at } = openProject(t)
  saveProfile(at(home), 'default', pair('saved'))
  writeFileSync(registry, '/elsewhere/.malipo\n')

  assert.equal(findAccess(at(below), undefined).source, 'profile default')
  assert.equal(findAccess(at(home, { MALIPO_FOLDER: data }), undefined).source, `npm run dev in ${project}`)
  const other = join(home, 'data')
  renameSync(data, other)
  assert.equal(findAccess(at(home, { MALIPO_FOLDER: other }), undefined).source, `npm run dev in ${other}`)
})

test('a stack with a URL on another machine or with live keys is not used', (t) => {
  const { data, below, at } = openProject(t)
  const own = pair('dev')

  for (const wrong of [
    { url: 'https://malipo.example' },
    { url: 'http://127.0.0.1.example:8080' },
    { url: 'http://user@127.0.0.1:8080' },
    { publicKey: 'pk_live_dev' },
    { apiKey: 'sk_live_dev' },
    { apiKey: '' },
  ]) {
    writeEnv(data, { ...own, ...wrong })
    assert.throws(() => findAccess(at(below), undefined), /No key pair is configured/, JSON.stringify(wrong))
  }
  for (const url of ['http://localhost:8080', 'http://[::1]:8080']) {
    writeEnv(data, { ...own, url })
    assert.equal(findAccess(at(below), undefined).url, url)
  }
})

test('only the number of a running process of this user counts as a running stack', (t) => {
  const { data, below, at } = openProject(t)

  for (const pid of ['', '0', '1', '-1', `-${process.pid}`, ` ${process.pid}`, '0x10', '1e3', '99999999999']) {
    writeFileSync(join(data, 'api.pid'), pid)
    assert.equal(findProjectStack(at(below)), undefined, pid)
  }
})

test('variables come first, then the project’s stack, the saved profile, and the last stack', (t) => {
  const { home, below, at } = openProject(t)
  const sourceAt = (folder: string, variables = {}) => findAccess(at(folder, variables), undefined).source
  const { url: MALIPO_URL, publicKey: MALIPO_PUBLIC_KEY, apiKey: MALIPO_API_KEY } = pair('set')

  assert.match(sourceAt(home), /^npm run dev in /)
  saveProfile(at(home), 'default', pair('saved'))
  assert.equal(sourceAt(home), 'profile default')
  assert.match(sourceAt(below), /^npm run dev in /)
  assert.equal(sourceAt(below, { MALIPO_PROFILE: 'default' }), 'profile default')
  assert.equal(sourceAt(below, { MALIPO_URL, MALIPO_PUBLIC_KEY, MALIPO_API_KEY }), 'the environment')
})

test('the URL and the keys come from one source, so that no server gets the keys of another', (t) => {
  const { home, below, at } = openProject(t)
  saveProfile(at(home), 'default', pair('saved'))

  for (const folder of [home, below]) {
    const withUrl = at(folder, { MALIPO_URL: 'http://other' })
    assert.throws(
      () => findAccess(withUrl, undefined),
      /MALIPO_PUBLIC_KEY, MALIPO_API_KEY are not set\.(.|\n)*together/,
    )
    const withKey = at(folder, { MALIPO_API_KEY: 'sk_live_own' })
    assert.throws(() => findAccess(withKey, undefined), /MALIPO_URL, MALIPO_PUBLIC_KEY are not set\./)
  }
})

test('names of object members such as constructor are not profiles', (t) => {
  const { home, at } = openProject(t)

  for (const name of ['constructor', '__proto__', 'toString'])
    assert.throws(() => findAccess(at(home), name), new RegExp(`Profile ${name} does not exist`))
})

test('hints name the command as the user typed it, and JSON stays as it is', async () => {
  const typed = commandLine({}, { commandName: 'npm run malipo --' })

  const [error, help, json] = [await typed('whoami'), await typed('pay', '--help'), await typed('whoami', '--json')]

  assert.match(error.err, / run npm run malipo -- login, or set /)
  assert.match(help.out, /^Usage: npm run malipo -- pay \[options\]\n/)
  assert.match(help.out, /\n {2}npm run malipo -- pay --amount 300 /)
  assert.match(json.err, / run malipo login, or set /)
  assert.match((await commandLine({})('pay', '--help')).out, /^Usage: malipo pay /)
})

test('operator commands act as the machine of a registered local stack, and of no other', async (t) => {
  const { home, below, data, registry, at } = openProject(t)
  const nowhere = { ...pair('dev'), url: 'http://127.0.0.1:4' }
  const used = /^CliError: Cannot reach Malipo at http:\/\/127\.0\.0\.1:4: ECONNREFUSED/
  const unused = /^CliError: You are not logged in as operator staff/

  writeEnv(data, nowhere)
  for (const folder of [below, home]) await assert.rejects(operatorAccess(at(folder), undefined), used)
  writeEnv(data, { ...nowhere, url: 'https://pay.example.com' })
  await assert.rejects(operatorAccess(at(below), undefined), unused)
  writeEnv(data, nowhere)
  writeFileSync(registry, '', { mode: 0o600 })
  await assert.rejects(operatorAccess(at(below), undefined), unused)
})

test('a named profile and the environment come before the machine of a stack', async (t) => {
  const { below, at } = openProject(t)
  const session = { url: 'https://pay.example.com', token: 'mls_1' }
  saveSession(at(below), 'live', session)
  const access = (variables: Record<string, string>, profile?: string) => operatorAccess(at(below, variables), profile)

  assert.deepEqual(await access({}, 'live'), { ...session, source: 'profile live' })
  assert.deepEqual(await access({ MALIPO_PROFILE: 'live' }), { ...session, source: 'profile live' })
  await assert.rejects(access({}, 'sandbox'), /You are not logged in as operator staff \(profile sandbox\)/)
  await assert.rejects(
    access({ MALIPO_OPERATOR_PUBLIC_KEY: 'opk_1' }),
    /^CliError: Set MALIPO_URL, MALIPO_OPERATOR_PUBLIC_KEY/,
  )
  await assert.rejects(access({ MALIPO_URL: 'https://other.example.com' }), /^CliError: MALIPO_URL is https:\/\/other/)
})
