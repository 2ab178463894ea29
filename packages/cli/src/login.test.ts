import assert from 'node:assert/strict'
import { chmodSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { exitCodes } from './exit-codes.ts'
import { openShop } from './testing/shop.ts'

const unset = { MALIPO_URL: undefined, MALIPO_PUBLIC_KEY: undefined, MALIPO_API_KEY: undefined }

test('login asks for missing fields, checks them, saves them owner-only and repeats no secret', async (t) => {
  const { as, home, variables } = await openShop(t)
  const asked: { question: string; isSecret: boolean }[] = []
  const answers = [variables['MALIPO_URL'], variables['MALIPO_PUBLIC_KEY'], variables['MALIPO_API_KEY']]
  const ask = async (question: string, { isSecret }: { isSecret: boolean }) => {
    asked.push({ question, isSecret })
    return answers[asked.length - 1] ?? ''
  }

  const login = await as(unset, { ask })('login')
  const who = await as(unset)('whoami')

  assert.equal(login.code, exitCodes.done, login.err)
  assert.deepEqual(
    asked.map(({ isSecret }) => isSecret),
    [false, false, true],
  )
  const path = join(home, '.config/malipo/profiles.json')
  assert.equal(statSync(path).mode & 0o777, 0o600)
  assert.ok(readFileSync(path, 'utf8').includes(`"apiKey": "${variables['MALIPO_API_KEY']}"`))
  assert.match(
    login.out,
    /^Logged in to sandbox at http:\/\/127\.0\.0\.1:\d+ as Amina Otieno, amina@example\.com\.\nSaved as profile default/,
  )
  assert.match(who.out, /^Amina Otieno, amina@example\.com, in sandbox\n(.*\n)* {2}from +profile default\n$/)
  assert.doesNotMatch(`${login.out}${login.err}${who.out}`, /sk_test_/)
})

test('a named profile wins over the environment, and the environment over the default profile', async (t) => {
  const { as, run, malipo, variables, file } = await openShop(t)
  const other = await malipo.merchant()
  const key = file('key.txt', `${other.apiKey}\n`)

  await as(unset)(
    'login',
    '--profile',
    'shop',
    '--url',
    malipo.url,
    '--public-key',
    other.publicKey,
    '--api-key-file',
    key,
  )
  await as({ MALIPO_PUBLIC_KEY: other.publicKey, MALIPO_API_KEY: other.apiKey })('login')

  assert.match((await run('whoami', '--profile', 'shop')).out, new RegExp(other.publicKey))
  assert.match(
    (await run('whoami')).out,
    new RegExp(`${variables['MALIPO_PUBLIC_KEY']}(.*\n)* {2}from +the environment`),
  )
  assert.match((await as(unset)('whoami')).out, new RegExp(`${other.publicKey}(.*\n)* {2}from +profile default`))
  assert.match((await as({ ...unset, MALIPO_PROFILE: 'shop' })('whoami')).out, /from +profile shop/)
  const missing = await run('whoami', '--profile', 'shpo')
  assert.equal(missing.err, 'Profile shpo does not exist. Did you mean shop? Create it: malipo login --profile shpo\n')
})

test('a wrong profile is not saved, and a deleted one is gone', async (t) => {
  const { as, run } = await openShop(t)

  const wrong = await as({ MALIPO_API_KEY: `sk_test_${'x'.repeat(49)}` })('login')
  const missing = await as(unset)('whoami')
  await run('login')
  const deleted = await run('login', '--forget')
  const after = await as(unset)('whoami')

  assert.deepEqual([wrong.code, missing.code, after.code], [exitCodes.unauthorised, exitCodes.usage, exitCodes.usage])
  assert.match(wrong.err, /^Malipo rejected the key pair: /)
  assert.match(deleted.out, /^Deleted profile default\./)
})

test('a profiles file that others may read is reported, and so is a broken one', async (t) => {
  const { as, run, home } = await openShop(t)
  await run('login')
  const path = join(home, '.config/malipo/profiles.json')

  chmodSync(path, 0o644)
  const open = await as(unset)('whoami')
  const listed = await as(unset)('profiles')
  writeFileSync(path, '{ "profiles": ')
  const broken = await as(unset)('whoami')

  assert.equal(open.code, exitCodes.done)
  for (const { err } of [open, listed])
    assert.match(err, /^Other users of this machine can read .*profiles\.json\. Run chmod 600 on it\.\n$/)
  assert.equal(broken.code, exitCodes.usage)
  assert.match(broken.err, /profiles\.json cannot be read: /)
})
