import assert from 'node:assert/strict'
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, dirname, join } from 'node:path'
import { after, before, test } from 'node:test'
import { freePort } from '../packages/server/src/dev-stack/processes.ts'
import { until } from '../packages/server/src/dev-stack/until.ts'

const root = join(import.meta.dirname, '..')
const cli = join(root, 'packages/cli')
const folder = mkdtempSync(join(tmpdir(), 'malipo-cli-package-'))
const project = join(folder, 'a shop')
const home = join(folder, 'home')
const state = join(home, '.local/state/malipo')
const path = [dirname(process.execPath), process.env['PATH']].join(delimiter)
/** Without the variables of the npm that runs this test, and with an empty home. */
const variables = {
  ...Object.fromEntries(Object.entries(process.env).filter(([name]) => !/^(npm|malipo)_|^xdg_/i.test(name))),
  PATH: path,
  HOME: home,
}

interface Packed {
  readonly filename: string
  readonly size: number
  readonly files: readonly { readonly path: string }[]
}

let packed: Packed
let manifestBefore: string

function run(program: string, args: readonly string[], cwd: string) {
  const { status, stdout, stderr } = spawnSync(program, args, { cwd, env: variables, encoding: 'utf8' })
  return { code: status, out: stdout, err: stderr }
}

function npm(cwd: string, ...args: readonly string[]): string {
  const { code, out, err } = run('npm', [...args, '--offline', '--no-audit', '--no-fund'], cwd)
  assert.equal(code, 0, `${out}${err}`)
  return out
}

const malipo = (cwd: string, ...args: readonly string[]) => run(join(folder, 'prefix/bin/malipo'), args, cwd)

before(() => {
  chmodSync(folder, 0o711) // PostgreSQL's own user must reach its data.
  for (const each of [home, join(project, 'src')]) mkdirSync(each, { recursive: true })
  manifestBefore = readFileSync(join(cli, 'package.json'), 'utf8')
  packed = (
    JSON.parse(
      npm(cli, 'pack', '--ignore-scripts=false', '--json', '--loglevel=error', '--pack-destination', folder),
    ) as [Packed]
  )[0]
  npm(folder, 'install', '--global', '--prefix', join(folder, 'prefix'), join(folder, packed.filename))
})

after(() => rmSync(folder, { recursive: true, force: true }))

test('the package has no sources, tests, server or dependencies, and packing leaves the workspace unchanged', () => {
  const installed = join(folder, 'prefix/lib/node_modules/@malipo/cli')
  const manifest = JSON.parse(readFileSync(join(installed, 'package.json'), 'utf8')) as object

  assert.deepEqual(
    packed.files.map((file) => file.path).filter((name) => /\.ts$|test|testing|server\//.test(name)),
    [],
  )
  assert.ok(!Object.keys(manifest).some((name) => /dependencies/i.test(name)))
  assert.ok(packed.size < 200_000, `${packed.size} bytes`)
  assert.equal(readFileSync(join(cli, 'package.json'), 'utf8'), manifestBefore)
})

test('an interrupted npm pack is undone by the next one, and keeps what was edited since', (t) => {
  const manifest = join(cli, 'package.json')
  t.after(() => writeFileSync(manifest, manifestBefore))
  const step = (name: string) => run(process.execPath, [join(root, 'tools/cli/pack-cli.ts'), name], cli).code
  const edited = manifestBefore.replace('"private": true', '"private": false')

  assert.deepEqual([step('before'), step('before'), step('after')], [0, 0, 0])
  assert.equal(readFileSync(manifest, 'utf8'), manifestBefore)
  step('before')
  writeFileSync(manifest, edited)
  assert.deepEqual([step('before'), step('after')], [0, 0])
  assert.equal(readFileSync(manifest, 'utf8'), edited)
})

test('an installed malipo prints its version and help without a stack, and says what it lacks', () => {
  const { version } = JSON.parse(manifestBefore) as { version: string }

  assert.deepEqual(malipo(project, '--version'), { code: 0, out: `${version}\n`, err: '' })
  assert.match(malipo(project, '--help').out, /^Usage: malipo /)
  const unconfigured = malipo(project, 'whoami')
  assert.deepEqual([unconfigured.code, /^No key pair is configured/.test(unconfigured.err)], [2, true])
  const operator = malipo(project, 'merchants', 'list')
  assert.deepEqual([operator.code, operator.out], [3, ''])
  assert.match(operator.err, /^You are not logged in as operator staff .*Run malipo login --operator/)
  const migration = malipo(project, 'migrate')
  assert.deepEqual([migration.code, migration.out], [1, ''])
  assert.match(migration.err, /^This command works on the database of an installation\. .*npm run malipo --/)
})

test('an installed malipo finds the stack of npm run dev from its project and from anywhere', {
  timeout: 180_000,
}, async (t) => {
  const dev = spawn(process.execPath, [join(root, 'scripts/dev.ts')], {
    env: { ...variables, MALIPO_FOLDER: join(project, '.malipo'), MALIPO_PORT: String(await freePort()) },
  })
  let output = ''
  for (const stream of [dev.stdout, dev.stderr])
    stream.on('data', (part) => {
      output += part
    })
  const ended = once(dev, 'exit')
  t.after(() => dev.kill('SIGKILL'))
  await until('npm run dev to be ready', () => output.includes('In another window'), { timeoutMs: 120_000 })

  const below = malipo(join(project, 'src'), 'whoami')
  const elsewhere = malipo(home, 'whoami')
  const paid = malipo(home, 'trigger', 'charge.successful')
  const merchants = malipo(home, 'merchants', 'list')

  for (const { code, out, err } of [below, elsewhere]) {
    assert.equal(code, 0, err)
    assert.match(out, /^Amina Otieno, amina@example\.com, in sandbox\n(.*\n)* {2}from +npm run dev in .*a shop\n/)
    assert.match(out, /\nOperator commands act as machine opk_\w+\n(.*\n)* {2}from +npm run dev in .*a shop\n$/)
    assert.doesNotMatch(out, /sk_/)
  }
  assert.match(paid.out, /successful(.*\n)*Next: malipo explain trigger-/)
  assert.deepEqual([merchants.code, /Duka Moja(.*\n)*.*Duka Mbili/.test(merchants.out)], [0, true], merchants.err)
  assert.equal(statSync(join(state, 'dev-stack')).mode & 0o777, 0o600)
  dev.kill('SIGTERM')
  await ended
  assert.match(malipo(home, 'whoami').err, /^No key pair is configured/)
})
