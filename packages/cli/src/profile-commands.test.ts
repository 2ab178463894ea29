import assert from 'node:assert/strict'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { exitCodes } from './exit-codes.ts'
import { commandLine } from './testing/command-line.ts'

const secret = 'sk_live_topsecret'
const shop = { url: 'https://pay.example', publicKey: 'pk_live_1', apiKey: secret }
const testing = { url: 'http://127.0.0.1:8080', publicKey: 'pk_test_1', apiKey: secret }

/** A home folder with this profile file; without a text, with none. */
function homeWith(t: TestContext, text?: string) {
  const home = mkdtempSync(join(tmpdir(), 'malipo-profiles-'))
  t.after(() => rmSync(home, { recursive: true }))
  mkdirSync(join(home, '.config/malipo'), { recursive: true })
  if (text !== undefined) writeFileSync(join(home, '.config/malipo/profiles.json'), text, { mode: 0o600 })
  return (variables: Record<string, string> = {}) => commandLine({ HOME: home, ...variables })
}

const fileOf = (profiles: unknown) => JSON.stringify({ profiles })

test('profiles list shows name, URL, environment and the current profile, and never a key', async (t) => {
  const as = homeWith(t, fileOf({ default: testing, shop }))

  const text = await as()('profiles', 'list')
  const json = await as({ MALIPO_PROFILE: 'shop' })('profiles', '--json')

  assert.equal(text.code, exitCodes.done, text.err)
  assert.deepEqual(
    text.out
      .trimEnd()
      .split('\n')
      .map((line) => line.split(/ {2,}/)),
    [
      ['NAME', 'URL', 'ENVIRONMENT', 'CURRENT'],
      ['default', testing.url, 'sandbox', 'yes'],
      ['shop', shop.url, 'live'],
    ],
  )
  assert.deepEqual(JSON.parse(json.out), [
    { name: 'default', url: testing.url, env: 'sandbox', isCurrent: false },
    { name: 'shop', url: shop.url, env: 'live', isCurrent: true },
  ])
  assert.doesNotMatch(`${text.out}${text.err}${json.out}${json.err}`, /sk_|pk_/)
})

test('--profile makes its profile the current one, and set variables make none current', async (t) => {
  const as = homeWith(t, fileOf({ default: testing, shop }))
  const current = async (run: ReturnType<typeof as>, ...args: string[]) => {
    const rows = JSON.parse((await run('profiles', '--json', ...args)).out) as { name: string; isCurrent: boolean }[]
    return rows.filter(({ isCurrent }) => isCurrent).map(({ name }) => name)
  }

  assert.deepEqual(await current(as(), '--profile', 'shop'), ['shop'])
  assert.deepEqual(await current(as({ MALIPO_URL: 'http://127.0.0.1:4' })), [])
  assert.deepEqual(await current(as({ MALIPO_PROFILE: 'missing' })), [])
})

test('without saved profiles the list is empty and names the command that saves one', async (t) => {
  const as = homeWith(t)

  const text = await as()('profiles')
  const json = await as()('profiles', '--json')

  assert.deepEqual([text.code, text.out], [exitCodes.done, 'No profiles are saved. Create one: malipo login\n'])
  assert.deepEqual([json.code, json.out], [exitCodes.done, '[]\n'])
  assert.equal((await commandLine({})('profiles')).code, exitCodes.done)
})

test('a broken profile file is an error that repeats no part of it', async (t) => {
  for (const [text, reason] of [
    [`{ "profiles": { "shop": { "apiKey": ${secret} } } }`, 'it is not valid JSON'],
    [`{ "profiles": { "shop": { "apiKey": "${secret}`, 'it is not valid JSON'],
    ['', 'it is not valid JSON'],
    ['null', 'it has no "profiles" object'],
    ['{ "profiles": [] }', 'it has no "profiles" object'],
  ] as const) {
    const { code, out, err } = await homeWith(t, text)()('profiles', 'list')

    assert.deepEqual([code, out], [exitCodes.usage, ''], text)
    assert.match(err, new RegExp(`profiles\\.json cannot be read: ${reason}\\.\nDelete it and run malipo login\\.\n$`))
    assert.doesNotMatch(err, /sk_|apiKey/)
  }
})

test('an incomplete profile is left out of the list and reported with what it lacks', async (t) => {
  const as = homeWith(t, fileOf({ shop, half: { url: shop.url, apiKey: secret }, empty: null }))

  const { code, out, err } = await as()('profiles', '--json')

  assert.equal(code, exitCodes.done)
  assert.deepEqual(
    (JSON.parse(out) as { name: string }[]).map(({ name }) => name),
    ['shop'],
  )
  assert.match(err, /^Profile half is incomplete: publicKey missing\. Save it again: malipo login --profile half\n/)
  assert.match(err, /\nProfile empty is incomplete: url, publicKey, apiKey missing\./)
  assert.doesNotMatch(err, /sk_/)
})
