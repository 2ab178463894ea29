import assert from 'node:assert/strict'
import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { foreignFolder, markFolder } from '../packages/server/src/dev-stack/dev-folder.ts'
import { compiled } from '../packages/server/src/dev-stack/processes.ts'
import { until } from '../packages/server/src/dev-stack/until.ts'

const root = join(import.meta.dirname, '..')
const processesModule = join(root, 'packages/server/src/dev-stack/processes.ts')

function ownFolder(t: TestContext): string {
  const folder = mkdtempSync(join(tmpdir(), 'malipo-dev-folder-'))
  t.after(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

/** A program of the repository with these variables and no settings of its own. */
function run(script: string, args: readonly string[], variables: Readonly<Record<string, string>>) {
  const { PATH } = process.env
  const env = { ...compiled, PATH, ...variables }
  const { status, stderr } = spawnSync(process.execPath, [join(root, script), ...args], { env, encoding: 'utf8' })
  return { code: status, err: stderr }
}

function sleeper(t: TestContext): ChildProcess {
  const child = spawn('sleep', ['600'], { stdio: 'ignore' })
  t.after(() => child.kill('SIGKILL'))
  return child
}

test('npm run dev refuses a folder with other files, and neither deletes nor changes it', (t) => {
  const folder = ownFolder(t)
  writeFileSync(join(folder, 'thesis.txt'), 'years of work')
  chmodSync(folder, 0o750)

  for (const args of [[], ['--fresh']]) {
    const { code, err } = run('scripts/dev.ts', args, { MALIPO_FOLDER: folder, HOME: folder })
    assert.equal(code, 1)
    assert.match(err, /^MALIPO_FOLDER is .*, which holds other files than those of npm run dev\. Set it to a new or/)
  }

  assert.deepEqual(readdirSync(folder), ['thesis.txt'])
  assert.equal(statSync(folder).mode & 0o777, 0o750)
})

test('npm run dev accepts a new folder, an empty one, its own, and one of 0.2.0', (t) => {
  const folder = ownFolder(t)
  const [empty, own, earlier] = ['empty', 'own', 'earlier'].map((name) => join(folder, name)) as [
    string,
    string,
    string,
  ]
  for (const each of [empty, earlier]) mkdirSync(each)
  markFolder(own)
  writeFileSync(join(own, 'env'), '')
  writeFileSync(join(earlier, 'postgres.password'), '')

  for (const each of [join(folder, 'new'), empty, own, earlier]) assert.equal(foreignFolder(each), undefined, each)
  assert.equal(foreignFolder(join(earlier, 'postgres.password')), 'is not a folder')
})

test('the guard of a killed stack ends what the stack started, and no process of an older pid file', async (t) => {
  const folder = ownFolder(t)
  const [other, own] = [sleeper(t), sleeper(t)]
  writeFileSync(join(folder, 'postgres.pid'), String(other.pid))
  const program = `
    const { guardFolder } = await import(${JSON.stringify(processesModule)})
    const { writeFileSync } = await import('node:fs')
    guardFolder(${JSON.stringify(folder)}, { isKept: true })
    writeFileSync(${JSON.stringify(join(folder, 'api.pid'))}, '${own.pid}')
    process.kill(process.pid, 'SIGKILL')`
  const ended = once(own, 'exit')

  spawnSync(process.execPath, ['--input-type=module', '-e', program])

  assert.deepEqual(await ended, [null, 'SIGKILL'])
  await until('the guard to end', () => !existsSync(join(folder, 'api.pid')))
  assert.deepEqual([other.exitCode, other.signalCode], [null, null])
})

test('npm run malipo takes all settings from a running stack, and none beside DATABASE_URL', (t) => {
  const folder = ownFolder(t)
  chmodSync(folder, 0o711)
  const lines = ['DATABASE_URL=postgres://127.0.0.1:4/stack', 'MALIPO_SECRET_KEYS=of-the-stack', '']
  writeFileSync(join(folder, 'env'), lines.join('\n'), { mode: 0o600 })
  const settingsProblem = (variables: Readonly<Record<string, string>> = {}) => {
    const { code, err } = run('scripts/malipo.ts', ['secrets', 'list'], { MALIPO_FOLDER: folder, ...variables })
    assert.equal(code, 2, err)
    return err.split('\n').flatMap((line) => /^ {2}[^:]+/.exec(line) ?? [])
  }

  assert.deepEqual(settingsProblem(), ['  DATABASE_URL is required', '  MALIPO_SECRET_KEYS is required'])
  writeFileSync(join(folder, 'api.pid'), String(process.pid), { mode: 0o600 })
  const [problem, ...more] = settingsProblem({ MALIPO_SECRET_KEYS: '' })
  assert.deepEqual([/^ {2}MALIPO_SECRET_KEYS must be /.test(problem ?? ''), more], [true, []])
  assert.deepEqual(settingsProblem({ DATABASE_URL: 'postgres://127.0.0.1:5/own' }), [
    '  MALIPO_SECRET_KEYS is required',
  ])
})
