import assert from 'node:assert/strict'
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import type { CliEnvironment } from './cli-environment.ts'
import { findDevFolder, findLastStack, findProjectStack } from './dev-stack.ts'
import { findAccess, saveProfile } from './profiles.ts'
import { commandLine } from './testing/command-line.ts'

const silent = { actor: '', write: () => undefined, writeError: () => undefined }
const pair = (name: string) => ({ url: `http://${name}`, publicKey: `pk_test_${name}`, apiKey: `sk_test_${name}` })

/** A home, and a project in it with the files that a running `npm run dev` writes. */
function openProject(t: TestContext) {
  const home = mkdtempSync(join(tmpdir(), 'malipo-dev-stack-'))
  t.after(() => rmSync(home, { recursive: true }))
  const project = join(home, 'shop')
  const data = join(project, '.malipo')
  const below = join(project, 'src/orders')
  mkdirSync(data, { recursive: true })
  mkdirSync(below, { recursive: true })
  const { url, publicKey, apiKey } = pair('dev')
  const lines = [`MALIPO_URL=${url}`, `MALIPO_PUBLIC_KEY=${publicKey}`, `MALIPO_API_KEY=${apiKey}`, '']
  writeFileSync(join(data, 'env'), lines.join('\n'), { mode: 0o600 })
  writeFileSync(join(data, 'api.pid'), String(process.pid))
  const state = join(home, '.local/state/malipo')
  mkdirSync(state, { recursive: true })
  writeFileSync(join(state, 'dev-stack'), `${data}\n`, { mode: 0o600 })
  const at = (folder: string, variables: CliEnvironment['variables'] = {}): CliEnvironment => ({
    ...silent,
    folder,
    variables: { HOME: home, ...variables },
  })
  return { home, project, data, below, pointer: join(state, 'dev-stack'), at }
}

test('a running stack is found from its project, from below it, and from anywhere by the pointer', (t) => {
  const { home, project, data, below, at } = openProject(t)

  for (const folder of [project, below]) assert.equal(findProjectStack(at(folder))?.folder, data)
  assert.equal(findProjectStack(at(home)), undefined)
  assert.equal(findLastStack(at(home))?.folder, data)
  assert.deepEqual(findAccess(at(below), undefined), {
    ...pair('dev'),
    source: `npm run dev in ${project}`,
    env: 'sandbox',
  })
  assert.equal(findDevFolder(at(home, { MALIPO_FOLDER: '/elsewhere' })), '/elsewhere')
})

test('a stack that has stopped is not used', (t) => {
  const { below, data, at } = openProject(t)
  rmSync(join(data, 'api.pid'))

  assert.deepEqual([findProjectStack(at(below)), findLastStack(at(below))], [undefined, undefined])
  assert.throws(() => findAccess(at(below), undefined), /No key pair is configured/)
})

test('a stack or pointer that other users can read or write is not used', (t) => {
  const { home, below, data, pointer, at } = openProject(t)

  chmodSync(pointer, 0o644)
  assert.equal(findLastStack(at(home)), undefined)
  chmodSync(join(data, 'env'), 0o660)
  assert.equal(findProjectStack(at(below)), undefined)
})

test('variables come first, then the project’s stack, the saved profile, and the last stack', (t) => {
  const { home, below, at } = openProject(t)
  const sourceAt = (folder: string, variables = {}) => findAccess(at(folder, variables), undefined).source

  assert.match(sourceAt(home), /^npm run dev in /)
  saveProfile(at(home), 'default', pair('saved'))
  assert.equal(sourceAt(home), 'profile default')
  assert.match(sourceAt(below), /^npm run dev in /)
  assert.equal(sourceAt(below, { MALIPO_PROFILE: 'default' }), 'profile default')
  assert.equal(sourceAt(below, { MALIPO_URL: 'http://other' }), 'the environment')
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
